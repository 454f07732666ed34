//! Asks all bots of one step and collects their answers, for the referee and for replay sessions.
//!
//! All bots think at the same time, and each one's time ends when its own answer is there.

use std::{ops::Range, time::Duration};

use crate::bot::{BatchPart, Progress, Wait, wait::for_any};
use agon_core::{Fault, Game, Player, runs_by_player};

use crate::{
    seat::Seat,
    waiting::{AwaitedBot, ReportTimes, Waiting},
};

/// The seats of the bots that are asked.
pub(crate) trait Seats<G: Game> {
    /// Returns the seat of a player; `None` if it is empty.
    fn seat(&mut self, player: Player) -> Option<&mut Seat<G>>;
}

impl<G: Game> Seats<G> for Vec<Seat<G>> {
    fn seat(&mut self, player: Player) -> Option<&mut Seat<G>> {
        self.get_mut(player.index())
    }
}

impl<G: Game> Seats<G> for Vec<Option<Seat<G>>> {
    fn seat(&mut self, player: Player) -> Option<&mut Seat<G>> {
        self.get_mut(player.index()).and_then(Option::as_mut)
    }
}

/// A bot that is asked, its part of the decisions, and the progress of its answer.
struct Asked {
    player: Player,
    part: Range<usize>,
    progress: Progress,
}

/// Asks for all decisions of a state. Returns `false` if a person has left, or `on_wait` has
/// returned it.
///
/// Fills `answers` with one answer per decision, if it returns `true`. Adds faults in the order of
/// the players. Calls `on_wait` now and then while bots do not answer.
pub(crate) fn ask_all<G: Game>(
    seats: &mut impl Seats<G>,
    game: &G,
    step: u64,
    answers: &mut Vec<G::Answer>,
    faults: &mut Vec<Fault>,
    on_wait: &mut dyn FnMut(&Waiting) -> bool,
) -> bool {
    let decisions = game.decisions();
    let turn = |player, part| BatchPart { game, step, player, decisions: &decisions[part] };
    answers.clear();
    answers.resize(decisions.len(), G::Answer::default());
    // First come bots that think in this thread: meanwhile no other bot's answer would be noticed.
    for of_people in [true, false] {
        for (player, part) in runs_by_player(decisions) {
            let Some(seat) =
                seats.seat(player).filter(|seat| seat.thinks_here() == Some(of_people))
            else {
                continue;
            };
            seat.ask(turn(player, part.clone()), faults);
            seat.finish(turn(player, part.clone()), &mut answers[part], faults);
            if seat.has_left() {
                return false;
            }
        }
    }
    let mut asked: Vec<Asked> = runs_by_player(decisions)
        .filter(|&(player, _)| seats.seat(player).is_some_and(|seat| seat.thinks_here().is_none()))
        .map(|(player, part)| Asked { player, part, progress: Progress::Waits(Wait::default()) })
        .collect();
    for Asked { player, part, .. } in &asked {
        if let Some(seat) = seats.seat(*player) {
            seat.prepare(turn(*player, part.clone()), faults);
        }
    }
    for Asked { player, part, .. } in &asked {
        if let Some(seat) = seats.seat(*player) {
            seat.ask(turn(*player, part.clone()), faults);
        }
    }
    let first = faults.len();
    let mut collection = Collection {
        seats: &mut *seats,
        game,
        step,
        answers: &mut answers[..],
        faults: &mut *faults,
    };
    asked.iter_mut().for_each(|asked| collection.collect(asked));
    let mut times = ReportTimes::start();
    while !asked.is_empty() {
        if collection.collect_next(&mut asked, times.wait())
            && !on_wait(&collection.waiting(&asked, times.report()))
        {
            return false;
        }
    }
    for (player, _) in runs_by_player(decisions) {
        if let Some(seat) = seats.seat(player) {
            seat.count_timeouts(step, faults);
        }
    }
    faults[first..].sort_by_key(|fault| fault.player);
    true
}

/// The answers of a step, which are being collected.
struct Collection<'a, G: Game, S> {
    seats: &'a mut S,
    game: &'a G,
    step: u64,
    answers: &'a mut [G::Answer],
    faults: &'a mut Vec<Fault>,
}

impl<G: Game, S: Seats<G>> Collection<'_, G, S> {
    /// Takes the answers of a bot that have come.
    fn collect(&mut self, asked: &mut Asked) {
        let Asked { player, part, progress } = asked;
        // Drops the descriptors that it waited for.
        *progress = Progress::Done;
        let Collection { game, step, .. } = *self;
        let decisions = &game.decisions()[part.clone()];
        let turn = BatchPart { game, step, player: *player, decisions };
        if let Some(seat) = self.seats.seat(*player) {
            *progress = seat.collect(turn, &mut self.answers[part.clone()], self.faults);
        }
    }

    /// Waits for the next answers and collects them. Slow work comes last, when no answer is
    /// awaited.
    ///
    /// Returns whether `report` is over while answers are still awaited.
    fn collect_next(&mut self, asked: &mut Vec<Asked>, report: Wait) -> bool {
        asked.retain(|asked| !matches!(asked.progress, Progress::Done));
        let mut waits: Vec<Option<&Wait>> = asked.iter().map(Asked::wait).collect();
        if waits.iter().all(Option::is_none) {
            asked.iter_mut().for_each(|asked| self.collect(asked));
            return false;
        }
        waits.push(Some(&report));
        let mut come = Vec::new();
        for_any(&waits, |at| come.push(at));
        let is_due = come.pop_if(|at| *at == asked.len()).is_some();
        come.into_iter().for_each(|at| self.collect(&mut asked[at]));
        is_due && asked.iter().any(|asked| asked.wait().is_some())
    }

    /// Returns the bots whose answers are awaited.
    fn waiting(&mut self, asked: &[Asked], waited: Duration) -> Waiting {
        let awaited = asked.iter().filter(|asked| asked.wait().is_some());
        let bot = |asked: &Asked| {
            let seat = self.seats.seat(asked.player)?;
            Some(AwaitedBot { name: seat.info.name.clone(), left: seat.time_left() })
        };
        Waiting { waited, bots: awaited.filter_map(bot).collect() }
    }
}

impl Asked {
    fn wait(&self) -> Option<&Wait> {
        match &self.progress {
            Progress::Waits(wait) => Some(wait),
            Progress::Done | Progress::Last => None,
        }
    }
}
