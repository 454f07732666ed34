//! Starts `agon-web-host`, the program that serves the page, and talks to it.
//!
//! `live` serves a running match with it, [`ReplayPage`](super::ReplayPage) a replay.

use std::io::{self, BufWriter};
use std::net::{Ipv4Addr, SocketAddr};
use std::panic::{self, AssertUnwindSafe};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::{thread, time::Duration};

use agon_arena::{Notice, Tell};
use agon_files::parts::{self, Message, Running};
use agon_view::{Rematch, paint::ThemeName, window::has_display};
use agon_web::bundle::{self, File};
use agon_web::dialogue::{DIALOGUE, Guest, HOST, Listen, ToArena, ToHost, Verdict};
use anyhow::{Context, Result, anyhow, bail};

/// The most bytes of a file in one message.
const MAX_PIECE: usize = 64 << 20;

/// The program's time limit for its end.
const END_LIMIT: Duration = Duration::from_secs(2);

/// The check interval for a reason to end.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Takes the orders of a person, as a page sends them, and gives them to the match.
pub(super) type OrdersReceiver = Arc<dyn Fn(&[u8]) -> Verdict + Send + Sync>;

/// Everything to serve beside the page itself.
#[derive(Default)]
pub(super) struct Content<'a> {
    /// Files.
    pub(super) files: &'a [File<'a>],
    /// A page of another site that may read.
    pub(super) guest: Option<Guest>,
    /// Whether pages follow a running match.
    pub(super) live: bool,
    /// The receiver of orders, if people play in the page.
    pub(super) orders: Option<OrdersReceiver>,
    /// The wish for another match, if pages may have it.
    pub(super) rematch: Option<Rematch>,
}

/// A page that is served. Dropping this ends it, and so does the loss of the program.
pub(super) struct Server {
    pub(super) port: u16,
    pub(super) connection: HostConnection,
    end: Arc<ProgramEnd>,
}

/// The connection for messages to the program. Clones share it.
#[derive(Clone)]
pub(super) struct HostConnection(Arc<Mutex<Option<BufWriter<ChildStdin>>>>);

/// The end of the program, once it has ended.
#[derive(Debug, Default)]
struct ProgramEnd {
    how: Mutex<Option<String>>,
    changed: Condvar,
}

impl Server {
    /// Starts to serve on this port, or any free one.
    pub(super) fn start(content: Content<'_>, port: Option<u16>, tell: Tell<'_>) -> Result<Server> {
        let announce = |line: &str| tell(Notice::Info(line.to_owned()));
        let mut running = Running::start(&HOST, DIALOGUE, &announce)?;
        let port = match begin(&mut running, &content, port.unwrap_or(0)) {
            Ok(told) => told?,
            Err(error) => bail!(lost(&ended(running, Some(error)))),
        };
        let connection = HostConnection(Arc::new(Mutex::new(running.stdin.take())));
        let end = Arc::new(ProgramEnd::default());
        let answers = connection.clone();
        let ending = Arc::clone(&end);
        let Content { orders, rematch, .. } = content;
        let listen =
            move || ending.set(listen(running, &answers, orders.as_ref(), rematch.as_ref()));
        thread::Builder::new().name("web".to_owned()).spawn(listen).map_err(|e| anyhow!(e))?;
        Ok(Server { port, connection, end })
    }

    /// Returns the address of the page with a query.
    pub(super) fn address(&self, query: &str) -> String {
        format!("http://{}/{query}", address(self.port))
    }

    /// Returns the reason if the page is not served any more.
    pub(super) fn lost(&self) -> Option<String> {
        self.end.how.lock().unwrap_or_else(PoisonError::into_inner).as_deref().map(lost)
    }
}

impl Drop for Server {
    /// Waits for the end of the program, so that the port is free again.
    fn drop(&mut self) {
        self.connection.close();
        let how = self.end.how.lock().unwrap_or_else(PoisonError::into_inner);
        // A program that does not end yet will end with the arena.
        let _ = self.end.changed.wait_timeout_while(how, END_LIMIT, |how| how.is_none());
    }
}

