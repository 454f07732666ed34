//! Asks all bots of one step and collects their answers, for the referee and for replay sessions.
//!
//! All bots think at the same time, and each one's time ends when its own answer is there.

use std::ops::Range;

use agon_bots::{BatchPart, Progress, Wait, wait::for_any};
use agon_core::{Fault, Game, Player, runs_by_player};

use crate::seat::Seat;

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

/// Asks for all decisions of a state. Returns `false` if a person has left.
///
/// Fills `answers` with one answer per decision, unless a person has left. Adds faults in the order
/// of the players.
pub(crate) fn ask_all<G: Game>(
    seats: &mut impl Seats<G>,
    game: &G,
    step: u64,
    answers: &mut Vec<G::Answer>,
    faults: &mut Vec<Fault>,
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
    let mut collect_one = |asked: &mut Asked| {
        let Asked { player, part, progress } = asked;
        // Drops the descriptors that it waited for.
        *progress = Progress::Done;
        if let Some(seat) = seats.seat(*player) {
            *progress =
                seat.collect(turn(*player, part.clone()), &mut answers[part.clone()], faults);
        }
    };
    asked.iter_mut().for_each(&mut collect_one);
    while !asked.is_empty() {
        collect(&mut asked, &mut collect_one);
    }
    faults[first..].sort_by_key(|fault| fault.player);
    true
}

/// Waits for the next answers and collects them. Slow work comes last, when no answer is awaited.
fn collect(asked: &mut Vec<Asked>, collect_one: &mut impl FnMut(&mut Asked)) {
    asked.retain(|asked| !matches!(asked.progress, Progress::Done));
    let waits: Vec<Option<&Wait>> = asked.iter().map(Asked::wait).collect();
    if waits.iter().all(Option::is_none) {
        return asked.iter_mut().for_each(collect_one);
    }
    let mut come = Vec::new();
    for_any(&waits, |at| come.push(at));
    come.into_iter().for_each(|at| collect_one(&mut asked[at]));
}

impl Asked {
    fn wait(&self) -> Option<&Wait> {
        match &self.progress {
            Progress::Waits(wait) => Some(wait),
            Progress::Done | Progress::Last => None,
        }
    }
}
