//! The state that all threads of the server share, and the events that clients send to the thread
//! that runs the app.
//!
//! It has the password, the size and the [`Client`]s. It also limits the number of clients, the
//! memory for them, and how fast passwords can be guessed.

use std::{
    fmt, io,
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use agon_view::Input;
use rustix::net::sockopt;

use crate::vnc::{handshake::Password, mailbox::Mailbox, screen::Screen};

/// The most clients at once.
pub(crate) const MAX_CLIENTS: usize = 16;

/// The most bytes of memory for clients' pictures, which allow updates with just the changes.
///
/// Clients without memory get everything.
const MAX_KNOWN_PICTURES: usize = 128 << 20;

/// The delay of a client with a wrong password. Such clients are refused one at a time.
const PENALTY: Duration = Duration::from_secs(1);

/// The state that all threads share.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) password: Option<Password>,
    pub(crate) title: String,
    pub(crate) size: Mutex<(u32, u32)>,
    pub(crate) clients: Mutex<Vec<Arc<Client>>>,
    /// The number of updates. It is locked while an update's memory is searched for.
    pub(crate) updates: Mutex<u64>,
    pub(crate) punishing: Mutex<()>,
    pub(crate) is_closed: AtomicBool,
}

impl ServerState {
    /// Returns the width and height of the picture.
    pub(crate) fn size(&self) -> (u32, u32) {
        *lock(&self.size)
    }

    /// Slows down people who guess passwords, over any number of connections.
    pub(crate) fn punish(&self) {
        let _one_at_a_time = lock(&self.punishing);
        thread::sleep(PENALTY);
    }

    /// Finds memory for a client's picture.
    ///
    /// Clients without an update for longest lose theirs.
    pub(crate) fn make_room(&self, client: &Client, bytes: usize) {
        let mut updates = lock(&self.updates);
        *updates += 1;
        client.count_picture(bytes, *updates);
        let mut all = lock(&self.clients).clone();
        all.sort_by_key(|client| client.updated());
        let mut held: usize = all.iter().map(|client| client.picture_bytes()).sum();
        for other in all.iter().filter(|other| other.number != client.number) {
            if held <= MAX_KNOWN_PICTURES {
                return;
            }
            held -= other.picture_bytes();
            other.drop_picture();
        }
    }

    pub(crate) fn leave(&self, number: u64) {
        lock(&self.clients).retain(|client| client.number != number);
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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

/// Events that may interest the person who runs a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A client sees the picture.
    Joined(SocketAddr),
    /// A client is gone or was refused; the reason, unless it left on its own.
    Left(SocketAddr, Option<String>),
    /// A client was refused, because there are too many.
    Full(SocketAddr),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Joined(who) => write!(f, "{who} is watching"),
            Notice::Left(who, None) => write!(f, "{who} has left"),
            Notice::Left(who, Some(why)) => write!(f, "{who} was disconnected: {why}"),
            Notice::Full(who) => {
                write!(f, "{who} was turned away: {MAX_CLIENTS} are connected already")
            }
        }
    }
}

/// An event for the app.
#[derive(Debug)]
pub(crate) enum Event {
    Input(Input),
    Size { client: u64, width: u32, height: u32 },
    Joined(SocketAddr),
    Notice(Notice),
}
