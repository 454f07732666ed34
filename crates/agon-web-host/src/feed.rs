//! The messages of a running match, for all pages that follow it, from its start.
//!
//! `host` adds what the arena sends; the server streams it to each page as the file `live`. The
//! arena keeps it short: a match that has become too long starts again in its current state.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_web::message::{self, Question};
use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::{sync::watch, time::timeout};

/// The size at which messages become a chunk. All pages get the same chunks, one at a time.
const CHUNK: usize = 256 << 10;

/// The time without news after which a page hears that its connection still works.
///
/// A page that hears nothing for longer than twice this says so.
const HEARTBEAT: Duration = Duration::from_millis(750);

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
    /// The messages since the match began, in chunks of whole messages.
    ///
    /// Each has the offset of its first byte among the bytes of all attempts. Questions are not
    /// included: a late page gets only the one that waits.
    chunks: VecDeque<(u64, Bytes)>,
    /// The messages after those in chunks.
    open: Vec<u8>,
    /// The bytes of all attempts before the open ones.
    before: u64,
    asked: Option<Asked>,
    /// The number of times that a question came or went.
    changes: u64,
    has_ended: bool,
}

/// A question that waits.
#[derive(Debug)]
struct Asked {
    question: Question,
    until: Option<Instant>,
    /// The message with hints for it, or nothing.
    hints: Vec<u8>,
}

impl Asked {
    /// Returns the messages about it, with the time left now.
    fn message(&self) -> Vec<u8> {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let left_ms = left.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let question = message::question(&Question { left_ms, ..self.question.clone() });
        [question, self.hints.clone()].concat()
    }
}

/// The part of a feed that a page knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Known {
    /// Bytes of all attempts.
    bytes: u64,
    /// Changes of the question.
    changes: u64,
}

impl Feed {
    /// Starts the match with this message, and forgets everything before.
    pub(crate) fn begin(&self, message: &[u8]) {
        self.change(|log| {
            log.before += log.open.len() as u64;
            (log.chunks, log.open) = (VecDeque::new(), Vec::new());
            log.push(message);
        });
    }

    /// Continues the match with this message.
    pub(crate) fn push(&self, message: &[u8]) {
        self.change(|log| log.push(message));
    }

    /// Ends the match.
    pub(crate) fn end(&self) {
        self.change(|log| {
            log.push(&message::end());
            log.has_ended = true;
        });
    }

    /// Returns whether the match is over.
    pub(crate) fn has_ended(&self) -> bool {
        self.0.log.lock().unwrap_or_else(PoisonError::into_inner).has_ended
    }

    /// Sets or removes the question to a person.
    pub(crate) fn ask(&self, question: Option<Question>) {
        self.change(|log| {
            log.changes += 1;
            log.asked = question.map(|question| {
                let limit = question.left_ms.map(Duration::from_millis);
                let until = limit.and_then(|limit| Instant::now().checked_add(limit));
                Asked { question, until, hints: Vec::new() }
            });
        });
    }

    /// Changes the hints for the question.
    pub(crate) fn hint(&self, message: Vec<u8>) {
        self.change(|log| {
            if let Some(asked) = &mut log.asked {
                asked.hints = message;
                log.changes += 1;
            }
        });
    }

    fn change(&self, action: impl FnOnce(&mut Log)) {
        action(&mut self.0.log.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.changed.send_replace(());
    }

    /// Returns all messages, including future ones, until the match is over.
    pub(crate) fn body(&self) -> Body {
        let shared = self.0.clone();
        let changed = self.0.changed.subscribe();
        let begin = (shared, changed, Known::default());
        Body::from_stream(stream::unfold(begin, async |(shared, mut changed, known)| {
            loop {
                let next = shared.log.lock().unwrap_or_else(PoisonError::into_inner).after(known);
                match next {
                    Next::Bytes(bytes, known) => {
                        return Some((Ok::<_, axum::Error>(bytes), (shared, changed, known)));
                    }
                    Next::End => return None,
                    Next::Wait => match timeout(HEARTBEAT, changed.changed()).await {
                        // The sender is in `shared`.
                        Ok(change) => change.ok()?,
                        // A page that knows nothing yet waits for the match, not for the network.
                        Err(_) if known == Known::default() => {}
                        Err(_) => {
                            return Some((Ok(message::alive().into()), (shared, changed, known)));
                        }
                    },
                }
            }
        }))
    }
}

/// The next thing for a page.
#[derive(Debug, PartialEq)]
enum Next {
    /// Whole messages, and the page's knowledge after them.
    Bytes(Bytes, Known),
    /// Nothing yet.
    Wait,
    /// Nothing more will come.
    End,
}

impl Log {
    fn push(&mut self, message: &[u8]) {
        self.open.extend_from_slice(message);
        if self.open.len() >= CHUNK {
            let chunk = Bytes::from(std::mem::take(&mut self.open));
            let start = self.before;
            self.before += chunk.len() as u64;
            self.chunks.push_back((start, chunk));
        }
    }

