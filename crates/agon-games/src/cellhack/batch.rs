//! A batch of cells as flat memory.

use agon_core::{Decision, Game};

use super::{Action, Answer, Cellhack};
use crate::batch::{Batch, Constant, Header, Record, Unusable, read_records, record};

record! {
    /// What one cell sees.
    pub struct CellQuestion = "cellhack_question" {
        /// The cell in the middle and its neighbours, row by row from the top left one: 0 empty, 255 rock, else a
        /// player's number plus one.
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
        /// The action, a CELLHACK_... constant plus, for some, the number of a direction.
        action: u8,
        /// Ignored.
        pad: [u8; 7],
        /// The cell's memory from now on.
        memory: u64,
    }
}

const fn constant(name: &'static str, value: u64, doc: &'static str) -> Constant {
    Constant { name, value, doc }
}

impl Batch for Cellhack {
    const HEADER: Header = Header {
        game: "cellhack",
        about: &[
            "cellhack: the question is an agon_question, then a cellhack_question for each cell; the answers",
            "are a cellhack_answer for each cell.",
        ],
        constants: &[
            constant("CELLHACK_EMPTY", 0, "In env: nothing there."),
            constant("CELLHACK_ROCK", 255, "In env: a rock."),
            constant("CELLHACK_REST", 1, "Gain energy."),
            constant("CELLHACK_NOTHING", 2, "Wait."),
            constant("CELLHACK_DIE", 3, "Disappear."),
            constant("CELLHACK_EAT", 0x10, "Plus a direction: take energy from there."),
            constant("CELLHACK_MOVE", 0x20, "Plus a direction: go there."),
            constant("CELLHACK_SPLIT", 0x30, "Plus a direction: put half of the cell there."),
            constant("CELLHACK_FEED", 0x40, "Plus a direction: give energy to there."),
            constant("CELLHACK_UP", 1, "A direction, and its index in env."),
            constant("CELLHACK_LEFT", 3, "A direction, and its index in env."),
            constant("CELLHACK_RIGHT", 5, "A direction, and its index in env."),
            constant("CELLHACK_DOWN", 7, "A direction, and its index in env."),
        ],
        records: &[CellQuestion::LAYOUT, CellAnswer::LAYOUT],
    };

    const FUEL: u64 = 1_000_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        let start = out.len();
        out.resize(start + decisions.len() * CellQuestion::SIZE, 0);
        for (record, &decision) in out[start..].chunks_exact_mut(CellQuestion::SIZE).zip(decisions) {
            let view = self.view(decision);
            let question =
                CellQuestion { env: view.env().0, energy: view.energy(), pad: [0; 6], memory: view.memory() };
            question.put(record);
        }
        CellQuestion::SIZE
    }

    fn answer_room(&self, decisions: &[Decision]) -> usize {
        decisions.len() * CellAnswer::SIZE
    }

    fn read_answers(
        &self,
        decisions: &[Decision],
        answered: &[u8],
        answers: &mut [Answer],
        unusable: &mut dyn FnMut(usize, Unusable),
    ) {
        read_records(answered, answers, unusable, |i, record: CellAnswer| {
            let action = Action::from_byte(record.action);
            let wrong = action.is_none().then(|| {
                Unusable::Garbage(format!("{:#04x} is no action; it counts as NOTHING", record.action))
            });
            let changed = record.memory != self.view(decisions[i]).memory();
            let memory = changed.then_some(record.memory);
            (Answer { action: action.unwrap_or_default(), memory }, wrong)
        });
    }
}
