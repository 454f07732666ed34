//! The matches that are not over, with all that their messages need.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

use agon_arena::{ArenaError, BotEntry, Job};
use agon_core::Seed;
use agon_match::spec::{Digest, MatchOutcome, MatchSpec, Seat};
use serde::Serialize;

use crate::fleet::message::{BatchMessage, JobMessage};
use crate::fleet::{BatchId, Class, JobKey, VERSION};
use crate::{Fairness, PackError, Packed, class_of, pack};

/// So many bots are kept at least before those are looked for that nobody needs any more.
const FEW_BOTS: usize = 64;

/// No match takes longer, in milliseconds: a month.
const MOST_MS: u64 = 31 * 24 * 3_600_000;

/// A match that is not over.
#[derive(Clone, Debug)]
pub(super) struct OpenJob {
    pub(super) ticket: u64,
    pub(super) seed: Seed,
    repetition: u32,
    base: usize,
    class: u32,
    /// Where its bots are in memory.
    bots: Vec<usize>,
    /// The same bots: they are kept as long as it is open.
    _entries: Vec<Arc<BotEntry>>,
    /// The names of its seats.
    names: Vec<String>,
    /// What the last worker said that could not play it.
    pub(super) problem: Option<String>,
    /// Of each worker that could not play it: the seat whose bot could not be started
    /// there, if that was why.
    unopened: Vec<Option<u32>>,
}

impl OpenJob {
    /// Returns the bot that alone kept the match from being played each of so many `times`.
    pub(super) fn bot_at_fault(&self, times: u32) -> Option<&str> {
        let (first, others) = self.unopened.split_first()?;
        let alone = self.unopened.len() >= times as usize && others.iter().all(|one| one == first);
        self.names.get((*first).filter(|_| alone)? as usize).map(String::as_str)
    }
}

/// Matches that differ only in seats, seeds and repetitions.
#[derive(Debug)]
struct Base {
    spec: MatchSpec,
    digest: Digest,
}

/// A bot that was packed.
#[derive(Debug)]
struct Bot {
    /// It keeps the address in use, by which it is found, but not the bot itself: a ladder that
    /// runs for months sees many.
    entry: Weak<BotEntry>,
    packed: Packed,
    digest: Digest,
}

/// A class with its name.
#[derive(Clone, Debug)]
pub(super) struct NamedClass {
    /// The kind of its matches: those of a batch have the same.
    base: usize,
    class: Class,
    pub(super) name: String,
    /// The class as JSON.
    pub(super) about: String,
}

/// A match for the coordinator.
#[derive(Debug)]
pub(super) struct Submitted {
    pub(super) key: JobKey,
    pub(super) class: u32,
    /// The files of all its bots.
    pub(super) files: Vec<Digest>,
}

/// Files of a bot, to be kept on the server.
pub(super) struct PackedFiles {
    pub(super) digest: Digest,
    pub(super) bytes: Vec<u8>,
}

impl PackedFiles {
    fn new(bytes: Vec<u8>) -> PackedFiles {
        PackedFiles { digest: Digest::of(&bytes), bytes }
    }
}

/// All matches that are not over.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    fairness: Fairness,
    open: BTreeMap<JobKey, OpenJob>,
    bases: Vec<Base>,
    /// By the kind of their matches, and where they are in memory.
    bots: BTreeMap<(usize, usize), Bot>,
    /// At so many bots those are removed that nobody needs any more.
    most_bots: usize,
    classes: Vec<NamedClass>,
}

impl Jobs {
    pub(super) fn new(fairness: Fairness) -> Jobs {
        Jobs { fairness, most_bots: FEW_BOTS, ..Jobs::default() }
    }

