//! The question to the player to move, and its answer, as flat memory, for native and WebAssembly
//! bots. The hosts in `agon-bots` send and read these records.

use agon_core::{Decision, Game};

use super::{Answer, Cell, Cluster, View, opponent, own_colors};
use crate::batch::{Batch, Group, Header, Record, append_array, number, record, write_records};

/// The colour of an empty cell, and the filler after the colours in hand.
pub const EMPTY: u8 = u8::MAX;

/// Stands for a missing neighbour.
pub const NO_CELL: Cell = Cell::MAX;

/// The codes of actions.
pub const PLACE: u8 = 1;
/// See [`PLACE`].
pub const ROTATE: u8 = 2;
/// See [`PLACE`].
pub const FORFEIT: u8 = 3;

record! {
    /// What the player to move sees.
    pub struct ClusterQuestion = "cluster_question" {
        /// Cells of the board, numbered from 0 in the centre. The geometry is the same in all
        /// questions of a match.
        cells: u32,
        /// Columns, whatever the gravity.
        columns: u32,
        /// Offset of uint16_t[cells][6]; cluster_neighbor reads it.
        neighbors: u32,
        /// Offset of uint16_t[columns][6]; cluster_top reads it.
        tops: u32,
        /// Offset of uint8_t[cells]; cluster_colors finds it.
        colors: u32,
        /// Pellets left in your bags, the hand not included, in the order of own_colors.
        bags: [u32; 2],
        /// Your pellets that have been burnt by rotations.
        burnt: u32,
        /// Cells along each edge of the board.
        side: u8,
        /// How long a run has to be to win.
        run_length: u8,
        /// The direction in which pellets fall, 0 to 5.
        gravity: u8,
        /// Pellets in hand.
        hand_size: u8,
        /// Their colors in ascending order, then CLUSTER_EMPTY.
        hand: [u8; 8],
        /// Your two colors.
        own_colors: [u8; 2],
        /// The opponent's two colors.
        other_colors: [u8; 2],
    }
}

record! {
    /// What the player does.
    pub struct ClusterAnswer = "cluster_answer" {
        /// CLUSTER_PLACE, CLUSTER_ROTATE or CLUSTER_FORFEIT. 0 is no answer, and loses.
        action: u8,
        /// Of CLUSTER_PLACE: the pellet's color, one of the hand.
        color: u8,
        /// Of CLUSTER_PLACE: the column, whose top cell has to be empty.
        column: u16,
        /// Of CLUSTER_ROTATE: sixths of a full turn, 1 to 5, that are added to the gravity.
        cycles: u8,
        /// Ignored.
        pad: [u8; 3],
    }
}

const FUNCTIONS: &str = r#"
/* The color of the pellet on each cell, CLUSTER_EMPTY for none. */
static inline const uint8_t *cluster_colors(const void *question)
{
    return (const uint8_t *)agon_at(question, cluster_question_at(question, 0)->colors);
}

/* The cell next to a cell in a direction, 0 to 5, or CLUSTER_NO_CELL. */
static inline uint16_t cluster_neighbor(const void *question, unsigned cell, unsigned direction)
{
    uint32_t offset = cluster_question_at(question, 0)->neighbors;
    return ((const uint16_t *)agon_at(question, offset))[6 * cell + direction];
}

/* The cell where a pellet enters a column under a gravity. */
static inline uint16_t cluster_top(const void *question, unsigned column, unsigned gravity)
{
    uint32_t offset = cluster_question_at(question, 0)->tops;
    return ((const uint16_t *)agon_at(question, offset))[6 * column + gravity];
}

/*
 * The cell where a pellet comes to rest in a column now, or CLUSTER_NO_CELL if the column is full.
 */
static inline uint16_t cluster_landing(const void *question, unsigned column)
{
    const uint8_t *colors = cluster_colors(question);
    unsigned gravity = cluster_question_at(question, 0)->gravity;
    uint16_t cell = CLUSTER_NO_CELL, next = cluster_top(question, column, gravity);
    while (next != CLUSTER_NO_CELL && colors[next] == CLUSTER_EMPTY) {
        cell = next;
        next = cluster_neighbor(question, cell, gravity);
    }
    return cell;
}
"#;

impl Batch for Cluster {
    const HEADER: Header = Header {
        game: "cluster",
        about: "\
cluster: a question is one decision, that of the player to move; a cluster_question tells what
it sees, a cluster_answer what it does.

Directions are numbered clockwise: 0 South, 1 SouthWest, 2 NorthWest, 3 North, 4 NorthEast, 5
SouthEast. Gravity is one of them.",
        constants: &[
            Group {
                doc: "What is not there.",
                constants: &[
                    number("CLUSTER_EMPTY", EMPTY as u32, "the color of a cell without a pellet"),
                    number(
                        "CLUSTER_NO_CELL",
                        NO_CELL as u32,
                        "the cell beyond the edge of the board",
                    ),
                ],
            },
            Group {
                doc: "Actions.",
                constants: &[
                    number("CLUSTER_PLACE", PLACE as u32, "let a pellet fall into a column"),
                    number("CLUSTER_ROTATE", ROTATE as u32, "turn the gravity; burns the hand"),
                    number("CLUSTER_FORFEIT", FORFEIT as u32, "give the game up"),
                ],
            },
        ],
        parts: &[],
        question: ClusterQuestion::LAYOUT,
        answer: ClusterAnswer::LAYOUT,
        functions: FUNCTIONS,
    };

    /// Worth 100 ms, the time of a program.
    const FUEL: u64 = 250_000_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        write_records(decisions, out, |decision, out| write_view(&self.view(decision), out))
    }

    type AnswerRecord = ClusterAnswer;

    fn read_answer(
        &self,
        _: Decision,
        record: ClusterAnswer,
        _: &[u8],
    ) -> (Answer, Option<String>) {
        match record.action {
            PLACE => (Answer::Place { column: record.column, color: record.color }, None),
            ROTATE => (Answer::Rotate { cycles: record.cycles }, None),
            FORFEIT => (Answer::Forfeit, None),
            other => (Answer::Forfeit, Some(format!("{other} is no action; it counts as FORFEIT"))),
        }
    }
}

/// Appends the arrays, and returns the record that points to them.
fn write_view(view: &View<'_>, out: &mut Vec<u8>) -> ClusterQuestion {
    let board = view.board();
    let pellets = view.pellets();
    let cells = 0..board.cells() as Cell;
    let around =
        |cell| (0..6).map(move |direction| board.neighbor(cell, direction).unwrap_or(NO_CELL));
    let neighbors = append_array(cells.clone().flat_map(around), out);
    let columns = 0..board.columns();
    let tops = append_array(
        columns.flat_map(|column| (0..6).map(move |gravity| board.top(column, gravity))),
        out,
    );
    let colors = append_array(cells.map(|cell| pellets.color_at(cell).unwrap_or(EMPTY)), out);
    let mut hand = [EMPTY; 8];
    hand.iter_mut().zip(view.hand()).for_each(|(place, &color)| *place = color);
    ClusterQuestion {
        cells: board.cells() as u32,
        columns: board.columns() as u32,
        neighbors,
        tops,
        colors,
        bags: view.bags().map(|(_, left)| left),
        burnt: view.burnt(),
        side: board.side() as u8,
        run_length: view.run_length() as u8,
        gravity: view.gravity(),
        hand_size: view.hand().len() as u8,
        hand,
        own_colors: own_colors(view.player()),
        other_colors: own_colors(opponent(view.player())),
    }
}
