//! Takes results of workers.

use std::collections::BTreeMap;

use crate::fleet::{
    Command, Event, JobKey, Result as Played, Verdict,
    message::{self, Ending, ResultMessage},
};
use agon_arena::ArenaError;
use agon_match::spec::PlayedOn;
use agon_text::escape;

use super::RemoteQueue;
use crate::Order;

impl RemoteQueue {
    /// Takes results of a worker.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), ArenaError> {
        let (message, replays) = match message::read_results(bytes) {
            Ok(read) => read,
            Err(error) => {
                self.note_sometimes(&format!("dropped results of a worker: {error}"));
                return Ok(());
            }
        };
        let worker = escape(&message.worker).into_owned();
        let mut results = Vec::new();
        let mut endings = BTreeMap::new();
        for (result, replay) in message.results.into_iter().zip(replays) {
            let ResultMessage { key, mut ending, us } = result;
            if let Ending::Stored { digest } = ending {
                // It comes as a message of its own.
                self.fetched.insert(digest, key);
                self.host.tell(&Order::Fetch(digest), &[])?;
                continue;
            }
            name_machine(&mut ending, &worker);
            let verdict = match self.judge(key, &ending) {
                Ok(()) => {
                    endings.entry(key).or_insert((ending, replay));
                    Verdict::Over
                }
                Err(problem) => {
                    let unopened = match &ending {
                        Ending::Lacking { seat, .. } => *seat,
                        _ => None,
                    };
                    self.note_problem(key, &format!("{worker}{problem}"), unopened);
                    Verdict::Lacking
                }
            };
            results.push(Played { key, verdict, us });
        }
        let now = self.began.elapsed().as_millis() as u64;
        for command in self.coordinator.learn(now, Event::Results { worker, results }) {
            if let Command::Deliver { key } = command
                && let Some((ending, replay)) = endings.remove(&key)
            {
                self.deliver(key, ending, replay);
            } else {
                self.obey(command)?;
            }
        }
        Ok(())
    }

    /// Judges what a worker has sent of a match. An error is the end of a sentence that begins with
    /// the name of the worker: it has brought no result.
    fn judge(&self, key: JobKey, ending: &Ending) -> Result<(), String> {
        match ending {
            Ending::Lacking { error, .. } => Err(format!(": {error}")),
            Ending::Played { outcome, .. } if !self.jobs.fits(key, outcome) => {
                Err(" sent another match's result".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// A result counts.
    fn deliver(&mut self, key: JobKey, ending: Ending, replay: Option<Vec<u8>>) {
        let Some(job) = self.jobs.remove(key) else { return };
        let outcome = match ending {
            Ending::Played { outcome, .. } => Ok(*outcome),
            Ending::Failed { error } | Ending::Lacking { error, .. } => {
                Err(ArenaError::Remote(error))
            }
            Ending::Stored { .. } => return,
        };
        self.finish(job.ticket, outcome, replay);
    }
}

/// Has an outcome name the worker that has sent it.
fn name_machine(ending: &mut Ending, worker: &str) {
    if let Ending::Played { outcome, .. } = ending {
        let scale = outcome.machine.as_ref().map_or(100, |machine| machine.scale);
        outcome.machine = Some(PlayedOn { worker: worker.to_owned(), scale });
    }
}
