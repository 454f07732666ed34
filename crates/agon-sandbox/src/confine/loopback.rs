//! The network of a program that serves: a loopback address, and nothing else.
//!
//! The arena reaches it through a socket that was made there: a socket stays in its namespace of
//! networks, whoever connects it.

use std::os::fd::{AsRawFd, OwnedFd};
use std::{fs, io};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use super::{ConfineError, SandboxState, failed};
use crate::{Mechanism, Order};

/// Settings of the namespace that bound the memory of the kernel for sockets: the buffers of TCP in
/// bytes (the least, the usual and the most), and the connections that wait at each address.
const SETTINGS: [(&str, &str); 3] = [
    ("ipv4/tcp_rmem", "4096 65536 131072"),
    ("ipv4/tcp_wmem", "4096 65536 131072"),
    ("core/somaxconn", "64"),
];

/// Switches the loopback device on in the calling process's new namespace of networks.
///
/// # Errors
/// Without such a namespace, the program would share the machine's network.
pub(super) fn set_up(state: &SandboxState) -> Result<(), ConfineError> {
    if !state.has(Mechanism::Network) {
        let missing = &state.confinement.missing;
        let reason = missing.iter().find(|missing| missing.mechanism == Mechanism::Network);
        let why = reason.map_or("", |missing| &missing.why);
        let what = format!("a server needs a network of its own: {why}");
        return Err(failed(what)(Errno::OPNOTSUPP));
    }
    switch_on().map_err(failed(
        "its loopback device cannot be switched on (in a container, `--cap-add NET_ADMIN` allows \
         it)",
    ))?;
    for (name, value) in SETTINGS {
        // In containers they are read-only. Then the machine's own limits hold.
        let _ = fs::write(format!("/proc/sys/net/{name}"), value);
    }
    Ok(())
}

#[allow(unsafe_code)]
fn switch_on() -> io::Result<()> {
    let socket = tcp_socket()?;
    // SAFETY: all fields are numbers or addresses that are not followed, for which zero bytes are
    // valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l' as libc::c_char;
    request.ifr_name[1] = b'o' as libc::c_char;
    request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    // SAFETY: the request has the form that this call reads, and lives during the call.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &request) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Makes a socket in the network of the calling process, if the order's program has one of its own.
pub(crate) fn own_socket(order: &Order) -> Result<Option<OwnedFd>, ConfineError> {
    let serves = order.sandbox.as_ref().is_some_and(|sandbox| sandbox.loopback);
    let socket = serves.then(tcp_socket).transpose();
    socket.map_err(failed("there is no socket in its network"))
}

fn tcp_socket() -> io::Result<OwnedFd> {
    Ok(socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?)
}
