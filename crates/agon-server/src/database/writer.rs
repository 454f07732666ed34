//! The thread that writes: transactions of several people share a sync.
//!
//! While one group is written, the next gathers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Result;
use tokio::sync::{mpsc, oneshot};

use super::{DatabaseError, GROUP, Later, Statement, Urgency};

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
    urgency: Urgency,
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
    pub(super) fn write(
        &self,
        statements: Vec<Statement>,
        urgency: Urgency,
    ) -> Later<'_, Result<(), DatabaseError>> {
        let (reply, answer) = oneshot::channel();
        let transaction = Transaction { statements, urgency, reply };
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
    while let Some(first) = receiver.blocking_recv() {
        let group = gather(&mut receiver, first);
        let results = engine.write(&group, is_ending);
        for (transaction, result) in group.into_iter().zip(results) {
            // Whoever asked may have given up.
            let _ = transaction.reply.send(result);
        }
    }
}

/// Waits for more, unless somebody waits for what there is.
fn gather(
    receiver: &mut mpsc::UnboundedReceiver<Transaction>,
    first: Transaction,
) -> Vec<Transaction> {
    let until = Instant::now() + GROUP;
    let mut group = vec![first];
    loop {
        while group.len() < MOST {
            let Ok(next) = receiver.try_recv() else { break };
            group.push(next);
        }
        let is_urgent = group.iter().any(|transaction| transaction.urgency == Urgency::Now);
        if is_urgent || group.len() >= MOST || Instant::now() >= until {
            return group;
        }
        thread::sleep(Duration::from_millis(2));
    }
}
