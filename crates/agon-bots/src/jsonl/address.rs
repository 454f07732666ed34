//! Connects to programs that already run and wait at an address: `connect:HOST:PORT`.

use std::net::{TcpStream, ToSocketAddrs};
use std::{io, os::fd::OwnedFd, path::PathBuf, str::FromStr, time::Duration};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use crate::OpenError;

/// The time limit for connecting over a network.
const PATIENCE: Duration = Duration::from_secs(5);

/// An address: `HOST:PORT`, or the path of a Unix socket.
///
/// The path contains a `/` or ends in `.sock`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    Network { host: String, port: u16 },
    Socket(PathBuf),
}

impl FromStr for Address {
    type Err = OpenError;

    fn from_str(text: &str) -> Result<Address, OpenError> {
        if text.contains('/') || text.ends_with(".sock") {
            return Ok(Address::Socket(text.into()));
        }
        let wrong = |problem: &str| {
            let why = format!(
                "`{text}` is no address: {problem}; expected HOST:PORT, as in \
                 `connect:localhost:4000`, or the path of a Unix socket, as in \
                 `connect:./bot.sock`"
            );
            OpenError::Unfit(why, "correct the address")
        };
        let (host, port) = text.rsplit_once(':').ok_or_else(|| wrong("it has no port"))?;
        let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        match (bracketed.unwrap_or(host), port.parse()) {
            (host, _) if host.contains(':') && bracketed.is_none() => {
                Err(wrong("an IPv6 host stands in brackets"))
            }
            ("", _) => Err(wrong("it has no host")),
            (_, Ok(0) | Err(_)) => {
                Err(wrong(&format!("`{port}` is no port, which are 1 to 65535")))
            }
            (host, Ok(port)) => Ok(Address::Network { host: host.to_owned(), port }),
        }
    }
}

impl Address {
    /// Connects to the program that listens there.
    pub(super) fn connect(&self) -> io::Result<OwnedFd> {
        match self {
            Address::Socket(path) => {
                // A listener that never accepts is an error at once; the arena does not wait
                // for it.
                let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
                let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
                connect(&socket, &SocketAddrUnix::new(path.as_path())?)?;
                Ok(socket)
            }
            Address::Network { host, port } => {
                let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
                for address in (host.as_str(), *port).to_socket_addrs()? {
                    match TcpStream::connect_timeout(&address, PATIENCE) {
                        Ok(stream) => {
                            // A question is one write: waiting for more would only delay it.
                            stream.set_nodelay(true)?;
                            return Ok(stream.into());
                        }
                        Err(error) => last = error,
                    }
                }
                Err(last)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hosts_with_ports_or_paths() {
        let network = |host: &str, port| Address::Network { host: host.to_owned(), port };
        let check =
            |text: &str, address| assert_eq!(text.parse::<Address>().unwrap(), address, "{text}");
        check("localhost:4000", network("localhost", 4000));
        check("127.0.0.1:1", network("127.0.0.1", 1));
        check("[::1]:65535", network("::1", 65535));
        check("./bot", Address::Socket("./bot".into()));
        check("/tmp/a:b", Address::Socket("/tmp/a:b".into()));
        check("bot.sock", Address::Socket("bot.sock".into()));
    }

    #[test]
    fn what_is_no_address_is_told_with_an_example() {
        let error = |text: &str| text.parse::<Address>().unwrap_err().to_string();
        assert_eq!(
            error("localhost"),
            "`localhost` is no address: it has no port; expected HOST:PORT, as in \
             `connect:localhost:4000`, or the path of a Unix socket, as in `connect:./bot.sock`"
        );
        assert!(error("localhost:").contains("`` is no port"));
        assert!(error("localhost:0").contains("`0` is no port, which are 1 to 65535"));
        assert!(error("localhost:70000").contains("`70000` is no port"));
        assert!(error(":4000").contains("it has no host"));
        assert!(error("[]:4000").contains("it has no host"));
        assert!(error("::1:4000").contains("stands in brackets"));
    }
}
