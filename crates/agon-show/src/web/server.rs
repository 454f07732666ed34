//! Starts `agon-web-host`, the program that serves the page, and talks to it.
//!
//! `live` serves a running match with it, `watch` a replay.

use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr},
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};

use agon_arena::{Notice, Tell};
use agon_page::dialogue::{DIALOGUE, HOST, Listen, ToArena, ToHost, Verdict};
use agon_parts::{Message, Mouth, Running};
use agon_web::bundle;
use anyhow::{Context, Result, anyhow, bail};

use super::orders::Taker;

/// Files are handed over in pieces of at most so many bytes.
const PIECE: usize = 64 << 20;

/// How long the program may take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A file to be served beside the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    /// Its path from the page.
    pub(super) path: &'a str,
    /// Its media type.
    pub(super) media_type: &'a str,
    /// What is in it.
    pub(super) contents: &'a [u8],
}

/// What is served beside the page itself.
#[derive(Debug, Default)]
pub(super) struct Content<'a> {
    /// Files.
    pub(super) files: &'a [File<'a>],
    /// Whether a match is to be followed.
    pub(super) live: bool,
    /// Where the orders of the people who play in it go.
    pub(super) orders: Option<Taker>,
}

/// A page that is served until this is dropped, or the program that does it is lost.
#[derive(Debug)]
pub(super) struct Server {
    port: u16,
    line: Line,
    end: Arc<End>,
}

/// The way to tell the program something. Clones are the same.
#[derive(Clone)]
pub(super) struct Line(Arc<Mutex<Option<Mouth>>>);

/// How the program has ended, once it has.
#[derive(Debug, Default)]
struct End {
    how: Mutex<Option<String>>,
    changed: Condvar,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Line")
    }
}

impl Server {
    /// Starts to serve on this port, or any free one.
    ///
    /// # Errors
    /// If the program is missing, or the port is taken.
    pub(super) fn start(content: Content<'_>, port: Option<u16>, tell: Tell<'_>) -> Result<Server> {
        let announce = |line: &str| tell(Notice::Info(line.to_owned()));
        let mut running = Running::start(&HOST, DIALOGUE, &announce)?;
        let port = match begin(&mut running, &content, port.unwrap_or(0)) {
            Ok(told) => told?,
            Err(error) => bail!(lost(&ended(running, Some(error)))),
        };
        let line = Line(Arc::new(Mutex::new(running.take_mouth())));
        let end = Arc::new(End::default());
        let answers = line.clone();
        let ending = Arc::clone(&end);
        let listen = move || ending.set(listen(running, &answers, content.orders.as_ref()));
        thread::Builder::new().name("web".to_owned()).spawn(listen).map_err(|e| anyhow!(e))?;
        Ok(Server { port, line, end })
    }

    /// The address of the page.
    pub(super) fn address(&self, query: &str) -> String {
        format!("http://{}/{query}", address(self.port))
    }

    /// The way to tell the program something.
    pub(super) fn line(&self) -> &Line {
        &self.line
    }

    /// Why nothing is served any more, if that is so.
    pub(super) fn lost(&self) -> Option<String> {
        self.end.how.lock().unwrap_or_else(PoisonError::into_inner).as_deref().map(lost)
    }
}

impl Drop for Server {
    /// Waits for the program's end: then the port is free again.
    fn drop(&mut self) {
        self.line.close();
        let how = self.end.how.lock().unwrap_or_else(PoisonError::into_inner);
        // One that does not end has the arena's end to learn from.
        let _ = self.end.changed.wait_timeout_while(how, LAST_WORDS, |how| how.is_none());
    }
}

impl Line {
    /// Tells it something. Pages are never waited for. That the program is lost is no error here,
    /// but in [`Server::lost`].
    ///
    /// # Errors
    /// If it cannot be told.
    pub(super) fn tell(&self, value: &ToHost, bytes: &[u8]) -> io::Result<()> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(mouth) => mouth.tell(value, bytes).or_else(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(error),
            }),
            None => Ok(()),
        }
    }

    /// Nothing more is told.
    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl End {
    fn set(&self, how: String) {
        *self.how.lock().unwrap_or_else(PoisonError::into_inner) = Some(how);
        self.changed.notify_all();
    }
}

/// Hands over what is to be served, and gives the port, or why it cannot be served.
///
/// # Errors
/// If the program is lost.
fn begin(running: &mut Running, content: &Content<'_>, port: u16) -> io::Result<Result<u16>> {
    let page = bundle::FILES.map(|file| File {
        path: file.name,
        media_type: file.media_type,
        contents: file.contents,
    });
    page.iter().chain(content.files).try_for_each(|file| hand_over(running, file))?;
    let listen = Listen { port, live: content.live, orders: content.orders.is_some() };
    running.tell(&ToHost::Listen(listen), &[])?;
    match running.hear()?.map(|message| message.value) {
        Some(ToArena::Listening { port }) => Ok(Ok(port)),
        Some(ToArena::CannotListen(why)) => Ok(Err(anyhow!(why)).with_context(|| {
            format!("cannot listen on {}; --port takes another port, 0 any free one", address(port))
        })),
        other => Err(unexpected(other.as_ref())),
    }
}

fn hand_over(running: &mut Running, file: &File<'_>) -> io::Result<()> {
    let (first, rest) = file.contents.split_at(file.contents.len().min(PIECE));
    let path = file.path.to_owned();
    let media_type = file.media_type.to_owned();
    running.tell(&ToHost::File { path, media_type }, first)?;
    rest.chunks(PIECE).try_for_each(|piece| running.tell(&ToHost::MoreOfFile, piece))
}

/// Has orders taken until the program ends; gives how.
fn listen(mut running: Running, line: &Line, orders: Option<&Taker>) -> String {
    let trouble = loop {
        match running.hear() {
            Ok(Some(Message { value: ToArena::Orders { request }, bytes })) => {
                let verdict = orders.map_or(Verdict::Outdated, |taker| judge(taker, &bytes));
                if let Err(error) = line.tell(&ToHost::Answer { request, verdict }, &[]) {
                    break Some(error);
                }
            }
            Ok(None) => break None,
            Ok(Some(other)) => break Some(unexpected(Some(&other.value))),
            Err(error) => break Some(error),
        }
    };
    ended(running, trouble)
}

/// Whatever comes from a page, the next orders are taken.
fn judge(taker: &Taker, orders: &[u8]) -> Verdict {
    let taken = panic::catch_unwind(AssertUnwindSafe(|| taker.take(orders)));
    taken.unwrap_or(Verdict::Failed)
}

/// How the program has ended; if there was trouble, it is ended.
fn ended(running: Running, trouble: Option<io::Error>) -> String {
    match trouble {
        // It has closed its pipes before its end.
        None => running.end().map_or_else(|error| error.to_string(), |status| status.to_string()),
        Some(error) if is_end(&error) => ended(running, None),
        Some(error) => error.to_string(),
    }
}

/// Whether this is what is seen of a program that ends.
fn is_end(error: &io::Error) -> bool {
    [io::ErrorKind::BrokenPipe, io::ErrorKind::UnexpectedEof].contains(&error.kind())
}

fn unexpected(told: Option<&ToArena>) -> io::Error {
    match told {
        None => io::ErrorKind::UnexpectedEof.into(),
        Some(told) => io::Error::other(format!("it tells {told:?} when nobody asks")),
    }
}

fn lost(how: &str) -> String {
    format!("`{}`, which serves the page, has ended: {how}", HOST.program)
}

fn address(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}
