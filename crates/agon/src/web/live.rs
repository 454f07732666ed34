//! A match that pages follow while it is played.

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    thread,
    time::Duration,
};

use agon_core::{BotInfo, Game};
use agon_web::live;
use anyhow::Result;
use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::sync::watch;

use super::{
    browser,
    server::{Content, Server, theme},
};
use crate::{
    arena::{Seen, interrupted},
    cli::ViewArgs,
};

/// A match that pages follow.
#[derive(Debug)]
pub(crate) struct Live {
    feed: Feed,
    players: Vec<BotInfo>,
}

impl Live {
    /// Serves a page for a match that is about to be played, and says where.
    ///
    /// # Errors
    /// If the port is taken.
    pub(crate) fn serve(players: Vec<BotInfo>, args: &ViewArgs) -> Result<Live> {
        let feed = Feed::default();
        let server =
            Server::start(Content { live: Some(feed.clone()), ..Content::default() }, args.web.port)?;
        // A match at full speed is over before anybody has seen it: it is shown from its start, as a replay would be.
        let follow = if args.pace.is_some() { "&follow" } else { "" };
        let address = server.address(&format!("?live=live{follow}{}", theme(args.theme)));
        anstream::eprintln!("watch at {address}");
        if !args.web.no_open {
            browser::open(&address);
        }
        Ok(Live { feed, players })
    }

    /// Tells pages how the match has gone on. The first moment of a match begins it, again if it was void.
    ///
    /// # Errors
    /// If the match cannot be told.
    pub(crate) fn see<G: Game>(&self, seen: &Seen<'_, G>) -> Result<()> {
        let Seen::Moment(moment) = seen else { return Ok(()) };
        if moment.step == 0 {
            self.feed.begin(live::begin(moment.game, &self.players)?);
        } else {
            self.feed.push(&live::step::<G>(moment.answers, moment.game));
        }
        Ok(())
    }

    /// The match is over; pages can look at it until Ctrl-C.
    pub(crate) fn stay(self) {
        self.feed.end();
        let stop = interrupted();
        if !stop.load(Ordering::Relaxed) {
            anstream::eprintln!("the match is over; the page stays until Ctrl-C, and the result comes then");
        }
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// All messages of a match so far, for any number of pages. Clones are the same feed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feed(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    log: Mutex<Log>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Log {
    /// The messages since the match began; whole ones only.
    bytes: Vec<u8>,
    /// Bytes of earlier attempts, before these.
    dropped: u64,
    has_ended: bool,
}

impl Feed {
    /// The match begins with this message; what was before counts for nothing.
    fn begin(&self, message: Vec<u8>) {
        self.change(|log| {
            log.dropped += log.bytes.len() as u64;
            log.bytes = message;
        });
    }

    fn push(&self, message: &[u8]) {
        self.change(|log| log.bytes.extend_from_slice(message));
    }

    fn end(&self) {
        self.change(|log| {
            log.bytes.extend_from_slice(&live::end());
            log.has_ended = true;
        });
    }

    fn change(&self, action: impl FnOnce(&mut Log)) {
        action(&mut self.0.log.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.changed.send_replace(());
    }

    /// All messages, and those that come, until the match is over.
    pub(crate) fn body(&self) -> Body {
        let (shared, changed) = (self.0.clone(), self.0.changed.subscribe());
        Body::from_stream(stream::unfold((shared, changed, 0), async |(shared, mut changed, at)| {
            loop {
                let next = shared.log.lock().unwrap_or_else(PoisonError::into_inner).after(at);
                match next {
                    Next::Bytes(bytes, at) => {
                        return Some((Ok::<_, axum::Error>(bytes), (shared, changed, at)));
                    }
                    Next::End => return None,
                    // The sender is in `shared`.
                    Next::Wait => changed.changed().await.ok()?,
                }
            }
        }))
    }
}

/// What a page gets next.
#[derive(Debug, PartialEq)]
enum Next {
    /// Whole messages, and how far it then is.
    Bytes(Bytes, u64),
    /// Nothing yet.
    Wait,
    /// Nothing any more.
    End,
}

impl Log {
    fn after(&self, at: u64) -> Next {
        // Whoever has messages of an earlier attempt has whole ones, and goes on with the new beginning.
        let start = at.saturating_sub(self.dropped) as usize;
        match &self.bytes[start..] {
            [] if self.has_ended => Next::End,
            [] => Next::Wait,
            bytes => Next::Bytes(Bytes::copy_from_slice(bytes), self.dropped + self.bytes.len() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_get_all_of_the_last_attempt() {
        let feed = Feed::default();
        let after = |at| feed.0.log.lock().unwrap().after(at);
        let bytes = |text: &'static str, at| Next::Bytes(Bytes::from_static(text.as_bytes()), at);
        assert_eq!(after(0), Next::Wait);
        feed.begin(b"begin".to_vec());
        feed.push(b" one");
        assert_eq!(after(0), bytes("begin one", 9));
        assert_eq!(after(9), Next::Wait);
        feed.push(b" two");
        assert_eq!(after(9), bytes(" two", 13));
        feed.begin(b"again".to_vec());
        assert_eq!(after(9), bytes("again", 18));
        assert_eq!(after(13), bytes("again", 18));
        feed.end();
        assert_eq!(after(18), Next::Bytes(live::end().into(), 18 + live::end().len() as u64));
        assert_eq!(after(18 + live::end().len() as u64), Next::End);
    }
}
