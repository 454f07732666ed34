//! Asks a bot all questions that its seat was asked in a recorded match, and compares its answers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZero;

use agon_bots::{HostOptions, clojure::Jvms};
use agon_core::{Fault, Player};
use agon_games::{GameId, any::AnyAnswers};
use agon_match::replay::{ReadError, Replay};
use agon_match::{MatchError, MatchOptions, ReplaySession, pin};
use anyhow::{Result, bail};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{ArenaError, BotEntry, bot_entry::open_in, core_for};

/// A bot in a seat of a recorded match.
#[derive(Clone, Copy, Debug)]
pub struct Seated<'a> {
    /// Which seat.
    pub player: Player,
    /// The bot that is asked.
    pub bot: &'a BotEntry,
    /// How it is run.
    pub host: &'a HostOptions,
    /// It is stopped after so many timeouts in a row.
    pub strikes: Option<NonZero<u32>>,
}

/// How a bot's answers go with those that were recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recheck {
    /// The answers that were compared.
    pub decisions: u64,
    /// How many of them are the recorded ones.
    pub agreed: u64,
    /// The first one that is another.
    pub first: Option<AnswerDifference>,
    /// The same for the same answers: shows whether a bot answers twice alike.
    pub fingerprint: u64,
}

/// An answer that is not the recorded one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswerDifference {
    /// The step of the match, from 0.
    pub step: u64,
    /// Turns of the game that are over.
    pub turn: u64,
    /// The unit that the answer is for.
    pub unit: u32,
    /// The recorded answer, as bots write it.
    pub recorded: Value,
    /// The bot's answer now.
    pub now: Value,
    /// The recorded fault of the player in this step; in JSON, its kind in words.
    #[serde(serialize_with = "in_words")]
    pub recorded_fault: Option<Fault>,
    /// The bot's fault now; in JSON, its kind in words.
    #[serde(serialize_with = "in_words")]
    pub fault: Option<Fault>,
}

fn in_words<S: Serializer>(fault: &Option<Fault>, serializer: S) -> Result<S::Ok, S::Error> {
    fault.as_ref().map(|fault| fault.kind.words()).serialize(serializer)
}

/// Asks a bot all questions that its seat was asked in a match, in the same order.
///
/// The match goes on with the recorded answers, whatever the bot answers. So each question is the
/// recorded one.
pub fn recheck(replay: &Replay, game: GameId, seated: &Seated<'_>) -> Result<Recheck> {
    let Seated { player, bot, strikes, .. } = *seated;
    if player.index() >= replay.header().players.len() {
        bail!("the match has no player {player}");
    }
    let kind = game.kind();
    let name = || bot.info.name.clone();
    // Each match has JVMs of its own, as when it was played.
    let host = HostOptions { jvms: Jvms::default(), ..seated.host.clone() };
    host.jvms.expect([&bot.spec]);
    let lease = core_for(kind, [&bot.spec]);
    if let Some(core) = lease.as_ref().map(crate::CoreLease::core) {
        let failed = |source| MatchError::Core { core, source };
        pin::pin_to_core(core).map_err(failed)?;
    }
    let opened = open_in(kind, bot, &host);
    let opened = opened.map_err(|source| ArenaError::Open { name: name(), source })?;
    let faults_kept = MatchOptions::default().faults_kept;
    let bots = vec![(player, bot.info.clone(), opened)];
    let session = ReplaySession::new(replay, kind, bots, faults_kept)?;
    let mut session = session.with_strikes(strikes);
    let asked = ask_all(&mut session, replay.steps());
    let faults = session.faults().clone();
    let shortage = session.shortage(player);
    session.end();
    let mut recheck = asked?;
    if let Some(shortage) = shortage {
        return Err(MatchError::Shortage { name: name(), shortage }.into());
    }
    if let Some(first) = &mut recheck.first {
        let is_there = |fault: &&Fault| (fault.player, fault.step) == (player, first.step);
        first.fault = faults.kept().iter().find(is_there).cloned();
        let recorded = replay.faults().map_err(ReadError::from)?;
        first.recorded_fault = recorded.iter().find(is_there).cloned();
    }
    Ok(recheck)
}

/// Plays the match again, and compares all answers.
fn ask_all(session: &mut ReplaySession, steps: u64) -> Result<Recheck> {
    let mut recheck = Recheck { decisions: 0, agreed: 0, first: None, fingerprint: 0 };
    let mut hasher = DefaultHasher::new();
    for step in 0..steps {
        let turn = session.game().progress().turn;
        for compared in session.play_step()? {
            let now = answer_json(&compared.now, 0);
            now.to_string().hash(&mut hasher);
            recheck.decisions += 1;
            recheck.agreed += u64::from(compared.agrees());
            if recheck.first.is_none() && !compared.agrees() {
                recheck.first = Some(AnswerDifference {
                    step,
                    turn,
                    unit: compared.decision.unit,
                    recorded: answer_json(&compared.recorded, 0),
                    now,
                    recorded_fault: None,
                    fault: None,
                });
            }
        }
    }
    recheck.fingerprint = hasher.finish();
    Ok(recheck)
}

/// Returns an answer as bots write it in the JSON Lines protocol. What no bot can say there, such
/// as silence, is as the game names it.
///
/// # Panics
/// If there is no such answer.
pub fn answer_json(answers: &AnyAnswers, at: usize) -> Value {
    answers.reply(at).unwrap_or_else(|| answers.json(at))
}
