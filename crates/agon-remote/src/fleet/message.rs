//! What travels between coordinators and workers.
//!
//! All of it is JSON, with bytes such as replays behind it. Whoever reads it checks every size.

use std::{collections::BTreeMap, fmt};

use agon_core::Seed;
use agon_match::spec::{Digest, MatchOutcome, MatchSpec, Seat};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::fleet::{Abilities, Class, Lane, Status};

/// The version of all messages and classes. Another form gets another number: workers of one
/// version leave the matches of others.
pub const VERSION: u32 = 7;

/// The most bytes of a message.
pub const MOST_BYTES: usize = 1 << 20;

/// The most matches of a batch, and the most results of a message.
pub const MOST_JOBS: usize = 500;

/// The most bytes of a worker's name.
pub const MOST_NAME: usize = 200;

/// The number of a batch, which is used once in a run.
pub type BatchId = u64;

/// The key of a match, which makes it the same: the digest of its rules, settings, seats with the
/// bots' contents, seed and repetition.
///
/// A result counts for a key, whoever played it and whenever it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobKey(pub Digest);

impl JobKey {
    /// Returns the key of a match. `base` is the digest of its spec without seats, seed and
    /// repetition, and `seats` are those of its seats, all as JSON.
    pub fn new(base: Digest, seats: &[Digest], seed: Seed, repetition: u32) -> JobKey {
        let mut text = Vec::with_capacity(64 * (seats.len() + 2));
        text.extend(base.to_string().into_bytes());
        for seat in seats {
            text.extend(seat.to_string().into_bytes());
        }
        text.extend(seed.number().to_le_bytes());
        text.push(u8::from(seed.is_plain()));
        text.extend(repetition.to_le_bytes());
        JobKey(Digest::of(&text))
    }
}

/// A batch that a worker has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// The batch.
    pub batch: BatchId,
    /// How often the carrier has delivered it, from 1.
    pub delivery: u32,
}

/// A batch of matches on its way to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchMessage {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// The run that it belongs to: results go there.
    pub run: String,
    /// The batch.
    pub batch: BatchId,
    /// What its worker must have.
    pub class: Class,
    /// The matches without seats, seeds and repetitions.
    pub base: MatchSpec,
    /// The seats of all matches.
    pub seats: Vec<Seat>,
    /// The matches.
    pub jobs: Vec<JobMessage>,
}

/// A match of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobMessage {
    /// Its key.
    pub key: JobKey,
    /// Its seed.
    pub seed: Seed,
    /// Its repetition.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repetition: u32,
    /// Its seats, as indices.
    pub seats: Vec<u32>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Results of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultsMessage {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// Who has played.
    pub worker: String,
    /// The results.
    pub results: Vec<ResultMessage>,
}

/// A match that a worker is done with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultMessage {
    /// The match.
    pub key: JobKey,
    /// What came of it.
    pub ending: Ending,
    /// How long it took with everything around it, in microseconds.
    pub us: u64,
}

/// What came of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ending {
    /// It was played.
    Played {
        /// The outcome.
        outcome: Box<MatchOutcome>,
        /// How many bytes of its replay follow the message; 0 if there is none.
        #[serde(default)]
        replay: u32,
    },
    /// Its result is too large for a message: it is a message of its own in the store of blobs.
    Stored {
        /// The blob.
        digest: Digest,
    },
    /// It cannot be played, wherever.
    Failed {
        /// Why, for people.
        error: String,
    },
    /// The worker lacked something.
    Lacking {
        /// What, for people.
        error: String,
        /// The seat of the match, from 0, whose bot could not be started there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<u32>,
    },
}

/// A worker describes itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerMessage {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// Its name, which no other worker has.
    pub worker: String,
    /// What its owner calls it.
    pub label: String,
    /// The version of its Agon.
    pub agon: String,
    /// How many matches it plays at a time.
    pub slots: u32,
    /// How many it plays now.
    pub playing: u32,
    /// How many it has played since it started.
    pub played: u64,
    /// How many attempts were void.
    pub void: u64,
    /// In how many of them a bot committed a fault.
    pub faults: u64,
    /// How many it could not play.
    pub lacking: u64,
    /// What it has played lately.
    pub lately: Lately,
    /// For how long the match plays that began first, in milliseconds; 0 if none plays.
    pub longest: u64,
    /// Since when it lives, in milliseconds since 1970.
    pub since: u64,
    /// When its credentials expire, in seconds since 1970; 0 if they do not.
    pub expires: u64,
    /// Whether it takes no more.
    pub is_draining: bool,
    /// What it can play.
    pub abilities: Abilities,
    /// The batches that it has, by run.
    pub held: BTreeMap<String, Vec<Held>>,
    /// The batches that it gives back, by run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub returned: BTreeMap<String, Vec<Held>>,
}

