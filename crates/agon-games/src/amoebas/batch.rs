//! Questions about amoebas and their answers as flat memory, for native and WebAssembly bots. The
//! hosts in `agon-bots` send and read these records.

use std::collections::BTreeMap;

use agon_core::{Decision, Game};

use super::{Amoebas, Answer, Baggage, CellView, Command, Dir, View};
use crate::batch::{Batch, Bytes, Group, Header, Record, number, record};

/// The codes of actions.
pub const REST: u8 = 1;
/// See [`REST`].
pub const MOVE: u8 = 2;
/// See [`REST`].
pub const HIT: u8 = 3;
/// See [`REST`].
pub const DIVIDE: u8 = 4;

record! {
    /// What one amoeba knows. Right behind it is its window, (2 * view_distance + 1) squared cells
    /// row by row from the north-west; the amoeba itself is in the middle. amoebas_cell_at finds
    /// them.
    pub struct AmoebaQuestion = "amoebas_question" {
        /// The amoeba's energy.
        energy: u16,
        /// Its health.
        health: u16,
        /// Its species: your player's number.
        species: u16,
        /// How many cells it sees in each direction.
        view_distance: u16,
        /// Its data.
        data: Bytes,
        /// Its amoeba function; none: the original one of the species.
        function: Bytes,
    }
}

record! {
    /// A cell in view.
    pub struct AmoebaCell = "amoebas_cell" {
        /// Its fuel.
        fuel: u16,
        /// Who is there: 0 nobody, else the species plus one. The rest is 0 where nobody is.
        occupant: u16,
        /// The occupant's energy.
        energy: u16,
        /// The occupant's health.
        health: u16,
        /// The occupant's data.
        data: Bytes,
    }
}

record! {
    /// What one amoeba does. Data and functions are bytes that you write behind all answers:
    /// agon_append does so, beginning with a length of decisions * sizeof(amoebas_answer). Offset 0
    /// stands for none.
    pub struct AmoebaAnswer = "amoebas_answer" {
        /// AMOEBAS_REST, AMOEBAS_MOVE, AMOEBAS_HIT or AMOEBAS_DIVIDE. 0 is no answer: it rests, and
        /// keeps its data.
        action: u8,
        /// The direction of AMOEBAS_MOVE, AMOEBAS_HIT and AMOEBAS_DIVIDE.
        dir: u8,
        /// Ignored.
        pad: [u8; 2],
        /// The amoeba's data from now on; none: it forgets those it has.
        data: Bytes,
        /// Of AMOEBAS_DIVIDE: the child's data.
        child_data: Bytes,
        /// Of AMOEBAS_DIVIDE: the child's amoeba function; none: the parent's.
        function: Bytes,
    }
}

const FUNCTIONS: &str = r#"
/*
 * The cell dx to the east and dy to the south of an amoeba; neither may exceed the view
 * distance.
 */
static inline const amoebas_cell *amoebas_cell_at(const amoebas_question *amoeba, int dx, int dy)
{
    int reach = amoeba->view_distance;
    return (const amoebas_cell *)(amoeba + 1) + (dy + reach) * (2 * reach + 1) + dx + reach;
}

/* The steps to the east and to the south that lead to the neighbor in a direction. */
static inline int amoebas_dx(unsigned dir)
{
    return dir == 1 || dir == 5 ? 0 : dir >= 2 && dir <= 4 ? 1 : -1;
}

static inline int amoebas_dy(unsigned dir)
{
    return dir == 3 || dir == 7 ? 0 : dir >= 4 && dir <= 6 ? 1 : -1;
}
"#;

impl Batch for Amoebas {
    const HEADER: Header = Header {
        game: "amoebas",
        about: "\
amoebas: each decision is about one amoeba; an amoebas_question and the window behind it tell
what it sees, an amoebas_answer what it does.",
        constants: &[
            Group {
                doc: "Actions. One whose needs are not met becomes a rest.",
                constants: &[
                    number("AMOEBAS_REST", REST as u32, "eat from the cell and recover"),
                    number("AMOEBAS_MOVE", MOVE as u32, "go to an empty neighboring cell"),
                    number("AMOEBAS_HIT", HIT as u32, "hurt whoever is on a neighboring cell"),
                    number(
                        "AMOEBAS_DIVIDE",
                        DIVIDE as u32,
                        "put a child on an empty neighboring cell",
                    ),
                ],
            },
            Group {
                doc: "Directions, clockwise.",
                constants: &[
                    number("AMOEBAS_NW", 0, "north-west"),
                    number("AMOEBAS_N", 1, "north"),
                    number("AMOEBAS_NE", 2, "north-east"),
                    number("AMOEBAS_E", 3, "east"),
                    number("AMOEBAS_SE", 4, "south-east"),
                    number("AMOEBAS_S", 5, "south"),
                    number("AMOEBAS_SW", 6, "south-west"),
                    number("AMOEBAS_W", 7, "west"),
                ],
            },
        ],
        parts: &[AmoebaCell::LAYOUT],
        question: AmoebaQuestion::LAYOUT,
        answer: AmoebaAnswer::LAYOUT,
        functions: FUNCTIONS,
    };

