//! One coordinator leads a run at a time.
//!
//! The server keeps a message for each run that names its leader. The leader replaces it every two
//! seconds. Another process may replace it, and lead, if it did not change for the length of a
//! lease. The server accepts a replacement only of the message that the sender has seen. A leader
//! that could not replace it in time leads no more: its coordinator hands out no more results.

use std::time::{Duration, Instant};

use agon_core::text::escape;
use anyhow::{Result, anyhow, bail};
use async_nats::{
    jetstream::context::PublishErrorKind, jetstream::message::PublishMessage,
    jetstream::stream::LastRawMessageErrorKind,
};
use tokio::time::sleep;

use super::connection::{Nats, RUNS};
use super::identity::Purpose;

/// A leader that has said nothing for so long leads no more.
const LEASE: Duration = Duration::from_secs(10);

/// How often it is tried at once if others have the message replaced.
const TRIES: usize = 5;

/// How often the leader says that it still leads.
pub(crate) const RENEW: Duration = Duration::from_secs(2);

/// The lead of a run.
pub(crate) struct Lease {
    run: String,
    name: String,
    place: u64,
}

impl Lease {
    /// Takes the lead. `waits` hears if somebody else has it, or had it lately.
    pub(crate) async fn take(
        nats: &Nats,
        run: &str,
        name: &str,
        mut waits: impl FnMut(String),
    ) -> Result<Lease> {
        let mut seen = nats.leader(run).await?;
        if let Some(leader) = seen.clone().filter(|leader| leader.is_signed) {
            waits(format!(
                "another process has led this run ({}); waiting {} s to see whether it has ended",
                escape(&leader.name),
                LEASE.as_secs()
            ));
            let until = Instant::now() + LEASE;
            while Instant::now() < until {
                sleep(Duration::from_millis(500)).await;
                let now = nats.leader(run).await?;
                if now.is_none() {
                    seen = None;
                    break;
                }
                let is_other = now.as_ref().is_some_and(|now| now.is_signed) && now != seen;
                seen = now;
                if is_other {
                    bail!(
                        "another process leads this run ({}); end it first, or wait for its end",
                        escape(&leader.name)
                    );
                }
            }
        }
        let before = seen.map_or(0, |leader| leader.place);
        match nats.lead(run, name, before).await? {
            Some(place) => Ok(Lease { run: run.to_owned(), name: name.to_owned(), place }),
            None => bail!("another process has just taken the lead of this run"),
        }
    }

    /// Says that it still leads. Returns for how long it holds, counted from before this call;
    /// `None` if the server did not say.
    ///
    /// # Errors
    /// If another process leads the run.
    pub(crate) async fn renew(&mut self, nats: &Nats) -> Result<Option<Duration>> {
        for _ in 0..TRIES {
            match nats.lead(&self.run, &self.name, self.place).await {
                Ok(Some(place)) => {
                    self.place = place;
                    return Ok(Some(LEASE));
                }
                Ok(None) => {}
                Err(_) => return Ok(None),
            }
            let Ok(leader) = nats.leader(&self.run).await else { return Ok(None) };
            // Without one, the server has forgotten everything: nobody leads.
            self.place = leader.as_ref().map_or(0, |leader| leader.place);
            match leader {
                // Somebody who is no coordinator has had the message replaced.
                Some(leader) if !leader.is_signed => {}
                Some(leader) if leader.name != self.name => bail!(
                    "another process leads this run now ({}); this one has stood still for too \
                     long, and ends",
                    escape(&leader.name)
                ),
                // Its own message, whose acknowledgement was lost.
                Some(_) | None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Leads no more.
    pub(crate) async fn resign(self, nats: &Nats) {
        if let Ok(stream) = nats.stream(RUNS).await {
            // It is over after its time, too.
            let _ = stream.delete_message(self.place).await;
        }
    }
}

/// Who leads a run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Leader {
    /// The number of the message that says so.
    place: u64,
    name: String,
    /// Whether a coordinator has said so. Others can have the server put messages there.
    is_signed: bool,
}

impl Nats {
    /// Returns who leads a run.
    async fn leader(&self, run: &str) -> Result<Option<Leader>> {
        let stream = self.stream(RUNS).await?;
        match stream.get_last_raw_message_by_subject(&format!("agon.runs.{run}")).await {
            Ok(found) => {
                let name = String::from_utf8_lossy(&found.payload).into_owned();
                let purpose = Purpose::Lead { run };
                let checked = self.check_parts(purpose, &found.payload, Some(&found.headers));
                let is_signed = checked.is_ok();
                Ok(Some(Leader { place: found.sequence, name, is_signed }))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => bail!("nobody knows who leads this run: {error}"),
        }
    }

    /// Leads a run, if nobody has said anything about it since the message at `place`; 0 if there
    /// was none. Returns the new place; `None` if somebody was faster.
    async fn lead(&self, run: &str, name: &str, place: u64) -> Result<Option<u64>> {
        let message = PublishMessage::build()
            .payload(name.to_owned().into())
            .headers(self.signed(Purpose::Lead { run }, name.as_bytes()))
            .expected_last_subject_sequence(place);
        let sent = self.context.send_publish(format!("agon.runs.{run}"), message).await;
        match sent.map_err(|error| anyhow!("{error}"))?.await {
            Ok(taken) => Ok(Some(taken.sequence)),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(None),
            Err(error) => bail!("{error}"),
        }
    }
}
