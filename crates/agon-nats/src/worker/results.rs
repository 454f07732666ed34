//! From the outcomes of matches to messages that fit the server's limit, and to the server. Counts
//! how much was played within the last minute.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_arena::{ArenaError, Finished};
use agon_match::spec::{Digest, MatchOutcome, PlayedOn};
use agon_remote::fleet::message::{
    Ending, Lately, MOST_BYTES, MOST_JOBS, ResultMessage, ResultsMessage, write_results,
};
use agon_remote::fleet::{JobKey, VERSION};
use tracing::debug;

use crate::nats::{MOST_RETURN, Nats};

/// After so long, what the server has not taken is sent again.
const AGAIN: Duration = Duration::from_secs(1);

/// The time over which matches are counted.
const LATELY: Duration = Duration::from_secs(60);

/// Between two moments that are kept is at least this time.
const STEP: Duration = Duration::from_secs(1);

/// A result with its replay.
pub(super) struct Ended {
    result: ResultMessage,
    replay: Option<Vec<u8>>,
}

impl Ended {
    /// Turns what the pool says into a result. `machine` is this one, `seats` has the names of the
    /// bots.
    pub(super) fn of(key: JobKey, finished: Finished, machine: PlayedOn, seats: &[&str]) -> Ended {
        let Finished { outcome, replay, took, .. } = finished;
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let (ending, replay) = match outcome {
            Ok(outcome) => {
                let length = replay.as_ref().map_or(0, |replay| replay.len() as u32);
                let outcome = Box::new(MatchOutcome { machine: Some(machine), ..outcome });
                (Ending::Played { outcome, replay: length }, replay)
            }
            Err(error) => (ending(&error, seats), None),
        };
        Ended { result: ResultMessage { key, ending, us }, replay }
    }

    /// Returns the result of a match that this worker cannot play.
    ///
    /// `seat`: that of the bot which cannot be started here, if this is why.
    pub(super) fn lacking(key: JobKey, error: &str, seat: Option<u32>) -> Ended {
        let ending = Ending::Lacking { error: error.to_owned(), seat };
        Ended { result: ResultMessage { key, ending, us: 0 }, replay: None }
    }

    /// Returns how long the worker was busy with it, in microseconds.
    pub(super) fn us(&self) -> u64 {
        self.result.us
    }

    pub(super) fn is_lacking(&self) -> bool {
        matches!(self.result.ending, Ending::Lacking { .. })
    }

    fn size(&self) -> usize {
        // Outcomes are written once more when the message is; few are long.
        let text = serde_json::to_vec(&self.result).map_or(0, |text| text.len());
        text + self.replay.as_ref().map_or(0, Vec::len) + 1
    }
}

/// Returns whether an error is one of the match or of this machine.
fn ending(error: &ArenaError, seats: &[&str]) -> Ending {
    let text = error.to_string();
    let bot = error.bot_at_fault().map(|(bot, _)| bot);
    let seat = bot.and_then(|bot| seats.iter().position(|name| *name == bot));
    let seat = seat.map(|seat| seat as u32);
    match error {
        ArenaError::Spec(_) | ArenaError::Setup(_) | ArenaError::Panic { .. } => {
            Ending::Failed { error: text }
        }
        _ => Ending::Lacking { error: text, seat },
    }
}

/// A message with results.
pub(super) struct Packet {
    pub(super) bytes: Vec<u8>,
    /// A result that is too large for any message: first it is stored as a blob, and the message
    /// names it.
    pub(super) blob: Option<(Digest, Vec<u8>)>,
}

/// The most bytes of a result without its replay.
const MOST_TEXT: usize = 3 * MOST_BYTES;

/// Packs results into messages of at most so many bytes.
pub(super) fn pack(worker: &str, all: Vec<Ended>, most: usize) -> Vec<Packet> {
    // What surrounds the results.
    let most = most.saturating_sub(1_000 + 6 * worker.len());
    let mut packets = Vec::new();
    let mut waiting: Vec<Ended> = Vec::new();
    let mut bytes = 0;
    for ended in all {
        let size = ended.size();
        if size > most {
            packets.push(stored(worker, ended));
            continue;
        }
        if bytes + size > most || waiting.len() == MOST_JOBS {
            packets.push(packet(worker, std::mem::take(&mut waiting)));
            bytes = 0;
        }
        bytes += size;
        waiting.push(ended);
    }
    if !waiting.is_empty() {
        packets.push(packet(worker, waiting));
    }
    packets
}

fn message(worker: &str, all: Vec<Ended>) -> Vec<u8> {
    let (results, replays): (Vec<_>, Vec<_>) =
        all.into_iter().map(|ended| (ended.result, ended.replay)).unzip();
    let replays: Vec<Vec<u8>> = replays.into_iter().flatten().collect();
    write_results(
        &ResultsMessage { version: VERSION, worker: worker.to_owned(), results },
        &replays,
    )
}

fn packet(worker: &str, all: Vec<Ended>) -> Packet {
    Packet { bytes: message(worker, all), blob: None }
}

