//! What a comparison keeps of its matches: the journal `compare.jsonl`, the folder of replays, and
//! counts of faults and of seeds that led to the same match.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use agon_core::{Fault, FaultKind, Player, Seed};
use agon_match::spec::MatchOutcome;
use anyhow::{Context, Result, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::judge::Design;
use crate::series::{JournalKind, SeriesJournal};

/// All that a comparison needs to know of a match. With it in the journal, a comparison that
/// continues need not play the match again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// Places in order of seats; the smallest is the best.
    pub places: Vec<u32>,
    /// Turns of the game.
    pub turns: u64,
    /// Steps.
    pub steps: u64,
    /// Answers of all bots.
    pub decisions: u64,
    /// The hash of the last state.
    #[serde(with = "agon_match::replay::hex")]
    pub state_hash: u64,
    /// How often the match was void before.
    #[serde(default)]
    pub void: u32,
    /// Faults by seat. Seats without faults are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<usize, SeatFaults>,
}

/// The faults of one bot in one match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatFaults {
    /// How often each kind occurred.
    pub kinds: BTreeMap<FaultKind, u64>,
    /// The first one in detail.
    pub first: Option<Fault>,
}

/// A match that just ended, with its replay if one is wanted.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// What is kept of it.
    pub played: Played,
    /// Its replay.
    pub replay: Option<Vec<u8>>,
}

impl Arrival {
    /// Takes from an outcome what a comparison needs.
    pub fn new(outcome: &MatchOutcome, replay: Option<Vec<u8>>) -> Arrival {
        let result = &outcome.result;
        let faults = |(seat, player): (usize, Player)| {
            let kinds = result.players[seat].faults.clone();
            let first = result.faults.iter().find(|fault| fault.player == player).cloned();
            (!kinds.is_empty()).then_some((seat, SeatFaults { kinds, first }))
        };
        let played = Played {
            places: result.standing.players.iter().map(|player| player.place).collect(),
            turns: result.turns,
            steps: result.steps,
            decisions: result.decisions,
            state_hash: result.state_hash,
            void: outcome.void.len() as u32,
            faults: Player::all(result.players.len()).enumerate().filter_map(faults).collect(),
        };
        Arrival { played, replay }
    }
}

/// The version of the journal, and of the method that makes matches from seeds.
pub(crate) const VERSION: u32 = 1;

/// A seed that counts, with its matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeedEntry {
    /// The number of the seed, from 0.
    pub seed: u64,
    /// Its matches in the order of the plan.
    pub matches: Vec<Played>,
}

/// A file with a line for each seed that counts, in order.
pub(crate) type Journal = SeriesJournal<SeedEntry>;

const KIND: JournalKind = JournalKind {
    key: "compare",
    noun: "comparison",
    entry: b"{\"seed\":",
    remedy: "delete it and all lines after it, and these matches are played again",
    flag: "--out",
};

/// Returns the path of the journal in a folder.
pub(crate) fn journal_path(folder: &Path) -> PathBuf {
    folder.join("compare.jsonl")
}

/// Opens the journal in a folder, or starts one, and returns its entries.
pub(crate) fn open_journal(
    folder: &Path,
    header: &Value,
    design: Design,
) -> Result<(Journal, Vec<SeedEntry>)> {
    let make = || format!("--out {}: cannot make this folder", folder.display());
    fs::create_dir_all(folder).with_context(make)?;
    let path = journal_path(folder);
    let (journal, entries) = Journal::open(&path, &KIND, header)?;
    let players = design.players();
    let fits =
        |one: &Played| one.places.len() == players && one.faults.keys().all(|&seat| seat < players);
    for (expected, entry) in entries.iter().enumerate() {
        let is_whole = entry.matches.len() as u64 == design.matches_each();
        if entry.seed != expected as u64 || !is_whole || !entry.matches.iter().all(fits) {
            bail!("{}:{}: this line is damaged; {}", path.display(), expected + 2, KIND.remedy);
        }
    }
    Ok((journal, entries))
}

/// A folder with a replay of each match that counts.
#[derive(Clone, Debug)]
pub struct Replays {
    folder: PathBuf,
}

