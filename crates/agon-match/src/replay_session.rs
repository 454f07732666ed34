//! Plays a recorded match again and asks other bots the recorded questions, for `agon replay ask`.

use std::{fmt, num::NonZero};

use agon_core::{BotInfo, Decision, Fault, Player, runs_by_player};
use agon_games::any::{AnyAnswers, AnyGame, GameKind};

use crate::bot::{Bot, Shortage};
use crate::replay::{Cursor, ReadError, Replay};
use crate::{
    Control, FaultBook, Match, MatchError, MatchOptions, Waiting, faults::illegal, round,
    seat::Seat,
};

/// A decision with the recorded answer and the new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The decision.
    pub decision: Decision,
    /// The recorded answer, alone.
    pub recorded: AnyAnswers,
    /// The answer of the bot that has been asked, alone.
    pub now: AnyAnswers,
}

impl Compared {
    /// Returns whether both are the same.
    pub fn agrees(&self) -> bool {
        self.recorded == self.now
    }
}

/// The agreement of a bot's answers with the recorded ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// The number of answers compared.
    pub decisions: u64,
    /// How many of them agree.
    pub agreed: u64,
    /// The first that differs, with its step.
    pub first: Option<(u64, Compared)>,
}

impl Agreement {
    fn add(&mut self, step: u64, compared: &Compared) {
        self.decisions += 1;
        if compared.agrees() {
            self.agreed += 1;
        } else {
            self.first.get_or_insert_with(|| (step, compared.clone()));
        }
    }
}

/// A recorded match being played again.
///
/// The bots see exactly what the recorded players in their seats saw: the same start, names, states
/// and batches, in the same order. The game continues with the recorded answers, whatever the bots
/// answer, until [`ReplaySession::go_on`].
pub struct ReplaySession {
    cursor: Cursor,
    /// Steps before the recorded match, which the bots count as well.
    steps_before: u64,
    names: Vec<String>,
    /// By player; `None` for empty seats.
    seats: Vec<Option<Seat>>,
    agreements: Vec<Agreement>,
    book: FaultBook,
    /// Follows long waits.
    watch: Box<dyn FnMut(&Waiting)>,
}

impl ReplaySession {
    /// Seats the bots at the start of a match; the other seats stay empty.
    ///
    /// # Panics
    /// If a bot is for a player that the match does not have.
    pub fn new(
        replay: &Replay,
        kind: &'static dyn GameKind,
        bots: Vec<(Player, BotInfo, Box<dyn Bot>)>,
        faults_kept: usize,
    ) -> Result<ReplaySession, ReadError> {
        let cursor = replay.cursor(kind)?;
        let header = replay.header();
        let players = cursor.game().players();
        let steps_before = header.steps_before;
        let mut seats: Vec<Option<Seat>> = (0..players).map(|_| None).collect();
        for (player, info, bot) in bots {
            seats[player.index()] =
                Some(Seat::new(player, (info, bot), players).counting_from(steps_before));
        }
        let mut again = ReplaySession {
            cursor,
            steps_before,
            names: header.players.iter().map(|bot| bot.name.clone()).collect(),
            seats,
            agreements: (0..players).map(|_| Agreement::default()).collect(),
            book: FaultBook::new(faults_kept),
            watch: Box::new(|_| {}),
        };
        let mut faults = Vec::new();
        for seat in again.seats.iter_mut().flatten() {
            seat.start(again.cursor.game(), &again.names, &mut faults);
        }
        note(&mut again.book, &faults);
        Ok(again)
    }

    /// Plays up to the state after `step` steps, and asks the bots on the way.
    ///
    /// `observer` sees every earlier state. Returns whether the state was reached: `observer` may
    /// have stopped before.
    pub fn play_to(
        &mut self,
        step: u64,
        observer: &mut dyn FnMut(&AnyGame) -> Control,
    ) -> Result<bool, ReadError> {
        while self.cursor.step() < step {
            if observer(self.cursor.game()) == Control::Stop {
                return Ok(false);
            }
            self.play_step()?;
        }
        Ok(true)
    }

