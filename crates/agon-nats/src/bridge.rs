//! Carries the messages of a coordinator, which is the process that has started this one: orders
//! come through standard input, answers go to standard output.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap, VecDeque, hash_map::RandomState},
    hash::BuildHasher,
    io::BufReader,
    path::{Path, PathBuf},
    process::ExitCode,
    rc::Rc,
    thread,
    time::Instant,
};

use agon_match::spec::Digest;
use agon_parts::{Message, receive};
use agon_remote::fleet::BatchId;
use agon_remote::{Answer, Order, ServerArgs, Trouble, fresh};
use anyhow::{Context, Result, bail};
use tokio::{
    sync::{
        mpsc::{self, UnboundedReceiver, unbounded_channel},
        oneshot,
    },
    time::{Duration, MissedTickBehavior, interval, sleep, timeout},
};

use crate::{
    answers::Answers,
    lease::{Lease, RENEW},
    nats::{Beats, Line, Nats, Queue, REVOCATIONS, Refusal},
    share::Share,
};

/// How long the end of a run may take on the server.
const GOODBYE: Duration = Duration::from_secs(4);

/// A worker's beat that has not changed is passed on again after this time. The coordinator takes a
/// worker with matches for dead after 14 s; its beats come every 4 s, so every second one is passed
/// on.
const SAME: Duration = Duration::from_millis(7_500);

/// Beats that were heard before wait for others for so long.
const TOGETHER: Duration = Duration::from_secs(1);

/// The most different beats that are remembered.
const MOST_TOLD: usize = 50_000;

/// How often a bot that cannot be stored is tried again.
const STORE_AGAIN: Duration = Duration::from_secs(2);

/// The most bytes of bots that wait to be stored.
const MOST_UNSTORED: usize = 256 << 20;

/// How often streams and consumers are looked for.
const KEEP: Duration = Duration::from_secs(3);

/// How often streams with little room are tried to be made larger.
const SHARE: Duration = Duration::from_secs(60);

/// How often the list of revoked credentials is read again.
const HEED: Duration = Duration::from_secs(1);

/// How often people hear that bots cannot be stored.
const TOLD_AGAIN: Duration = Duration::from_secs(30);

