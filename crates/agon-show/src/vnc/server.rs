//! The server: one app, the thread that runs it, the port, and the clients.
//!
//! `agon-show` binds a [`Server`] for `--view vnc`, and runs the viewer of a match or replay in it.
//! An address that other machines can reach needs a password. All threads share a [`ServerState`],
//! which limits the number of clients, the memory for them, and how fast passwords can be guessed.

use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use agon_view::{App, Input, Redraw, paint::Frame};
use anyhow::{Context, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;

use crate::vnc::connection::{Mailbox, SizeAnswer};
use crate::{vnc::handshake::Password, vnc::screen::Screen};

/// The most inputs that wait for the app; a client with more of them has to wait.
const MAX_QUEUED_EVENTS: usize = 256;

/// The minimum time between two pictures.
const FRAME_INTERVAL: Duration = Duration::from_millis(30);

/// The check interval for the end of the server.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Where and how a server listens.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address. Any address beyond this machine needs a password.
    pub address: IpAddr,
    /// The port; 0 is any free port.
    ///
    /// `None` is the first free one from 5900 on.
    pub port: Option<u16>,
    /// The clients' password.
    pub password: Option<Password>,
    /// The initial width and height of the picture in pixels, from 160x120 to 4096x2304.
    pub size: (u16, u16),
    /// The time after which a client that does not take its pictures is gone.
    pub patience: Duration,
}

impl Default for Options {
    /// Listens on this machine, without a password.
    fn default() -> Options {
        let address = Ipv4Addr::LOCALHOST.into();
        Options {
            address,
            port: None,
            password: None,
            size: (960, 640),
            patience: Duration::from_secs(10),
        }
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    /// The address that it listens on.
    pub address: SocketAddr,
    options: Options,
}

impl Server {
    /// Listens. Early clients wait until [`Server::run`].
    /// Fails if the address or its ports are taken or not this machine's, or others could get in
    /// without a password.
    pub fn bind(options: Options) -> Result<Server> {
        let listener = listen(options.address, options.port, options.password.is_some())?;
        listener.set_nonblocking(true).context("cannot listen")?;
        let address = listener.local_addr().context("cannot listen")?;
        Ok(Server { listener, address, options })
    }

    /// Returns the address in the form for clients: `vnc://127.0.0.1:5900`.
    pub fn url(&self) -> String {
        format!("vnc://{}", self.address)
    }

    /// Shows an app until the person leaves it, or `stop` returns true.
    ///
    /// `stop` is called about ten times per second. `tell` gets events that may be worth a line.
    pub fn run(
        self,
        app: &mut dyn App,
        stop: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&Notice),
    ) -> io::Result<()> {
        let Server { listener, options: Options { password, size, patience, .. }, .. } = self;
        let (width, height) = (u32::from(size.0), u32::from(size.1));
        let server = Arc::new(ServerState {
            password,
            title: app.title(),
            size: Mutex::new((width, height)),
            clients: Mutex::default(),
            updates: Mutex::default(),
            punishing: Mutex::default(),
            is_closed: AtomicBool::new(false),
        });
        let (send, events) = mpsc::sync_channel(MAX_QUEUED_EVENTS);
        let shared = Arc::clone(&server);
        let accept = move || accept(&listener, &shared, &send, patience);
        let accepting = thread::Builder::new().name("vnc-accept".into()).spawn(accept)?;
        let mut rendering = RenderLoop {
            server: &server,
            app,
            frame: Arc::new(Frame::new(width, height)),
            is_stale: true,
        };
        rendering.run(&events, stop, tell);
        // Threads that wait for the queue must not wait any longer.
        drop(events);
        server.is_closed.store(true, Ordering::Relaxed);
        // It does nothing that can panic.
        accepting.join().ok();
        lock(&server.clients).iter().for_each(|client| client.close());
        Ok(())
    }
}

/// The thread of the app.
struct RenderLoop<'a> {
    server: &'a ServerState,
    app: &'a mut dyn App,
    frame: Arc<Frame>,
    /// Whether the picture is outdated.
    is_stale: bool,
}