    /// Returns how many matches are open.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    pub(super) fn class(&self, class: u32) -> &NamedClass {
        &self.classes[class as usize]
    }

    /// Returns the classes of open matches, with the number of these.
    pub(super) fn needs(&self) -> impl Iterator<Item = (&Class, usize)> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for job in self.open.values() {
            *counts.entry(job.class).or_default() += 1;
        }
        counts.into_iter().map(|(class, count)| (&self.class(class).class, count))
    }

    /// Returns the class of an open match.
    pub(super) fn class_of_match(&self, key: JobKey) -> Option<&Class> {
        self.open.get(&key).map(|job| &self.class(job.class).class)
    }

    /// Returns the key of an open match.
    pub(super) fn key_of(&self, ticket: u64) -> Option<JobKey> {
        self.open.iter().find(|(_, job)| job.ticket == ticket).map(|(key, _)| *key)
    }

    /// Adds a match. Returns it with the files of its bots that were not sent before.
    pub(super) fn add(&mut self, job: Job) -> Result<(Submitted, Vec<PackedFiles>), ArenaError> {
        let remote = |error: &dyn std::fmt::Display| ArenaError::Remote(error.to_string());
        let base = self.base(&job.spec);
        let mut bundles = Vec::new();
        let mut bots = Vec::with_capacity(job.bots.len());
        for bot in &job.bots {
            let at = self.bot(base, bot, &mut bundles).map_err(|error| remote(&error))?;
            bots.push(at);
        }
        let class = self.class_of(base, &bots).map_err(|error| remote(&error))?;
        let seats: Vec<Digest> = bots.iter().map(|bot| self.bots[&(base, *bot)].digest).collect();
        let (seed, mut repetition) = (job.spec.seed, job.spec.repetition);
        let digest = self.bases[base].digest;
        // The same match once more is another repetition of it.
        let key = loop {
            let key = JobKey::new(digest, &seats, seed, repetition);
            if !self.open.contains_key(&key) {
                break key;
            }
            repetition += 1;
        };
        let files = bots.iter().filter_map(|bot| self.bots[&(base, *bot)].packed.files()).collect();
        let ticket = job.ticket;
        let open = OpenJob {
            ticket,
            seed,
            repetition,
            base,
            class,
            bots,
            _entries: job.bots,
            names: job.spec.seats.into_iter().map(|seat| seat.name).collect(),
            problem: None,
            unopened: Vec::new(),
        };
        self.open.insert(key, open);
        self.forget_bots();
        Ok((Submitted { key, class, files }, bundles))
    }

    fn base(&mut self, spec: &MatchSpec) -> usize {
        // All fields are named, so that nobody forgets a new one here.
        let same = |base: &Base| {
            let MatchSpec {
                version: _,
                game,
                rules_version,
                rules,
                seed: _,
                repetition: _,
                max_turns,
                seats: _,
                settings,
            } = &base.spec;
            (*game, *rules_version, *max_turns) == (spec.game, spec.rules_version, spec.max_turns)
                && *rules == spec.rules
                && *settings == spec.settings
        };
        if let Some(found) = self.bases.iter().rposition(same) {
            return found;
        }
        let base = MatchSpec { seed: Seed(0), repetition: 0, seats: Vec::new(), ..spec.clone() };
        let digest = digest_of(&base);
        self.bases.push(Base { spec: base, digest });
        self.bases.len() - 1
    }

    /// Packs a bot, unless it was packed before; returns where it is in memory.
    fn bot(
        &mut self,
        base: usize,
        entry: &Arc<BotEntry>,
        bundles: &mut Vec<PackedFiles>,
    ) -> Result<usize, PackError> {
        let address = Arc::as_ptr(entry).addr();
        if !self.bots.contains_key(&(base, address)) {
            let mut packed = pack(self.bases[base].spec.game, entry)?;
            bundles.extend(packed.bundle.take().map(PackedFiles::new));
            let digest = digest_of(&packed.seat);
            let bot = Bot { entry: Arc::downgrade(entry), packed, digest };
            self.bots.insert((base, address), bot);
        }
        Ok(address)
    }

    /// Forgets bots that nobody has any more, if there are many.
    fn forget_bots(&mut self) {
        if self.bots.len() >= self.most_bots {
            self.bots.retain(|_, bot| bot.entry.strong_count() > 0);
            self.most_bots = FEW_BOTS.max(2 * self.bots.len());
        }
    }

    fn class_of(&mut self, base: usize, bots: &[usize]) -> Result<u32, PackError> {
        let packed = bots.iter().map(|bot| &self.bots[&(base, *bot)].packed);
        let class = class_of(&self.bases[base].spec, packed, &self.fairness)?;
        let same = |named: &NamedClass| named.base == base && named.class == class;
        let known = self.classes.iter().position(same);
        Ok(known.unwrap_or_else(|| {
            let about = serde_json::to_string(&class).expect("a class can be written as JSON");
            self.classes.push(NamedClass { base, name: class.name(), about, class });
            self.classes.len() - 1
        }) as u32)
    }

    /// Packs the files of all bots again that somebody needs.
    pub(super) fn bundles(&self) -> impl Iterator<Item = Result<PackedFiles, PackError>> {
        self.bots.iter().filter_map(|((base, _), bot)| {
            let packed = pack(self.bases[*base].spec.game, &*bot.entry.upgrade()?);
            packed.map(|packed| packed.bundle.map(PackedFiles::new)).transpose()
        })
    }

    /// Removes a match that is over.
    pub(super) fn remove(&mut self, key: JobKey) -> Option<OpenJob> {
        self.open.remove(&key)
    }

    /// Keeps what a worker said that could not play a match, shortened and escaped; returns it if
    /// the match is open.
    ///
    /// `unopened`: the seat whose bot could not be started, if that was why.
    pub(super) fn note_problem(
        &mut self,
        key: JobKey,
        problem: &str,
        unopened: Option<u32>,
    ) -> Option<&str> {
        const MOST: usize = 500;
        let job = self.open.get_mut(&key)?;
        job.unopened.push(unopened);
        let problem = &problem[..problem.floor_char_boundary(MOST)];
        Some(job.problem.insert(agon_core::text::escape(problem).into_owned()))
    }

    /// Returns whether an outcome is one of this match: of its game, seed and bots, and whole.
    pub(super) fn fits(&self, key: JobKey, outcome: &MatchOutcome) -> bool {
        // Of others nobody takes the outcome.
        let Some(job) = self.open.get(&key) else { return true };
        let spec = &self.bases[job.base].spec;
        let result = &outcome.result;
        let names = job.names.iter().map(String::as_str);
        let found = result.players.iter().map(|player| player.bot.name.as_str());
        outcome.check().is_ok()
            && result.game == spec.game.meta().id
            && result.rules_version == spec.rules_version
            && result.seed == job.seed
            && names.eq(found)
            && outcome.ms <= MOST_MS
            && result.void.is_none()
            && !result.interrupted
    }

    /// Returns the message of a batch, whose matches have this class.
    pub(super) fn message(
        &self,
        run: &str,
        batch: BatchId,
        class: u32,
        keys: &[JobKey],
    ) -> Vec<u8> {
        let of = self.class(class);
        let mut seats: Vec<Seat> = Vec::new();
        let mut places: HashMap<(usize, &str), u32> = HashMap::new();
        let mut seat = |(&bot, name)| {
            *places.entry((bot, name)).or_insert_with(|| {
                let bot = self.bots[&(of.base, bot)].packed.seat.bot.clone();
                seats.push(Seat { name: name.to_owned(), bot });
                seats.len() as u32 - 1
            })
        };
        let job = |key: &JobKey| {
            let job = &self.open[key];
            let names = job.names.iter().map(String::as_str);
            let seats = job.bots.iter().zip(names).map(&mut seat).collect();
            JobMessage { key: *key, seed: job.seed, repetition: job.repetition, seats }
        };
        let jobs = keys.iter().map(job).collect();
        let message = BatchMessage {
            version: VERSION,
            run: run.to_owned(),
            batch,
            class: of.class.clone(),
            base: self.bases[of.base].spec.clone(),
            seats,
            jobs,
        };
        serde_json::to_vec(&message).expect("a batch can be written as JSON")
    }
}

