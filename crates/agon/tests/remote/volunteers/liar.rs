//! A volunteer's worker that lies, or drops results. It plays matches of built-in bots as an honest
//! one does, and signs what it sends.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use agon_arena::{BotEntry, Job, Pool, PoolOptions};
use agon_core::Seed;
use agon_queue::message::{
    BatchMessage, Ending, JobMessage, ResultMessage, ResultsMessage, read_batch, write_results,
};
use agon_spec::{Digest, MatchOutcome, MatchSpec, SeatBot};
use async_nats::{
    ConnectOptions, HeaderMap,
    jetstream::{self, AckKind, consumer::PullConsumer},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::StreamExt;
use nkeys::KeyPair;

/// Where and as whom it plays.
pub(super) struct Login {
    pub(super) address: String,
    pub(super) authority: PathBuf,
    pub(super) credentials: PathBuf,
}

/// What it does.
#[derive(Clone, Copy)]
pub(super) enum Habit {
    /// It tells of another seed's match.
    Lies,
    /// It sends no result if the first bot of a match has lost.
    Drops,
}

/// A worker that runs until it is dropped.
pub(super) struct Liar {
    stop: Arc<AtomicBool>,
    played: Arc<AtomicU32>,
    thread: Option<JoinHandle<()>>,
}

impl Liar {
    pub(super) fn start(login: Login, habit: Habit) -> Liar {
        let stop = Arc::new(AtomicBool::new(false));
        let played = Arc::new(AtomicU32::new(0));
        let (stops, counts) = (Arc::clone(&stop), Arc::clone(&played));
        let live = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(live(login, habit, &stops, &counts));
        };
        Liar { stop, played, thread: Some(thread::spawn(live)) }
    }

    /// Returns how many matches it has played.
    pub(super) fn played(&self) -> u32 {
        self.played.load(Ordering::Relaxed)
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

async fn live(login: Login, habit: Habit, stop: &AtomicBool, played: &AtomicU32) {
    let text = fs::read_to_string(&login.credentials).unwrap();
    let token = text.lines().nth(1).unwrap().to_owned();
    let seed = text.lines().find(|line| line.starts_with("SU")).unwrap();
    let key = KeyPair::from_seed(seed).unwrap();
    let client = ConnectOptions::new()
        .credentials(&text)
        .unwrap()
        .add_root_certificates(login.authority)
        .require_tls(true)
        .custom_inbox_prefix(format!("_INBOX.{}", key.public_key()))
        .connect(login.address)
        .await
        .unwrap();
    let context = jetstream::new(client.clone());
    let sign = |run: &str, payload: &[u8]| {
        let signed = format!("agon results\0{run}\0{}", Digest::of(payload));
        let mut headers = HeaderMap::new();
        headers.insert("Agon-Token", token.as_str());
        let signature = STANDARD.encode(key.sign(signed.as_bytes()).unwrap());
        headers.insert("Agon-Signature", signature.as_str());
        headers
    };
    let pool =
        Pool::new(PoolOptions { workers: Some(1.try_into().unwrap()), ..Default::default() });
    while !stop.load(Ordering::Relaxed) {
        let Some(consumer) = consumer(&context).await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let expires = Duration::from_millis(200);
        let batches = consumer.batch().max_messages(1).expires(expires).messages().await;
        let Ok(mut batches) = batches else { continue };
        while let Some(Ok(batch)) = batches.next().await {
            let message = read_batch(&batch.payload).unwrap();
            let results = message.jobs.iter().filter_map(|job| tell(&pool, &message, job, habit));
            let results: Vec<ResultMessage> = results.collect();
            played.fetch_add(message.jobs.len() as u32, Ordering::Relaxed);
            let worker = "liar".to_owned();
            let told = ResultsMessage { version: message.version, worker, results };
            let payload = write_results(&told, &[]);
            let headers = sign(&message.run, &payload);
            let subject = format!("agon.results.{}", message.run);
            client.publish_with_headers(subject, headers, payload.into()).await.unwrap();
            batch.ack_with(AckKind::Ack).await.unwrap();
        }
    }
}

async fn consumer(context: &jetstream::Context) -> Option<PullConsumer> {
    let stream = context.get_stream_no_info("AGON_OPEN").await.ok()?;
    let info = stream.consumers().next().await?.ok()?;
    stream.get_consumer(&info.name).await.ok()
}

/// Plays a match, and returns what it tells of it.
fn tell(
    pool: &Pool,
    batch: &BatchMessage,
    job: &JobMessage,
    habit: Habit,
) -> Option<ResultMessage> {
    let outcome = match habit {
        Habit::Lies => {
            let mut outcome =
                play(pool, batch, job, job.seed.with_number(job.seed.number() ^ 0x5eed));
            outcome.result.seed = job.seed;
            outcome
        }
        Habit::Drops => play(pool, batch, job, job.seed),
    };
    let has_lost = outcome.result.standing.players[0].place > 1;
    if matches!(habit, Habit::Drops) && has_lost {
        return None;
    }
    let ending = Ending::Played { outcome: Box::new(outcome), replay: 0 };
    Some(ResultMessage { key: job.key, ending, us: 1_000 })
}

fn play(pool: &Pool, batch: &BatchMessage, job: &JobMessage, seed: Seed) -> MatchOutcome {
    let seats = job.seats.iter().map(|&seat| batch.seats[seat as usize].clone());
    let mut spec = MatchSpec { seed, seats: seats.collect(), ..batch.base.clone() };
    let entry = |seat: &agon_spec::Seat| {
        let SeatBot::Builtin(bot) = &seat.bot else { panic!("only built-in bots play") };
        let entry = BotEntry::of(format!("builtin:{}", bot.bot).parse().unwrap()).unwrap();
        Arc::new(entry.named(&seat.name).in_game(batch.base.game))
    };
    let bots = spec.seats.iter().map(entry).collect();
    spec.repetition = job.repetition;
    let mut client = pool.client(Arc::default());
    client.submit(Job { ticket: 0, spec, bots }).unwrap();
    client.wait().unwrap().outcome.unwrap()
}
