//! Saves a tournament's plan as `plan.json` beside its journal, and reads it again. Leaves bots out
//! of a plan that cannot be opened, and makes the schedule after the results of a journal.
//!
//! `agon tournament resume` and `report` work with the saved plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agon_core::text::name::cut;
use agon_core::text::{MAX_NAME, check_name, escape_json};
use agon_files::input::read_regular;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use super::{BotAbout, MAX_BOTS, Plan, PlanAbout, PlanBot};
use crate::{MatchId, Record, Schedule, schedule::NEWEST};

/// The most bytes that are kept of an error.
const MAX_ERROR: usize = 4096;

/// A bot of a plan that cannot be opened. It is left out of the schedule, or forfeits its matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// Its name in the plan.
    pub name: String,
    /// Why it cannot play.
    pub error: String,
    /// Whether it stays in the schedule and forfeits all open matches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forfeits: bool,
}

impl Absent {
    /// Makes it from an error, which may be as long as the output of a compiler.
    pub fn new(name: &str, error: &str) -> Absent {
        debug_assert!(name.len() <= MAX_NAME);
        let error = cut(error, MAX_ERROR).to_owned();
        Absent { name: name.to_owned(), error, forfeits: false }
    }

    /// The same, as a bot that stays in the schedule.
    #[must_use]
    pub fn forfeiting(self) -> Absent {
        Absent { forfeits: true, ..self }
    }
}

/// A plan as it was saved: patterns are files, and all settings have values. The file of the plan
/// may have changed since then.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedPlan {
    /// The plan, with all its bots.
    pub plan: Plan,
    /// The bots that were left out of the schedule.
    pub absent: Vec<Absent>,
    /// The digest ([`Plan::digest`]) of what was scheduled ([`Plan::without`]) when it was saved.
    /// If it is another one now, the rules of the game have changed.
    pub digest: String,
}

/// The contents of the file. Parts that are not in the plan's digest stand beside the plan.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u64,
    digest: String,
    /// The plan's file, as it was named.
    file: PathBuf,
    jobs: Option<usize>,
    /// [`PlanBot::spec`] of all bots.
    specs: Vec<String>,
    #[serde(default)]
    about: PlanAbout,
    /// [`PlanBot::about`] of all bots; empty if nothing is told of any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bots: Vec<BotAbout>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    absent: Vec<Absent>,
    plan: Plan,
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

impl Plan {
    /// The name of the file in a tournament's folder.
    pub const SAVED: &str = "plan.json";

    /// Writes the plan into a file, as a whole or not at all. `digest` is that of what is
    /// scheduled: the plan without the `absent` bots.
    pub fn save(&self, file: &Path, absent: &[Absent], digest: &str) -> Result<()> {
        let told = self.bots.iter().any(|bot| !bot.about.is_empty());
        let saved = File {
            version: self.schedule_version,
            digest: digest.to_owned(),
            file: self.file.clone(),
            jobs: self.jobs,
            specs: self.bots.iter().map(|bot| bot.spec.clone()).collect(),
            about: self.about.clone(),
            bots: self.bots.iter().filter(|_| told).map(|bot| bot.about.clone()).collect(),
            absent: absent.to_vec(),
            plan: self.clone(),
        };
        let mut bytes = escape_json(&serde_json::to_vec_pretty(&saved)?);
        bytes.push(b'\n');
        let written = agon_files::write_whole(file, &bytes);
        written.map_err(|error| anyhow!("{}: {}", file.display(), error.source))
    }

    /// Reads a plan that was saved.
    pub fn load_saved(file: &Path) -> Result<SavedPlan> {
        let name = file.display();
        let damaged = |why: String| {
            anyhow!(
                "{name} is no saved plan of a tournament: {why}; begin the tournament anew in \
                     another folder"
            )
        };
        let bytes = read_regular(file).map_err(|error| anyhow!("{name}: {error}"))?;
        // Other versions may have other keys.
        let Version { version } =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        ensure!(
            (1..=NEWEST).contains(&version),
            "{name} has version {version} of the format, and this program knows versions 1 to \
             {NEWEST}"
        );
        let saved: File =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        let mut plan = saved.plan;
        let bots = plan.bots.len();
        let specs = saved.specs.len();
        if bots != specs {
            return Err(damaged(format!("it has {bots} bots, but {specs} specifications of them")));
        }
        if bots > MAX_BOTS {
            return Err(damaged(format!("{bots} bots are more than {MAX_BOTS}")));
        }
        if let Some(error) = plan.bots.iter().find_map(|bot| check_name(&bot.name).err()) {
            return Err(damaged(error.to_string()));
        }
        let told = saved.bots.len();
        if told != 0 && told != bots {
            return Err(damaged(format!("`bots` tells of {told} bots, but the plan has {bots}")));
        }
        for (bot, spec) in plan.bots.iter_mut().zip(saved.specs) {
            bot.spec = spec;
        }
        for (bot, about) in plan.bots.iter_mut().zip(saved.bots) {
            bot.about = about;
        }
        plan.file = saved.file;
        plan.says_seed = true;
        plan.schedule_version = saved.version;
        plan.jobs = saved.jobs;
        plan.about = saved.about;
        let absent = saved.absent;
        plan.without(&absent).map_err(|error| damaged(error.to_string()))?;
        Ok(SavedPlan { plan, absent, digest: saved.digest })
    }

