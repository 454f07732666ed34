//! The connection to a web server, which is made again as often as the server closes it.

use std::time::{Duration, Instant};
use std::{io, os::fd::OwnedFd, sync::Arc};

use agon_core::FaultKind;
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::sockopt::{set_tcp_nodelay, set_tcp_quickack};
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, connect_unspec, socket_with};
use rustix::process::Pid;

use super::{Address, Reader, Response};
use crate::process::Process;

/// The time that a server has to listen at its port before another one that it listens at counts:
/// some servers know only a port of their own, and some use two.
const OTHER_PORT: Duration = Duration::from_secs(1);

/// A connection to a web server. One socket makes all of them, because it may be one in the network
/// of a confined program, where the arena can make no other.
#[derive(Debug)]
pub(crate) struct Connection {
    address: Address,
    /// `None` before the match.
    socket: Option<Arc<OwnedFd>>,
    /// A process in the network of the socket, if that is not the arena's.
    network: Option<Pid>,
    /// When the server was seen to listen, but at another port.
    elsewhere: Option<Instant>,
    is_open: bool,
    /// Whether a response has come over it.
    is_used: bool,
    /// Whether the request has been sent, so that its response is awaited.
    is_sent: bool,
    reader: Reader,
}

impl Connection {
    pub(crate) fn new(address: Address) -> Connection {
        Connection {
            address,
            socket: None,
            network: None,
            elsewhere: None,
            is_open: false,
            is_used: false,
            is_sent: false,
            reader: Reader::default(),
        }
    }

    /// Prepares connections by a socket in the network of a process, or in this one.
    pub(crate) fn prepare(&mut self, own: Option<(OwnedFd, Pid)>) -> io::Result<()> {
        let family = match self.address.socket.is_ipv4() {
            true => AddressFamily::INET,
            false => AddressFamily::INET6,
        };
        let (socket, network) = match own {
            Some((socket, pid)) => (socket, Some(pid)),
            None => (socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?, None),
        };
        ioctl_fionbio(&socket, true)?;
        // A request is one write: waiting for more would only delay it.
        set_tcp_nodelay(&socket, true)?;
        (self.socket, self.network) = (Some(Arc::new(socket)), network);
        Ok(())
    }

    /// Returns the bytes of a request; one with a body sends JSON.
    pub(crate) fn request(&self, path: &str, body: Option<&[u8]>) -> Vec<u8> {
        let Address { socket, path: start } = &self.address;
        let method = if body.is_some() { "POST" } else { "GET" };
        let mut request =
            format!("{method} {start}{path} HTTP/1.1\r\nHost: {socket}\r\nUser-Agent: agon\r\n")
                .into_bytes();
        if let Some(body) = body {
            let length = body.len();
            let fields = format!("Content-Type: application/json\r\nContent-Length: {length}\r\n");
            request.extend_from_slice(fields.as_bytes());
        }
        request.extend_from_slice(b"\r\n");
        request.extend_from_slice(body.unwrap_or_default());
        request
    }

    /// Returns whether there is a connection now.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns where the server listens.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request once there is a connection, and returns its response once it is there.
    ///
    /// Call it with the same request until then, or until [`Connection::give_up`].
    ///
    /// # Errors
    /// With the fault of a server whose response cannot be read, or that has gone.
    pub(crate) fn exchange(
        &mut self,
        process: &mut Process,
        request: &[u8],
    ) -> Option<Result<Response, (FaultKind, String)>> {
        if self.is_open && !self.is_sent {
            process.pump();
            // What comes without a request is no answer.
            if process.has_hung_up() || !process.inbox().is_empty() {
                self.close(process);
            }
        }
        let is_empty = process.inbox().is_empty();
        if self.is_sent && self.is_used && process.has_hung_up() && is_empty {
            // The server had closed the connection before the request came.
            self.close(process);
        }
        if !self.is_open {
            match self.open(process) {
                Ok(true) => {}
                Ok(false) => return None,
                // A program that has been started will listen, or end.
                Err(_) if process.meter().measures() => {
                    self.look_for_port();
                    return None;
                }
                Err(error) => {
                    let what = format!("nobody listens at {} any more ({error})", self.address);
                    return Some(Err((FaultKind::Crash, what)));
                }
            }
        }
        if !self.is_sent {
            self.is_sent = true;
            process.send(request);
        }
        match self.reader.read(process.inbox(), process.has_hung_up()) {
            Ok(Some(response)) => {
                process.take(response.length);
                self.reader = Reader::default();
                (self.is_used, self.is_sent) = (true, false);
                if !response.keeps || process.has_hung_up() || !process.inbox().is_empty() {
                    self.close(process);
                }
                Some(Ok(response))
            }
            Ok(None) => {
                if let Some(socket) = self.socket.as_ref().filter(|_| !process.inbox().is_empty()) {
                    // Servers that write the head and the body apart may wait for this.
                    let _ = set_tcp_quickack(socket, true);
                }
                None
            }
            Err(problem) => {
                process.take(process.inbox().len());
                self.close(process);
                Some(Err((FaultKind::Garbage, problem)))
            }
        }
    }

    /// Returns whether the server has taken the connection.
    fn open(&mut self, process: &mut Process) -> rustix::io::Result<bool> {
        let socket = self.socket.as_ref().ok_or(Errno::NOTCONN)?;
        let mut connected = connect(socket, &self.address.socket);
        if connected == Err(Errno::INPROGRESS) {
            // On one machine the answer is there at once, and this call returns it.
            connected = connect(socket, &self.address.socket);
        }
        match connected {
            Ok(()) | Err(Errno::ISCONN) => {}
            Err(Errno::INPROGRESS | Errno::ALREADY | Errno::INTR) => return Ok(false),
            Err(error) => return Err(error),
        }
        process.talk_over(Some(socket));
        (self.is_open, self.is_used, self.is_sent) = (true, false, false);
        Ok(true)
    }

    /// Turns to another port if the server listens only there.
    fn look_for_port(&mut self) {
        let Some(port) = self.network.and_then(Address::least_port) else { return };
        if self.elsewhere.get_or_insert_with(Instant::now).elapsed() >= OTHER_PORT {
            self.address.socket.set_port(port);
        }
    }

    /// Forgets a request whose response has not come: the connection is closed, so that nobody
    /// takes the response for another one.
    pub(crate) fn give_up(&mut self, process: &mut Process) {
        if self.is_sent || !self.is_open {
            self.close(process);
        }
    }

    fn close(&mut self, process: &mut Process) {
        // The socket can be connected again. A server that still writes notices the end.
        let _ = self.socket.as_ref().map(connect_unspec);
        process.talk_over(None);
        (self.is_open, self.is_sent) = (false, false);
        self.reader = Reader::default();
    }
}
