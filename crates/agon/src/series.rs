//! Many matches of one game: from what was typed to a pool that plays them.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use agon_arena::{BotEntry, End, JobSource, Pool, PoolOptions, host_options, try_open};
use agon_bots::{Beyond, BotKind, BotSpec, HostOptions, HostedGame};
use agon_games::GameId;
use agon_spec::{MatchSettings, MatchSpec, Recording, SandboxSettings};
use agon_tournament::Plan;
use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};

use crate::{cli::SeriesArgs, output::DIM, sandbox::machine, settings};

/// Many matches of one game under the same conditions.
#[derive(Debug)]
pub(crate) struct Series {
    /// A match without bots.
    pub(crate) base: MatchSpec,
    /// How bots are run.
    host: HostOptions,
    pool: Pool,
}

impl Series {
    /// The matches that `base` describes, so many at a time.
    pub(crate) fn new(base: MatchSpec, workers: Option<NonZero<usize>>) -> Series {
        // Nobody sits in a debugger while hundreds of matches are played.
        let machine = HostOptions { time_peers: true, ..machine() };
        let host = host_options(&base.settings, &machine);
        let pool = Pool::new(PoolOptions { machine, workers, ..PoolOptions::default() });
        Series { base, host, pool }
    }

    /// The matches of a game with the settings that were typed; with replays if `replay`.
    ///
    /// # Errors
    /// Names the setting and what would fit.
    pub(crate) fn typed<G: HostedGame>(
        game: GameId,
        args: &SeriesArgs,
        replay: bool,
    ) -> Result<Series> {
        let rules = settings::load::<G>(args.rules.as_deref(), &args.sets)?;
        let recording = Recording { replay, ..Recording::default() };
        let settings = MatchSettings { recording, ..args.host.settings() };
        Ok(Series::new(MatchSpec::new::<G>(game, &rules, settings), args.jobs))
    }

    /// Opens each bot once, so that one that cannot play is found before the first match.
    ///
    /// # Errors
    /// With all bots that cannot be opened.
    pub(crate) fn try_open<'a, G: HostedGame>(
        &self,
        bots: impl IntoIterator<Item = &'a BotEntry>,
    ) -> Result<()> {
        try_open::<G>(bots, &self.host).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow!("{}", lines.join("\n"))
        })
    }

    /// Plays the matches of a source until it has no more, or `stop` is set.
    ///
    /// # Errors
    /// If a match cannot be played, or the source fails.
    pub(crate) fn run<S: JobSource>(
        &self,
        source: &mut S,
        stop: Arc<AtomicBool>,
    ) -> Result<End, S::Error> {
        self.pool.client(stop).run(source)
    }
}

/// How the bots of a plan are read.
pub(crate) fn host_of_plan(plan: &Plan) -> HostOptions {
    let machine = HostOptions { time_peers: true, ..machine() };
    host_options(&settings_of_plan(plan), &machine)
}

/// How the bots of a plan are run.
pub(crate) fn settings_of_plan(plan: &Plan) -> MatchSettings {
    // Paths in a plan start in its folder.
    let folder = plan.file.parent().unwrap_or(Path::new(""));
    let paths = |paths: &[PathBuf]| paths.iter().map(|path| folder.join(path)).collect();
    let sandbox = SandboxSettings {
        read: paths(&plan.sandbox.read),
        write: paths(&plan.sandbox.write),
        ..plan.sandbox.clone()
    };
    MatchSettings { time: plan.time.clone(), sandbox, ..MatchSettings::default() }
}

/// A bot for many matches under this name, or its own, as it is now.
///
/// # Errors
/// If the text names no bot, or one that cannot play without somebody at the screen, or a file
/// cannot be read.
pub(crate) fn entry(text: &str, name: Option<&str>, host: &HostOptions) -> Result<Arc<BotEntry>> {
    let spec = spec(text, name)?.read(host, &[])?;
    tell_what_was_read(&spec);
    Ok(BotEntry::of(spec)?)
}

/// The text of a bot for many matches under this name, or its own.
///
/// # Errors
/// If the text names no bot, or one that cannot play without somebody at the screen.
pub(crate) fn spec(text: &str, name: Option<&str>) -> Result<BotSpec> {
    let spec: BotSpec = text.parse()?;
    if spec.kind() == BotKind::Human {
        bail!("`{text}`: people play single matches, with `agon play`");
    }
    Ok(name.map_or(spec.clone(), |name| spec.named(name)))
}

/// What is known of the content of a bot: results hold as long as it is the same.
pub(crate) fn known_content<G: HostedGame>(bot: &BotEntry) -> Value {
    let beyond = match bot.spec.beyond() {
        Beyond::Stamp(stamp) => Some(stamp),
        Beyond::Nothing | Beyond::Unknown => None,
    };
    json!([bot.spec.version::<G>(), bot.info.digest, bot.info.covers, beyond])
}

/// Tells what a person should know of a bot that has been read, and keeps outputs from taking its
/// place.
pub(crate) fn tell_what_was_read(spec: &BotSpec) {
    spec.files().iter().for_each(|file| agon_files::protect(file));
    for notice in spec.notices() {
        say!("{DIM}note: {}: {notice}{DIM:#}", spec.name());
    }
}
