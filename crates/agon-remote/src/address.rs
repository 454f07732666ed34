//! Where the server is: `nats://HOST:PORT`.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// The address of a NATS server, or of several that form a cluster, with commas between them.
///
/// Shown to people, it has no passwords.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

/// A text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no address of a NATS server; it is like nats://192.168.1.5:4222 or tls://HOST")]
pub struct AddressError(String);

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

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
            false => Err(AddressError(without_passwords(text))),
        }
    }
}

impl Address {
    /// Returns the address as it was typed, with a password in it if one was typed.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

/// Returns the name and the password in addresses: those of the first one that has some.
pub fn login_of(addresses: &str) -> Option<(&str, &str)> {
    addresses.split(',').find_map(|address| {
        let (_, rest) = address.split_once("://")?;
        // A password may have any signs, a host has no `@`.
        let (login, _) = rest.rsplit_once('@')?;
        Some(login.split_once(':').unwrap_or((login, "")))
    })
}

/// Returns addresses without the names and passwords in them, for people.
pub fn without_passwords(addresses: &str) -> String {
    let shown = addresses.split(',').map(|address| match address.rsplit_once('@') {
        Some((before, host)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            format!("{scheme}://{host}")
        }
        None => address.to_owned(),
    });
    shown.collect::<Vec<_>>().join(",")
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_passwords(&self.0))
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
        let secret: Address = "nats://ada:p@ss@a:1,tls://b".parse().unwrap();
        assert_eq!(secret.to_string(), "nats://a:1,tls://b");
        assert_eq!(secret.secret(), "nats://ada:p@ss@a:1,tls://b");
        assert_eq!(login_of(secret.secret()), Some(("ada", "p@ss")));
        assert_eq!(login_of("nats://a:1,nats://bob@b"), Some(("bob", "")));
        assert_eq!(login_of("nats://a:1"), None);
        for wrong in ["", "localhost:4222", "http://a", "nats://", "nats://:4222", "nats://a,b"] {
            let error = wrong.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{wrong}` is no address")), "{error}");
        }
    }
}
