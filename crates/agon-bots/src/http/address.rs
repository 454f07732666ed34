//! Addresses of web servers, which are on this machine.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::{fmt, fs, io, time::Duration};

use rustix::process::Pid;

use crate::OpenError;

/// The port of confined servers: what examples use without `PORT`.
const PORT: u16 = 8000;

/// The time limit for a first connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a web server listens.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) socket: SocketAddr,
    /// Where its paths start, without a slash at the end.
    pub(crate) path: String,
}

impl Address {
    /// Returns the address of a server in a network of its own.
    pub(crate) fn confined() -> Address {
        Address { socket: (Ipv4Addr::LOCALHOST, PORT).into(), path: String::new() }
    }

    /// Returns an address of this machine that is free now.
    pub(crate) fn free() -> io::Result<Address> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(Address { socket: listener.local_addr()?, path: String::new() })
    }

    /// Returns the least port that anybody listens at in the network of a process.
    pub(super) fn least_port(process: Pid) -> Option<u16> {
        let lists = ["tcp", "tcp6"].map(|list| {
            let path = format!("/proc/{}/net/{list}", process.as_raw_nonzero());
            fs::read_to_string(path).unwrap_or_default()
        });
        let port = |line: &str| {
            let mut words = line.split_ascii_whitespace();
            let own = words.nth(1)?.rsplit(':').next()?;
            let listens = words.nth(1) == Some("0A");
            u16::from_str_radix(own, 16).ok().filter(|_| listens)
        };
        lists.iter().flat_map(|list| list.lines()).filter_map(port).min()
    }

    /// Finds the server at an address that a person typed.
    ///
    /// # Errors
    /// If it is not an address of this machine, or nobody listens there.
    pub(crate) fn find(text: &str) -> Result<Address, OpenError> {
        let Some(addresses) = Address::parse(text) else {
            let why = format!(
                "`{text}` is no address of this machine; a web server that runs already must be \
                 on this machine, as in `http://127.0.0.1:8000`"
            );
            let remedy = "run the server on this machine, or let Agon start it: `http:PROGRAM`";
            return Err(OpenError::Unfit(why, remedy));
        };
        let mut refused = io::ErrorKind::NotFound.into();
        for address in addresses {
            match TcpStream::connect_timeout(&address.socket, PATIENCE) {
                Ok(_) => return Ok(address),
                Err(source) => refused = source,
            }
        }
        Err(OpenError::Refused { address: text.to_owned(), source: refused })
    }

    /// Parses an address of this machine; its name has two.
    fn parse(text: &str) -> Option<Vec<Address>> {
        let rest = text.strip_prefix("http://")?;
        let (server, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let servers = match server.strip_prefix("localhost") {
            Some(port) => vec![format!("127.0.0.1{port}"), format!("[::1]{port}")],
            None => vec![server.to_owned()],
        };
        let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic());
        let address = |server: String| {
            let socket = server.parse().or_else(|_| format!("{server}:80").parse());
            let is_local =
                |socket: &SocketAddr| is_plain && socket.ip().is_loopback() && socket.port() > 0;
            let path = path.trim_end_matches('/').to_owned();
            Some(Address { socket: socket.ok().filter(is_local)?, path })
        };
        servers.into_iter().map(address).collect()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.socket, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_taken_and_others_are_refused() {
        let texts = |text: &str| -> Option<Vec<String>> {
            Some(Address::parse(text)?.iter().map(Address::to_string).collect())
        };
        for (text, addresses) in [
            ("http://127.0.0.1:8000", vec!["http://127.0.0.1:8000"]),
            ("http://[::1]/a/b/", vec!["http://[::1]:80/a/b"]),
            ("http://localhost:1", vec!["http://127.0.0.1:1", "http://[::1]:1"]),
        ] {
            assert_eq!(texts(text).unwrap(), addresses);
        }
        for bad in [
            "https://127.0.0.1 http:// http://:80 http://example.com http://10.0.0.1:8000",
            "http://0.0.0.0:80 http://[::]:80 http://[::ffff:127.0.0.1] http://::1:80",
            "http://127.0.0.1:0 http://127.0.0.1:70000 http://127.0.0.1: http://127.1",
            "http://127.0.0.1@example.com http://localhost.example.com http://localhost@x",
        ] {
            bad.split(' ').for_each(|bad| assert_eq!(texts(bad), None, "{bad}"));
        }
        assert_eq!(texts("http://127.0.0.1/a\r\nb"), None);
    }
}