impl RenderLoop<'_> {
    fn run(
        &mut self,
        events: &Receiver<Event>,
        stop: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&Notice),
    ) {
        let start = Instant::now();
        let mut painted = None::<Instant>;
        loop {
            self.is_stale |= self.app.tick(start.elapsed()) == Redraw::Yes;
            if self.app.is_closed() || stop() {
                return;
            }
            let early =
                painted.map_or(Duration::ZERO, |at| FRAME_INTERVAL.saturating_sub(at.elapsed()));
            let is_wanted = self.is_stale && !lock(&self.server.clients).is_empty();
            if is_wanted && early.is_zero() {
                self.paint();
                painted = Some(Instant::now());
            }
            let wait = match (is_wanted, self.app.idle()) {
                (true, _) => early.max(Duration::from_millis(1)),
                (false, Some(idle)) => idle.clamp(FRAME_INTERVAL / 2, CHECK_INTERVAL),
                (false, None) => CHECK_INTERVAL,
            };
            match events.recv_timeout(wait) {
                Ok(event) => self.take(event, tell),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            for event in events.try_iter().take(MAX_QUEUED_EVENTS) {
                self.take(event, tell);
            }
        }
    }

    fn take(&mut self, event: Event, tell: &mut dyn FnMut(&Notice)) {
        match event {
            Event::Input(input) => self.is_stale |= self.app.input(input) == Redraw::Yes,
            Event::Size { client, width, height } => {
                *lock(&self.server.size) = (width, height);
                self.paint();
                let clients = lock(&self.server.clients);
                if let Some(client) = clients.iter().find(|other| other.number == client) {
                    client.mailbox.change(|state| state.size_answer = Some(SizeAnswer::Done));
                }
            }
            Event::Notice(notice) => {
                self.is_stale |= matches!(notice, Notice::Joined(_));
                tell(&notice);
            }
        }
    }

    fn paint(&mut self) {
        let (width, height) = self.server.size();
        // Clients that still use the last picture keep it.
        let frame = Arc::make_mut(&mut self.frame);
        frame.resize(width, height);
        self.app.paint(frame);
        self.is_stale = false;
        for client in lock(&self.server.clients).iter() {
            client.mailbox.change(|state| state.frame = Some(Arc::clone(&self.frame)));
        }
    }
}

/// Accepts clients until the server ends.
fn accept(
    listener: &TcpListener,
    server: &Arc<ServerState>,
    events: &SyncSender<Event>,
    patience: Duration,
) {
    let mut number = 0;
    // Milliseconds fit.
    let check_interval = Timespec { tv_sec: 0, tv_nsec: CHECK_INTERVAL.as_nanos() as i64 };
    while !server.is_closed.load(Ordering::Relaxed) {
        let mut fds = [PollFd::new(listener, PollFlags::IN)];
        if !matches!(poll(&mut fds, Some(&check_interval)), Ok(1..)) {
            continue;
        }
        let Ok((stream, address)) = listener.accept() else {
            // The client is gone already, or the machine has too many open files.
            thread::sleep(FRAME_INTERVAL);
            continue;
        };
        if lock(&server.clients).len() >= MAX_CLIENTS {
            if events.send(Event::Notice(Notice::Full(address))).is_err() {
                return;
            }
            continue;
        }
        number += 1;
        let begin = || {
            stream.set_nonblocking(false)?;
            let client = Arc::new(Client::new(number, address, stream, patience)?);
            let server = Arc::clone(server);
            let events = events.clone();
            lock(&server.clients).push(Arc::clone(&client));
            let talk = move || {
                let end = client.serve(&server, &events);
                client.close();
                server.leave(client.number);
                // Nobody listens any more when the server ends.
                events.send(Event::Notice(Notice::Left(address, end.err()))).ok();
            };
            thread::Builder::new().name("vnc-read".into()).spawn(talk).map(drop)
        };
        if let Err(error) = begin() {
            let error: io::Error = error;
            server.leave(number);
            let notice = Notice::Left(address, Some(error.to_string()));
            if events.send(Event::Notice(notice)).is_err() {
                return;
            }
        }
    }
}

