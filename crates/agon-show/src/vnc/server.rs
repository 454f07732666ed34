//! The server: one app, the thread that runs it, the port, and the clients.
//!
//! `agon-show` binds a [`Server`] for `--view vnc`, and runs the viewer of a match or replay in it.
//! An address that other machines can reach needs a password.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use agon_view::paint::Frame;
use agon_view::{App, Redraw};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use thiserror::Error;

use crate::vnc::{
    handshake::Password,
    mailbox::SizeAnswer,
    state::{Client, Event, MAX_CLIENTS, Notice, ServerState, lock},
};

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
    /// `None` is the first free one from [`FIRST_PORT`](crate::vnc::FIRST_PORT) on.
    pub port: Option<u16>,
    /// The clients' password.
    pub password: Option<Password>,
    /// The initial width and height of the picture in pixels, within [`SIZES`](crate::vnc::SIZES).
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
    address: SocketAddr,
    password: Option<Password>,
    size: (u16, u16),
    patience: Duration,
}

impl Server {
    /// Listens. Early clients wait until [`Server::run`].
    ///
    /// # Errors
    /// If the address or its ports are taken or not this machine's, or others could get in without
    /// a password.
    pub fn bind(options: Options) -> Result<Server, BindError> {
        let Options { address, port, password, size, patience } = options;
        let listener = listen(address, port, password.is_some())?;
        let refused =
            |source| BindError::Io { address: SocketAddr::new(address, port.unwrap_or(0)), source };
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Server { listener, address, password, size, patience })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the same in the form for clients: `vnc://127.0.0.1:5900`.
    pub fn url(&self) -> String {
        format!("vnc://{}", self.address)
    }

    /// Shows an app until the person leaves it, or `stop` returns true.
    ///
    /// `stop` is called about ten times per second. `tell` gets events that may be worth a line.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn run(
        self,
        app: &mut dyn App,
        stop: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&Notice),
    ) -> io::Result<()> {
        let (width, height) = (u32::from(self.size.0), u32::from(self.size.1));
        let server = Arc::new(ServerState {
            password: self.password,
            title: app.title(),
            size: Mutex::new((width, height)),
            clients: Mutex::default(),
            updates: Mutex::default(),
            punishing: Mutex::default(),
            is_closed: AtomicBool::new(false),
        });
        let (send, events) = mpsc::sync_channel(MAX_QUEUED_EVENTS);
        let shared = Arc::clone(&server);
        let listener = self.listener;
        let patience = self.patience;
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
            Event::Joined(who) => {
                tell(&Notice::Joined(who));
                self.is_stale = true;
            }
            Event::Size { client, width, height } => {
                *lock(&self.server.size) = (width, height);
                self.paint();
                let clients = lock(&self.server.clients);
                let asked = clients.iter().find(|other| other.number == client);
                asked.into_iter().for_each(|client| client.mailbox.answer_size(SizeAnswer::Done));
            }
            Event::Notice(notice) => tell(&notice),
        }
    }

    fn paint(&mut self) {
        let (width, height) = self.server.size();
        // Clients that still use the last picture keep it.
        let frame = Arc::make_mut(&mut self.frame);
        frame.resize(width, height);
        self.app.paint(frame);
        self.is_stale = false;
        lock(&self.server.clients).iter().for_each(|client| client.mailbox.put_frame(&self.frame));
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
fn listen(
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