    fn after(&self, known: Known) -> Next {
        // A page with messages of an earlier attempt has whole messages, and continues with the
        // new start.
        let start = known.bytes.max(self.chunks.front().map_or(self.before, |(start, _)| *start));
        if start < self.before {
            let at = self.chunks.partition_point(|(first, _)| *first <= start) - 1;
            let (first, chunk) = &self.chunks[at];
            // Questions are about the newest state.
            let bytes = first + chunk.len() as u64;
            return Next::Bytes(chunk.slice((start - first) as usize..), Known { bytes, ..known });
        }
        let mut bytes = self.open[(start - self.before) as usize..].to_vec();
        if known.changes != self.changes {
            match &self.asked {
                Some(asked) => bytes.extend(asked.message()),
                // A page that has seen no question need not learn that it is gone.
                None if known.changes == 0 => {}
                None => bytes.extend(message::closed()),
            }
        }
        match bytes.is_empty() {
            true if self.has_ended => Next::End,
            true => Next::Wait,
            false => {
                let bytes_now = self.before + self.open.len() as u64;
                Next::Bytes(bytes.into(), Known { bytes: bytes_now, changes: self.changes })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_matches_come_in_chunks_that_all_pages_share() {
        let feed = Feed::default();
        let after = |bytes| match feed.0.log.lock().unwrap().after(Known { bytes, changes: 0 }) {
            Next::Bytes(bytes, known) => Some((bytes, known.bytes)),
            Next::Wait | Next::End => None,
        };
        feed.begin(&[0; 10]);
        let message = vec![1; 1000];
        (0..1000).for_each(|_| feed.push(&message));
        let mut at = 0;
        let mut all = 0;
        while let Some((bytes, known)) = after(at) {
            assert!(
                bytes.len() <= CHUNK + message.len()
                    && (bytes.len() as u64 - 10).is_multiple_of(1000)
                    || at > 0
            );
            assert_eq!(known - at, bytes.len() as u64);
            (at, all) = (known, all + bytes.len());
        }
        assert_eq!((all, at), (1_000_010, 1_000_010));
        assert_eq!(after(0).unwrap().0.as_ptr(), after(0).unwrap().0.as_ptr(), "the same memory");
        // It starts again: everything before is forgotten, even if a page has some of it.
        feed.begin(&[2; 7]);
        for known in [0, 500_010, at] {
            assert_eq!(after(known).unwrap(), (Bytes::from(vec![2; 7]), at + 7));
        }
        assert_eq!(after(at + 7), None);
    }

    #[test]
    fn pages_are_told_of_the_question_that_waits() {
        let question = |question, left_ms| Question { question, step: 4, player: 1, left_ms };
        let feed = Feed::default();
        let after = |bytes, changes| feed.0.log.lock().unwrap().after(Known { bytes, changes });
        let told = |messages: &[&[u8]], bytes, changes| {
            Next::Bytes(messages.concat().into(), Known { bytes, changes })
        };
        feed.begin(b"begin");
        feed.ask(Some(question(1, None)));
        let message = |number, left_ms| message::question(&question(number, left_ms));
        assert_eq!(after(0, 0), told(&[b"begin", &message(1, None)], 5, 1));
        assert_eq!(after(5, 1), Next::Wait);
        feed.ask(None);
        assert_eq!(after(5, 1), told(&[&message::closed()], 5, 2));
        assert_eq!(after(0, 0), told(&[b"begin"], 5, 2));
        feed.push(b" step");
        feed.ask(Some(question(2, Some(0))));
        assert_eq!(after(5, 2), told(&[b" step", &message(2, Some(0))], 10, 3));
        assert_eq!(after(0, 0), told(&[b"begin step", &message(2, Some(0))], 10, 3));
        feed.hint(b"hints".to_vec());
        assert_eq!(after(10, 3), told(&[&message(2, Some(0)), b"hints"], 10, 4));
    }
}
