//! Carries the messages of a coordinator, which is the process that has started this one: orders
//! come through standard input, answers go to standard output.

use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, pin::pin, process::ExitCode, thread, time::Instant};

use agon_files::parts::{Message, greet, receive, send};
use agon_match::spec::Digest;
use agon_remote::{Answer, DIALOGUE, Order, PART, ServerArgs, fleet::BatchId, fresh};
use anyhow::{Context, Result, bail};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Duration, interval, sleep, timeout};
use tracing::debug;

use crate::nats::{
    BEATS, Lease, Line, Made, Nats, Purpose, QUEUES, Queue, RENEW, REVOCATIONS, ROLL_CALL, Refusal,
    Subscriber,
};
use crate::share::Share;

/// How long the end of a run may take on the server.
const GOODBYE: Duration = Duration::from_secs(4);

/// How often streams and consumers are looked for.
const KEEP: Duration = Duration::from_secs(3);

/// How often streams with little room are tried to be made larger.
const SHARE: Duration = Duration::from_secs(60);

/// How often the list of revoked credentials is read again.
const HEED: Duration = Duration::from_secs(1);

/// How often people hear that bots cannot be stored.
const TOLD_AGAIN: Duration = Duration::from_secs(30);

/// Standard output, for answers.
struct Answers(RefCell<BufWriter<Stdout>>);

impl Answers {
    /// Tells something. If nobody listens any more, the end of the input follows.
    fn tell(&self, answer: &Answer) {
        self.send(answer, &[]);
    }

    fn send(&self, answer: &Answer, bytes: &[u8]) {
        let _ = send(&mut *self.0.borrow_mut(), answer, bytes);
    }

    /// Tells people something.
    fn note(&self, text: String) {
        self.tell(&Answer::Waits(text));
    }

    /// Tells people if the server has little room.
    fn note_room(&self, made: &Made) {
        made.note().into_iter().for_each(|text| self.note(text));
    }
}

/// Greets, and obeys until the input ends.
pub(crate) fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout());
    if greet(&PART, DIALOGUE, &mut out).and_then(|()| out.flush()).is_err() {
        return ExitCode::FAILURE;
    }
    let answers = Answers(RefCell::new(out));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime
        .context("there is no room for a thread")
        .and_then(|runtime| runtime.block_on(carry(&answers)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            answers.tell(&Answer::Failed(format!("{error:#}")));
            ExitCode::from(2)
        }
    }
}

