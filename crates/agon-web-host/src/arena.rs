//! The connection to the arena: passes on people's orders, and waits for the arena's verdict.
//!
//! The server calls it when a person who plays in a page sends orders.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agon_files::parts::send;
use agon_web::page::dialogue::{ToArena, Verdict};
use tokio::{sync::oneshot, task};

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
    ///
    /// # Errors
    /// If the arena is gone.
    pub(crate) fn tell(&self, value: &ToArena, bytes: &[u8]) -> io::Result<()> {
        // In one piece, because each write is a system call.
        let mut message = Vec::new();
        send(&mut message, value, bytes)?;
        let mut out = self.0.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&message)?;
        out.flush()
    }

    /// Passes on orders, and waits for their result.
    ///
    /// # Errors
    /// If the arena is gone.
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
