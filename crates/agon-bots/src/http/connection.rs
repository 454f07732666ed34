//! The connection to a web server, which is made again as often as the server closes it.

use std::{io, os::fd::OwnedFd, sync::Arc};

use agon_core::FaultKind;
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::sockopt::{set_tcp_nodelay, set_tcp_quickack};
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, connect_unspec, socket_with};

use super::{Address, Reader, Response};
use crate::process::Process;

/// A connection to a web server. One socket makes all of them, because it may be one in the network
/// of a confined program, where the arena can make no other.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: Arc<OwnedFd>,
    address: Address,
    is_open: bool,
    /// Whether a response has come over it.
    is_used: bool,
    /// Whether the request has been sent, so that its response is awaited.
    is_sent: bool,
    reader: Reader,
}

impl Connection {
    /// Makes a socket for servers in this network.
    pub(crate) fn socket(address: &Address) -> io::Result<OwnedFd> {
        let family = match address.socket.is_ipv4() {
            true => AddressFamily::INET,
            false => AddressFamily::INET6,
        };
        Ok(socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?)
    }

    /// Prepares connections to a server.
    pub(crate) fn new(socket: OwnedFd, address: Address) -> io::Result<Connection> {
        ioctl_fionbio(&socket, true)?;
        // A request is one write: waiting for more would only delay it.
        set_tcp_nodelay(&socket, true)?;
        let (is_open, is_used, is_sent) = (false, false, false);
        let reader = Reader::default();
        Ok(Connection { socket: Arc::new(socket), address, is_open, is_used, is_sent, reader })
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
                Err(_) if process.meter().measures() => return None,
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
                if !process.inbox().is_empty() {
                    // Servers that write the head and the body apart may wait for this.
                    let _ = set_tcp_quickack(&self.socket, true);
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
        let mut connected = connect(&self.socket, &self.address.socket);
        if connected == Err(Errno::INPROGRESS) {
            // On one machine the answer is there at once, and this call returns it.
            connected = connect(&self.socket, &self.address.socket);
        }
        match connected {
            Ok(()) | Err(Errno::ISCONN) => {}
            Err(Errno::INPROGRESS | Errno::ALREADY | Errno::INTR) => return Ok(false),
            Err(error) => return Err(error),
        }
        process.talk_over(Some(&self.socket));
        (self.is_open, self.is_used, self.is_sent) = (true, false, false);
        Ok(true)
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
        let _ = connect_unspec(&self.socket);
        process.talk_over(None);
        (self.is_open, self.is_sent) = (false, false);
        self.reader = Reader::default();
    }
}