/// The ports that are tried by default, from that of the first VNC display on.
const PORTS: std::ops::RangeInclusive<u16> = 5900..=5909;

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
        client.picture_bytes.store(bytes, Ordering::Relaxed);
        client.updated.store(*updates, Ordering::Relaxed);
        let bytes_of = |client: &Client| client.picture_bytes.load(Ordering::Relaxed);
        let mut all = lock(&self.clients).clone();
        all.sort_by_key(|client| client.updated.load(Ordering::Relaxed));
        let mut held: usize = all.iter().map(|client| bytes_of(client)).sum();
        for other in all.iter().filter(|other| other.number != client.number) {
            if held <= MAX_KNOWN_PICTURES {
                return;
            }
            held -= bytes_of(other);
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

    /// Forgets its picture: its next update contains everything.
    pub(crate) fn drop_picture(&self) {
        self.screen().drop_picture();
        self.picture_bytes.store(0, Ordering::Relaxed);
    }

    pub(crate) fn screen(&self) -> MutexGuard<'_, Screen> {
        lock(&self.screen)
    }

    /// Ends the connection, and with it the client's threads.
    pub(crate) fn close(&self) {
        self.mailbox.change(|state| state.is_closed = true);
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
    Notice(Notice),
}

/// Listens on a port, by default on the first free one; port 0 is any free port.
fn listen(address: IpAddr, port: Option<u16>, has_password: bool) -> Result<TcpListener> {
    if !address.is_loopback() && !has_password {
        bail!(
            "users of other machines could reach {address}, and there is no password: name a file \
             with one by --vnc-password-file, set AGON_VNC_PASSWORD, or leave --vnc-address out \
             and use an ssh tunnel"
        );
    }
    for number in port.map_or(PORTS, |port| port..=port) {
        let at = SocketAddr::new(address, number);
        // The standard library sets CLOEXEC: programs that are started later do not inherit it.
        match TcpListener::bind(at) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && port.is_none() => {}
            Err(error) => {
                bail!("cannot listen on {at}: {error}; `--view vnc` takes a port that is free")
            }
        }
    }
    let (first, last) = PORTS.into_inner();
    bail!(
        "all ports from {first} to {last} of {address} are taken; `--view vnc:PORT` names another"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn only_with_a_password_do_others_reach_it() {
        for everybody in [Ipv4Addr::UNSPECIFIED.into(), std::net::Ipv6Addr::UNSPECIFIED.into()] {
            let error = listen(everybody, Some(0), false).unwrap_err().to_string();
            assert!(error.contains("there is no password"), "{error}");
        }
        assert!(listen(Ipv4Addr::UNSPECIFIED.into(), Some(0), true).is_ok());
    }

    #[test]
    fn a_named_port_is_taken_by_one_program_alone() {
        let taken = listen(HERE, Some(0), false).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = listen(HERE, Some(port), false).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot listen on 127.0.0.1:{port}: ")), "{error}");
        // Programs that are started later do not inherit it.
        let flags = rustix::io::fcntl_getfd(&taken).unwrap();
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
    }

    #[test]
    fn the_next_port_is_taken() {
        // The same test may run at the same time elsewhere, so each process uses its own address.
        let own = Ipv4Addr::from_bits(0x7f40_0000 | std::process::id() & 0x3f_ffff);
        // A server on all addresses may use some of the ten ports.
        let mut free = PORTS.filter(|&port| TcpListener::bind((own, port)).is_ok());
        let expected = [free.next().unwrap(), free.next().unwrap()];
        let listeners = [(); 2].map(|()| listen(own.into(), None, false).unwrap());
        assert_eq!(listeners.map(|listener| listener.local_addr().unwrap().port()), expected);
    }
}
