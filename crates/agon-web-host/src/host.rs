//! Serves the files and messages of the arena until the arena is gone.
//!
//! This is the main loop of the program: it reads the arena's messages, starts the server when all
//! files have come, and passes on the rest.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, Read, Write},
};

use agon_parts::{Message, greet, receive};
use agon_web::page::dialogue::{DIALOGUE, HOST, Listen, ToArena, ToHost};

use crate::{
    arena::Arena,
    feed::Feed,
    rematch::Rematch,
    server::{self, Content, File},
};

/// Serves the arena's files, and passes on its messages, until it is gone.
///
/// # Errors
/// If its messages are invalid or in an impossible order.
pub(crate) fn run(from: &mut impl Read, mut to: impl Write + Send + 'static) -> io::Result<()> {
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
            rematch: listen.rematch.then(|| Rematch::new(self.arena.clone())),
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
