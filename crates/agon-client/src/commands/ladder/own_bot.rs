//! An author's own bot, which is asked again what it was asked in its matches.
//!
//! The bot runs in this program's own hosts and not in those of `agon replay ask`: so it is built
//! once, and not for each match. `agon-arena` has compiled them already.

use std::{path::Path, sync::Arc};

use agon_arena::{AnswerDifference, BotEntry, Recheck, Seated, host_options, recheck};
use agon_bots::{BotSpec, HostOptions};
use agon_core::Player;
use agon_ladder::ledger::{HandedIn, Proven};
use agon_match::spec::{Digest, MatchSettings, TimeSettings, settings::MAX_SCALE};
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

use crate::{hosts::machine, packed::Packed};

/// A bot has so many times the arena's time here: this machine may be slower than the server's,
/// and a bot that hangs must end all the same.
const PATIENCE: u32 = 10;

/// So many matches with other answers are asked a second time, to see whether the bot repeats
/// itself.
const REPEATED: usize = 3;

/// An author's own bot.
#[derive(Debug)]
pub(super) struct OwnBot<'a> {
    pub(super) folder: &'a Path,
    pub(super) packed: Packed,
    pub(super) digest: Digest,
    /// The versions with its files.
    pub(super) versions: Vec<HandedIn>,
    /// The matches that it was asked about.
    pub(super) matches: Vec<AskedMatch>,
    /// The bot, once it is built.
    entry: Option<Arc<BotEntry>>,
    failed: Option<anyhow::Error>,
}

/// A match, and what the bot answered now.
#[derive(Clone, Debug, Serialize)]
pub(super) struct AskedMatch {
    /// The arena.
    pub(super) arena: u64,
    /// The number of the match.
    pub(super) number: u64,
    /// In which seat the bot was, from 0.
    pub(super) player: usize,
    /// The answers that were compared.
    pub(super) decisions: u64,
    /// How many are the recorded ones.
    pub(super) agreed: u64,
    /// The first other answer.
    pub(super) first_difference: Option<Different>,
    /// Whether the bot gave the same answers when it was asked a second time, if it was.
    pub(super) repeats: Option<bool>,
}

/// Another answer than the recorded one.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Different {
    /// The step of the match, from 0.
    pub(super) step: u64,
    /// Turns of the game that are over.
    pub(super) turn: u64,
    /// The unit that the answer is for.
    pub(super) unit: u32,
    /// The recorded answer.
    pub(super) recorded: Value,
    /// The answer now.
    pub(super) now: Value,
    /// What fault was recorded there.
    pub(super) recorded_fault: Option<&'static str>,
    /// What fault the bot committed there now.
    pub(super) fault: Option<&'static str>,
}

impl From<AnswerDifference> for Different {
    fn from(of: AnswerDifference) -> Different {
        let AnswerDifference { step, turn, unit, recorded, now, recorded_fault, fault } = of;
        let words = |fault: agon_core::Fault| fault.kind.words();
        let recorded_fault = recorded_fault.map(words);
        Different { step, turn, unit, recorded, now, recorded_fault, fault: fault.map(words) }
    }
}

impl<'a> OwnBot<'a> {
    /// Reads the folder of a bot. Nothing is built yet.
    ///
    /// # Errors
    /// If the folder is no bot.
    pub(super) fn of(folder: &'a Path) -> Result<OwnBot<'a>> {
        let packed = Packed::of(folder)?;
        let digest = packed.digest();
        let (versions, matches) = (Vec::new(), Vec::new());
        Ok(OwnBot { folder, packed, digest, versions, matches, entry: None, failed: None })
    }

    /// Asks the bot again what it was asked in a match. After a failure it is not asked any more.
    pub(super) fn ask_about(&mut self, proven: &Proven<'_>) {
        if self.failed.is_none()
            && let Err(error) = self.try_ask_about(proven)
        {
            self.failed = Some(error);
        }
    }

    /// Returns why the bot could not be asked, if it could not.
    ///
    /// # Errors
    /// If it cannot be built or started.
    pub(super) fn done(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Returns whether the bot answered as recorded in all matches.
    pub(super) fn agrees(&self) -> bool {
        self.matches.iter().all(|one| one.first_difference.is_none())
    }

    fn try_ask_about(&mut self, proven: &Proven<'_>) -> Result<()> {
        let Proven { played, .. } = proven;
        let is_own = |version: &u64| proven.same_files.iter().any(|own| own.version == *version);
        let seats = played.pairing.versions.iter().enumerate();
        for (player, _) in seats.filter(|(_, version)| is_own(version)) {
            let found = self.ask_in_seat(proven, player).with_context(|| {
                format!("{}: in match {}", self.folder.display(), played.pairing.number)
            })?;
            self.matches.push(found);
        }
        Ok(())
    }

    fn ask_in_seat(&mut self, proven: &Proven<'_>, player: usize) -> Result<AskedMatch> {
        let settings = settings(&proven.terms.matches);
        let host = HostOptions { game: Some(proven.game), ..host_options(&settings, &machine()) };
        let entry = self.entry(&host)?;
        let strikes = settings.time.strikes;
        let seated =
            Seated { player: Player::from_index(player), bot: &entry, host: &host, strikes };
        let ask = || recheck(proven.replay, proven.game, &seated);
        let Recheck { decisions, agreed, first, fingerprint } = ask()?;
        let repeated = self.matches.iter().filter(|one| one.repeats.is_some()).count();
        let repeats = match &first {
            Some(_) if repeated < REPEATED => Some(ask()?.fingerprint == fingerprint),
            _ => None,
        };
        Ok(AskedMatch {
            arena: proven.played.arena,
            number: proven.played.pairing.number,
            player,
            decisions,
            agreed,
            first_difference: first.map(Different::from),
            repeats,
        })
    }

    /// Returns the bot; builds it before the first match.
    fn entry(&mut self, host: &HostOptions) -> Result<Arc<BotEntry>> {
        if let Some(entry) = &self.entry {
            return Ok(Arc::clone(entry));
        }
        let entry = BotEntry::new(BotSpec::folder(self.folder), host)?;
        Ok(Arc::clone(self.entry.insert(entry)))
    }
}

/// Returns how the bot is run: with the sandbox of `agon play`, and with more time than the arena
/// gives.
fn settings(of_arena: &Value) -> MatchSettings {
    // A newer server may write what this Agon does not know; then the game's limits hold.
    let of_arena: MatchSettings = serde_json::from_value(of_arena.clone()).unwrap_or_default();
    let time = of_arena.time;
    let scale = time.scale.saturating_mul(PATIENCE).min(MAX_SCALE);
    let mut settings = MatchSettings { time: TimeSettings { scale, ..time }, ..Default::default() };
    // Files and confinement are this machine's own business.
    settings.sandbox.wasm = of_arena.sandbox.wasm;
    settings.sandbox.share_jvm = of_arena.sandbox.share_jvm;
    settings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_decides_no_more_than_times() {
        let mut server = MatchSettings::default();
        server.time.limit = Some(50);
        server.sandbox.level = agon_match::spec::SandboxLevel::Off;
        server.sandbox.read = vec!["/".into()];
        server.sandbox.write = vec!["/".into()];
        server.sandbox.memory = Some(16);
        let own = settings(&serde_json::to_value(server).unwrap());
        assert_eq!((own.time.limit, own.time.scale), (Some(50), 1_000));
        assert_eq!(own.sandbox, MatchSettings::default().sandbox);
        let unknown = settings(&json!({ "time": { "unknown": 1 } }));
        assert_eq!((unknown.time.limit, unknown.time.scale), (None, 1_000));
    }
}
