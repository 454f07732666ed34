//! Counts the turns that a program misses in a game that does not wait for it (rezzo), and decides
//! when to stop the program.

use std::time::Instant;

use crate::Clock;
use crate::clock::{Bank, MIN_WALL};

/// Counts the turns that a program misses.
///
/// A late program plays on. It is stopped after this many turns in a row without output, and at
/// least a second. With very short turns an interpreter could not even start.
#[derive(Debug)]
pub(crate) struct Silence {
    most: u32,
    /// Whether it missed the last turn.
    late: bool,
    /// The number of turns in a row without output, and the time of the first.
    turns: u32,
    since: Instant,
    /// The number of bytes by the end of the last turn.
    received: u64,
}

/// The consequence of a missed turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// The first in a row; a fault.
    First,
    /// One more in a row.
    Again,
    /// Nothing came for too long: the program has to be stopped.
    TooMany,
}

impl Silence {
    /// Allows `most` turns in a row without output.
    pub(crate) fn new(most: u32) -> Silence {
        Silence { most, late: false, turns: 0, since: Instant::now(), received: 0 }
    }

    /// Returns whether the program missed the last turn.
    pub(crate) fn is_late(&self) -> bool {
        self.late
    }

    /// Returns the time limits of the next turn.
    ///
    /// A program that missed the last turn gets only the turn's own wall time: a hanging program
    /// would delay every turn.
    pub(crate) fn limits(&self, clock: Option<Clock>, bank: Bank) -> (Option<Clock>, Bank) {
        match self.late {
            true => (clock.map(|clock| Clock::wall(clock.then)), Bank::default()),
            false => (clock, bank),
        }
    }

    /// Notes an answer of any kind; `received` is the program's total output in bytes.
    pub(crate) fn answered(&mut self, received: u64) {
        (self.late, self.turns, self.received) = (false, 0, received);
    }

    /// Notes the end of a turn without an answer; `received` is the total output in bytes.
    ///
    /// Any output counts, even a late answer.
    pub(crate) fn missed(&mut self, received: u64) -> Missed {
        let first = !std::mem::replace(&mut self.late, true);
        let heard = received > std::mem::replace(&mut self.received, received);
        if self.turns == 0 || heard {
            self.since = Instant::now();
        }
        self.turns = if heard { 0 } else { self.turns + 1 };
        match first {
            _ if self.turns >= self.most && self.since.elapsed() >= MIN_WALL => Missed::TooMany,
            true => Missed::First,
            false => Missed::Again,
        }
    }

    /// Describes why a program is stopped.
    pub(crate) fn words(&self) -> String {
        format!("nothing came from it for {} turns in a row", self.turns)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Returns the results of turns without an answer, with these totals of output.
    fn missed(silence: &mut Silence, received: &[u64]) -> Vec<Missed> {
        received.iter().map(|&received| silence.missed(received)).collect()
    }

    /// Makes a counter whose last answer was long ago.
    fn patient(most: u32) -> Silence {
        Silence { turns: 1, late: true, since: Instant::now() - 2 * MIN_WALL, ..Silence::new(most) }
    }

    #[test]
    fn a_program_from_which_nothing_comes_is_stopped() {
        use Missed::{Again, TooMany};
        assert_eq!(missed(&mut patient(4), &[0; 3]), [Again, Again, TooMany]);
        assert_eq!(patient(1).missed(0), TooMany);
    }

    #[test]
    fn a_late_answer_is_something() {
        let mut silence = patient(2);
        assert_eq!(missed(&mut silence, &[1, 2, 3, 3]), [Missed::Again; 4]);
        silence.since -= 2 * MIN_WALL;
        assert_eq!(silence.missed(3), Missed::TooMany);
    }

    #[test]
    fn the_first_missed_turn_of_a_row_is_told() {
        let mut silence = Silence::new(50);
        assert_eq!(missed(&mut silence, &[0, 0]), [Missed::First, Missed::Again]);
        silence.answered(5);
        assert_eq!(missed(&mut silence, &[5, 5]), [Missed::First, Missed::Again]);
    }

    #[test]
    fn very_short_turns_do_not_count_before_a_second_has_passed() {
        assert!(
            missed(&mut Silence::new(3), &[0; 100]).iter().all(|&missed| missed != Missed::TooMany)
        );
    }

    #[test]
    fn a_late_program_gets_the_time_of_the_turn_on_the_wall() {
        let limit = Duration::from_millis(60);
        let clock = Some(Clock::cpu(limit).with_bank(limit));
        let mut silence = Silence::new(50);
        assert_eq!(silence.limits(clock, Bank::of(clock)), (clock, Bank::of(clock)));
        silence.missed(0);
        assert_eq!(
            silence.limits(clock, Bank::of(clock)),
            (Some(Clock::wall(limit)), Bank::default())
        );
    }
}
