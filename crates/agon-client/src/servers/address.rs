//! The address of a server: scheme, host and port.

use std::{fmt, net::IpAddr, str::FromStr};

use agon_text::escape;
use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use ureq::http::{Uri, uri::Authority};

/// The address of a server. Equal servers have equal addresses, however they were typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Address {
    /// Whether it speaks HTTPS.
    is_secure: bool,
    /// The host in small letters, and the port if it is not the usual one.
    host: String,
}

impl Address {
    /// Returns the host, with the port if it is not the usual one.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Returns whether it speaks HTTPS.
    pub(crate) fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// Returns whether it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.host.parse::<Authority>().is_ok_and(|authority| is_loopback(authority.host()))
    }

    /// Checks that others cannot read what is sent, or that this is wanted.
    ///
    /// # Errors
    /// If it speaks plain HTTP with another machine.
    pub(crate) fn check_secrecy(&self, insecure_http: bool) -> Result<()> {
        if self.is_secure || self.is_loopback() || insecure_http {
            return Ok(());
        }
        bail!(
            "over plain HTTP, the network can read your password and token. Use \
             `https://{}`, or add --insecure-http if you trust the network",
            self.host
        )
    }
}

impl FromStr for Address {
    type Err = anyhow::Error;

    /// Reads what people type: a path behind the host is left out, and so may be the scheme.
    fn from_str(text: &str) -> Result<Address> {
        let wrong = || anyhow!("`{}` is no address; type https://agon.example", escape(text));
        let whole = match text.contains("://") {
            true => text.to_owned(),
            false => format!("//{text}"),
        };
        let (scheme, rest) = whole.split_once("//").ok_or_else(wrong)?;
        let authority: Authority = rest
            .split(['/', '?', '#'])
            .next()
            .and_then(|part| part.parse().ok())
            .ok_or_else(wrong)?;
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(wrong());
        }
        let is_secure = match scheme.to_lowercase().as_str() {
            "https:" => true,
            "http:" => false,
            "" => !is_loopback(authority.host()),
            _ => return Err(wrong()),
        };
        let host = authority.host().to_lowercase();
        let usual = if is_secure { 443 } else { 80 };
        let host = match authority.as_str()[authority.host().len()..].strip_prefix(':') {
            Some(port) => match port.parse::<u16>().map_err(|_| wrong())? {
                port if port == usual => host,
                port => format!("{host}:{port}"),
            },
            None => host,
        };
        let address = Address { is_secure, host };
        address.to_string().parse::<Uri>().map_err(|_| wrong())?;
        Ok(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_secure { "https" } else { "http" }, self.host)
    }
}

impl TryFrom<String> for Address {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Address> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.to_string()
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_server_are_equal() {
        for (typed, address) in [
            ("https://Agon.Example/", "https://agon.example"),
            ("https://agon.example:443/arenas/cluster?x#y", "https://agon.example"),
            ("agon.example", "https://agon.example"),
            ("agon.example:8420", "https://agon.example:8420"),
            ("localhost:8420", "http://localhost:8420"),
            ("127.0.0.1", "http://127.0.0.1"),
            ("http://[::1]:80/", "http://[::1]"),
            ("HTTP://192.168.1.5:8420", "http://192.168.1.5:8420"),
        ] {
            let read: Address = typed.parse().unwrap();
            assert_eq!(read.to_string(), address, "{typed}");
            assert_eq!(address.parse::<Address>().unwrap(), read);
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in [
            "",
            "ftp://x",
            "https://",
            "https://a@b",
            "a b",
            "x:port",
            "x:99999",
            "x:",
            "\u{1b}[2J",
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains("https://agon.example"), "{text}: {error}");
            assert!(!error.contains('\u{1b}'));
        }
    }

    #[test]
    fn secrets_cross_no_network_readable() {
        let check = |text: &str, flag| text.parse::<Address>().unwrap().check_secrecy(flag);
        assert!(check("https://agon.example", false).is_ok());
        assert!(check("http://127.0.0.1:8420", false).is_ok());
        assert!(check("http://localhost", false).is_ok() && check("http://[::1]", false).is_ok());
        assert!(check("http://192.168.1.5", true).is_ok());
        for text in ["http://192.168.1.5", "http://localhost.evil.example", "http://127.0.0.1.a.b"]
        {
            let error = check(text, false).unwrap_err().to_string();
            assert!(error.contains("--insecure-http"), "{error}");
        }
    }
}
