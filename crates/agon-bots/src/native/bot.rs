//! cellhack's C functions as a bot.
//!
//! A function that crashes or does not return costs its cells, never the arena: the cells decided before it keep
//! their answers, the others rest idle, and the fault names the cell that was being decided. The library is
//! loaded anew for the next turn, which empties its static variables; after [`RESTARTS`] times the bot stays out.

use std::{ops::Range, path::Path};

use agon_core::{Decision, Fault, FaultKind, Game};
use agon_games::cellhack::{
    Action, Answer, Cellhack,
    protocol::{PLAYER_H, PLAYER_H_PATH, QUESTION_LEN, answer_byte, read_answer, write_question},
};

use super::{compile::Header, host::Library, memory::CAPACITY};
use crate::{Bot, HostOptions, Hosted, OpenError, Turn, open::Native, process::Place};

/// How often in a match a library is loaded anew after a crash or an endless loop.
pub const RESTARTS: u32 = 3;

impl Hosted for Cellhack {
    const NATIVE: Option<Native<Cellhack>> = Some(Native {
        header: Header { name: PLAYER_H_PATH, text: PLAYER_H },
        open: |path, options| Ok(Box::new(NativeBot::open(path, options)?)),
    });
}

/// A C function in a match.
struct NativeBot {
    library: Library,
    /// How often the library may still be loaded anew.
    restarts: u32,
}

impl NativeBot {
    fn open(path: &Path, options: &HostOptions) -> Result<NativeBot, OpenError> {
        Ok(NativeBot { library: Library::open(path, options)?, restarts: RESTARTS })
    }

    fn ask_part(&mut self, turn: Turn<'_, Cellhack>, part: Range<usize>) {
        let question = |&decision: &Decision| {
            let mut record = [0; QUESTION_LEN];
            write_question(&turn.game.view(decision), &mut record);
            record
        };
        self.library.ask(turn.decisions[part].iter().map(question));
    }

    /// Collects a part of the batch; false if it was not decided to its end.
    fn collect_part(
        &mut self,
        turn: Turn<'_, Cellhack>,
        part: Range<usize>,
        answers: &mut [Answer],
        faults: &mut Vec<Fault>,
    ) -> bool {
        let decisions = &turn.decisions[part.clone()];
        let (decided, fault) = self.library.wait(decisions.len(), turn.into());
        let mut unknown = Unknown::default();
        for (i, decision) in decisions.iter().enumerate().take(decided) {
            let record = self.library.answer(i);
            answers[part.start + i] = read_answer(&record, turn.game.view(*decision).memory());
            unknown.look_at(answer_byte(&record), *decision);
        }
        faults.extend(unknown.fault(turn.into()));
        if let Some(mut fault) = fault {
            fault.evidence.unit = decisions.get(decided).map(|decision| decision.unit);
            let idle = turn.decisions.len() - part.start - decided;
            fault.detail.push_str(&format!("; {idle} of {} cells rest idle", turn.decisions.len()));
            if self.restarts == 0 {
                fault.detail.push_str(", and the bot stays out from now on");
            }
            faults.push(fault);
        }
        decided == decisions.len()
    }
}

/// The parts in which a batch is asked.
fn parts(cells: usize) -> impl Iterator<Item = Range<usize>> {
    (0..cells).step_by(CAPACITY).map(move |start| start..cells.min(start + CAPACITY))
}

impl Bot<Cellhack> for NativeBot {
    fn ask(&mut self, turn: Turn<'_, Cellhack>, faults: &mut Vec<Fault>) {
        if !self.library.is_running() && self.restarts > 0 {
            self.restarts -= 1;
            if let Err(fault) = self.library.load(turn.into()) {
                faults.push(fault);
            }
        }
        self.ask_part(turn, 0..turn.decisions.len().min(CAPACITY));
    }

    fn collect(&mut self, turn: Turn<'_, Cellhack>, answers: &mut [Answer], faults: &mut Vec<Fault>) {
        for part in parts(turn.decisions.len()) {
            if part.start > 0 {
                self.ask_part(turn, part.clone());
            }
            if !self.library.is_running() || !self.collect_part(turn, part, answers, faults) {
                return;
            }
        }
    }

    fn stop(&mut self) {
        self.library.stop();
        self.restarts = 0;
    }
}

/// Bytes that are no action, told in one fault.
#[derive(Default)]
struct Unknown {
    first: Option<(u8, Decision)>,
    count: u64,
}

impl Unknown {
    fn look_at(&mut self, byte: u8, decision: Decision) {
        if Action::from_byte(byte).is_none() {
            self.first.get_or_insert((byte, decision));
            self.count += 1;
        }
    }

    fn fault(&self, place: Place) -> Option<Fault> {
        let (byte, decision) = self.first?;
        let mut fault =
            place.fault(FaultKind::Garbage, format!("{byte:#04x} is no action; it counts as NOTHING"));
        fault.evidence.unit = Some(decision.unit);
        fault.count = self.count;
        Some(fault)
    }
}