impl WorkerMessage {
    /// Describes a worker that has played nothing yet.
    pub fn new(worker: &str, slots: u32, abilities: Abilities) -> WorkerMessage {
        WorkerMessage {
            version: VERSION,
            worker: worker.to_owned(),
            label: worker.to_owned(),
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            slots,
            abilities,
            ..WorkerMessage::default()
        }
    }
}

/// What a worker has played within a time that ends now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lately {
    /// The time, in milliseconds.
    pub ms: u32,
    /// The matches.
    pub played: u32,
    /// How long they took together, in milliseconds.
    pub busy_ms: u64,
}

/// A coordinator describes its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunMessage {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// The run.
    pub run: String,
    /// What people call it.
    pub title: String,
    /// Its lane.
    pub lane: Lane,
    /// How it stands.
    pub status: Status,
    /// For how long the first of those matches waits that no worker has, in milliseconds; 0 if none
    /// waits.
    pub oldest: u64,
}

/// Why bytes are no message, for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct MessageError(String);

fn damaged(why: impl fmt::Display) -> MessageError {
    MessageError(format!("a message cannot be read: {why}"))
}

/// A number in a message does not fit the rest.
fn inconsistent<T>(why: &str) -> Result<T, MessageError> {
    Err(MessageError(format!("a message does not fit together: {why}")))
}

/// Reads a batch.
pub fn read_batch(bytes: &[u8]) -> Result<BatchMessage, MessageError> {
    let batch: BatchMessage = read(bytes)?;
    check_version(batch.version)?;
    if batch.jobs.is_empty() || batch.jobs.len() > MOST_JOBS {
        return inconsistent("it has no matches, or too many");
    }
    let seats = batch.seats.len() as u32;
    if batch.jobs.iter().flat_map(|job| &job.seats).any(|seat| *seat >= seats) {
        return inconsistent("a match has a seat that is not there");
    }
    Ok(batch)
}

/// Writes results, with the replays that some of them have behind them.
///
/// # Panics
/// If there are more than 4 GiB of replays.
pub fn write_results(message: &ResultsMessage, replays: &[Vec<u8>]) -> Vec<u8> {
    let text = serde_json::to_vec(message).expect("results can be written as JSON");
    let length = u32::try_from(text.len()).expect("results are short");
    let mut all = Vec::with_capacity(4 + text.len() + replays.iter().map(Vec::len).sum::<usize>());
    all.extend(length.to_le_bytes());
    all.extend(text);
    replays.iter().for_each(|replay| all.extend(replay));
    all
}

/// The replays of results, in their order; `None` where no replay came.
pub type Replays = Vec<Option<Vec<u8>>>;

/// Reads results; each with its replay, if one came with it.
pub fn read_results(bytes: &[u8]) -> Result<(ResultsMessage, Replays), MessageError> {
    let too_early = || damaged("it ends too early");
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(too_early)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (text, mut rest) = rest.split_at_checked(length).ok_or_else(too_early)?;
    let message: ResultsMessage = read(text)?;
    check_version(message.version)?;
    if message.results.len() > MOST_JOBS {
        return inconsistent("it has too many results");
    }
    if message.worker.len() > MOST_NAME {
        return inconsistent("its worker has a very long name");
    }
    let mut replays = Vec::with_capacity(message.results.len());
    for result in &message.results {
        let replay = match &result.ending {
            Ending::Played { replay, outcome } if *replay > 0 => {
                let (bytes, after) =
                    rest.split_at_checked(*replay as usize).ok_or_else(too_early)?;
                rest = after;
                // A replay is named by its content, as a blob is.
                if outcome.replay != Some(Digest::of(bytes)) {
                    return inconsistent("a replay is not the one it names");
                }
                Some(bytes.to_vec())
            }
            _ => None,
        };
        replays.push(replay);
    }
    match rest.is_empty() {
        true => Ok((message, replays)),
        false => inconsistent("there are bytes after the last replay"),
    }
}

