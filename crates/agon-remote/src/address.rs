//! Where the server is: `nats://HOST:PORT`.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// The address of a NATS server, or of several that form a cluster, with commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

/// A text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no address of a NATS server; it is like nats://192.168.1.5:4222 or tls://HOST")]
pub struct AddressError(String);

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let is_one = |part: &str| {
            let host = part.strip_prefix("nats://").or_else(|| part.strip_prefix("tls://"));
            host.is_some_and(|host| {
                !host.is_empty() && !host.starts_with(':') && !host.contains([' ', '/'])
            })
        };
        match text.split(',').all(is_one) {
            true => Ok(Address(text.to_owned())),
            false => Err(AddressError(text.to_owned())),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_protocol_and_a_host() {
        for right in ["nats://localhost", "tls://a.example:4222", "nats://a:1,nats://b:2"] {
            assert_eq!(right.parse::<Address>().unwrap().to_string(), right);
        }
        for wrong in ["", "localhost:4222", "http://a", "nats://", "nats://:4222", "nats://a,b"] {
            let error = wrong.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{wrong}` is no address")), "{error}");
        }
    }
}
