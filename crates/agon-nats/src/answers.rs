//! Answers to the process that has started this one.

use std::{
    io::{self, BufWriter, Stdout, Write},
    sync::{Arc, Mutex, PoisonError},
};

use agon_parts::{greet, send};
use agon_remote::{Answer, DIALOGUE, PART};

use crate::nats::Made;

/// Standard output, for answers; copies share it.
#[derive(Clone)]
pub(crate) struct Answers(Arc<Mutex<BufWriter<Stdout>>>);

impl Answers {
    /// Says hello.
    ///
    /// # Errors
    /// If nobody listens.
    pub(crate) fn open() -> io::Result<Answers> {
        let mut out = BufWriter::new(io::stdout());
        greet(&PART, DIALOGUE, &mut out)?;
        out.flush()?;
        Ok(Answers(Arc::new(Mutex::new(out))))
    }

    /// Tells something. If nobody listens any more, the end of the input follows.
    pub(crate) fn tell(&self, answer: &Answer, bytes: &[u8]) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = send(&mut *out, answer, bytes);
    }

    /// Tells people if the server has little room.
    pub(crate) fn tell_room(&self, made: &Made) {
        if let Some(note) = made.note() {
            self.tell(&Answer::Waits(note), &[]);
        }
    }
}
