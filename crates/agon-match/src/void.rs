//! Decides whether a match is void because the machine stood still. `agon-arena` plays void matches
//! again.
//!
//! A bot can make the arena stand still itself, with as many busy processes as it may have. So only
//! the part of a stall counts that the bots' own work does not explain. No bot can make a match
//! void that it is about to lose.

use std::{io, time::Duration};

use agon_core::{Fault, FaultKind, Player};
use agon_replay::Void;

use crate::{
    TurnNote,
    stall::{StallWatch, millis},
};

/// A stall of this length makes a match void in any case. A bot that plans with the wall clock has
/// lost, or thinks it has lost, much of its time for an answer.
pub const VOID_STALL: Duration = Duration::from_secs(1);

/// A stall of this length makes a match void if a bot was late in the same step. Then it is unknown
/// whether the bot or the machine was too slow.
pub const VOID_STALL_WITH_TIMEOUT: Duration = Duration::from_millis(100);

/// Watches for stalls in a match in which they can do harm.
pub(crate) struct Stalls {
    watch: StallWatch,
    verdict: StallVerdict,
}

impl Stalls {
    /// Starts to watch. `clocks` has true for each player with time limits.
    ///
    /// `None` if no player has: then the match is the same on every machine.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(crate) fn watch(clocks: Vec<bool>) -> io::Result<Option<Stalls>> {
        if !clocks.contains(&true) {
            return Ok(None);
        }
        Ok(Some(Stalls {
            watch: StallWatch::start()?,
            verdict: StallVerdict { clocks, ..StallVerdict::default() },
        }))
    }

    /// Notes the start of a step. Before it bots had nothing to do.
    pub(crate) fn begin_step(&mut self) {
        let stall = self.watch.take();
        self.verdict.hear(stall, &[], &[]);
    }

    /// Notes the end of a step, with its faults and the costs of its answers.
    ///
    /// `used` returns the CPU time that a bot has used since its question. It is called only after
    /// a stall.
    pub(crate) fn end_step(
        &mut self,
        faults: &[Fault],
        notes: &[TurnNote],
        used: &mut dyn FnMut(Player) -> Duration,
    ) {
        let stall = self.watch.take();
        if stall < VOID_STALL_WITH_TIMEOUT {
            return self.verdict.hear(stall, faults, notes);
        }
        let mut notes = notes.to_vec();
        for note in &mut notes {
            // A bot that is busy after its answer delays the arena, too.
            let cost = note.turn.cost.get_or_insert_default();
            cost.cpu = cost.cpu.max(Some(used(note.player)));
        }
        self.verdict.hear(stall, faults, &notes);
    }

    /// Returns the longest stall of any cause, and the reason why the match is void, if it is.
    pub(crate) fn close(mut self) -> (Duration, Option<Void>) {
        self.begin_step();
        (self.watch.longest(), self.verdict.void())
    }
}

/// The conclusion from the stalls so far.
#[derive(Debug, Default)]
struct StallVerdict {
    /// Who has a clock, by player.
    clocks: Vec<bool>,
    /// The longest stall that no bot explains.
    longest: Duration,
    /// The first stall in which a bot was late.
    late: Option<Void>,
}

impl StallVerdict {
    fn hear(&mut self, stall: Duration, faults: &[Fault], notes: &[TurnNote]) {
        // A bot was ended because it used too much. How much it used in the end is unknown.
        let exceeded = |player: Option<Player>| {
            faults.iter().any(|fault| {
                fault.evidence.exceeded && player.is_none_or(|own| own == fault.player)
            })
        };
        let used = |note: &TurnNote| note.turn.cost.and_then(|cost| cost.cpu).unwrap_or_default();
        if !exceeded(None) {
            let most = notes.iter().map(used).max().unwrap_or_default();
            self.longest = self.longest.max(stall.saturating_sub(most));
        }
        let own = |player| notes.iter().filter(|note| note.player == player).map(used).sum();
        let is_spoilt = |fault: &&Fault| {
            fault.kind == FaultKind::Timeout
                && self.clocks[fault.player.index()]
                && !exceeded(Some(fault.player))
                && stall.saturating_sub(own(fault.player)) >= VOID_STALL_WITH_TIMEOUT
        };
        let late = faults.iter().find(is_spoilt);
        let late = late.map(|fault| Void::Timeout { stall_ms: millis(stall), step: fault.step });
        self.late = self.late.or(late);
    }

    fn void(&self) -> Option<Void> {
        let stall = || Void::Stall { stall_ms: millis(self.longest) };
        self.late.or_else(|| (self.longest >= VOID_STALL).then(stall))
    }
}

#[cfg(test)]
mod tests {
    use agon_bot_interface::turn_log::{Cost, TurnRecord};
    use agon_core::Evidence;

    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn fault(player: u16, kind: FaultKind, exceeded: bool) -> Fault {
        let evidence = Evidence { exceeded, ..Evidence::default() };
        Fault { player: Player(player), step: 7, kind, detail: String::new(), evidence, count: 1 }
    }

    fn note(player: u16, cpu: u64) -> TurnNote {
        let cost = Some(Cost { cpu: Some(ms(cpu)), wall: ms(0) });
        TurnNote {
            player: Player(player),
            decisions: 1,
            turn: TurnRecord { cost, ..TurnRecord::default() },
        }
    }

    /// What follows from one step in which the first of two bots has a clock.
    fn after(stall: u64, faults: &[Fault], notes: &[TurnNote]) -> Option<Void> {
        let mut verdict = StallVerdict { clocks: vec![true, false], ..StallVerdict::default() };
        verdict.hear(ms(stall), faults, notes);
        verdict.void()
    }

    #[test]
    fn a_second_makes_a_match_void() {
        assert_eq!(after(999, &[], &[]), None);
        assert_eq!(after(1_000, &[], &[note(0, 0)]), Some(Void::Stall { stall_ms: 1000 }));
    }

    #[test]
    fn a_late_bot_makes_a_match_void_only_with_a_stall() {
        let late = [fault(0, FaultKind::Garbage, false), fault(0, FaultKind::Timeout, false)];
        assert_eq!(after(250, &late, &[]), Some(Void::Timeout { stall_ms: 250, step: 7 }));
        assert_eq!(after(99, &late, &[]), None);
        assert_eq!(after(250, &late[..1], &[]), None);
        let fuel = fault(1, FaultKind::Timeout, false);
        assert_eq!(after(250, &[fuel], &[]), None, "fuel does not stall");
    }

    #[test]
    fn what_a_bot_does_itself_makes_no_match_void() {
        let late = [fault(0, FaultKind::Timeout, false)];
        assert_eq!(after(600, &late, &[note(0, 900)]), None, "it was busy all the time");
        assert_eq!(
            after(600, &late, &[note(1, 900)]),
            Some(Void::Timeout { stall_ms: 600, step: 7 })
        );
        assert_eq!(
            after(600, &late, &[note(0, 100)]),
            Some(Void::Timeout { stall_ms: 600, step: 7 })
        );
        assert_eq!(after(3_000, &[], &[note(1, 2_100)]), None);
        let exceeded = [fault(0, FaultKind::Timeout, true)];
        assert_eq!(after(3_000, &exceeded, &[]), None, "it was ended for what it had started");
    }
}