impl Replays {
    /// Makes the folder.
    pub fn create(folder: &Path) -> Result<Replays> {
        let cannot = || format!("--replays {}: cannot make this folder", folder.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        if fs::read_dir(folder).with_context(cannot)?.next().is_some() {
            bail!("--replays {}: this folder is not empty; name a new one", folder.display());
        }
        Ok(Replays { folder: folder.to_owned() })
    }

    /// Opens the folder of a comparison that continues after this many seeds, with `each` matches a
    /// seed.
    pub fn resume(folder: &Path, seeds: u64, each: u64) -> Result<Replays> {
        if seeds == 0 && !folder.exists() {
            return Replays::create(folder);
        }
        let cannot = || format!("--replays {}: cannot read this folder", folder.display());
        let replays = Replays { folder: folder.to_owned() };
        let matches = (0..seeds).flat_map(|seed| (0..each as usize).map(move |one| (seed, one)));
        for (seed, number) in matches {
            let path = replays.path(seed, number);
            if !path.is_file() {
                bail!(
                    "{} is missing, but its match counts already; name the folder that the \
                     comparison began with, or leave --replays out",
                    path.display()
                );
            }
        }
        // Some replays of the next seed may have been written.
        let own = |path: &Path| number_in(path).is_some_and(|number| number <= seeds + 1);
        for file in fs::read_dir(folder).with_context(cannot)? {
            let path = file.with_context(cannot)?.path();
            if !own(&path) {
                bail!(
                    "{} is not a replay of the seeds that count; name the folder that the \
                     comparison began with, or delete this file",
                    path.display()
                );
            }
        }
        Ok(replays)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the replay of a match: the numbers of its seed and of itself among the seed's
    /// matches, from 1.
    pub fn write(&self, seed: u64, number: usize, replay: &[u8]) -> Result<()> {
        Ok(agon_files::write(&self.path(seed, number), replay)?)
    }

    fn path(&self, seed: u64, number: usize) -> PathBuf {
        self.folder.join(format!("{:05}-{}.agon", seed + 1, number + 1))
    }
}

/// The number of the seed in the name of a replay, from 1.
fn number_in(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?.strip_suffix(".agon")?;
    name.split_once('-')?.0.parse().ok()
}

/// The faults of each bot.
///
/// The rules decide what a fault costs, usually the match. Reports name them, because a version
/// that answers too late looks weak for another reason than its play.
#[derive(Clone, Debug)]
pub struct FaultList {
    bots: Vec<BotFaults>,
}

/// The faults of one bot.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "FaultyBot")]
pub struct BotFaults {
    /// The bot's name.
    pub name: String,
    /// Matches that it played.
    pub matches: u64,
    /// Matches in which it committed a fault.
    pub faulty: u64,
    /// The faults by kind.
    pub kinds: Vec<FaultCount>,
    /// The first fault.
    pub first: Option<FaultCase>,
}

/// The number of faults of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FaultCount {
    /// The kind.
    pub kind: FaultKind,
    /// Matches with such a fault.
    pub matches: u64,
    /// Such faults in all matches.
    pub count: u64,
}

/// A fault and the match that it was seen in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FaultCase {
    /// The seed of the match.
    pub seed: Seed,
    /// The names of the players, in order of seats.
    pub seats: Vec<String>,
    /// The fault.
    pub fault: Fault,
}

impl BotFaults {
    /// Adds the faults of a match.
    fn add(&mut self, kinds: &BTreeMap<FaultKind, u64>, case: Option<FaultCase>) {
        self.faulty += 1;
        for (&kind, &count) in kinds {
            match self.kinds.binary_search_by_key(&kind, |known| known.kind) {
                Ok(at) => {
                    self.kinds[at].matches += 1;
                    self.kinds[at].count += count;
                }
                Err(at) => self.kinds.insert(at, FaultCount { kind, matches: 1, count }),
            }
        }
        if self.first.is_none() {
            self.first = case;
        }
    }
}

