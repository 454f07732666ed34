//! The workers, as far as people should know of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use agon_core::{text::escape, text::name::cut, text::number::plural};
use tracing::warn;

use crate::Address;
use crate::fleet::message::{MOST_NAME, WorkerMessage};
use crate::fleet::{Abilities, Beat, Class, Limits, message};

/// After this time without a worker, people hear that there is none.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often they hear it.
const AGAIN: Duration = Duration::from_secs(60);

/// So long matches wait while slots are idle before people hear of it.
const IDLE: Duration = Duration::from_secs(40);

/// The most workers whose abilities are kept.
const MOST: usize = 40_000;

/// The most workers that a sentence names.
const MOST_NAMED: usize = 5;

/// Credentials that expire within so many seconds are named.
const SOON: u64 = 14 * 24 * 3600;

/// The most bytes of a worker's name in a sentence.
const WIDTH: usize = 32;

/// Returns within how many days credentials expire, if it is soon. Times are in seconds since 1970;
/// 0 if they do not expire.
fn expire_soon(expires: u64, now: u64) -> Option<u64> {
    (expires > 0 && expires < now + SOON).then(|| expires.saturating_sub(now).div_ceil(24 * 3600))
}

/// Says whose credentials expire soon, with the remedy, of workers with the times at which theirs
/// expire; nothing if there are none.
pub fn expiring<'a>(workers: impl Iterator<Item = (&'a str, u64)>, now: u64) -> Option<String> {
    let mut ending: Vec<(u64, &str)> = workers
        .filter_map(|(worker, expires)| Some((expire_soon(expires, now)?, worker)))
        .collect();
    ending.sort_unstable();
    let &(days, first) = ending.first()?;
    let all = match ending.len() {
        1 => "the credentials of a worker expire".to_owned(),
        all => format!("the credentials of {all} workers expire"),
    };
    Some(format!(
        "{all} within 14 days, those of {} within {}: write new ones (`agon worker credential`)",
        cut(&escape(first), WIDTH),
        plural(days, "day"),
    ))
}

/// A worker that lives.
#[derive(Debug)]
struct Worker {
    /// It is taken for dead after this time.
    until: Instant,
    /// How many matches it plays at a time; 0 if it takes no more.
    slots: u32,
    playing: u32,
    abilities: Abilities,
    /// When its credentials expire, in seconds since 1970; 0 if they do not.
    expires: u64,
}

/// What is known of the workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetState {
    /// The programs, such as `python3`, that at least one worker has; `None` if no worker is known.
    pub programs: Option<BTreeSet<String>>,
    /// Whose credentials expire within 14 days: sentences for people.
    pub expiring: Vec<String>,
}

/// The workers that live.
#[derive(Debug)]
pub(super) struct Fleet {
    workers: BTreeMap<String, Worker>,
    /// When people may hear again that nobody can play.
    next: Instant,
    /// Since when matches wait while slots are idle.
    idle_since: Option<Instant>,
}

impl Fleet {
    pub(super) fn new(now: Instant) -> Fleet {
        Fleet { workers: BTreeMap::new(), next: now + PATIENCE, idle_since: None }
    }

    /// Hears that a worker lives; returns what it has of a run.
    pub(super) fn hear(&mut self, bytes: &[u8], run: &str) -> Option<Beat> {
        let message: WorkerMessage = match message::read(bytes) {
            Ok(message) => message,
            Err(error) => {
                warn!("a worker's message cannot be used: {}", escape(&error.to_string()));
                return None;
            }
        };
        let WorkerMessage { worker, slots, playing, abilities, expires, is_draining, .. } = message;
        if worker.len() > MOST_NAME {
            warn!("a worker's name has {} bytes", worker.len());
            return None;
        }
        let worker = escape(&worker).into_owned();
        let slots = if is_draining { 0 } else { slots };
        if self.workers.len() < MOST || self.workers.contains_key(&worker) {
            let silence = Limits::default().silence_of(message.held.is_empty());
            let until = Instant::now() + Duration::from_millis(silence);
            let of = Worker { until, slots, playing, abilities, expires };
            self.workers.insert(worker.clone(), of);
        }
        let of_run = |mut all: BTreeMap<String, _>| all.remove(run).unwrap_or_default();
        Some(Beat { worker, slots, held: of_run(message.held), returned: of_run(message.returned) })
    }

