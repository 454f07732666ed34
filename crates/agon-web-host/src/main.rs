//! `agon-web-host`: serves pages to browsers on this machine, for matches with `--view web`.
//!
//! The arena starts it by itself, and talks to it through its standard input and output
//! (`agon_web::page::dialogue`). It is a separate program because its HTTP libraries take long to
//! build.
//!
//! | module | what |
//! | --- | --- |
//! | `server` | requests of pages |
//! | `connection_limits` | admission of clients |
//! | `feed` | a match that pages follow |
//! | `arena` | the way of orders to the arena, and of its answers back |

mod arena;
mod connection_limits;
mod feed;
mod server;

use std::{
    collections::BTreeMap,
    env,
    io::{self, ErrorKind, IsTerminal, Read, Write},
    process::ExitCode,
};

use agon_files::parts::{Message, greet, receive};
use agon_web::page::dialogue::{DIALOGUE, HOST, Listen, ToArena, ToHost};

use arena::Arena;
use feed::Feed;
use server::{Content, File};

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
///
/// # Errors
/// If its messages are invalid or in an impossible order.
fn run(from: &mut impl Read, mut to: impl Write + Send + 'static) -> io::Result<()> {
    greet(&HOST, DIALOGUE, &mut to)?;
    let mut host =
        Host { arena: Arena::new(to), feed: Feed::default(), files: BTreeMap::new(), last: None };
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
    /// Files by path, as received.
    files: BTreeMap<String, (String, Vec<u8>)>,
    /// The path of the last one.
    last: Option<String>,
}

impl Host {
    fn hear(&mut self, message: Message<ToHost>) -> io::Result<()> {
        let Message { value, bytes } = message;
        match value {
            ToHost::File { path, media_type } => {
                self.last = Some(path.clone());
                self.files.insert(path, (media_type, bytes));
            }
            ToHost::MoreOfFile => self.last_file()?.extend(bytes),
            ToHost::Listen(listen) => self.listen(&listen)?,
            ToHost::Begin => self.feed.begin(&bytes),
            ToHost::GoOn => self.feed.push(&bytes),
            ToHost::Ask(question) => self.feed.ask(Some(question)),
            ToHost::Close => self.feed.ask(None),
            ToHost::End => self.feed.end(),
            ToHost::Answer { request, verdict } => self.arena.answer(request, verdict),
        }
        Ok(())
    }

    fn last_file(&mut self) -> io::Result<&mut Vec<u8>> {
        let last = self.last.as_ref().and_then(|path| self.files.get_mut(path));
        last.map(|(_, bytes)| bytes)
            .ok_or_else(|| out_of_order("more of a file that has not begun"))
    }

    /// Starts to listen with the files so far.
    fn listen(&mut self, listen: &Listen) -> io::Result<()> {
        let files = std::mem::take(&mut self.files).into_iter();
        let content = Content {
            files: files
                .map(|(path, (media_type, bytes))| (path, File::new(&media_type, bytes)))
                .collect(),
            live: listen.live.then(|| self.feed.clone()),
            orders: listen.orders.then(|| self.arena.clone()),
            rematch: listen.rematch.then(|| self.arena.clone()),
        };
        let told = match server::start(content, listen.port) {
            Ok(port) => ToArena::Listening { port },
            Err(error) => ToArena::CannotListen(error.to_string()),
        };
        self.arena.tell(&told, &[])
    }
}

fn out_of_order(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the arena told {what}"))
}
