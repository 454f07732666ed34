//! Shows what becomes of a version: how it waits, is built, is examined and plays.

use std::{io::Write, thread, time::Duration};

use agon_console::{BAD, BOLD, DIM, GOOD};
use agon_ladder::api::{Bot, Stage, StageState, Version, VersionState};
use agon_text::{escape, number::duration};
use anyhow::Result;
use serde_json::Value;

use crate::{
    api,
    exit::Exit,
    http::{Call, Client},
    show::{self, bot_name, elo, print_json},
};

/// How often to look at first, and later.
const SOON: Duration = Duration::from_millis(300);
const LATER: Duration = Duration::from_secs(2);

/// Watches a version until it can play or has failed.
///
/// # Errors
/// If the server does not say how far it is.
pub(super) fn watch(
    client: &Client,
    version: Version,
    json: bool,
    out: &mut impl Write,
) -> Result<Exit> {
    let number = version.summary.number.to_string();
    let path =
        api::path(&["arenas", &version.arena, "bots", &version.bot.slug, "versions", &number]);
    let call = Call::get(path).patient();
    let mut shown: Option<VersionState> = None;
    let mut pause = SOON;
    let version = loop {
        let object: Value = api::fetch(client, &call)?;
        let now: Version = serde_json::from_value(object.clone())?;
        if shown != Some(now.summary.state) {
            if json {
                print_json(&object, out)?;
            } else {
                tell(&now);
            }
            shown = Some(now.summary.state);
        }
        if !now.summary.state.is_open() {
            break now;
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(LATER);
    };
    let is_ready = version.summary.state != VersionState::Failed;
    if !json {
        if is_ready {
            print_ready(client, &version, out)?;
        } else {
            print_failed(&version, out)?;
        }
    }
    Ok(if is_ready { Exit::Done } else { Exit::Negative })
}

/// Says how far a version is that is not ready yet.
fn tell(version: &Version) {
    let note = version.stages.iter().find(|stage| stage.state == StageState::Running);
    let note = note.filter(|stage| !stage.note.is_empty());
    let note = note.map(|stage| format!(" ({})", escape(&stage.note))).unwrap_or_default();
    match version.summary.state {
        VersionState::Queued => say!("waits for its build{note}; Ctrl-C ends only the watching"),
        VersionState::Building => say!("is being built{note}"),
        VersionState::Checking => say!("is being examined{note}"),
        VersionState::Ready | VersionState::Failed | VersionState::Retired => {}
    }
}

fn print_ready(client: &Client, version: &Version, out: &mut impl Write) -> Result<()> {
    let name = version_name(version);
    let took = version.report.as_ref().map(|report| Duration::from_millis(report.ms));
    let took = took.map(|took| format!(" {DIM}({}){DIM:#}", duration(took))).unwrap_or_default();
    writeln!(out, "{BOLD}{name}{BOLD:#} {GOOD}can play{GOOD:#}{took}")?;
    if let Some(report) = &version.report {
        // Warnings are worth reading, the rest has passed.
        let mut warnings = report.clone();
        let is_warning = |status| status == agon_ladder::api::ExaminationStatus::Warning;
        warnings.examinations.retain(|examination| is_warning(examination.status));
        show::report(&warnings, out)?;
    }
    let bot: Bot = api::get(client, &["arenas", &version.arena, "bots", &version.bot.slug])?;
    let place = escape(&version.arena);
    match (&bot.waiting, bot.summary.rank) {
        (Some(why), _) => writeln!(out, "it does not play in {place} yet: {}", escape(why))?,
        (None, Some(rank)) => {
            let rating = elo(bot.summary.rating);
            writeln!(out, "it plays in {place}: rank {rank}, rating {rating} so far")?;
        }
        (None, None) if bot.summary.owed > 0 => {
            let owed = bot.summary.owed;
            let matches = if owed == 1 { "match" } else { "matches" };
            writeln!(out, "it plays in {place}, and has a rank after {owed} more {matches}")?;
        }
        (None, None) => writeln!(out, "it plays in {place}")?,
    }
    writeln!(out, "{}", escape(&version.page))?;
    Ok(())
}

fn print_failed(version: &Version, out: &mut impl Write) -> Result<()> {
    let stage = version.stages.iter().find(|stage| stage.state == StageState::Failed);
    let stage = stage.map(|Stage { name, .. }| format!(" at {}", escape(name)));
    let name = version_name(version);
    writeln!(out, "{BOLD}{name}{BOLD:#} {BAD}failed{BAD:#}{}", stage.unwrap_or_default())?;
    if let Some(report) = &version.report {
        if let Some(reason) = &report.reason {
            writeln!(out, "{}", escape(reason))?;
        }
        writeln!(out)?;
        show::report(report, out)?;
    }
    writeln!(out, "\n{DIM}the version before it, if there is one, continues to play{DIM:#}")?;
    writeln!(out, "{}", escape(&version.page))?;
    Ok(())
}

/// Returns the name of a version for people.
fn version_name(version: &Version) -> String {
    let mut bot = version.bot.clone();
    bot.version = Some(version.summary.number);
    bot_name(&bot)
}
