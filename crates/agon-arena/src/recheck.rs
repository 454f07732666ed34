//! Asks a bot all questions that its seat was asked in a recorded match, and compares its answers.

use std::cell::{Cell, RefCell};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::{num::NonZero, rc::Rc};

use agon_bots::{HostOptions, clojure::Jvms};
use agon_core::{Fault, Player};
use agon_games::{GameId, jsonl::JsonGame, with_game};
use agon_match::replay::{ReadError, Replay};
use agon_match::{Compared, Control, FaultBook, MatchError, MatchOptions, ReplaySession, pin};
use serde::{Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

use crate::{ArenaError, ArenaGame, BotEntry, bot_entry::open_in, core_for};

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

/// Why a bot cannot be asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecheckError {
    /// The replay cannot be read to its end.
    #[error(transparent)]
    Replay(#[from] ReadError),
    /// The match has no such seat.
    #[error("the match has no player {0}")]
    NoPlayer(Player),
    /// The bot cannot be opened.
    #[error(transparent)]
    Open(#[from] ArenaError),
    /// The machine lacks something that the bot needs.
    #[error(transparent)]
    Shortage(MatchError),
    /// An answer cannot be shown.
    #[error("an answer cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Asks a bot all questions that its seat was asked in a match, in the same order.
///
/// The match goes on with the recorded answers, whatever the bot answers. So each question is the
/// recorded one.
pub fn recheck(
    replay: &Replay,
    game: GameId,
    seated: &Seated<'_>,
) -> Result<Recheck, RecheckError> {
    if seated.player.index() >= replay.header().players.len() {
        return Err(RecheckError::NoPlayer(seated.player));
    }
    with_game!(game, G => recheck_in::<G>(replay, seated))
}

fn recheck_in<G: ArenaGame>(replay: &Replay, seated: &Seated<'_>) -> Result<Recheck, RecheckError> {
    let Seated { player, bot, strikes, .. } = *seated;
    let name = || bot.info.name.clone();
    // Each match has JVMs of its own, as when it was played.
    let host = HostOptions { jvms: Jvms::default(), ..seated.host.clone() };
    host.jvms.expect([&bot.spec]);
    let lease = core_for([&bot.spec]);
    if let Some(core) = lease.as_ref().map(crate::CoreLease::core) {
        let failed = |source| ArenaError::from(MatchError::Core { core, source });
        pin::pin_to_core(core).map_err(failed)?;
    }
    let opened = open_in::<G>(bot, &host);
    let opened = opened.map_err(|source| ArenaError::Open { name: name(), source })?;
    let seen = Rc::new(RefCell::new(Seen::default()));
    let turn = Rc::new(Cell::new(0));
    let faults_kept = MatchOptions::default().faults_kept;
    let session =
        ReplaySession::new(replay, vec![(player, bot.info.clone(), opened)], faults_kept)?;
    let (noted, now) = (Rc::clone(&seen), Rc::clone(&turn));
    let listen = move |step, compared: &Compared<G::Answer>| {
        noted.borrow_mut().note::<G>(step, now.get(), compared);
    };
    let mut session = session.with_strikes(strikes).listened(Box::new(listen));
    let reached = session.play_to(replay.steps(), &mut |game| {
        turn.set(game.progress().turn);
        Control::Continue
    });
    let faults = session.faults().clone();
    let shortage = session.shortage(player);
    session.end();
    reached?;
    if let Some(shortage) = shortage {
        return Err(RecheckError::Shortage(MatchError::Shortage { name: name(), shortage }));
    }
    let seen = seen.take();
    seen.done(replay, player, &faults)
}

/// The answers so far.
#[derive(Debug, Default)]
struct Seen {
    decisions: u64,
    agreed: u64,
    first: Option<AnswerDifference>,
    hasher: DefaultHasher,
    failed: Option<serde_json::Error>,
}

impl Seen {
    fn note<G: JsonGame>(&mut self, step: u64, turn: u64, compared: &Compared<G::Answer>) {
        self.decisions += 1;
        self.agreed += u64::from(compared.agrees());
        if let Err(error) = self.try_note::<G>(step, turn, compared) {
            self.failed.get_or_insert(error);
        }
    }

    fn try_note<G: JsonGame>(
        &mut self,
        step: u64,
        turn: u64,
        compared: &Compared<G::Answer>,
    ) -> Result<(), serde_json::Error> {
        let now = answer_json::<G>(&compared.now)?;
        now.to_string().hash(&mut self.hasher);
        if self.first.is_none() && !compared.agrees() {
            let recorded = answer_json::<G>(&compared.recorded)?;
            let unit = compared.decision.unit;
            let first = AnswerDifference {
                step,
                turn,
                unit,
                recorded,
                now,
                recorded_fault: None,
                fault: None,
            };
            self.first = Some(first);
        }
        Ok(())
    }

    fn done(
        self,
        replay: &Replay,
        player: Player,
        faults: &FaultBook,
    ) -> Result<Recheck, RecheckError> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        let mut first = self.first;
        if let Some(first) = &mut first {
            let is_there = |fault: &&Fault| (fault.player, fault.step) == (player, first.step);
            first.fault = faults.kept().iter().find(is_there).cloned();
            let recorded = replay.faults().map_err(ReadError::from)?;
            first.recorded_fault = recorded.iter().find(is_there).cloned();
        }
        let Seen { decisions, agreed, hasher, .. } = self;
        Ok(Recheck { decisions, agreed, first, fingerprint: hasher.finish() })
    }
}

/// Returns an answer as bots write it in the JSON Lines protocol. What no bot can say there, such
/// as silence, is as the game names it.
pub fn answer_json<G: JsonGame>(answer: &G::Answer) -> Result<Value, serde_json::Error> {
    match G::reply_for(answer.clone()) {
        Some(reply) => serde_json::to_value(reply),
        None => serde_json::to_value(answer),
    }
}