/// Reads a message that is JSON and nothing else.
pub fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, MessageError> {
    if bytes.len() > 4 * MOST_BYTES {
        let length = bytes.len();
        return Err(MessageError(format!("a message has {length} bytes, more than any may have")));
    }
    serde_json::from_slice(bytes).map_err(damaged)
}

fn check_version(version: u32) -> Result<(), MessageError> {
    let why = || format!("a message has version {version}, but this Agon reads version {VERSION}");
    if version == VERSION { Ok(()) } else { Err(MessageError(why())) }
}

#[cfg(test)]
mod tests {
    use agon_games::GameId;
    use agon_match::spec::{BuiltinSeat, MatchSettings, SandboxLevel, SeatBot};

    use super::*;

    fn batch() -> BatchMessage {
        let rules = GameId::Cluster.kind().default_rules();
        let base = MatchSpec::new(GameId::Cluster, rules, MatchSettings::default());
        let builtin = BuiltinSeat { bot: "greedy".to_owned(), params: [].into(), version: 1 };
        let seat =
            |name: &str| Seat { name: name.to_owned(), bot: SeatBot::Builtin(builtin.clone()) };
        let key = JobKey(Digest::of(b"a match"));
        BatchMessage {
            version: VERSION,
            run: "0123456789abcdef".to_owned(),
            batch: 7,
            class: Class::of_game(GameId::Cluster, SandboxLevel::Default),
            base,
            seats: vec![seat("ada"), seat("bob")],
            jobs: vec![JobMessage { key, seed: Seed(3), repetition: 1, seats: vec![1, 0] }],
        }
    }

    #[test]
    fn a_batch_is_read_as_it_was_written() {
        let batch = batch();
        let text = serde_json::to_vec(&batch).unwrap();
        assert_eq!(read_batch(&text), Ok(batch.clone()));
        let refused = |change: fn(&mut BatchMessage)| {
            let mut other = batch.clone();
            change(&mut other);
            read_batch(&serde_json::to_vec(&other).unwrap()).unwrap_err().to_string()
        };
        assert!(refused(|batch| batch.version = 1).contains("has version 1"));
        assert!(refused(|batch| batch.jobs.clear()).contains("no matches, or too many"));
        assert!(refused(|batch| batch.jobs[0].seats[0] = 2).contains("a seat that is not there"));
        let many = |batch: &mut BatchMessage| {
            batch.jobs = vec![batch.jobs[0].clone(); MOST_JOBS + 1];
        };
        assert!(refused(many).contains("no matches, or too many"));
        for length in 0..text.len() {
            assert!(read_batch(&text[..length]).is_err(), "{length}");
        }
        let large = vec![b' '; 4 * MOST_BYTES + 1];
        let refused = read_batch(&large).unwrap_err().to_string();
        assert!(refused.contains(&format!("has {} bytes, more than", large.len())), "{refused}");
    }

    #[test]
    fn results_come_with_their_replays_and_nothing_else() {
        let replay = b"a replay".to_vec();
        let key = JobKey(Digest::of(b"a match"));
        let error = |text: &str| Ending::Lacking { error: text.to_owned(), seat: None };
        let stored = Ending::Stored { digest: Digest::of(&replay) };
        let result = |ending| ResultMessage { key, ending, us: 5 };
        let message = ResultsMessage {
            version: VERSION,
            worker: "a-1".to_owned(),
            results: vec![result(error("no java")), result(stored)],
        };
        let bytes = write_results(&message, &[]);
        assert_eq!(read_results(&bytes), Ok((message.clone(), vec![None, None])));
        for length in 0..bytes.len() {
            assert!(read_results(&bytes[..length]).is_err(), "{length}");
        }
        let more = write_results(&message, std::slice::from_ref(&replay));
        assert!(read_results(&more).unwrap_err().to_string().contains("after the last replay"));
        let other = ResultsMessage { version: 9, ..message };
        let refused = read_results(&write_results(&other, &[])).unwrap_err().to_string();
        assert!(refused.contains("has version 9"), "{refused}");
    }
}