/// Returns the digest of something as JSON.
fn digest_of(value: &impl Serialize) -> Digest {
    Digest::of(&serde_json::to_vec(value).expect("what is packed can be written as JSON"))
}

#[cfg(test)]
mod tests {
    use agon_core::{BotInfo, Outcome, Player, PlayerStanding, Standing};
    use agon_games::GameId;
    use agon_match::replay::End;
    use agon_match::spec::{MatchResult, MatchSettings, OUTCOME_VERSION, PlayerResult};

    use super::*;

    fn cluster() -> MatchSpec {
        let game = GameId::Cluster;
        MatchSpec::new(game, game.kind().default_rules(), MatchSettings::default())
    }

    #[test]
    fn a_bot_is_packed_once_whatever_its_matches_call_it() {
        let base = cluster();
        let bots = ["builtin:greedy", "builtin:random"]
            .map(|text| BotEntry::of(text.parse().unwrap()).unwrap());
        let mut jobs = Jobs::new(Fairness::default());
        let mut add = |ticket, names: [&str; 2]| {
            let mut job = Job::new(ticket, &base, Seed(ticket), bots.to_vec());
            for (seat, name) in job.spec.seats.iter_mut().zip(names) {
                seat.name = name.to_owned();
            }
            jobs.add(job).unwrap().0
        };
        let (one, other) = (add(1, ["a", "b"]), add(2, ["c", "d"]));
        assert_eq!(jobs.bots.len(), 2);
        let bytes = jobs.message("run", 1, one.class, &[one.key, other.key]);
        let message: BatchMessage = serde_json::from_slice(&bytes).unwrap();
        let names = |job: &JobMessage| -> Vec<String> {
            job.seats.iter().map(|&seat| message.seats[seat as usize].name.clone()).collect()
        };
        assert_eq!(message.jobs.iter().map(names).collect::<Vec<_>>(), [["a", "b"], ["c", "d"]]);
    }

