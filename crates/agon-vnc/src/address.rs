//! Chooses and opens the port on which the server listens.
//!
//! An address that other machines can reach needs a password.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener},
};

use thiserror::Error;

/// The port of the first VNC display, which is the default.
pub const FIRST_PORT: u16 = 5900;

/// The last port that is tried by default.
pub const LAST_PORT: u16 = 5909;

/// The reason why the server cannot listen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BindError {
    /// Users of other machines could reach it, and no password would stop them.
    #[error("users of other machines could reach {0}, and there is no password")]
    NeedsPassword(IpAddr),
    /// All default ports are taken.
    #[error("all ports from {FIRST_PORT} to {LAST_PORT} of {0} are taken")]
    AllTaken(IpAddr),
    /// The system refuses.
    #[error("cannot listen on {address}: {source}")]
    Io {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
}

/// Listens on a port, by default on the first free one; port 0 is any free port.
pub(crate) fn listen(
    address: IpAddr,
    port: Option<u16>,
    has_password: bool,
) -> Result<TcpListener, BindError> {
    if !address.is_loopback() && !has_password {
        return Err(BindError::NeedsPassword(address));
    }
    let ports = port.map_or(FIRST_PORT..=LAST_PORT, |port| port..=port);
    for number in ports {
        let at = SocketAddr::new(address, number);
        // The standard library sets CLOEXEC: programs that are started later do not inherit it.
        match TcpListener::bind(at) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && port.is_none() => {}
            Err(source) => return Err(BindError::Io { address: at, source }),
        }
    }
    Err(BindError::AllTaken(address))
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    #[test]
    fn only_with_a_password_do_others_reach_it() {
        let everybody = IpAddr::from(Ipv4Addr::UNSPECIFIED);
        assert!(matches!(listen(everybody, Some(0), false), Err(BindError::NeedsPassword(_))));
        assert!(matches!(
            listen(Ipv6Addr::UNSPECIFIED.into(), None, false),
            Err(BindError::NeedsPassword(_))
        ));
        assert!(listen(everybody, Some(0), true).is_ok());
    }

    #[test]
    fn a_named_port_that_is_taken_is_an_error() {
        let here = IpAddr::from(Ipv4Addr::LOCALHOST);
        let taken = listen(here, Some(0), false).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = listen(here, Some(port), false).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot listen on 127.0.0.1:{port}: ")), "{error}");
    }

    #[test]
    fn the_next_port_is_taken() {
        // The same test may run at the same time elsewhere, so each process uses its own address.
        let own = Ipv4Addr::from_bits(0x7f40_0000 | std::process::id() & 0x3f_ffff);
        let here = IpAddr::from(own);
        // A server on all addresses may use some of the ten ports.
        let is_free = |&port: &u16| TcpListener::bind((own, port)).is_ok();
        let mut free = (FIRST_PORT..=LAST_PORT).filter(is_free);
        let expected = [free.next().unwrap(), free.next().unwrap()];
        let listeners = [(); 2].map(|()| listen(here, None, false).unwrap());
        assert_eq!(listeners.map(|listener| listener.local_addr().unwrap().port()), expected);
    }

    #[test]
    fn programs_do_not_inherit_it() {
        let listener = listen(Ipv4Addr::LOCALHOST.into(), Some(0), false).unwrap();
        let flags = rustix::io::fcntl_getfd(&listener).unwrap();
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
    }
}
