//! Plays many matches of one game under the same conditions. Comparisons, tunings and tournaments
//! use it.
//!
//! The functions here read the bots of such matches, and describe bots and settings for journals.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use agon_arena::{
    BotEntry, End, JobSource, Pool, PoolOptions, WaitWatcher, host_options, play_all, try_open,
};
use agon_bots::{Beyond, BotKind, BotSpec, HostOptions};
use agon_games::GameId;
use agon_match::spec::{MatchSettings, MatchSpec, SandboxLevel, SandboxSettings};
use agon_remote::{RemoteOptions, RemoteQueue};
use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};

use crate::{Notice, Plan, Tell};

/// Where matches are played.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Matches at a time on this machine; `None` for one on each core.
    pub workers: Option<NonZero<usize>>,
    /// The other machines that play instead of this one.
    pub remote: Option<RemoteOptions>,
}

/// Matches of one game, all with the same rules and settings.
#[derive(Debug)]
pub struct Series {
    /// A match without bots.
    pub base: MatchSpec,
    /// How bots are run.
    host: HostOptions,
    pool: Pool,
    remote: Option<RemoteOptions>,
}

impl Series {
    /// Makes a series of matches like `base`, which are played in a place. `machine` has what
    /// depends on the installation, and `waits` follows long waits for bots.
    pub fn new(
        base: MatchSpec,
        machine: &HostOptions,
        place: &Place,
        waits: Option<Arc<dyn WaitWatcher>>,
    ) -> Series {
        // Bots at an address have time limits, too: nobody debugs them during hundreds of matches.
        let machine = HostOptions { time_peers: true, ..machine.clone() };
        let host = host_options(&base.settings, &machine);
        let Place { workers, remote } = place.clone();
        let pool = Pool::new(PoolOptions { machine, workers, waits, ..PoolOptions::default() });
        Series { base, host, pool, remote }
    }

    /// Opens each bot once, to find bots that cannot play before the first match.
    ///
    /// # Errors
    /// With all bots that cannot be opened.
    pub fn try_open<'a>(&self, bots: impl IntoIterator<Item = &'a BotEntry>) -> Result<()> {
        try_open(self.base.game, bots, &self.host).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow!("{}", lines.join("\n"))
        })
    }

    /// Plays the matches of a source until it has no more, or `stop` is set.
    ///
    /// # Errors
    /// If a match cannot be played, or the source fails.
    pub fn run<S: JobSource>(
        &self,
        source: &mut S,
        stop: Arc<AtomicBool>,
    ) -> Result<End, S::Error> {
        match &self.remote {
            None => self.pool.client(stop).run(source),
            Some(remote) => {
                let announce = |line: &str| {
                    if let Some(watcher) = &remote.watcher {
                        watcher.note(line);
                    }
                };
                let mut queue = RemoteQueue::open(remote.clone(), stop, &announce)?;
                play_all(&mut queue, source)
            }
        }
    }
}

/// Returns the match settings of a tournament's plan.
pub fn settings_of_plan(plan: &Plan) -> MatchSettings {
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

/// Reads a bot for many matches, and gives it `name` if there is one.
///
/// Its files are read now. Later changes to them have no effect.
///
/// # Errors
/// If the text names no bot, or one that cannot play without somebody at the screen, or a file
/// cannot be read.
pub fn entry(
    text: &str,
    name: Option<&str>,
    host: &HostOptions,
    tell: Tell<'_>,
) -> Result<Arc<BotEntry>> {
    let spec = spec(text, name)?.read(host, &[])?;
    tell_what_was_read(&spec, tell);
    Ok(BotEntry::of(spec)?)
}

/// Parses the text of a bot for many matches, and gives it `name` if there is one.
///
/// # Errors
/// If the text names no bot, or one that cannot play without somebody at the screen.
pub fn spec(text: &str, name: Option<&str>) -> Result<BotSpec> {
    let spec: BotSpec = text.parse()?;
    if spec.kind() == BotKind::Human {
        bail!("`{text}`: people play single matches, with `agon play`");
    }
    Ok(name.map_or(spec.clone(), |name| spec.named(name)))
}

/// Returns what is known of the content of a bot, for the first line of a journal.
///
/// The results in the journal hold as long as it is the same.
pub fn known_content(game: GameId, bot: &BotEntry) -> Value {
    let beyond = match bot.spec.beyond() {
        Beyond::Stamp(stamp) => Some(stamp),
        Beyond::Nothing | Beyond::Unknown => None,
    };
    json!([bot.version(game), bot.info.digest, bot.info.covers, beyond])
}

/// Reports the notices about a bot that was read, and protects its files from being overwritten.
pub fn tell_what_was_read(spec: &BotSpec, tell: Tell<'_>) {
    spec.files().iter().for_each(|file| agon_files::protect(file));
    for notice in spec.notices() {
        tell(Notice::Note(format!("{}: {notice}", spec.name())));
    }
}

/// Returns the time limits in the form of journals of comparisons and tunings.
pub(crate) fn time_in_journal(settings: &MatchSettings) -> Value {
    let time = &settings.time;
    let mut all = vec![json!(time.clock), json!(time.limit), json!(time.bank)];
    // Older journals have no such value.
    all.extend(time.strikes.map(|strikes| json!(strikes)));
    all.extend(time.start_up.map(|start_up| json!({ "start_up": start_up })));
    Value::Array(all)
}

/// Returns the sandbox in the form of journals of comparisons and tunings.
///
/// The form never changes: a run with another text in its journal cannot continue.
pub(crate) fn sandbox_in_journal(settings: &MatchSettings) -> String {
    let SandboxSettings { level, memory, read, write, env, .. } = &settings.sandbox;
    let level = match level {
        SandboxLevel::Strict => "Strict",
        SandboxLevel::Default => "Default",
        SandboxLevel::Off => "Off",
    };
    // Older journals have no such names.
    let env = if env.is_empty() { String::new() } else { format!(", allow_env: {env:?}") };
    format!(
        "SandboxArgs {{ sandbox: {level}, bot_memory: {memory:?}, allow_read: {read:?}, \
         allow_write: {write:?}{env} }}"
    )
}

#[cfg(test)]
mod tests {
    use agon_match::spec::TimeSettings;

    use super::*;

    #[test]
    fn journals_keep_their_text() {
        let text =
            |sandbox| sandbox_in_journal(&MatchSettings { sandbox, ..MatchSettings::default() });
        assert_eq!(
            text(SandboxSettings::default()),
            "SandboxArgs { sandbox: Default, bot_memory: None, allow_read: [], allow_write: [] }"
        );
        let settings = SandboxSettings {
            level: SandboxLevel::Strict,
            memory: Some(64),
            read: vec!["a b".into()],
            write: vec!["c".into(), "d".into()],
            ..SandboxSettings::default()
        };
        let time = |strikes| {
            let time = TimeSettings { strikes, ..TimeSettings::default() };
            time_in_journal(&MatchSettings { time, ..MatchSettings::default() }).to_string()
        };
        assert_eq!(time(None), "[true,null,null]");
        assert_eq!(time(NonZero::new(3)), "[true,null,null,3]");
        assert_eq!(
            text(settings.clone()),
            "SandboxArgs { sandbox: Strict, bot_memory: Some(64), allow_read: [\"a b\"], \
             allow_write: [\"c\", \"d\"] }"
        );
        let settings = SandboxSettings { env: vec!["LC_TIME".to_owned()], ..settings };
        assert!(text(settings).ends_with("\"d\"], allow_env: [\"LC_TIME\"] }"));
    }
}