impl FaultList {
    /// Makes a list for bots with these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> FaultList {
        FaultList {
            bots: names
                .into_iter()
                .map(|name| BotFaults { name, ..BotFaults::default() })
                .collect(),
        }
    }

    /// Notes the faults of a match; `seats` are the bots' numbers.
    pub fn note(&mut self, seats: &[usize], seed: Seed, played: &Played) {
        for (seat, &number) in seats.iter().enumerate() {
            self.bots[number].matches += 1;
            if let Some(faults) = played.faults.get(&seat) {
                let names = || seats.iter().map(|&bot| self.bots[bot].name.clone()).collect();
                let case = |fault: &Fault| FaultCase { seed, seats: names(), fault: fault.clone() };
                let case = faults.first.as_ref().map(case);
                self.bots[number].add(&faults.kinds, case);
            }
        }
    }

    /// Returns the bots that committed faults.
    pub fn faulty(&self) -> impl Iterator<Item = &BotFaults> {
        self.bots.iter().filter(|bot| bot.faulty > 0)
    }
}

/// After this many equal seeds, the next one will surely be equal, too.
const ENOUGH: u64 = 10;

/// With fewer seeds there is no warning, since they may be equal by chance.
const MIN_SEEDS: u64 = 4;

/// A warning needs repetitions in at least one of this many seeds.
const REPETITION_DIVISOR: u64 = 4;

/// What distinguishes matches: the last state's hash, steps, decisions.
type Fingerprint = (u64, u64, u64);

/// Counts the different ways in which seeds were played.
///
/// The test treats seeds as a random sample. If neither the game nor the bots use the seed, all
/// seeds give the same match. Then one of them shows the result, and more of them prove nothing.
#[derive(Clone, Debug, Default)]
pub struct Sameness {
    seeds: u64,
    different: BTreeSet<Vec<Fingerprint>>,
    /// Whether a bot committed a fault. Matches that end by faults are equal because they are
    /// short.
    faults: bool,
}

impl Sameness {
    /// Notes the matches of a seed.
    pub fn note<'a>(&mut self, matches: impl IntoIterator<Item = &'a Played>) {
        let mut prints = Vec::new();
        for played in matches {
            prints.push((played.state_hash, played.steps, played.decisions));
            self.faults |= !played.faults.is_empty();
        }
        self.seeds += 1;
        self.different.insert(prints);
    }

    /// Returns in how many different ways seeds were played.
    pub fn different(&self) -> u64 {
        self.different.len() as u64
    }

    /// Returns whether all seeds so far gave the same matches, and this is no coincidence.
    ///
    /// If the comparison is `decided`, no more seeds follow, and two are enough.
    pub fn is_complete(&self, decided: bool) -> bool {
        let enough = if decided { 2 } else { ENOUGH };
        !self.faults && self.different() == 1 && self.seeds >= enough
    }

    /// Returns whether seeds often gave the same matches.
    pub fn is_frequent(&self) -> bool {
        !self.faults
            && self.seeds >= MIN_SEEDS
            && REPETITION_DIVISOR * (self.seeds - self.different()) >= self.seeds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(prints: &[u64], faults: bool) -> Sameness {
        let different = prints.iter().map(|&hash| vec![(hash, 1, 1)]).collect();
        Sameness { seeds: prints.len() as u64, different, faults }
    }

    #[test]
    fn the_journal_keeps_every_detail() {
        let kinds = BTreeMap::from([(FaultKind::Crash, 2)]);
        let faults = BTreeMap::from([(1, SeatFaults { kinds, first: None })]);
        let quiet = Played {
            places: vec![2, 1],
            turns: 9,
            steps: 10,
            decisions: 20,
            state_hash: u64::MAX - 7,
            void: 0,
            faults: BTreeMap::new(),
        };
        for played in [Played { void: 1, faults, ..quiet.clone() }, quiet] {
            let text = serde_json::to_string(&played).unwrap();
            assert_eq!(serde_json::from_str::<Played>(&text).unwrap(), played, "{text}");
        }
    }

    #[test]
    fn the_same_match_again_and_again_is_noticed() {
        assert!(!noted(&[7; 9], false).is_complete(false));
        assert!(noted(&[7; 10], false).is_complete(false));
        assert!(noted(&[7; 2], false).is_complete(true));
        assert!(!noted(&[7], false).is_complete(true), "one seed is no repetition");
        assert!(
            !noted(&[7; 10], true).is_complete(true),
            "a bot that fails at once fails each time"
        );
        let mut prints = [7; 10];
        prints[9] = 8;
        let mostly = noted(&prints, false);
        assert!(!mostly.is_complete(true) && mostly.is_frequent());
        assert!(!noted(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 9], false).is_frequent());
    }
}
