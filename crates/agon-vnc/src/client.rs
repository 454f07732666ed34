//! A connected client: its connection, the pictures that wait for it, and what it shows.
//!
//! The server keeps a list of them. `connection` runs the client's two threads.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rustix::net::sockopt;

use crate::{mailbox::Mailbox, screen::Screen};

/// The silence after which the system checks whether the client still exists.
const SILENCE: Duration = Duration::from_secs(30);

/// A client that is connected.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) number: u64,
    pub(crate) address: SocketAddr,
    pub(crate) mailbox: Mailbox,
    pub(crate) stream: TcpStream,
    /// The picture on the client. It is never locked while a thread waits for the client.
    screen: Mutex<Screen>,
    /// Bytes of memory for that picture.
    picture_bytes: AtomicUsize,
    /// The time of the last update, counted in updates of all clients.
    updated: AtomicU64,
}

impl Client {
    /// Takes a new connection; a write that takes longer than `patience` ends it.
    pub(crate) fn new(
        number: u64,
        address: SocketAddr,
        stream: TcpStream,
        patience: Duration,
    ) -> io::Result<Client> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(patience))?;
        sockopt::set_socket_keepalive(&stream, true)?;
        sockopt::set_tcp_keepidle(&stream, SILENCE)?;
        let mailbox = Mailbox::default();
        let screen = Mutex::new(Screen::new(0, 0));
        let picture_bytes = AtomicUsize::default();
        let updated = AtomicU64::default();
        Ok(Client { number, address, mailbox, stream, screen, picture_bytes, updated })
    }

    /// Returns the bytes of memory for the picture on the client.
    pub(crate) fn picture_bytes(&self) -> usize {
        self.picture_bytes.load(Ordering::Relaxed)
    }

    /// Counts this much memory for it.
    pub(crate) fn count_picture(&self, bytes: usize, update: u64) {
        self.picture_bytes.store(bytes, Ordering::Relaxed);
        self.updated.store(update, Ordering::Relaxed);
    }

    /// Returns the number of its last update, counted over all clients.
    pub(crate) fn updated(&self) -> u64 {
        self.updated.load(Ordering::Relaxed)
    }

    /// Forgets its picture: its next update contains everything.
    pub(crate) fn drop_picture(&self) {
        self.screen().drop_picture();
        self.picture_bytes.store(0, Ordering::Relaxed);
    }

    pub(crate) fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection, and with it the client's threads.
    pub(crate) fn close(&self) {
        self.mailbox.close();
        // It may be closed already.
        self.stream.shutdown(Shutdown::Both).ok();
    }
}