    /// Nobody could be heard until now.
    pub(super) fn excuse(&mut self) {
        self.next = Instant::now() + PATIENCE;
        self.idle_since = None;
        self.workers.values_mut().for_each(|worker| worker.until = worker.until.max(self.next));
    }

    /// Returns how many matches no worker can play, of classes with their numbers of matches.
    pub(super) fn blocked<'a>(&self, needs: impl Iterator<Item = (&'a Class, usize)>) -> usize {
        let fits = |class: &Class| self.able(class).next().is_some();
        needs.filter(|(class, _)| !fits(class)).map(|(_, count)| count).sum()
    }

    /// Returns what people should know of the workers that live. `seconds` is the time since 1970,
    /// and `expires` when the credentials of this process expire.
    pub(super) fn state(&self, seconds: u64, expires: u64) -> FleetState {
        let now = Instant::now();
        let living = || self.workers.iter().filter(|(_, worker)| worker.until > now);
        let programs = living().map(|(_, worker)| worker.abilities.programs.clone());
        let own = expire_soon(expires, seconds).map(|days| {
            format!(
                "the credentials of this server (--credentials) expire within {}: write new ones \
                 (`agon worker credential`)",
                plural(days, "day")
            )
        });
        let times = living().map(|(name, worker)| (name.as_str(), worker.expires));
        FleetState {
            programs: programs.reduce(|all, more| &all | &more),
            expiring: own.into_iter().chain(expiring(times, seconds)).collect(),
        }
    }

    /// Returns the workers that can play a class.
    fn able(&self, class: &Class) -> impl Iterator<Item = (&str, &Worker)> {
        let all = self.workers.iter().map(|(name, worker)| (name.as_str(), worker));
        all.filter(|(_, worker)| class.check(&worker.abilities).is_ok())
    }

    /// Returns what people should know if matches of a class wait, and nobody can play them.
    pub(super) fn lack<'a>(
        &mut self,
        address: &Address,
        needs: impl Iterator<Item = (&'a Class, usize)>,
    ) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        // As the coordinator forgets them.
        self.workers.retain(|_, worker| worker.until > now);
        if self.workers.is_empty() {
            self.next = now + AGAIN;
            return Some(format!(
                "no worker is there; start one on each machine: agon worker {address}"
            ));
        }
        for (class, _) in needs {
            let checks = self.workers.iter().map(|(name, worker)| {
                class.check(&worker.abilities).map_err(|unfit| format!("{}: {unfit}", escape(name)))
            });
            // Why the first one cannot, if none can.
            let Some(why) = checks.reduce(|one, other| one.or_else(|why| other.map_err(|_| why)))
            else {
                continue;
            };
            let Err(why) = why else { continue };
            self.next = now + AGAIN;
            let count = self.workers.len();
            return Some(format!("matches wait, but none of {count} workers can play them; {why}"));
        }
        None
    }

    /// Returns what people should know if a match of a class has waited for long although workers
    /// that may have it are idle: they may not reach the server, or somebody else takes the
    /// matches.
    pub(super) fn idle(&mut self, now: Instant, class: &Class, waited: Duration) -> Option<String> {
        let alive = Instant::now();
        let is_idle =
            |(_, worker): &(&str, &Worker)| worker.until > alive && worker.playing < worker.slots;
        let idle: Vec<(String, u32)> = self
            .able(class)
            .filter(is_idle)
            .map(|(name, of)| (name.to_owned(), of.slots - of.playing))
            .collect();
        if idle.is_empty() || waited < IDLE {
            self.idle_since = None;
            return None;
        }
        let since = *self.idle_since.get_or_insert(now);
        if now.duration_since(since) < IDLE || now < self.next {
            return None;
        }
        let slots: u64 = idle.iter().map(|(_, slots)| u64::from(*slots)).sum();
        let named: Vec<&str> = idle.iter().take(MOST_NAMED).map(|(name, _)| &**name).collect();
        let more = match idle.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!(
            "matches of {} have waited for {} s, although {} that can play them {} idle \
             ({}{more}); restart these workers, and look for programs that take matches from the \
             server and play none (revoke their credentials: agon worker revoke)",
            class.game.meta().id,
            waited.as_secs(),
            plural(slots, "slot"),
            if slots == 1 { "is" } else { "are" },
            named.join(", "),
        );
        self.next = now + AGAIN;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use agon_games::GameId;
    use agon_match::spec::SandboxLevel;

    use super::*;
    use crate::fleet::{VERSION, rules_of};

    const GAME: GameId = GameId::Cluster;

    /// Hears of a worker with two slots, and returns it.
    fn hear<'a>(fleet: &'a mut Fleet, name: &str, playing: u32) -> &'a mut Worker {
        let games = [(GAME.meta().id.to_owned(), rules_of(GAME))].into();
        let abilities = Abilities { version: VERSION, games, ..Abilities::default() };
        let message = WorkerMessage { playing, ..WorkerMessage::new(name, 2, abilities) };
        let beat = fleet.hear(&serde_json::to_vec(&message).unwrap(), "run").unwrap();
        fleet.workers.get_mut(&beat.worker).unwrap()
    }

    #[test]
    fn programs_are_those_that_a_living_worker_has() {
        let mut fleet = Fleet::new(Instant::now());
        assert_eq!(fleet.state(0, 0), FleetState::default());
        for (name, program) in [("one", "node"), ("two", "mono"), ("gone", "java")] {
            hear(&mut fleet, name, 0).abilities.programs = [program.to_owned()].into();
        }
        fleet.workers.get_mut("gone").unwrap().until = Instant::now();
        let programs = Some(["mono".to_owned(), "node".to_owned()].into());
        assert_eq!(fleet.state(0, 0), FleetState { programs, expiring: Vec::new() });
    }

    #[test]
    fn credentials_that_expire_soon_are_told() {
        const DAY: u64 = 24 * 3600;
        let mut fleet = Fleet::new(Instant::now());
        for (name, days) in [("soon", 103), ("too", 113), ("later", 115), ("never", 0)] {
            hear(&mut fleet, name, 0).expires = days * DAY;
        }
        let said = fleet.state(100 * DAY, 102 * DAY).expiring;
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].contains("of this server (--credentials) expire within 2 days"),
            "{said:?}"
        );
        let workers = "of 2 workers expire within 14 days, those of soon within 3 days";
        assert!(said[1].contains(workers), "{said:?}");
        assert!(fleet.state(80 * DAY, 0).expiring.is_empty());
    }

    #[test]
    fn matches_that_wait_while_slots_are_idle_are_told_and_for_whom() {
        let began = Instant::now();
        let mut fleet = Fleet::new(began);
        for (name, playing) in [("busy", 2), ("idle\n", 1)] {
            hear(&mut fleet, name, playing);
        }
        let class = Class::of_game(GAME, SandboxLevel::Default);
        let mut idle = |seconds: u64, waited: u64| {
            let now = began + Duration::from_secs(seconds);
            fleet.idle(now, &class, Duration::from_secs(waited))
        };
        assert_eq!(idle(0, 50), None, "it may have been busy until now");
        assert_eq!(idle(39, 89), None);
        assert_eq!(idle(40, 5), None, "another match has waited for a moment only");
        assert_eq!(idle(41, 50), None);
        let said = idle(81, 90).unwrap();
        let expected = "matches of cluster have waited for 90 s, although 1 slot that can play \
                        them is idle (idle\\n)";
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(idle(82, 91), None, "not all the time");
        assert!(idle(142, 151).is_some());
    }

    #[test]
    fn nobody_is_missed_right_after_a_pause() {
        let mut fleet = Fleet::new(Instant::now() - PATIENCE);
        let address: Address = "nats://a".parse().unwrap();
        let class = Class::of_game(GAME, SandboxLevel::Default);
        let needs = || [(&class, 1)].into_iter();
        fleet.excuse();
        assert_eq!(fleet.lack(&address, needs()), None);
        fleet.next = Instant::now();
        let said = fleet.lack(&address, needs()).unwrap();
        assert!(said.contains("no worker is there"), "{said}");
    }
}
