//! Takes results of workers.

use std::collections::BTreeMap;

use agon_arena::ArenaError;
use agon_queue::{
    Command, Event, JobKey, Owner, Result as Played, Verdict,
    message::{self, Ending, ResultMessage},
};
use agon_spec::{Digest, MatchOutcome, PlayedOn};
use agon_text::escape;
use tracing::warn;

use super::{RemoteQueue, kept::KeptResult};
use crate::Order;

/// The most results of a volunteer that are fetched at a time.
const MOST_FETCHED: usize = 100;

impl RemoteQueue {
    /// Takes results of somebody's worker.
    pub(super) fn take(&mut self, owner: Owner, bytes: &[u8]) -> Result<(), ArenaError> {
        let (message, replays) = match message::read_results(bytes) {
            Ok(read) => read,
            Err(error) => {
                warn!("results of a worker cannot be used: {}", escape(&error.to_string()));
                return Ok(());
            }
        };
        let worker = owner.worker(&escape(&message.worker));
        let mut results = Vec::new();
        let mut endings = BTreeMap::new();
        for (result, replay) in message.results.into_iter().zip(replays) {
            let ResultMessage { key, mut ending, us } = result;
            if let Ending::Stored { digest } = ending {
                // It comes as a message of its own.
                let of_owner = self.fetched.values().filter(|(other, _)| *other == owner).count();
                if of_owner < MOST_FETCHED || !owner.is_volunteer() {
                    self.fetched.insert(digest, (owner.clone(), key));
                    self.host.tell(&Order::Fetch(digest), &[])?;
                }
                continue;
            }
            name_machine(&mut ending, &worker);
            if owner.is_volunteer() {
                strip(&mut ending);
            }
            let mut played =
                Played { key, verdict: Verdict::Lacking, us, digest: None, is_weighty: false };
            match self.judge(&owner, key, &ending, replay.as_deref()) {
                Ok(judged) => {
                    played.verdict = Verdict::Over;
                    played.digest = judged.digest;
                    played.is_weighty = judged.is_weighty;
                    endings.entry(key).or_insert(KeptResult { ending, replay });
                }
                Err(problem) => {
                    let problem = format!("{worker}{problem}");
                    let unopened = match &ending {
                        Ending::Lacking { seat, .. } => *seat,
                        _ => None,
                    };
                    self.note_problem(key, &problem, !owner.is_volunteer(), unopened);
                }
            }
            results.push(played);
        }
        let now = self.began.elapsed().as_millis() as u64;
        let commands = self.coordinator.learn(now, Event::Results { worker, owner, results });
        for command in &commands {
            match command {
                Command::Deliver { key, kept: None } => {
                    if let Some(result) = endings.remove(key) {
                        self.deliver(*key, result);
                    }
                }
                Command::Keep { key, owner } => {
                    if let Some(result) = endings.remove(key) {
                        self.kept.keep(*key, owner.clone(), result);
                    }
                }
                _ => {}
            }
        }
        commands.into_iter().try_for_each(|command| self.obey(command))
    }

    /// Judges what a worker has sent of a match. An error is the end of a sentence that begins with
    /// the name of the worker: it has brought no result.
    fn judge(
        &self,
        owner: &Owner,
        key: JobKey,
        ending: &Ending,
        replay: Option<&[u8]>,
    ) -> Result<Judged, String> {
        let outcome = match ending {
            Ending::Lacking { error, .. } => return Err(format!(": {error}")),
            // Somebody else shall say so, too.
            Ending::Failed { error } if owner.is_volunteer() => return Err(format!(": {error}")),
            Ending::Failed { .. } | Ending::Stored { .. } => return Ok(Judged::default()),
            Ending::Played { outcome, .. } => outcome,
        };
        if let Owner::Volunteer(name) = owner
            && !self.coordinator.wants(name, key)
        {
            return Ok(Judged::default());
        }
        if !self.jobs.fits(key, outcome) {
            return Err(" sent another match's result".to_owned());
        }
        if !owner.is_volunteer() && !self.coordinator.has_claims(key) {
            return Ok(Judged::default());
        }
        let digest = self.jobs.said(key, outcome, replay).map_err(|error| format!(": {error}"))?;
        let is_weighty = owner.is_volunteer() && self.is_weighty(key, outcome);
        Ok(Judged { digest, is_weighty })
    }

    /// Returns whether a result would change who leads.
    fn is_weighty(&self, key: JobKey, outcome: &MatchOutcome) -> bool {
        self.top.would_change(&self.jobs.seats(key), &outcome.result.standing)
    }

    /// A result counts.
    pub(super) fn deliver(&mut self, key: JobKey, result: KeptResult) {
        let seats = self.jobs.seats(key);
        // A result that came twice in one message counts once.
        let Some(job) = self.jobs.remove(key) else { return };
        let outcome = match result.ending {
            Ending::Played { outcome, .. } => {
                self.top.count(&seats, &outcome.result.standing);
                Ok(*outcome)
            }
            Ending::Failed { error } | Ending::Lacking { error, .. } => {
                Err(ArenaError::Remote(error))
            }
            Ending::Stored { .. } => return,
        };
        self.finish(job.ticket, outcome, result.replay);
    }
}

/// What a result is worth.
#[derive(Default)]
struct Judged {
    digest: Option<Digest>,
    is_weighty: bool,
}

/// Removes from a volunteer's outcome what no check covers: texts about faults, and versions.
fn strip(ending: &mut Ending) {
    if let Ending::Played { outcome, .. } = ending {
        outcome.result.faults.clear();
        outcome.runtimes.clear();
        outcome.void.clear();
    }
}

/// Has an outcome name the worker that has sent it.
fn name_machine(ending: &mut Ending, worker: &str) {
    if let Ending::Played { outcome, .. } = ending {
        let scale = outcome.machine.as_ref().map_or(100, |machine| machine.scale);
        outcome.machine = Some(PlayedOn { worker: worker.to_owned(), scale });
    }
}
