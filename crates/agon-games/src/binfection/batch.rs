//! A player's question and answer of a turn as flat memory, for native and WebAssembly bots. The
//! hosts in `agon-bots` send and read these records.

use agon_core::{Decision, Game};

use super::{Answer, Binfection, Direction, Move, View, field::Place, view::Run};
use crate::batch::{Batch, Group, Header, Record, number, record, write_records};

record! {
    /// What a bot sees: its own cells and all around them.
    pub struct FieldQuestion = "binfection_question" {
        /// Cells in view, each once, row by row.
        cells: u32,
        /// How many of them are your own.
        own_cells: u32,
        /// Offset of the binfection_cell[cells]; binfection_cells finds them.
        cells_offset: u32,
        /// 0.
        pad: u32,
    }
}

record! {
    /// A cell in view. Cells outside of the field are missing; so a bot notices the border.
    pub struct FieldCell = "binfection_cell" {
        /// Column, from 0 at the left.
        x: u16,
        /// Row, from 0 at the top.
        y: u16,
        /// Whose the units are: 0 nobody's, else the player's number plus one.
        owner: u16,
        /// 0.
        pad: u16,
        /// Number of units.
        units: u64,
    }
}

record! {
    /// A bot's turn.
    pub struct FieldAnswer = "binfection_answer" {
        /// 1. 0 is no answer: nothing moves.
        answered: u8,
        /// Ignored.
        pad: [u8; 3],
        /// Number of moves. There is room for one of each of your cells right behind this record.
        moves: u32,
        /// Where they begin, counted from the front of the answers: sizeof(binfection_answer) for
        /// right behind it.
        moves_offset: u32,
    }
}

record! {
    /// Sends half of a cell's units, rounded down, one cell further. Of several moves of a cell the
    /// last counts.
    pub struct FieldMove = "binfection_move" {
        /// Column of the cell, which has to be your own.
        x: u16,
        /// Row of the cell.
        y: u16,
        /// BINFECTION_UP, BINFECTION_RIGHT, BINFECTION_DOWN or BINFECTION_LEFT.
        direction: u8,
        /// Ignored.
        pad: [u8; 3],
    }
}

const FUNCTIONS: &str = r#"
/* The cells in view. */
static inline const binfection_cell *binfection_cells(const void *question)
{
    uint32_t offset = binfection_question_at(question, 0)->cells_offset;
    return (const binfection_cell *)agon_at(question, offset);
}

/*
 * Adds a move to the answer, which is empty at first. Whether there is any move or not, return
 * binfection_done.
 */
static inline void binfection_add(void *answers, unsigned x, unsigned y, unsigned direction)
{
    binfection_answer *answer = (binfection_answer *)answers;
    binfection_move *move = (binfection_move *)(answer + 1) + answer->moves++;
    move->x = (uint16_t)x;
    move->y = (uint16_t)y;
    move->direction = (uint8_t)direction;
}

/* Completes the answer; returns what agon_decide has to return. */
static inline uint32_t binfection_done(void *answers)
{
    binfection_answer *answer = (binfection_answer *)answers;
    answer->answered = 1;
    answer->moves_offset = sizeof(binfection_answer);
    return (uint32_t)(sizeof(binfection_answer) + answer->moves * sizeof(binfection_move));
}
"#;

impl Batch for Binfection {
    const HEADER: Header = Header {
        game: "binfection",
        about: "\
binfection: a question is one decision, a turn of one player; a binfection_question leads to the
cells it sees, a binfection_answer to its moves.",
        constants: &[Group {
            doc: "Directions.",
            constants: &[
                number("BINFECTION_UP", Direction::Up as u32, "y - 1"),
                number("BINFECTION_RIGHT", Direction::Right as u32, "x + 1"),
                number("BINFECTION_DOWN", Direction::Down as u32, "y + 1"),
                number("BINFECTION_LEFT", Direction::Left as u32, "x - 1"),
            ],
        }],
        parts: &[FieldCell::LAYOUT, FieldMove::LAYOUT],
        question: FieldQuestion::LAYOUT,
        answer: FieldAnswer::LAYOUT,
        functions: FUNCTIONS,
    };

    /// Worth 5 s, the time of a runner.
    const FUEL: u64 = 12_500_000_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        write_records(decisions, out, |decision, out| write_view(&self.view(decision), out))
    }

    type AnswerRecord = FieldAnswer;

    /// One move for each own cell: more moves are useless.
    fn answer_room(&self, decisions: &[Decision]) -> usize {
        let moves = |&decision: &Decision| self.view(decision).own().len() * FieldMove::SIZE;
        decisions.iter().map(|decision| FieldAnswer::SIZE + moves(decision)).sum()
    }

    /// A move with a wrong direction is left out; the others count.
    fn read_answer(
        &self,
        _: Decision,
        record: FieldAnswer,
        answered: &[u8],
    ) -> (Answer, Option<String>) {
        let count = record.moves as usize;
        let start = record.moves_offset as usize;
        let end = count.checked_mul(FieldMove::SIZE).and_then(|bytes| start.checked_add(bytes));
        let Some(bytes) = end.and_then(|end| answered.get(start..end)) else {
            let written = answered.len();
            let wrong = format!(
                "{count} moves at {start} are outside of the {written} bytes written; nothing moves"
            );
            return (Answer::default(), Some(wrong));
        };
        let mut answer = Answer { moves: Vec::with_capacity(count) };
        let mut wrong = None;
        for (number, bytes) in bytes.chunks_exact(FieldMove::SIZE).enumerate() {
            let FieldMove { x, y, direction, .. } = FieldMove::get(bytes);
            match Direction::try_from(direction) {
                Ok(direction) => answer.moves.push(Move { x: x.into(), y: y.into(), direction }),
                Err(text) => {
                    wrong.get_or_insert_with(|| format!("move {number} is left out: {text}"));
                }
            }
        }
        (answer, wrong)
    }
}

/// Appends the cells, and returns the record that points to them.
fn write_view(view: &View<'_>, out: &mut Vec<u8>) -> FieldQuestion {
    out.resize(out.len().next_multiple_of(8), 0);
    let start = out.len();
    view.visit_visible(|run| write_run(run, out));
    let cells = ((out.len() - start) / FieldCell::SIZE) as u32;
    let own_cells = view.own().len() as u32;
    FieldQuestion { cells, own_cells, cells_offset: start as u32, pad: 0 }
}

/// Appends cells that lie side by side.
fn write_run(run: Run<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + run.len() * FieldCell::SIZE, 0);
    let records = out[start..].as_chunks_mut::<{ FieldCell::SIZE }>().0.iter_mut();
    match run {
        Run::Empty { x, y, .. } => {
            for (record, x) in records.zip(x..) {
                FieldCell { x, y, owner: 0, pad: 0, units: 0 }.put(record);
            }
        }
        Run::Occupied { places, owners, units } => {
            for (record, (&Place { x, y }, (owner, &units))) in
                records.zip(places.iter().zip(owners.iter().zip(units)))
            {
                FieldCell { x, y, owner: owner.0 + 1, pad: 0, units }.put(record);
            }
        }
    }
}
