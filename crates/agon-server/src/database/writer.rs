//! The thread that writes: transactions of several people share a sync.
//!
//! While one group is written, the next gathers. Nobody waits for others to come.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use anyhow::Result;
use tokio::sync::{mpsc, oneshot};

use super::{DatabaseError, Later, Statement};

/// The most transactions that share a sync.
const MOST: usize = 1_000;

/// What writes for a kind of database.
pub(super) trait Engine: Send + 'static {
    /// Writes a group, synced once; one that fails leaves the others alone. Returns a result for
    /// each transaction.
    ///
    /// If `is_ending`, it must not wait long for a server that is away.
    fn write(
        &mut self,
        group: &[Transaction],
        is_ending: &AtomicBool,
    ) -> Vec<Result<(), DatabaseError>>;
}

/// A transaction that somebody wants to be written.
pub(super) struct Transaction {
    /// What it does, in order.
    pub(super) statements: Vec<Statement>,
    reply: oneshot::Sender<Result<(), DatabaseError>>,
}

/// The thread that writes.
pub(super) struct Writer {
    sender: Option<mpsc::UnboundedSender<Transaction>>,
    thread: Option<JoinHandle<()>>,
    is_ending: Arc<AtomicBool>,
}

impl Writer {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system does not start threads.
    pub(super) fn start(engine: impl Engine) -> Result<Writer> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let thread = thread::Builder::new().name("database".to_owned());
        let is_ending = Arc::<AtomicBool>::default();
        let told = Arc::clone(&is_ending);
        let thread = thread.spawn(move || run(engine, receiver, &told))?;
        Ok(Writer { sender: Some(sender), thread: Some(thread), is_ending })
    }

    /// Sends a transaction at once; the future waits until it is written.
    pub(super) fn write(&self, statements: Vec<Statement>) -> Later<'_, Result<(), DatabaseError>> {
        let (reply, answer) = oneshot::channel();
        let transaction = Transaction { statements, reply };
        let sent = self.sender.as_ref().is_some_and(|sender| sender.send(transaction).is_ok());
        let gone = || DatabaseError::Engine("its writer has ended".to_owned());
        Box::pin(async move {
            match sent {
                true => answer.await.map_err(|_| gone())?,
                false => Err(gone()),
            }
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // It writes all that it was given, and ends.
        self.is_ending.store(true, Ordering::Relaxed);
        self.sender.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(
    mut engine: impl Engine,
    mut receiver: mpsc::UnboundedReceiver<Transaction>,
    is_ending: &AtomicBool,
) {
    let mut group = Vec::new();
    while receiver.blocking_recv_many(&mut group, MOST) > 0 {
        let results = engine.write(&group, is_ending);
        for (transaction, result) in group.drain(..).zip(results) {
            // Whoever asked may have given up.
            let _ = transaction.reply.send(result);
        }
    }
}
