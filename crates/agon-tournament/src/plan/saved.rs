//! Saves a tournament's plan as `plan.json` beside its journal, and reads it again.
//!
//! `agon tournament resume` and `report` work with the saved plan.

use std::{
    io,
    path::{Path, PathBuf},
};

use agon_text::{check_name, escape_json, read_regular};
use serde::{Deserialize, Serialize, de::Error as _};
use thiserror::Error;

use super::{Absent, BotAbout, MAX_BOTS, Plan, PlanAbout};
use crate::schedule::NEWEST;

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

/// Why a saved plan cannot be read or written.
#[derive(Debug, Error)]
pub enum SavedPlanError {
    /// The file cannot be read or written.
    #[error("{}: {source}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is something else, or damaged.
    #[error("{} is no saved plan of a tournament: {source}; begin the tournament anew in another \
        folder", .file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// It has an unknown version.
    #[error(
        "{} has version {version} of the format, and this program knows versions 1 to {NEWEST}",
        .file.display()
    )]
    Version {
        /// The file.
        file: PathBuf,
        /// Its version.
        version: u64,
    },
    /// The number of bots does not fit.
    #[error(
        "{} has {bots} bots, but {specs} specifications of them; begin the tournament anew in \
         another folder",
        .file.display()
    )]
    Specs {
        /// The file.
        file: PathBuf,
        /// Bots of the plan.
        bots: usize,
        /// Their specifications.
        specs: usize,
    },
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
    /// [`super::PlanBot::spec`] of all bots.
    specs: Vec<String>,
    #[serde(default)]
    about: PlanAbout,
    /// [`super::PlanBot::about`] of all bots; empty if nothing is told of any.
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
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, file: &Path, absent: &[Absent], digest: &str) -> Result<(), SavedPlanError> {
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
        let text = serde_json::to_vec_pretty(&saved).map_err(|source| json(file, source))?;
        let mut bytes = escape_json(&text);
        bytes.push(b'\n');
        agon_files::write_whole(file, &bytes).map_err(|error| io(file, error.source))
    }

    /// Reads a plan that was saved.
    ///
    /// # Errors
    /// If it cannot be read, or is something else.
    pub fn load_saved(file: &Path) -> Result<SavedPlan, SavedPlanError> {
        let bytes = read_regular(file).map_err(|source| io(file, source))?;
        // Other versions may have other keys.
        match serde_json::from_slice(&bytes) {
            Ok(Version { version: 1..=NEWEST }) => {}
            Ok(Version { version }) => {
                return Err(SavedPlanError::Version { file: file.to_owned(), version });
            }
            Err(source) => return Err(json(file, source)),
        }
        let saved: File = serde_json::from_slice(&bytes).map_err(|source| json(file, source))?;
        let mut plan = saved.plan;
        let bots = plan.bots.len();
        let specs = saved.specs.len();
        if bots != specs {
            return Err(SavedPlanError::Specs { file: file.to_owned(), bots, specs });
        }
        if bots > MAX_BOTS {
            let text = format!("{bots} bots are more than {MAX_BOTS}");
            return Err(json(file, serde_json::Error::custom(text)));
        }
        if let Some(error) = plan.bots.iter().find_map(|bot| check_name(&bot.name).err()) {
            return Err(json(file, serde_json::Error::custom(error)));
        }
        let told = saved.bots.len();
        if told != 0 && told != bots {
            let text = format!("`bots` tells of {told} bots, but the plan has {bots}");
            return Err(json(file, serde_json::Error::custom(text)));
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
        if let Err(error) = plan.without(&absent) {
            return Err(json(file, serde_json::Error::custom(error)));
        }
        Ok(SavedPlan { plan, absent, digest: saved.digest })
    }
}

fn io(file: &Path, source: io::Error) -> SavedPlanError {
    SavedPlanError::Io { file: file.to_owned(), source }
}

fn json(file: &Path, source: serde_json::Error) -> SavedPlanError {
    SavedPlanError::Json { file: file.to_owned(), source }
}