fn stored(worker: &str, ended: Ended) -> Packet {
    let (key, us) = (ended.result.key, ended.result.us);
    let text = serde_json::to_vec(&ended.result).map_or(0, |text| text.len());
    let failed = |error: String| {
        let result = ResultMessage { key, ending: Ending::Failed { error }, us };
        packet(worker, vec![Ended { result, replay: None }])
    };
    if text > MOST_TEXT {
        // Nobody would read it.
        return failed(format!("its result has {text} bytes without the replay, too many"));
    }
    let blob = message(worker, vec![ended]);
    if blob.len() > MOST_RETURN {
        return failed(format!(
            "its result with the replay has {} MiB, more than the {} that workers can send; play \
             it without replays (--replays none)",
            blob.len() >> 20,
            MOST_RETURN >> 20
        ));
    }
    let digest = Digest::of(&blob);
    let result = ResultMessage { key, ending: Ending::Stored { digest }, us };
    let bytes = message(worker, vec![Ended { result, replay: None }]);
    Packet { bytes, blob: Some((digest, blob)) }
}

/// Sends results of a run, each until the server has taken it; or, once `gives_up` is set, once:
/// then others play the match again.
pub(super) async fn send_all(nats: &Nats, run: &str, packets: Vec<Packet>, gives_up: &AtomicBool) {
    for packet in packets {
        while let Err(error) = send(nats, run, &packet).await {
            if gives_up.load(Ordering::Relaxed) {
                break;
            }
            // The server is gone, or full: the results wait.
            debug!("results cannot be sent yet: {error:#}");
            tokio::time::sleep(AGAIN).await;
        }
    }
}

async fn send(nats: &Nats, run: &str, packet: &Packet) -> anyhow::Result<()> {
    if let Some((digest, blob)) = &packet.blob {
        nats.put_return(*digest, blob).await?;
    }
    nats.publish_results(run, packet.bytes.clone()).await
}

/// All that had been played at a moment.
#[derive(Clone, Copy)]
struct Moment {
    at: Instant,
    played: u64,
    us: u64,
}

/// Counts matches, and forgets those that are older than a minute.
pub(super) struct Recent {
    /// All since the worker has started.
    played: u64,
    us: u64,
    /// Some moments of the last minute, the oldest first; never empty.
    moments: VecDeque<Moment>,
}

impl Recent {
    pub(super) fn new() -> Recent {
        let start = Moment { at: Instant::now(), played: 0, us: 0 };
        Recent { played: 0, us: 0, moments: [start].into() }
    }

    /// A match is over that took so many microseconds.
    pub(super) fn add(&mut self, us: u64) {
        self.played += 1;
        self.us = self.us.saturating_add(us);
    }

    /// Returns what was played within the last minute.
    pub(super) fn lately(&mut self) -> Lately {
        if self.moments.back().is_none_or(|last| last.at.elapsed() >= STEP) {
            let (played, us) = (self.played, self.us);
            self.moments.push_back(Moment { at: Instant::now(), played, us });
        }
        while self.moments.len() > 1 && self.moments[0].at.elapsed() > LATELY {
            self.moments.pop_front();
        }
        let before = self.moments[0];
        Lately {
            ms: u32::try_from(before.at.elapsed().as_millis()).unwrap_or(u32::MAX),
            played: u32::try_from(self.played - before.played).unwrap_or(u32::MAX),
            busy_ms: (self.us - before.us) / 1000,
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_remote::fleet::message::read_results;

    use super::*;

    const MOST: usize = 10_000;

    fn key(number: u64) -> JobKey {
        JobKey(Digest::of(&number.to_le_bytes()))
    }

    /// A result of about so many bytes.
    fn ended(number: u64, bytes: usize) -> Ended {
        Ended::lacking(key(number), &"x".repeat(bytes), None)
    }

    #[test]
    fn results_are_packed_into_messages_that_fit() {
        let all = (0..1_300).map(|number| ended(number, number as usize % 900)).collect();
        let packets = pack("a", all, MOST);
        let mut found = Vec::new();
        for packet in &packets {
            assert!(packet.bytes.len() <= MOST && packet.blob.is_none());
            let (message, _) = read_results(&packet.bytes).unwrap();
            found.extend(message.results.into_iter().map(|result| result.key));
        }
        assert_eq!(found, (0..1_300).map(key).collect::<Vec<_>>());
        // However short they are.
        let short = (0..1_300).map(|number| ended(number, 0)).collect();
        assert_eq!(pack("a", short, usize::MAX).len(), 1_300_usize.div_ceil(MOST_JOBS));
        assert!(pack("a", Vec::new(), MOST).is_empty());
    }

    #[test]
    fn a_result_that_fits_no_message_is_stored_and_one_that_nobody_reads_fails() {
        let packets = pack("a", vec![ended(1, MOST), ended(2, 5)], MOST);
        let (digest, blob) = packets[0].blob.as_ref().unwrap();
        let (named, _) = read_results(&packets[0].bytes).unwrap();
        assert_eq!(named.results[0].ending, Ending::Stored { digest: *digest });
        assert_eq!(Digest::of(blob), *digest);
        let (stored, _) = read_results(blob).unwrap();
        assert_eq!(stored.results[0], ended(1, MOST).result);
        assert!(packets[1].blob.is_none());
        let huge = pack("a", vec![ended(1, MOST_TEXT)], MOST);
        let (message, _) = read_results(&huge[0].bytes).unwrap();
        assert!(matches!(message.results[0].ending, Ending::Failed { .. }), "{message:?}");
    }

    #[test]
    fn matches_are_counted_with_their_time() {
        let mut recent = Recent::new();
        let Lately { played, busy_ms, .. } = recent.lately();
        assert_eq!((played, busy_ms), (0, 0));
        // Together they take longer than a millisecond, each alone does not.
        (0..10).for_each(|_| recent.add(300));
        let Lately { played, busy_ms, .. } = recent.lately();
        assert_eq!((played, busy_ms), (10, 3));
        assert_eq!(recent.moments.len(), 1, "there may be many beats in a second");
    }
}
