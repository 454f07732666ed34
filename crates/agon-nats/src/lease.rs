//! One coordinator leads a run at a time.
//!
//! The server keeps a message for each run that names its leader. The leader replaces it every two
//! seconds. Another process may replace it, and lead, if it did not change for the length of a
//! lease. The server accepts a replacement only of the message that the sender has seen. A leader
//! that could not replace it in time leads no more: its coordinator hands out no more results.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tokio::time::sleep;

use crate::nats::Nats;

/// A leader that has said nothing for so long leads no more.
const LEASE: Duration = Duration::from_secs(10);

/// How often it is tried at once if others have the message replaced.
const TRIES: usize = 5;

/// How often the leader says that it still leads.
pub(crate) const RENEW: Duration = Duration::from_secs(2);

/// What came of saying that it still leads.
enum Renewal {
    Holds,
    /// The server did not say.
    Unsaid,
    /// Somebody who is no coordinator has had the message replaced.
    Disturbed,
}

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
                agon_text::escape(&leader.name),
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
                        agon_text::escape(&leader.name)
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
            match self.try_to_renew(nats).await? {
                Renewal::Holds => return Ok(Some(LEASE)),
                Renewal::Unsaid => return Ok(None),
                Renewal::Disturbed => {}
            }
        }
        Ok(None)
    }

    async fn try_to_renew(&mut self, nats: &Nats) -> Result<Renewal> {
        match nats.lead(&self.run, &self.name, self.place).await {
            Ok(Some(place)) => {
                self.place = place;
                return Ok(Renewal::Holds);
            }
            Ok(None) => {}
            Err(_) => return Ok(Renewal::Unsaid),
        }
        match nats.leader(&self.run).await {
            Err(_) => Ok(Renewal::Unsaid),
            // The server has forgotten everything: nobody leads.
            Ok(None) => {
                self.place = 0;
                Ok(Renewal::Unsaid)
            }
            Ok(Some(leader)) if !leader.is_signed => {
                self.place = leader.place;
                Ok(Renewal::Disturbed)
            }
            // Its own message, whose acknowledgement was lost.
            Ok(Some(leader)) if leader.name == self.name => {
                self.place = leader.place;
                Ok(Renewal::Unsaid)
            }
            Ok(Some(leader)) => bail!(
                "another process leads this run now ({}); this one has stood still for too long, \
                 and ends",
                agon_text::escape(&leader.name)
            ),
        }
    }

    /// Leads no more.
    pub(crate) async fn resign(self, nats: &Nats) {
        nats.resign(self.place).await;
    }
}