/// Greets, and obeys until the input ends.
pub(crate) fn main() -> ExitCode {
    let Ok(answers) = Answers::open() else { return ExitCode::FAILURE };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime
        .context("there is no room for a thread")
        .and_then(|runtime| runtime.block_on(carry(&answers)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            answers.tell(&Answer::Failed(format!("{error:#}")), &[]);
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
        let mut input = BufReader::new(std::io::stdin());
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
    let waits = |text| answers.tell(&Answer::Waits(text), &[]);
    let revocations = args.credentials.unwrap_or_default().with_file_name(REVOCATIONS);
    let missing = nats.read_revocations(&revocations)?;
    missing.iter().cloned().for_each(waits);
    let mut made = match nats.make_streams().await {
        Ok(made) => made,
        Err(error) => match nats.refused() {
            Some(text) => bail!("{text}"),
            None => return Err(error),
        },
    };
    nats.share_room(&mut made).await;
    answers.tell_room(&made);
    let name = format!("{name}, number {}", fresh());
    let mut lease = Lease::take(&nats, &run, &name, waits).await?;
    let taken = Instant::now();
    // What an earlier coordinator of this run had published is published again.
    nats.remove_jobs(&run).await?;
    let beats = nats.beats().await?;
    nats.call_roll().await?;
    let left = (4 * RENEW).saturating_sub(taken.elapsed());
    answers.tell(&Answer::Lease(left.as_millis() as u64), &[]);
    let (server, expires) = (nats.version(), nats.expires());
    answers.tell(&Answer::Opened { server, expires }, &[]);
    let known = Known::default();
    let refusals = Refusals { told: RefCell::default(), answers };
    let mut carrier = Carrier {
        nats: nats.clone(),
        run: run.clone(),
        answers: answers.clone(),
        known: Rc::clone(&known),
        share,
        unstored: VecDeque::new(),
        told: None,
        remade: None,
    };
    let done = tokio::select! {
        done = carrier.obey(&mut orders) => done,
        done = lead(&nats, &mut lease, answers) => done,
        done = take_results(&nats, &run, &refusals) => done,
        done = keep(&nats, &known, made.since, answers) => done,
        _ = ended => Ok(()),
        () = hear_beats(beats, &nats, &refusals) => Ok(()),
        done = follow(line, &nats, answers) => done,
        () = heed_revocations(&nats, &revocations, missing, answers) => Ok(()),
    };
    // An error means that another process leads the run, or that the server is gone.
    if done.is_ok() {
        // What was published is nobody's: the next coordinator publishes it again.
        let _ = timeout(GOODBYE, async {
            nats.forget_run(&run).await;
            lease.resign(&nats).await;
            nats.flush().await;
        })
        .await;
    }
    done
}

/// Does what the coordinator wants.
struct Carrier {
    nats: Nats,
    run: String,
    answers: Answers,
    known: Known,
    share: Option<Share>,
    /// Bots that could not be stored yet, and when people heard of it last.
    unstored: VecDeque<Bot>,
    told: Option<Instant>,
    /// When streams and consumers were made last because a batch could not be published.
    remade: Option<Instant>,
}

/// The files of a bot.
struct Bot {
    digest: Digest,
    bytes: Vec<u8>,
}

/// Consumers that were made.
type Known = Rc<RefCell<BTreeSet<Queue>>>;

/// Makes streams and consumers again that the server has forgotten.
async fn keep(nats: &Nats, known: &Known, mut since: String, answers: &Answers) -> Result<()> {
    let mut shared = Instant::now();
    loop {
        sleep(KEEP).await;
        let all = known.borrow().clone();
        if let Ok(mut now) = nats.make_streams().await {
            // Somebody may have freed the server's disk.
            if now.is_small() && shared.elapsed() >= SHARE {
                nats.share_room(&mut now).await;
                shared = Instant::now();
            }
            let is_new = now.since != since;
            if is_new {
                answers.tell_room(&now);
                since = now.since;
                // This run or another one has made a new store; the bots in the old one are lost.
                answers.tell(&Answer::Trouble(Trouble::Forgotten), &[]);
            }
            for queue in &all {
                // If it cannot be made now, it is tried again.
                let _ = nats.make_queue(queue).await;
            }
            if is_new {
                let _ = nats.announce_queue().await;
            }
        }
    }
}

impl Carrier {
    async fn obey(&mut self, orders: &mut mpsc::Receiver<Message<Order>>) -> Result<()> {
        let mut again = interval(STORE_AGAIN);
        loop {
            let order = tokio::select! {
                order = orders.recv() => order,
                _ = again.tick(), if !self.unstored.is_empty() => {
                    self.store_again().await;
                    continue;
                }
            };
            let Some(Message { value, bytes }) = order else { return Ok(()) };
            match value {
                Order::Open { .. } => {}
                // If it is lost, the next one comes soon.
                Order::Describe => {
                    let _ = self.nats.describe(&self.run, bytes).await;
                    self.answers.tell(&Answer::Described, &[]);
                }
                Order::Blob(digest) => {
                    self.unstored.push_back(Bot { digest, bytes });
                    self.store_again().await;
                    self.forget_most();
                }
                Order::Fetch(digest) => match self.nats.get_return(digest).await {
                    Ok(bytes) => {
                        self.answers.tell(&Answer::Blob(digest), &bytes);
                        self.nats.remove_return(digest).await;
                    }
                    // The coordinator finds the match missing, and has it played again.
                    Err(error) => {
                        tracing::debug!("a result is lost: {error:#}");
                        self.answers.tell(&Answer::Missing(digest), &[]);
                    }
                },
                Order::Publish { batch, lane, class, about } => {
                    let queue = Queue { lane, class, about };
                    let answer = match self.publish(batch, queue, bytes).await {
                        Ok(place) => Answer::Carried { batch, place },
                        Err(error) => Answer::Refused { batch, why: format!("{error:#}") },
                    };
                    self.answers.tell(&answer, &[]);
                }
                Order::Look { batch, place } => {
                    // If the server does not answer, nor does this program.
                    if let Ok(is_there) = self.nats.has_job(&self.run, batch, place).await {
                        self.answers.tell(&Answer::Found { batch, is_there }, &[]);
                    }
                }
                Order::Remove { batch, place } => {
                    self.nats.remove_job(&self.run, batch, place).await;
                }
            }
        }
    }

    /// Stores all bots that are not stored yet, as far as it goes.
    async fn store_again(&mut self) {
        for bot in std::mem::take(&mut self.unstored) {
            match self.store(&bot).await {
                Ok(()) => self.answers.tell(&Answer::Stored(bot.digest), &[]),
                Err(error) => {
                    if self.told.is_none_or(|told| told.elapsed() >= TOLD_AGAIN) {
                        self.told = Some(Instant::now());
                        let text = format!("a bot's files cannot be stored yet: {error:#}");
                        self.answers.tell(&Answer::Waits(text), &[]);
                    }
                    // The server may have forgotten its stores.
                    let _ = self.nats.make_streams().await;
                    self.unstored.push_back(bot);
                }
            }
        }
    }

    /// Forgets bots that are not stored, as long as they take too much memory: they are sent again.
    fn forget_most(&mut self) {
        let bytes = |of: &VecDeque<Bot>| of.iter().map(|bot| bot.bytes.len()).sum::<usize>();
        while bytes(&self.unstored) > MOST_UNSTORED
            && let Some(bot) = self.unstored.pop_back()
        {
            self.answers.tell(&Answer::Unstored(bot.digest), &[]);
        }
    }

    /// Stores a bot where workers find it.
    async fn store(&self, bot: &Bot) -> Result<()> {
        if let Some(share) = &self.share {
            return share.put(bot.bytes.clone()).await;
        }
        self.nats.put_bot(bot.digest, &bot.bytes).await
    }

    /// Publishes a batch. If stream or consumer are gone, they are made again.
    async fn publish(&mut self, batch: BatchId, queue: Queue, bytes: Vec<u8>) -> Result<u64> {
        let is_known = self.known.borrow().contains(&queue);
        if !is_known {
            self.nats.make_queue(&queue).await?;
            self.known.borrow_mut().insert(queue.clone());
            // Otherwise idle workers would find it when they look again.
            self.nats.announce_queue().await?;
        }
        match self.nats.publish_jobs(&queue, &self.run, batch, bytes.clone()).await {
            Ok(place) => Ok(place),
            // They are there, and the server is full.
            Err(error) if self.remade.is_some_and(|at| at.elapsed() < KEEP) => Err(error),
            Err(error) => {
                self.remade = Some(Instant::now());
                self.nats.make_streams().await.context(error)?;
                self.nats.make_queue(&queue).await?;
                self.nats.announce_queue().await?;
                self.nats.publish_jobs(&queue, &self.run, batch, bytes).await
            }
        }
    }
}

/// Keeps the lead.
async fn lead(nats: &Nats, lease: &mut Lease, answers: &Answers) -> Result<()> {
    let mut again = interval(RENEW);
    loop {
        again.tick().await;
        let began = Instant::now();
        if let Some(holds) = lease.renew(nats).await? {
            // A bit less than what others wait for.
            let left = holds.saturating_sub(began.elapsed() + RENEW);
            answers.tell(&Answer::Lease(left.as_millis() as u64), &[]);
        }
    }
}

/// Messages that do not count, because nobody knows whose they are. People hear of each kind once.
struct Refusals<'a> {
    told: RefCell<BTreeSet<Refusal>>,
    answers: &'a Answers,
}

impl Refusals<'_> {
    fn tell(&self, what: &str, refusal: Refusal) {
        if self.told.borrow_mut().insert(refusal) {
            let text = format!("{what} of a worker does not count: {refusal}");
            self.answers.tell(&Answer::Waits(text), &[]);
        }
    }
}