    #[test]
    fn a_result_fits_its_own_match_only() {
        let base = cluster();
        let bot = BotEntry::of("builtin:greedy".parse().unwrap()).unwrap();
        let mut job = Job::new(1, &base, Seed(5), vec![Arc::clone(&bot), bot]);
        for (seat, name) in job.spec.seats.iter_mut().zip(["a", "b"]) {
            seat.name = name.to_owned();
        }
        let mut jobs = Jobs::new(Fairness::default());
        let key = jobs.add(job).unwrap().0.key;
        let player = |name: &str| PlayerResult {
            bot: BotInfo::new(name, "builtin"),
            faults: BTreeMap::new(),
            totals: None,
            stopped_for_timeouts: false,
        };
        let result = MatchResult {
            game: base.game.meta().id.to_owned(),
            rules_version: base.rules_version,
            seed: Seed(5),
            end: End::Over,
            interrupted: false,
            unanswered: false,
            steps: 1,
            turns: 1,
            decisions: 2,
            players: ["a", "b"].map(player).into(),
            standing: Standing {
                players: vec![PlayerStanding::new(0, &[], false); 2],
                outcome: Some(Outcome::new(vec![Player(1)], "most points")),
            },
            faults: Vec::new(),
            longest_stall_ms: None,
            void: None,
            shared_process: false,
            state_hash: 0,
        };
        let version = OUTCOME_VERSION;
        let outcome =
            MatchOutcome { version, result, replay: None, void: vec![], ms: 1, machine: None };
        assert!(jobs.fits(key, &outcome));
        let others: [fn(&mut MatchOutcome); 6] = [
            |outcome| outcome.version += 1,
            |outcome| outcome.ms = MOST_MS + 1,
            |outcome| outcome.result.seed = Seed(6),
            |outcome| outcome.result.players.swap(0, 1),
            |outcome| outcome.result.interrupted = true,
            |outcome| outcome.result.standing.outcome = Some(Outcome::new(vec![Player(2)], "none")),
        ];
        for (number, change) in others.into_iter().enumerate() {
            let mut other = outcome.clone();
            change(&mut other);
            assert!(!jobs.fits(key, &other), "{number}");
        }
    }
}
