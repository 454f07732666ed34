//! `agon-web-host`: serves pages to browsers on this machine, for matches with `--view web`.
//!
//! The arena starts it by itself, and talks to it through its standard input and output
//! (`agon_web::dialogue`). It is a separate program because its HTTP libraries take long to
//! build.
//!
//! | module | what |
//! | --- | --- |
//! | `server` | requests of pages |
//! | `connection_limits` | admission of clients |
//! | `feed` | a match that pages follow |
//! | `websocket` | a file for pages that expect a WebSocket |

mod connection_limits;
mod feed;
mod server;
mod websocket;

use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{collections::BTreeMap, env, process::ExitCode};

use agon_files::parts::{Message, greet, receive, send};
use agon_web::dialogue::{DIALOGUE, HOST, Listen, ToArena, ToHost, Verdict};
use feed::Feed;
use server::{Content, File};
use tokio::{sync::oneshot, task};

fn main() -> ExitCode {
    let is_typed = env::args_os().len() > 1 || io::stdin().is_terminal();
    let result = if is_typed { introduce() } else { run(&mut io::stdin().lock(), io::stdout()) };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reader may be gone as well.
            let _ = writeln!(io::stderr(), "agon-web-host: {error}");
            ExitCode::from(2)
        }
    }
}

fn introduce() -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(
        io::stdout(),
        "agon-web-host {version}: serves pages to browsers; the arena `agon` starts it by itself"
    )
}

/// Serves the arena's files, and passes on its messages, until it is gone.
/// Fails if its messages are invalid or in an impossible order.
fn run(from: &mut impl Read, mut to: impl Write + Send + 'static) -> io::Result<()> {
    greet(&HOST, DIALOGUE, &mut to)?;
    let mut host = Host { arena: Arena::new(to), feed: Feed::default(), files: Vec::new() };
    loop {
        match receive(from) {
            Ok(Some(message)) => host.hear(message)?,
            Ok(None) => return Ok(()),
            // It was killed in the middle of a message.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// The contents to serve, and the connection to the arena.
struct Host {
    arena: Arena,
    feed: Feed,
    /// Paths, media types and contents of files, as received.
    files: Vec<(String, String, Vec<u8>)>,
}

impl Host {
    fn hear(&mut self, message: Message<ToHost>) -> io::Result<()> {
        let Message { value, bytes } = message;
        match value {
            ToHost::File { path, media_type } => self.files.push((path, media_type, bytes)),
            ToHost::MoreOfFile => {
                let what = "the arena told more of a file that has not begun";
                let missing = || io::Error::new(ErrorKind::InvalidData, what);
                self.files.last_mut().ok_or_else(missing)?.2.extend(bytes);
            }
            ToHost::Listen(listen) => self.listen(&listen)?,
            ToHost::Begin => self.feed.begin(&bytes),
            ToHost::GoOn => self.feed.push(&bytes),
            ToHost::Ask(question) => self.feed.ask(Some(question)),
            ToHost::Hints => self.feed.hint(bytes),
            ToHost::Close => self.feed.ask(None),
            ToHost::End => self.feed.end(),
            ToHost::Answer { request, verdict } => self.arena.answer(request, verdict),
        }
        Ok(())
    }

    /// Starts to listen with the files so far.
    fn listen(&mut self, listen: &Listen) -> io::Result<()> {
        let files = std::mem::take(&mut self.files).into_iter();
        let content = Content {
            files: files
                .map(|(path, media_type, bytes)| (path, File::new(&media_type, bytes)))
                .collect(),
            live: listen.live.then(|| self.feed.clone()),
            orders: listen.orders.then(|| self.arena.clone()),
            rematch: listen.rematch.then(|| self.arena.clone()),
            guest: listen.guest.clone(),
        };
        let told = match server::start(content, listen.port) {
            Ok(port) => ToArena::Listening { port },
            Err(error) => ToArena::CannotListen(error.to_string()),
        };
        self.arena.tell(&told, &[])
    }
}

/// The arena, which can be sent messages. Clones share one connection.
#[derive(Clone)]
pub(crate) struct Arena(Arc<Shared>);

struct Shared {
    out: Mutex<Box<dyn Write + Send>>,
    waiting: Mutex<Waiting>,
}

/// Orders without an answer so far.
#[derive(Default)]
struct Waiting {
    requests: u64,
    open: BTreeMap<u64, oneshot::Sender<Verdict>>,
}

impl Arena {
    /// Makes the connection to the reader of `out`.
    pub(crate) fn new(out: impl Write + Send + 'static) -> Arena {
        Arena(Arc::new(Shared { out: Mutex::new(Box::new(out)), waiting: Mutex::default() }))
    }

    /// Sends a message.
    pub(crate) fn tell(&self, value: &ToArena, bytes: &[u8]) -> io::Result<()> {
        // In one piece, because each write is a system call.
        let mut message = Vec::new();
        send(&mut message, value, bytes)?;
        let mut out = self.0.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&message)?;
        out.flush()
    }

    /// Passes on orders, and waits for their result.
    pub(crate) async fn pass_on(&self, orders: Vec<u8>) -> io::Result<Verdict> {
        let (request, answer) = self.expect();
        let arena = self.clone();
        // The arena may be busy with others' orders; pages are served meanwhile.
        let told =
            task::spawn_blocking(move || arena.tell(&ToArena::Orders { request }, &orders)).await;
        if let Err(error) = told.map_err(io::Error::other).flatten() {
            self.waiting().open.remove(&request);
            return Err(error);
        }
        answer.await.map_err(io::Error::other)
    }

    /// Takes the arena's answer to orders.
    pub(crate) fn answer(&self, request: u64, verdict: Verdict) {
        if let Some(waiting) = self.waiting().open.remove(&request) {
            // The sender of the orders may be gone.
            let _ = waiting.send(verdict);
        }
    }

    /// Makes a number for orders, and a channel for their answer.
    fn expect(&self) -> (u64, oneshot::Receiver<Verdict>) {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.waiting();
        waiting.requests += 1;
        let request = waiting.requests;
        waiting.open.insert(request, sender);
        (request, receiver)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
