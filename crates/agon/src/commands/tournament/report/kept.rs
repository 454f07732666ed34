//! The contents of a tournament's folder.

use std::{collections::HashSet, fs, io, path::Path};

use agon_contest::tournament::Folder;
use agon_contest::{
    Plan, Record, SavedPlan,
    journal::{self, OtherPlan},
    plan::Absent,
};
use agon_core::BotInfo;
use anyhow::{Context, Result};

/// The plan and the results of a tournament, as they are at this moment.
#[derive(Debug)]
pub(super) struct Kept {
    /// The plan as it was scheduled.
    pub(super) plan: Plan,
    /// The plan with all its bots.
    pub(super) whole: Plan,
    /// The bots that were left out of the schedule.
    pub(super) absent: Vec<Absent>,
    /// Without the names of replays that are not there any more.
    pub(super) records: Vec<Record>,
    /// What the bots were.
    pub(super) bots: Vec<BotInfo>,
}

impl Kept {
    /// Reads a tournament's folder. A line of the journal that is being written does not count yet.
    ///
    /// # Errors
    /// If a file cannot be read, or is damaged or of another tournament.
    pub(super) fn read(folder: &Folder) -> Result<Kept> {
        let SavedPlan { plan: whole, mut absent, digest } = folder.plan()?;
        let plan = whole.without(&absent)?;
        if digest != plan.digest() {
            say!("note: the rules of {} have changed since this was played", plan.game);
        }
        let file = folder.journal();
        let bytes = match agon_files::input::read_regular(&file) {
            // It is made with the first match.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes.with_context(|| format!("cannot read {}", file.display()))?,
        };
        let contents = journal::read(&bytes, &file)?;
        if contents.header.is_some_and(|header| header.plan != digest) {
            return Err(OtherPlan(file).into());
        }
        let mut records = contents.records;
        let there = replays(&folder.replays())?;
        for record in &mut records {
            record.replay = record.replay.take().filter(|name| there.contains(name.as_str()));
        }
        if let Some(place) = plans_folder(&whole) {
            let errors = absent.iter_mut().map(|absent| &mut absent.error);
            let faults = records.iter_mut().flat_map(|record| record.faults.iter_mut().flatten());
            let words = faults.flat_map(|fault| [&mut fault.text, &mut fault.stderr]);
            errors.chain(words).for_each(|text| *text = text.replace(place, ""));
        }
        Ok(Kept { plan, whole, absent, records, bots: folder.read_bots()? })
    }
}

/// Returns the folder of the plan as it stands before the paths of bots, with a slash at its end.
///
/// A report may be published: where the organiser's files are is nobody's business.
fn plans_folder(plan: &Plan) -> Option<&str> {
    plan.bots.iter().find_map(|bot| {
        let before = bot.spec.strip_suffix(bot.text.trim_end_matches('/'))?;
        let place = &before[before.find('/')?..];
        (place.len() > 1 && place.ends_with('/')).then_some(place)
    })
}

/// Names of files in a folder that need not be there.
fn replays(folder: &Path) -> Result<HashSet<String>> {
    let context = || format!("cannot list {}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
        entries => entries.with_context(context)?,
    };
    let mut names = HashSet::new();
    for entry in entries {
        names.extend(entry.with_context(context)?.file_name().into_string());
    }
    Ok(names)
}
