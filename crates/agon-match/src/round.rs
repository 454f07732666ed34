//! Asks all bots of one step and collects their answers, for the referee and for replay sessions.
//!
//! All bots think at the same time, and each one's time ends when its own answer is there.

use std::time::{Duration, Instant};
use std::{fmt, ops::Range};

use agon_core::{Fault, Player, runs_by_player};
use agon_games::any::{AnyAnswers, AnyGame};

use crate::bot::{BatchPart, Progress, Wait};
use crate::{bot::wait::for_any, seat::Seat};

/// The seats of the bots that are asked.
pub(crate) trait Seats {
    /// Returns the seat of a player; `None` if it is empty.
    fn seat(&mut self, player: Player) -> Option<&mut Seat>;
}

impl Seats for Vec<Seat> {
    fn seat(&mut self, player: Player) -> Option<&mut Seat> {
        self.get_mut(player.index())
    }
}

impl Seats for Vec<Option<Seat>> {
    fn seat(&mut self, player: Player) -> Option<&mut Seat> {
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
pub(crate) fn ask_all(
    seats: &mut impl Seats,
    game: &AnyGame,
    step: u64,
    answers: &mut AnyAnswers,
    faults: &mut Vec<Fault>,
    on_wait: &mut dyn FnMut(&Waiting) -> bool,
) -> bool {
    let decisions = game.decisions();
    let turn = |player, part| BatchPart { game, step, player, decisions: &decisions[part] };
    answers.reset(decisions.len());
    // First come bots that think in this thread: meanwhile no other bot's answer would be noticed.
    for of_people in [true, false] {
        for (player, part) in runs_by_player(decisions) {
            let Some(seat) =
                seats.seat(player).filter(|seat| seat.thinks_here() == Some(of_people))
            else {
                continue;
            };
            seat.ask(turn(player, part.clone()), faults);
            seat.finish(turn(player, part.clone()), answers.part_mut(part), faults);
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
    let mut collection =
        Collection { seats: &mut *seats, game, step, answers: &mut *answers, faults: &mut *faults };
    asked.iter_mut().for_each(|asked| collection.collect(asked));
    let began = Instant::now();
    let mut report = began + FIRST;
    while !asked.is_empty() {
        if collection.collect_next(&mut asked, Wait::until(report)) {
            let waited = began.elapsed();
            report = began + waited + EVERY;
            if !on_wait(&collection.waiting(&asked, waited)) {
                return false;
            }
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
struct Collection<'a, S> {
    seats: &'a mut S,
    game: &'a AnyGame,
    step: u64,
    answers: &'a mut AnyAnswers,
    faults: &'a mut Vec<Fault>,
}

impl<S: Seats> Collection<'_, S> {
    /// Takes the answers of a bot that have come.
    fn collect(&mut self, asked: &mut Asked) {
        let Asked { player, part, progress } = asked;
        // Drops the descriptors that it waited for.
        *progress = Progress::Done;
        let Collection { game, step, .. } = *self;
        let decisions = &game.decisions()[part.clone()];
        let turn = BatchPart { game, step, player: *player, decisions };
        if let Some(seat) = self.seats.seat(*player) {
            *progress = seat.collect(turn, self.answers.part_mut(part.clone()), self.faults);
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

/// The time after which a step first reports who it waits for. Nobody takes a shorter wait for a
/// hang.
const FIRST: Duration = Duration::from_secs(1);

/// The time between two reports about the same wait: a countdown shows each second.
const EVERY: Duration = Duration::from_millis(250);

/// The most bots that the text names.
const NAMED: usize = 3;

/// The bots that a step of a match waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// How long the step has waited so far.
    pub waited: Duration,
    /// The bots, in order of player number; never empty.
    pub bots: Vec<AwaitedBot>,
}

/// A bot whose answer has not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedBot {
    /// Its name.
    pub name: String,
    /// An estimate of the wall time until its time is over; `None` if there is none.
    ///
    /// A bot is charged CPU time. The estimate assumes that it uses the processor as it has done
    /// since the question.
    pub left: Option<Duration>,
}

/// As in `waiting for rosa: 8 s left`.
impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("waiting for ")?;
        for (number, AwaitedBot { name, left }) in self.bots.iter().take(NAMED).enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            match left {
                Some(left) => write!(f, "{separator}{name}: {} left", in_words(*left))?,
                None => write!(f, "{separator}{name}: {} so far", in_words(self.waited))?,
            }
        }
        match self.bots.len().saturating_sub(NAMED) {
            0 => Ok(()),
            1 => f.write_str("; and 1 more bot"),
            more => write!(f, "; and {more} more bots"),
        }
    }
}

/// Returns a time in seconds, or in minutes if it is long; rounded up.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    match seconds {
        0..120 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bots: &[(&str, Option<u64>)]) -> String {
        let bot = |&(name, left): &(&str, Option<u64>)| AwaitedBot {
            name: name.to_owned(),
            left: left.map(Duration::from_millis),
        };
        let waited = Duration::from_millis(1010);
        Waiting { waited, bots: bots.iter().map(bot).collect() }.to_string()
    }

    #[test]
    fn the_text_names_bots_and_their_time() {
        assert_eq!(text(&[("rosa", Some(7400))]), "waiting for rosa: 8 s left");
        assert_eq!(text(&[("rosa", Some(0))]), "waiting for rosa: 0 s left");
        assert_eq!(text(&[("rosa", Some(120_000))]), "waiting for rosa: 2 min left");
        assert_eq!(text(&[("rosa", Some(u64::MAX))]), "waiting for rosa: 307445734561826 min left");
        let both = text(&[("rosa", Some(1)), ("tom", None)]);
        assert_eq!(both, "waiting for rosa: 1 s left; tom: 2 s so far");
    }

    #[test]
    fn many_bots_are_counted() {
        let four = text(&[("a", None); 4]);
        assert!(four.ends_with("; a: 2 s so far; and 1 more bot"), "{four}");
        let all = text(&[("a", None); 1_000]);
        assert!(all.ends_with("; and 997 more bots") && all.len() < 100, "{all}");
    }
}