impl HostConnection {
    /// Sends a message, without waiting for pages.
    ///
    /// The loss of the program is no error here: [`Server::lost`] reports it.
    /// Fails if the message cannot be sent for another reason.
    pub(super) fn tell(&self, value: &ToHost, bytes: &[u8]) -> io::Result<()> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(stdin) => parts::send(stdin, value, bytes).or_else(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(error),
            }),
            None => Ok(()),
        }
    }

    /// Closes the connection.
    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl ProgramEnd {
    fn set(&self, how: String) {
        *self.how.lock().unwrap_or_else(PoisonError::into_inner) = Some(how);
        self.changed.notify_all();
    }
}

/// Sends all files and starts to listen. Returns the port, or why it cannot be used.
/// Fails if the program is lost.
fn begin(running: &mut Running, content: &Content<'_>, port: u16) -> io::Result<Result<u16>> {
    bundle::FILES.iter().chain(content.files).try_for_each(|file| hand_over(running, file))?;
    let listen = Listen {
        port,
        live: content.live,
        orders: content.orders.is_some(),
        rematch: content.rematch.is_some(),
        guest: content.guest.clone(),
    };
    running.send(&ToHost::Listen(listen), &[])?;
    match running.receive()?.map(|message| message.value) {
        Some(ToArena::Listening { port }) => Ok(Ok(port)),
        Some(ToArena::CannotListen(why)) => Ok(Err(anyhow!(why)).with_context(|| {
            format!("cannot listen on {}; --port takes another port, 0 any free one", address(port))
        })),
        other => Err(unexpected(other.as_ref())),
    }
}

fn hand_over(running: &mut Running, file: &File<'_>) -> io::Result<()> {
    let (first, rest) = file.contents.split_at(file.contents.len().min(MAX_PIECE));
    let path = file.name.to_owned();
    let media_type = file.media_type.to_owned();
    running.send(&ToHost::File { path, media_type }, first)?;
    rest.chunks(MAX_PIECE).try_for_each(|piece| running.send(&ToHost::MoreOfFile, piece))
}

/// Passes on people's orders until the program ends, and returns the reason of its end.
fn listen(
    mut running: Running,
    connection: &HostConnection,
    orders: Option<&OrdersReceiver>,
    rematch: Option<&Rematch>,
) -> String {
    let trouble = loop {
        match running.receive() {
            Ok(Some(Message { value: ToArena::Orders { request }, bytes })) => {
                // Even after a panic the next ones can be taken.
                let judge =
                    |take: &OrdersReceiver| panic::catch_unwind(AssertUnwindSafe(|| take(&bytes)));
                let verdict = orders.map_or(Ok(Verdict::Outdated), judge);
                let verdict = verdict.unwrap_or(Verdict::Failed);
                if let Err(error) = connection.tell(&ToHost::Answer { request, verdict }, &[]) {
                    break Some(error);
                }
            }
            Ok(Some(Message { value: ToArena::Rematch, .. })) => {
                rematch.into_iter().for_each(Rematch::ask);
            }
            Ok(None) => break None,
            Ok(Some(other)) => break Some(unexpected(Some(&other.value))),
            Err(error) => break Some(error),
        }
    };
    ended(running, trouble)
}

/// Returns how the program has ended. After other trouble, ends it.
fn ended(running: Running, trouble: Option<io::Error>) -> String {
    match trouble {
        // It has closed its pipes, so it ends soon.
        None => running.end().map_or_else(|error| error.to_string(), |status| status.to_string()),
        Some(error) if is_end(&error) => ended(running, None),
        Some(error) => error.to_string(),
    }
}

/// Returns whether an error of a pipe means that the program has ended.
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

/// Returns the part of the address that sets the theme and patterns.
///
/// Without a theme the system decides.
pub(super) fn theme_query(theme: Option<ThemeName>, patterns: bool) -> String {
    let theme = theme.map_or_else(String::new, |theme| format!("&theme={theme}"));
    theme + if patterns { "&patterns" } else { "" }
}

/// Opens an address in the person's browser, if there is one.
pub(super) fn open_browser(address: &str) {
    if !has_display() {
        return;
    }
    let mut command = Command::new("xdg-open");
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        // It may run for as long as the browser does.
        thread::spawn(move || child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_says_what_was_chosen() {
        assert_eq!(theme_query(None, false), "");
        assert_eq!(theme_query(None, true), "&patterns");
        assert_eq!(theme_query(Some(ThemeName::Light), true), "&theme=light&patterns");
    }
}