    /// Asks the bots in the current step, compares as [`ReplaySession::ask`] does, and plays the
    /// step.
    pub fn play_step(&mut self) -> Result<Vec<Compared>, ReadError> {
        let step = self.cursor.step();
        let all = self.ask()?;
        for compared in &all {
            self.agreements[compared.decision.player.index()].add(step, compared);
        }
        if !self.cursor.advance()? {
            return Err(ReadError::NoSuchStep { step: step + 1, steps: step });
        }
        Ok(all)
    }

    /// Asks the bots in the current step, and compares their answers with the recorded ones.
    ///
    /// Call it once for each step.
    pub fn ask(&mut self) -> Result<Vec<Compared>, ReadError> {
        let frame = self.cursor.frame()?;
        let game = frame.game;
        let step = frame.step;
        let decisions = game.decisions();
        let mut faults = Vec::new();
        let mut all = Vec::new();
        let mut answers = game.kind().no_answers();
        let watch = &mut |waiting: &Waiting| {
            (self.watch)(waiting);
            true
        };
        round::ask_all(&mut self.seats, game, step, &mut answers, &mut faults, watch);
        for (player, part) in runs_by_player(decisions) {
            if self.seats[player.index()].is_some() {
                faults.extend(illegal(game, step, part.clone(), &answers));
                // Nothing is recorded on the last state.
                all.extend(part.filter(|&at| at < frame.given.len()).map(|at| Compared {
                    decision: decisions[at],
                    recorded: frame.given.part(at..at + 1),
                    now: answers.part(at..at + 1),
                }));
            }
        }
        note(&mut self.book, &faults);
        self.seats.iter_mut().flatten().for_each(Seat::stop_if_struck);
        Ok(all)
    }

    /// Stops a bot after this many timeouts in a row; `None`, as at first, for no such limit.
    #[must_use]
    pub fn with_strikes(self, most: Option<NonZero<u32>>) -> ReplaySession {
        let seat = |seat: Option<Seat>| seat.map(|seat| seat.with_strikes(most));
        ReplaySession { seats: self.seats.into_iter().map(seat).collect(), ..self }
    }

    /// Calls `watch` while a step waits for bots, as [`Observer::waiting`](crate::Observer).
    #[must_use]
    pub fn watched(self, watch: Box<dyn FnMut(&Waiting)>) -> ReplaySession {
        ReplaySession { watch, ..self }
    }

    /// Returns the current state.
    pub fn game(&self) -> &AnyGame {
        self.cursor.game()
    }

    /// Returns how well the earlier answers of a player's bot agree with the recorded ones.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn agreement(&self, player: Player) -> &Agreement {
        &self.agreements[player.index()]
    }

    /// Returns the faults of the bots so far.
    pub fn faults(&self) -> &FaultBook {
        &self.book
    }

    /// Returns what the arena or the machine lacked for a player's bot, if anything: its answers
    /// then say nothing about it.
    pub fn shortage(&self, player: Player) -> Option<Shortage> {
        self.seats.get(player.index())?.as_ref()?.shortage()
    }

    /// Continues from the current state with the bots' own answers.
    ///
    /// The new match counts its steps from 0, but for the bots the step numbers continue.
    pub fn go_on(self, options: MatchOptions) -> Result<Match, MatchError> {
        let steps = self.cursor.step();
        let players = self.seats.len();
        let seat = |seat: Seat| seat.continuing_after(steps).with_strikes(options.strikes);
        let seats: Vec<Seat> = self.seats.into_iter().flatten().map(seat).collect();
        if seats.len() != players {
            return Err(MatchError::Bots { players, bots: seats.len() });
        }
        Ok(Match::continuing(self.cursor.into_game(), seats, options, self.steps_before + steps))
    }

    /// Tells the bots that no more questions follow, and stops them.
    pub fn end(mut self) {
        let game = self.cursor.game();
        self.seats.iter_mut().flatten().for_each(|seat| seat.leave(game, None));
        self.seats.iter_mut().flatten().for_each(Seat::stop);
    }
}

impl fmt::Debug for ReplaySession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bots: Vec<_> =
            self.seats.iter().map(|seat| seat.as_ref().map(|seat| &seat.info)).collect();
        f.debug_struct("ReplaySession")
            .field("step", &self.cursor.step())
            .field("bots", &bots)
            .finish_non_exhaustive()
    }
}

fn note(book: &mut FaultBook, faults: &[Fault]) {
    for fault in faults {
        book.note(fault);
    }
}