/// Carries results to the coordinator. A result that is lost is found missing there.
async fn take_results(nats: &Nats, run: &str, refusals: &Refusals<'_>) -> Result<()> {
    loop {
        if let Err(error) = results_until_trouble(nats, run, refusals).await {
            tracing::debug!("results do not come: {error:#}");
        }
        sleep(Duration::from_secs(1)).await;
    }
}

async fn results_until_trouble(nats: &Nats, run: &str, refusals: &Refusals<'_>) -> Result<()> {
    let mut results = nats.results(run).await?;
    while let Some(delivery) = results.next().await {
        let delivery = delivery?;
        match nats.check_results(run, &delivery) {
            Ok(()) => refusals.answers.tell(&Answer::Results, &delivery.bytes),
            Err(refusal) => refusals.tell("a result", refusal),
        }
        delivery.acknowledge().await?;
    }
    Ok(())
}

/// A beat that was heard.
struct Told {
    at: Instant,
    counts: bool,
}

/// Passes beats on. Idle workers send the same beat again and again. The coordinator gets only as
/// many as it needs to know that they live, and wakes up once for all of them in a second. The same
/// bytes with the same signature are of the same sender, so of beats that are known, only the
/// sender's credentials are looked at again.
async fn hear_beats(mut beats: Beats, nats: &Nats, refusals: &Refusals<'_>) {
    let mut told: HashMap<u64, Told> = HashMap::new();
    let build = RandomState::new();
    let mut next_look = Instant::now();
    let mut again = interval(TOGETHER);
    again.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut same: Vec<Vec<u8>> = Vec::new();
    loop {
        let beat = tokio::select! {
            beat = beats.next() => beat,
            _ = again.tick(), if !same.is_empty() => {
                for bytes in same.drain(..) {
                    refusals.answers.tell(&Answer::Beat, &bytes);
                }
                continue;
            }
        };
        let Some(beat) = beat else { return };
        let now = Instant::now();
        if told.len() > MOST_TOLD && now >= next_look {
            next_look = now + Duration::from_secs(1);
            told.retain(|_, told| now.duration_since(told.at) < SAME);
        }
        let digest = build.hash_one(beat.whole());
        let known = told.get(&digest);
        if known.is_some_and(|told| now.duration_since(told.at) < SAME) {
            continue;
        }
        let is_known = known.is_some();
        let counts = known.is_none_or(|told| told.counts) && {
            let checked = if is_known { nats.check_again(&beat) } else { nats.check_beat(&beat) };
            checked.inspect_err(|refusal| refusals.tell("a message", *refusal)).is_ok()
        };
        if told.len() <= MOST_TOLD {
            told.insert(digest, Told { at: now, counts });
        }
        match counts {
            true if is_known => same.push(beat.bytes.to_vec()),
            true => refusals.answers.tell(&Answer::Beat, &beat.bytes),
            false => {}
        }
    }
}