/// Reads orders on a thread that may wait. The second receiver hears of the end of the input, even
/// while orders wait.
fn orders() -> Result<(mpsc::Receiver<Message<Order>>, oneshot::Receiver<()>)> {
    // A coordinator that is faster than the server waits.
    let (sender, orders) = mpsc::channel(64);
    let (alive, ended) = oneshot::channel::<()>();
    let read = move || {
        // It is dropped with this thread.
        let _alive = alive;
        let mut input = BufReader::new(io::stdin());
        while let Ok(Some(message)) = receive(&mut input) {
            if sender.blocking_send(message).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("orders".to_owned()).spawn(read)?;
    Ok((orders, ended))
}

async fn carry(answers: &Answers) -> Result<()> {
    let (mut orders, ended) = orders()?;
    let Some(Message {
        value: Order::Open { server, credentials, authority, bot_store, run }, ..
    }) = orders.recv().await
    else {
        return Ok(());
    };
    let path = |text: Option<String>| text.map(PathBuf::from);
    let (sender, line) = unbounded_channel();
    let name = format!("{}, process {}", host_name(), std::process::id());
    let server = server.parse()?;
    let args = ServerArgs { server, credentials: path(credentials), authority: path(authority) };
    let share = Share::open(path(bot_store).as_deref())?;
    let nats = Nats::connect(&args, &name, sender).await?;
    let revocations = args.credentials.unwrap_or_default().with_file_name(REVOCATIONS);
    let missing = nats.read_revocations(&revocations)?;
    missing.iter().cloned().for_each(|text| answers.note(text));
    let made = nats.make_streams().await;
    let mut made = made.map_err(|error| match nats.refused() {
        Some(text) => anyhow::Error::msg(text.to_owned()),
        None => error,
    })?;
    nats.share_room(&mut made).await;
    answers.note_room(&made);
    let name = format!("{name}, number {}", fresh());
    let mut lease = Lease::take(&nats, &run, &name, |text| answers.note(text)).await?;
    let taken = Instant::now();
    // What an earlier coordinator of this run had published is published again.
    nats.remove_jobs(&run).await?;
    let beats = nats.listen(BEATS).await?;
    nats.call(ROLL_CALL).await?;
    let left = (4 * RENEW).saturating_sub(taken.elapsed());
    answers.tell(&Answer::Lease(left.as_millis() as u64));
    answers.tell(&Answer::Opened { server: nats.version(), expires: nats.expires() });
    let bridge = Bridge {
        nats,
        run,
        answers,
        share,
        queues: RefCell::default(),
        told: Cell::default(),
        remade: Cell::default(),
        refusals: RefCell::default(),
    };
    let done = tokio::select! {
        done = bridge.obey(&mut orders) => done,
        done = bridge.lead(&mut lease) => done,
        () = bridge.take_results() => Ok(()),
        () = bridge.keep(made.since) => Ok(()),
        _ = ended => Ok(()),
        () = bridge.hear_beats(beats) => Ok(()),
        done = bridge.follow(line) => done,
        () = bridge.heed_revocations(&revocations, missing) => Ok(()),
    };
    // An error means that another process leads the run, or that the server is gone.
    if done.is_ok() {
        // What was published is nobody's: the next coordinator publishes it again.
        let _ = timeout(GOODBYE, async {
            bridge.nats.forget_run(&bridge.run).await;
            lease.resign(&bridge.nats).await;
            bridge.nats.flush().await;
        })
        .await;
    }
    done
}

/// What the tasks share that carry messages.
struct Bridge<'a> {
    nats: Nats,
    run: String,
    answers: &'a Answers,
    share: Option<Share>,
    /// Consumers that were made.
    queues: RefCell<BTreeSet<Queue>>,
    /// When people heard last that a bot cannot be stored.
    told: Cell<Option<Instant>>,
    /// When streams and consumers were made last because a batch could not be published.
    remade: Cell<Option<Instant>>,
    /// Why messages do not count, because nobody knows whose they are: people hear it once.
    refusals: RefCell<BTreeSet<Refusal>>,
}

impl Bridge<'_> {
    /// Does what the coordinator wants.
    async fn obey(&self, orders: &mut mpsc::Receiver<Message<Order>>) -> Result<()> {
        let answers = self.answers;
        while let Some(Message { value, bytes }) = orders.recv().await {
            match value {
                Order::Open { .. } => {}
                // If it is lost, the next one comes soon.
                Order::Describe => {
                    let _ = self.nats.describe(&self.run, bytes).await;
                    answers.tell(&Answer::Described);
                }
                Order::Blob(digest) => self.store(digest, bytes).await,
                Order::Fetch(digest) => match self.nats.get_return(digest).await {
                    Ok(bytes) => {
                        answers.send(&Answer::Blob(digest), &bytes);
                        self.nats.remove_return(digest).await;
                    }
                    // The coordinator finds the match missing, and has it played again.
                    Err(error) => {
                        debug!("a result is lost: {error:#}");
                        answers.tell(&Answer::Missing(digest));
                    }
                },
                Order::Publish { batch, lane, class, about } => {
                    let queue = Queue { lane, class, about };
                    answers.tell(&match self.publish(batch, queue, bytes).await {
                        Ok(place) => Answer::Carried { batch, place },
                        Err(error) => Answer::Refused { batch, why: format!("{error:#}") },
                    });
                }
                Order::Look { batch, place } => {
                    // If the server does not answer, nor does this program.
                    if let Ok(is_there) = self.nats.has_job(&self.run, batch, place).await {
                        answers.tell(&Answer::Found { batch, is_there });
                    }
                }
                Order::Remove { batch, place } => {
                    self.nats.remove_job(&self.run, batch, place).await;
                }
            }
        }
        Ok(())
    }

    /// Stores a bot where workers find it.
    async fn store(&self, digest: Digest, bytes: Vec<u8>) {
        let stored = match &self.share {
            Some(share) => share.put(bytes).await,
            None => self.nats.put_bot(digest, &bytes).await,
        };
        let Err(error) = stored else { return self.answers.tell(&Answer::Stored(digest)) };
        if self.told.get().is_none_or(|told| told.elapsed() >= TOLD_AGAIN) {
            self.told.set(Some(Instant::now()));
            self.answers.note(format!("a bot's files cannot be stored yet: {error:#}"));
        }
        // The server may have forgotten its stores.
        let _ = self.nats.make_streams().await;
        self.answers.tell(&Answer::Unstored(digest));
    }

    /// Publishes a batch. If stream or consumer are gone, they are made again.
    async fn publish(&self, batch: BatchId, queue: Queue, bytes: Vec<u8>) -> Result<u64> {
        let is_known = self.queues.borrow().contains(&queue);
        if !is_known {
            self.nats.make_queue(&queue).await?;
            self.queues.borrow_mut().insert(queue.clone());
            // Otherwise idle workers would find it when they look again.
            self.nats.call(QUEUES).await?;
        }
        match self.nats.publish_jobs(&queue, &self.run, batch, bytes.clone()).await {
            Ok(place) => Ok(place),
            // They are there, and the server is full.
            Err(error) if self.remade.get().is_some_and(|at| at.elapsed() < KEEP) => Err(error),
            Err(error) => {
                self.remade.set(Some(Instant::now()));
                self.nats.make_streams().await.context(error)?;
                self.nats.make_queue(&queue).await?;
                self.nats.call(QUEUES).await?;
                self.nats.publish_jobs(&queue, &self.run, batch, bytes).await
            }
        }
    }

    /// Keeps the lead.
    async fn lead(&self, lease: &mut Lease) -> Result<()> {
        let mut again = interval(RENEW);
        loop {
            again.tick().await;
            let began = Instant::now();
            if let Some(holds) = lease.renew(&self.nats).await? {
                // A bit less than what others wait for.
                let left = holds.saturating_sub(began.elapsed() + RENEW);
                self.answers.tell(&Answer::Lease(left.as_millis() as u64));
            }
        }
    }

    /// Makes streams and consumers again that the server has forgotten. `since`: when its store of
    /// bots was made.
    async fn keep(&self, mut since: String) {
        let mut shared = Instant::now();
        loop {
            sleep(KEEP).await;
            let queues = self.queues.borrow().clone();
            let Ok(mut now) = self.nats.make_streams().await else { continue };
            // Somebody may have freed the server's disk.
            if now.is_small() && shared.elapsed() >= SHARE {
                self.nats.share_room(&mut now).await;
                shared = Instant::now();
            }
            let is_new = now.since != since;
            if is_new {
                self.answers.note_room(&now);
                since = now.since;
                // This run or another one has made a new store; the bots in the old one are lost.
                self.answers.tell(&Answer::Forgotten);
            }
            for queue in &queues {
                // If it cannot be made now, it is tried again.
                let _ = self.nats.make_queue(queue).await;
            }
            if is_new {
                let _ = self.nats.call(QUEUES).await;
            }
        }
    }

    /// Tells people that a message does not count.
    fn refuse(&self, what: &str, refusal: Refusal) {
        if self.refusals.borrow_mut().insert(refusal) {
            self.answers.note(format!("{what} of a worker does not count: {refusal}"));
        }
    }

    /// Carries results to the coordinator. A result that is lost is found missing there.
    async fn take_results(&self) {
        let until_trouble = async || -> Result<()> {
            let mut results = pin!(self.nats.results(&self.run).await?);
            while let Some(delivery) = results.next().await {
                let delivery = delivery?;
                match self.nats.check(Purpose::Results { run: &self.run }, &delivery.message) {
                    Ok(()) => self.answers.send(&Answer::Results, &delivery.message.payload),
                    Err(refusal) => self.refuse("a result", refusal),
                }
                delivery.acknowledge().await?;
            }
            Ok(())
        };
        loop {
            if let Err(error) = until_trouble().await {
                debug!("results do not come: {error:#}");
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Passes beats on.
    async fn hear_beats(&self, mut beats: Subscriber) {
        while let Some(beat) = beats.next().await {
            match self.nats.check(Purpose::Beat, &beat) {
                Ok(()) => self.answers.send(&Answer::Beat, &beat.payload),
                Err(refusal) => self.refuse("a message", refusal),
            }
        }
    }

    /// Reads the list of revoked credentials again and again. If it does not count, people hear it
    /// once, and the list before still holds.
    async fn heed_revocations(&self, list: &Path, mut told: Option<String>) {
        loop {
            sleep(HEED).await;
            let read = self.nats.read_revocations(list);
            let problem = read.unwrap_or_else(|error| Some(format!("{error:#}")));
            if problem != told {
                problem.iter().cloned().for_each(|text| self.answers.note(text));
                told = problem;
            }
        }
    }

    /// Tells when the connection is lost, and when it is there again.
    ///
    /// # Errors
    /// If the server does not know this user any more.
    async fn follow(&self, mut line: UnboundedReceiver<Line>) -> Result<()> {
        let mut is_down = false;
        let mut refused = BTreeSet::new();
        while let Some(now) = line.recv().await {
            match now {
                Line::Down(why) if !is_down => {
                    is_down = true;
                    self.answers.tell(&Answer::Lost(why));
                }
                Line::Up if is_down => {
                    is_down = false;
                    self.answers.tell(&Answer::Back);
                    // Workers may not have noticed anything.
                    let _ = self.nats.call(ROLL_CALL).await;
                }
                // Once: what is refused is tried again and again.
                Line::Refused(text) if refused.len() < 20 && refused.insert(text.clone()) => {
                    self.answers.note(text);
                }
                Line::Over(text) => bail!(text),
                _ => {}
            }
        }
        // Nobody tells any more, but the others go on.
        std::future::pending().await
    }
}

/// Returns the name of this machine.
pub(crate) fn host_name() -> String {
    let read = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = read.map_or_else(|_| "a machine".to_owned(), |name| name.trim().to_owned());
    agon_core::text::escape(&name).into_owned()
}
