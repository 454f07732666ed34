//! A bot that plays many matches, with its files read once.
//!
//! Every match of the arena has such an entry for each seat.

use std::{sync::Arc, time::Duration};

use agon_bots::{
    Bot, BotKind, BotSpec, Clock, CopyFolder, HostOptions, Level, OpenError, SandboxOptions,
    Timing, open,
};
use agon_core::BotInfo;
use agon_games::{GameId, any::GameKind};
use agon_match::spec::{
    BuiltinSeat, LocalSeat, MatchSettings, SandboxLevel, SandboxSettings, Seat, SeatBot,
    TimeSettings, Why,
};

use crate::ArenaError;

/// A bot that plays many matches. Its files are read once, not before each match.
#[derive(Clone, Debug)]
pub struct BotEntry {
    /// The description that opens it.
    pub spec: BotSpec,
    /// Its name, kind and identity, as in replays and results; the name is the one in matches.
    pub info: BotInfo,
    /// The folder of its files, if they come from a store. It is removed with the last entry.
    pub(crate) folder: Option<Arc<CopyFolder>>,
}

impl BotEntry {
    /// Reads all files of a bot, which plays this version from now on. Errors of opening it show in
    /// its first match, or in [`try_open`](crate::try_open).
    pub fn new(spec: BotSpec, options: &HostOptions) -> Result<Arc<BotEntry>, OpenError> {
        BotEntry::of(spec.read(options, &[])?)
    }

    /// Makes an entry of a bot that has been read.
    pub fn of(spec: BotSpec) -> Result<Arc<BotEntry>, OpenError> {
        let info = spec.info()?;
        Ok(Arc::new(BotEntry { spec, info, folder: None }))
    }

    /// Returns the same bot under another name.
    #[must_use]
    pub fn named(&self, name: &str) -> BotEntry {
        let info = BotInfo { name: name.to_owned(), ..self.info.clone() };
        BotEntry { spec: self.spec.clone().named(name), info, ..self.clone() }
    }

    /// Returns the same bot with the version that it has in a game, if it is one of its built-in
    /// bots.
    #[must_use]
    pub fn in_game(&self, game: GameId) -> BotEntry {
        let info = BotInfo { version: self.version(game), ..self.info.clone() };
        BotEntry { info, ..self.clone() }
    }

    /// Returns the version of the bot if it is one of a game's built-in bots.
    pub fn version(&self, game: GameId) -> Option<u32> {
        self.spec.version(game.kind())
    }

    /// Returns the seat of a bot of this machine in a match of a game.
    pub fn seat(&self, game: GameId) -> Seat {
        let local = |why| SeatBot::Local(LocalSeat { text: self.spec.to_string(), why });
        let bot = match (self.spec.builtin(), self.spec.kind()) {
            (Some((bot, params)), _) => SeatBot::Builtin(BuiltinSeat {
                bot: bot.to_owned(),
                params: params.iter().cloned().collect(),
                // If there is none of this name, opening the bot says so.
                version: self.version(game).unwrap_or_default(),
            }),
            (None, BotKind::Human) => local(Why::Person),
            (None, BotKind::Connect) => local(Why::Address),
            (None, _) => local(Why::Files),
        };
        Seat { name: self.info.name.clone(), bot }
    }
}