/// Reads the list of revoked credentials again and again. If it does not count, people hear it
/// once, and the list before still holds.
async fn heed_revocations(nats: &Nats, list: &Path, mut told: Option<String>, answers: &Answers) {
    loop {
        sleep(HEED).await;
        let problem =
            nats.read_revocations(list).unwrap_or_else(|error| Some(format!("{error:#}")));
        if problem != told {
            if let Some(text) = &problem {
                answers.tell(&Answer::Waits(text.clone()), &[]);
            }
            told = problem;
        }
    }
}

/// Tells when the connection is lost, and when it is there again.
///
/// # Errors
/// If the server does not know this user any more.
async fn follow(mut line: UnboundedReceiver<Line>, nats: &Nats, answers: &Answers) -> Result<()> {
    let mut is_down = false;
    let mut refused = BTreeSet::new();
    while let Some(now) = line.recv().await {
        match now {
            Line::Down(why) if !is_down => {
                is_down = true;
                answers.tell(&Answer::Trouble(Trouble::Lost(why)), &[]);
            }
            Line::Up if is_down => {
                is_down = false;
                answers.tell(&Answer::Trouble(Trouble::Back), &[]);
                // Workers may not have noticed anything.
                let _ = nats.call_roll().await;
            }
            // Once: what is refused is tried again and again.
            Line::Refused(text) if refused.len() < 20 && refused.insert(text.clone()) => {
                answers.tell(&Answer::Waits(text), &[]);
            }
            Line::Over(text) => bail!(text),
            _ => {}
        }
    }
    // Nobody tells any more, but the others go on.
    std::future::pending().await
}

/// Returns the name of this machine.
pub(crate) fn host_name() -> String {
    let read = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = read.map_or_else(|_| "a machine".to_owned(), |name| name.trim().to_owned());
    agon_text::escape(&name).into_owned()
}