    /// Returns the plan without some of its bots. The others keep their order, and so do those
    /// that forfeit.
    pub fn without(&self, absent: &[Absent]) -> Result<Plan> {
        let absent: Vec<&str> = absent
            .iter()
            .filter(|absent| !absent.forfeits)
            .map(|absent| absent.name.as_str())
            .collect();
        if absent.is_empty() {
            return Ok(self.clone());
        }
        let has = |name: &str| self.bots.iter().any(|bot| bot.name == name);
        if let Some(unknown) = absent.iter().find(|name| !has(name)) {
            bail!("the plan has no bot `{unknown}`");
        }
        let kept: Vec<bool> =
            self.bots.iter().map(|bot| !absent.contains(&bot.name.as_str())).collect();
        let mut bots = self.bots.clone();
        bots.retain(|bot: &PlanBot| !absent.contains(&bot.name.as_str()));
        let least = self.format.fewest_bots(self.players);
        ensure!(
            bots.len() >= least,
            "only {} of {} bots can play, and {least} are needed at least",
            bots.len(),
            self.bots.len()
        );
        let format = self.format.keep(&kept);
        let format = format.context("none of the bots that run the gauntlet can play")?;
        Ok(Plan { bots, format, ..self.clone() })
    }

    /// Returns the schedule after the results of a journal.
    pub fn resume(&self, records: &[Record]) -> Result<Schedule> {
        let other = |why: String| anyhow!("the journal does not fit the plan: {why}");
        let mut schedule = self.schedule();
        for record in records {
            let taken = schedule.record(record.id, record.outcome());
            taken.map_err(|error| other(error.to_string()))?;
        }
        if let Some(stray) = schedule.strays().first() {
            return Err(other(format!(
                "match {stray} does not follow from the results before it; if lines were deleted \
                 from the journal, delete that of this match, too"
            )));
        }
        let by_id: BTreeMap<MatchId, &Record> =
            records.iter().map(|record| (record.id, record)).collect();
        for game in schedule.history().all().flat_map(|played| played.pairing.matches()) {
            let Some(record) = by_id.get(&game.id) else { continue };
            let names = self.names(&game);
            if record.seats != names || record.seed != game.seed {
                return Err(other(format!(
                    "match {} was played by {} on seed {}, but it is one of {} on seed {}; delete \
                     its line to have it played again",
                    game.id,
                    record.seats.join(", "),
                    record.seed,
                    names.join(", "),
                    game.seed
                )));
            }
        }
        Ok(schedule)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::FormatPlan, *};
    use crate::Entrant;

    fn plan(format: &str) -> Plan {
        let text = format!(
            "game = \"cluster\"\nbots = [\"a=./a\", \"b=./b\", \"c=./c\"]\n[format]\n{format}\n"
        );
        Plan::parse(&text, Path::new("plan.toml")).unwrap()
    }

    fn absent(names: &[&str]) -> Vec<Absent> {
        names.iter().map(|name| Absent::new(name, "there is no such file")).collect()
    }

    #[test]
    fn the_others_play_as_if_the_absent_bot_had_never_been_in_the_plan() {
        let whole = plan("kind = \"round-robin\"");
        let left = whole.without(&absent(&["b"])).unwrap();
        let names: Vec<&str> = left.bots.iter().map(|bot| bot.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        let text = "game = \"cluster\"\nbots = [\"a=./a\", \"c=./c\"]\n[format]\n\
                    kind = \"round-robin\"\n";
        assert_eq!(left.digest(), Plan::parse(text, Path::new("plan.toml")).unwrap().digest());
        assert_eq!(whole.without(&[]).unwrap(), whole);
        let forfeits = absent(&["b"]).remove(0).forfeiting();
        assert_eq!(whole.without(&[forfeits]).unwrap(), whole);
    }

    #[test]
    fn runners_of_a_gauntlet_keep_their_names() {
        let whole = plan("kind = \"gauntlet\"\nrunners = [\"b\", \"c\"]");
        let error =
            |plan: &Plan, names: &[&str]| plan.without(&absent(names)).unwrap_err().to_string();
        let left = "only 1 of 3 bots can play, and 2 are needed at least";
        assert_eq!(error(&whole, &["a", "b"]), left);
        let left = whole.without(&absent(&["b"])).unwrap();
        // `c` was the third bot, and is the second now.
        assert_eq!(left.format, FormatPlan::Gauntlet { runners: vec![Entrant(1)] });
        let one = plan("kind = \"gauntlet\"\nrunners = [\"b\"]");
        let nobody = "none of the bots that run the gauntlet can play";
        assert_eq!(error(&one, &["b"]), nobody);
        assert_eq!(error(&whole, &["d"]), "the plan has no bot `d`");
    }

    #[test]
    fn long_errors_are_cut() {
        assert_eq!(Absent::new("a", &"ü".repeat(10_000)).error.len(), MAX_ERROR);
    }
}