/// Makes a bot that plays for each seat of a match, and again for each attempt.
pub trait Opener {
    /// Opens the bot of a seat, counted from 0.
    fn open(
        &mut self,
        kind: &'static dyn GameKind,
        seat: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot>, OpenError>;
}

/// Opens all bots in their hosts. People need an opener that knows the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hosts;

impl Opener for Hosts {
    fn open(
        &mut self,
        kind: &'static dyn GameKind,
        _: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot>, OpenError> {
        open_in(kind, bot, host)
    }
}

/// Opens each bot once, and compiles it if it is source code. So a bot that cannot play is found
/// before the first match.
///
/// # Errors
/// One for each bot that cannot be opened.
pub fn try_open<'a>(
    game: GameId,
    bots: impl IntoIterator<Item = &'a BotEntry>,
    host: &HostOptions,
) -> Result<(), Vec<ArenaError>> {
    let fails = bots.into_iter().filter_map(|bot| {
        let source = open_in(game.kind(), bot, host).err()?;
        Some(ArenaError::Open { name: bot.info.name.clone(), source })
    });
    let fails: Vec<ArenaError> = fails.collect();
    if fails.is_empty() { Ok(()) } else { Err(fails) }
}

/// Opens a bot in its host; one from a store starts in the folder of its files.
pub(crate) fn open_in(
    kind: &'static dyn GameKind,
    bot: &BotEntry,
    host: &HostOptions,
) -> Result<Box<dyn Bot>, OpenError> {
    let own = host.of_bot(&bot.info.name);
    let host = own.as_ref().unwrap_or(host);
    match &bot.folder {
        None => open(kind, &bot.spec, host),
        Some(folder) => {
            let folder = Some(folder.path());
            open(kind, &bot.spec, &HostOptions { folder, ..host.clone() })
        }
    }
}

/// Returns the options for the hosts of bots. `machine` has what depends on the installation:
/// programs, caches, folders.
pub fn host_options(settings: &MatchSettings, machine: &HostOptions) -> HostOptions {
    let MatchSettings { time, sandbox, recording: _ } = settings;
    let own = |name: &String| {
        let time = time.of(name);
        (name.clone(), (timing(&time), start_up(&time)))
    };
    HostOptions {
        timing: timing(time),
        start_up: start_up(time),
        bot_times: Arc::new(time.bots.keys().map(own).collect()),
        sandbox: SandboxOptions {
            launcher: machine.sandbox.launcher.clone(),
            hidden: machine.sandbox.hidden.clone(),
            ..sandbox_options(sandbox)
        },
        c_as_wasm: sandbox.wasm,
        wasm_memory: sandbox.wasm_memory,
        share_jvm: sandbox.share_jvm,
        ..machine.clone()
    }
}

/// Returns the time limits in the form that hosts take.
fn timing(time: &TimeSettings) -> Timing {
    // The referee counts strikes.
    let TimeSettings { clock, limit, bank, scale, strikes: _, start_up: _, bots: _ } = *time;
    let bank = bank.map(|bank| Duration::from_millis(bank) * scale / 100);
    match (clock, limit) {
        (false, _) => Timing::Unlimited,
        (true, Some(limit)) => {
            let clock = Clock::cpu(Duration::from_millis(limit)).scaled(scale);
            Timing::Clock(clock.with_bank(bank.unwrap_or_default()))
        }
        (true, None) if scale != 100 => Timing::Scaled { percent: scale, bank },
        (true, None) => bank.map_or(Timing::Game, Timing::Bank),
    }
}

fn start_up(time: &TimeSettings) -> Option<Duration> {
    time.start_up.map(Duration::from_millis)
}

fn sandbox_options(sandbox: &SandboxSettings) -> SandboxOptions {
    SandboxOptions {
        level: match sandbox.level {
            SandboxLevel::Strict => Level::Strict,
            SandboxLevel::Default => Level::Default,
            SandboxLevel::Off => Level::Off,
        },
        memory: sandbox.memory,
        read: sandbox.read.clone(),
        write: sandbox.write.clone(),
        env: sandbox.env.clone(),
        ..SandboxOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use agon_match::spec::settings::{MAX_MS, MAX_SCALE};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn time_settings_become_clocks() {
        let of = |clock, limit, bank, scale| {
            timing(&TimeSettings { clock, limit, bank, scale, ..TimeSettings::default() })
        };
        assert_eq!(timing(&TimeSettings::default()), Timing::Game);
        assert_eq!(of(false, Some(5), Some(5), 200), Timing::Unlimited);
        assert_eq!(of(true, None, Some(7), 100), Timing::Bank(MS * 7));
        assert_eq!(of(true, Some(5), None, 100), Timing::Clock(Clock::cpu(MS * 5)));
        let scaled = Clock::cpu(MS * 10).with_bank(MS * 4);
        assert_eq!(of(true, Some(5), Some(2), 200), Timing::Clock(scaled));
        let bank = Some(MS * 3);
        assert_eq!(of(true, None, Some(2), 150), Timing::Scaled { percent: 150, bank });
        // The greatest values allowed overflow nothing.
        of(true, Some(MAX_MS), Some(MAX_MS), MAX_SCALE);
    }
}
