//! Questions about cells and their answers as flat memory, for native and WebAssembly bots, and for
//! bots that are a C function per cell. The hosts in `agon-bots` send and read these records.

use agon_core::{Decision, Game};

use super::{Action, Answer, Cellhack, Direction, EMPTY, ROCK};
use crate::batch::{Batch, Group, Header, Record, hex, number, record};

record! {
    /// What one cell sees.
    pub struct CellQuestion = "cellhack_question" {
        /// The cell in the middle and its neighbours, row by row from the top left one: 0 empty,
        /// 255 rock, else a player's number plus one.
        env: [u8; 9],
        /// The cell's energy; 255 stands for all that does not fit a byte.
        energy: u8,
        /// 0.
        pad: [u8; 6],
        /// The cell's memory.
        memory: u64,
    }
}

record! {
    /// What one cell does.
    pub struct CellAnswer = "cellhack_answer" {
        /// The action: CELLHACK_REST and so on, for some plus a direction. 0 is no answer.
        action: u8,
        /// Ignored.
        pad: [u8; 7],
        /// The cell's memory from now on. To keep it as it is, copy that of the question.
        memory: u64,
    }
}

impl CellAnswer {
    /// The answer of a cell's function that returned 0, which is no action. In a record, 0 means
    /// that there is no answer. So this is 0xff with a mark in the padding. `wasm/cellhack.c` in
    /// `agon-bots` writes the same.
    pub fn zero(memory: u64) -> CellAnswer {
        CellAnswer { action: 0xFF, pad: *b"is zero", memory }
    }

    /// The byte that the cell's function returned, or that the bot wrote.
    fn byte(&self) -> u8 {
        if *self == CellAnswer::zero(self.memory) { 0 } else { self.action }
    }
}

impl Batch for Cellhack {
    const HEADER: Header = Header {
        game: "cellhack",
        about: "\
cellhack: each decision is about one cell; a cellhack_question tells what it sees, a
cellhack_answer what it does.",
        constants: &[
            Group {
                doc: "What a place of env holds if it holds no cell.",
                constants: &[
                    number("CELLHACK_EMPTY", EMPTY as u32, "nothing"),
                    number("CELLHACK_ROCK", ROCK as u32, "a rock"),
                ],
            },
            Group {
                doc: "Directions, which are places of env as well. The cell itself is in the \
                    middle.",
                constants: &[
                    number("CELLHACK_UP", Direction::Up as u32, "to the row above"),
                    number("CELLHACK_LEFT", Direction::Left as u32, "to the column on the left"),
                    number("CELLHACK_CENTER", 4, "no direction: the cell itself"),
                    number("CELLHACK_RIGHT", Direction::Right as u32, "to the column on the right"),
                    number("CELLHACK_DOWN", Direction::Down as u32, "to the row below"),
                ],
            },
            Group {
                doc: "Actions.",
                constants: &[
                    number("CELLHACK_REST", 1, "gain energy, less in a crowd"),
                    number("CELLHACK_NOTHING", 2, "wait"),
                    number("CELLHACK_DIE", 3, "disappear"),
                    hex("CELLHACK_EAT", 0x10, "plus a direction: take energy from the cell there"),
                    hex("CELLHACK_MOVE", 0x20, "plus a direction: go there"),
                    hex("CELLHACK_SPLIT", 0x30, "plus a direction: put half of the cell there"),
                    hex("CELLHACK_FEED", 0x40, "plus a direction: give energy to the cell there"),
                ],
            },
        ],
        parts: &[],
        question: CellQuestion::LAYOUT,
        answer: CellAnswer::LAYOUT,
        functions: "",
    };

    /// Usual bots take less than a hundredth of it. The cells of a batch share their fuel.
    const FUEL: u64 = 1_000_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        let start = out.len();
        out.resize(start + decisions.len() * CellQuestion::SIZE, 0);
        let records = out[start..].as_chunks_mut::<{ CellQuestion::SIZE }>().0;
        for (record, &decision) in records.iter_mut().zip(decisions) {
            let view = self.view(decision);
            let energy = view.energy();
            let memory = view.memory();
            CellQuestion { env: [0; 9], energy, pad: [0; 6], memory }.put(record);
            let (env, _) = record.split_first_chunk_mut().expect("the environment comes first");
            self.board.write_env(decision.unit as usize, env);
        }
        CellQuestion::SIZE
    }

    type AnswerRecord = CellAnswer;

    fn read_answer(
        &self,
        decision: Decision,
        record: CellAnswer,
        _: &[u8],
    ) -> (Answer, Option<String>) {
        let byte = record.byte();
        let action = Action::from_byte(byte);
        let wrong =
            action.is_none().then(|| format!("{byte:#04x} is no action; it counts as NOTHING"));
        let changed = record.memory != self.view(decision).memory();
        let memory = changed.then_some(record.memory);
        (Answer { action: action.unwrap_or_default(), memory }, wrong)
    }
}