    /// 1 ms, as each amoeba adds where the clock decides.
    const FUEL: u64 = 2_500_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        let reach = self.rules().view_distance as i32;
        let side = 2 * reach as usize + 1;
        let stride = AmoebaQuestion::SIZE + side * side * AmoebaCell::SIZE;
        let mut at = out.len();
        out.resize(at + decisions.len() * stride, 0);
        let mut known = BTreeMap::new();
        for &decision in decisions {
            let view = self.view(decision);
            let data = view.cell(0, 0).map_or(Bytes::NONE, |me| data_of(me, &mut known, out));
            let question = AmoebaQuestion {
                energy: view.energy() as u16,
                health: view.health() as u16,
                species: view.species().0,
                view_distance: reach as u16,
                data,
                function: view
                    .function()
                    .map_or(Bytes::NONE, |blob| Bytes::append(blob.bytes(), out)),
            };
            question.put(&mut out[at..at + AmoebaQuestion::SIZE]);
            at += AmoebaQuestion::SIZE;
            write_window(&view, at, &mut known, out);
            at += side * side * AmoebaCell::SIZE;
        }
        stride
    }

    /// Every amoeba may divide, and give data and functions of the greatest length.
    fn answer_room(&self, decisions: &[Decision]) -> usize {
        decisions.len() * (AmoebaAnswer::SIZE + 3 * self.rules().data_limit as usize)
    }

    type AnswerRecord = AmoebaAnswer;

    fn read_answer(
        &self,
        _: Decision,
        record: AmoebaAnswer,
        answered: &[u8],
    ) -> (Answer, Option<String>) {
        match read(&record, answered, self.rules().data_limit) {
            Ok(answer) => (answer, None),
            Err(wrong) => (Answer::FAULT, Some(wrong)),
        }
    }
}

/// Returns where the data of a cell's occupant are in `out`. Writes the data of each cell once.
fn data_of(cell: CellView<'_>, known: &mut BTreeMap<usize, Bytes>, out: &mut Vec<u8>) -> Bytes {
    let Some(data) = cell.occupant().and_then(|occupant| occupant.data()) else {
        return Bytes::NONE;
    };
    *known.entry(cell.number()).or_insert_with(|| Bytes::append(data.bytes(), out))
}

/// Writes the cells in view into `out` from `at` on, and their data at its end.
fn write_window(
    view: &View<'_>,
    mut at: usize,
    known: &mut BTreeMap<usize, Bytes>,
    out: &mut Vec<u8>,
) {
    let reach = view.view_distance();
    let window = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
    for cell in window.filter_map(|(dx, dy)| view.cell(dx, dy)) {
        let mut record = AmoebaCell {
            fuel: cell.fuel() as u16,
            occupant: 0,
            energy: 0,
            health: 0,
            data: Bytes::NONE,
        };
        if let Some(occupant) = cell.occupant() {
            record.occupant = occupant.species().0 + 1;
            record.energy = occupant.energy() as u16;
            record.health = occupant.health() as u16;
            record.data = data_of(cell, known, out);
        }
        record.put(&mut out[at..at + AmoebaCell::SIZE]);
        at += AmoebaCell::SIZE;
    }
}

fn read(record: &AmoebaAnswer, answered: &[u8], data_limit: u32) -> Result<Answer, String> {
    let blob = |what: &str, bytes: Bytes| match bytes.of(answered) {
        Ok(bytes) => Ok(bytes.map(|bytes| Baggage::blob(bytes, data_limit))),
        Err(wrong) => Err(format!("its {what} is {wrong}; the amoeba rests")),
    };
    let dir = || {
        let wrong = || {
            format!(
                "direction {} is not one of 0 (north-west) to 7 (west); the amoeba rests",
                record.dir
            )
        };
        Dir::new(record.dir).ok_or_else(wrong)
    };
    let command = match record.action {
        REST => Command::Rest,
        MOVE => Command::Move { dir: dir()? },
        HIT => Command::Hit { dir: dir()? },
        DIVIDE => Command::Divide { dir: dir()? },
        other => return Err(format!("{other} is no action; the amoeba rests")),
    };
    let mut baggage = Baggage { data: blob("data", record.data)?, ..Baggage::default() };
    if let Command::Divide { .. } = command {
        baggage.function = blob("function", record.function)?;
        baggage.child_data = blob("child_data", record.child_data)?;
    }
    Ok(Answer::new(command, baggage))
}
