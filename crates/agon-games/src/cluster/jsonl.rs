//! What the player to move sees, and its move, as JSON. Programs that speak the JSON Lines protocol
//! get these questions and send these replies.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answer, Board, Cell, Cluster, View, own_colors};
use crate::jsonl::{JsonGame, NONE, list, number};

/// What never changes: the geometry and the colors.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Setup")]
pub struct Setup {
    /// For each cell, from 0, its neighbors in directions 0 to 5; -1 beyond the edge.
    neighbors: Vec<[i32; 6]>,
    /// For each column, from 0, its top cell under gravity 0 to 5.
    tops: Vec<[Cell; 6]>,
    /// For each player, from 0, its two colors.
    colors: [[u8; 2]; 2],
    /// Pellets of each color that a full bag holds.
    bag: u32,
}

impl Setup {
    fn new(board: &Board, bag: u32) -> Setup {
        let neighbor = |cell, direction| board.neighbor(cell, direction).map_or(NONE, i32::from);
        let neighbors =
            (0..board.cells() as Cell).map(|cell| std::array::from_fn(|i| neighbor(cell, i as u8)));
        let tops =
            (0..board.columns()).map(|column| std::array::from_fn(|i| board.top(column, i as u8)));
        Setup {
            neighbors: neighbors.collect(),
            tops: tops.collect(),
            colors: [Player(0), Player(1)].map(own_colors),
            bag,
        }
    }
}

/// What the player to move sees.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Observation")]
pub struct Observation {
    /// The direction in which pellets fall, 0 to 5.
    gravity: u8,
    /// For each cell the color of the pellet on it; -1 if it is empty.
    cells: Vec<i32>,
    /// The colors in hand, in ascending order; a color held twice is there twice.
    hand: Vec<u8>,
    /// The columns that take a pellet now.
    columns: Vec<Column>,
    /// What is left in the own bags, without the hand.
    bags: [Bag; 2],
    /// Own pellets burnt by rotations so far.
    burnt: u32,
}

/// A column that takes a pellet.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Column {
    /// Its number.
    column: usize,
    /// The cell where a pellet enters.
    top: Cell,
    /// The cell where it comes to rest.
    landing: Cell,
}

/// The bag of a color.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Bag {
    /// The color.
    color: u8,
    /// Pellets in it.
    pellets: u32,
}

/// A move: `{"action": "PLACE", "column": 3, "color": 0}` or `{"action": "ROTATE", "cycles": 2}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "action",
    rename_all = "SCREAMING_SNAKE_CASE",
    expecting = "an object with \"action\""
)]
#[schemars(rename = "Reply")]
pub enum Reply {
    /// Lets a pellet fall into a column.
    Place {
        /// The column, from 0.
        column: u16,
        /// The pellet's color; it has to be in hand.
        color: u8,
    },
    /// Turns the gravity; the pellets in hand are burnt.
    Rotate {
        /// Sixths of a full turn, from 1 to 5.
        cycles: u8,
    },
    /// Gives the game up.
    Forfeit,
}

impl JsonGame for Cluster {
    type Setup = Setup;
    type Observation<'a> = Observation;
    type Reply = Reply;

    fn setup(&self, _: Player) -> Setup {
        Setup::new(self.board(), self.rules.bag_size())
    }

    fn observe<'a>(view: &View<'a>) -> Observation
    where
        Self: 'a,
    {
        let board = view.board();
        let gravity = view.gravity();
        let pellets = view.pellets();
        let color = |cell| pellets.color_at(cell).map_or(NONE, i32::from);
        let column = |(column, top)| {
            let landing = board.landing(column, gravity, |cell| pellets.is_free(cell))?;
            Some(Column { column, top, landing })
        };
        Observation {
            gravity,
            cells: (0..board.cells() as Cell).map(color).collect(),
            hand: view.hand().to_vec(),
            columns: view.valid_columns().filter_map(column).collect(),
            bags: view.bags().map(|(color, pellets)| Bag { color, pellets }),
            burnt: view.burnt(),
        }
    }

    fn write_observation<'a>(view: &View<'a>, out: &mut Vec<u8>)
    where
        Self: 'a,
    {
        let board = view.board();
        let gravity = view.gravity();
        let pellets = view.pellets();
        out.extend_from_slice(b"{\"gravity\":");
        number(gravity.into(), out);
        out.extend_from_slice(b",\"cells\":");
        list(0..board.cells() as Cell, out, |cell, out| match pellets.color_at(cell) {
            None => out.extend_from_slice(b"-1"),
            Some(color) => number(color.into(), out),
        });
        out.extend_from_slice(b",\"hand\":");
        list(view.hand(), out, |&color, out| number(color.into(), out));
        out.extend_from_slice(b",\"columns\":");
        let landing = |(column, top)| Some((column, top, pellets.landing(top)?));
        list(view.valid_columns().filter_map(landing), out, |(column, top, landing), out| {
            out.extend_from_slice(b"{\"column\":");
            number(column as u64, out);
            out.extend_from_slice(b",\"top\":");
            number(top.into(), out);
            out.extend_from_slice(b",\"landing\":");
            number(landing.into(), out);
            out.push(b'}');
        });
        out.extend_from_slice(b",\"bags\":");
        list(view.bags(), out, |(color, pellets), out| {
            out.extend_from_slice(b"{\"color\":");
            number(color.into(), out);
            out.extend_from_slice(b",\"pellets\":");
            number(pellets.into(), out);
            out.push(b'}');
        });
        out.extend_from_slice(b",\"burnt\":");
        number(view.burnt().into(), out);
        out.push(b'}');
    }

    fn answer_from(reply: Reply) -> Answer {
        match reply {
            Reply::Place { column, color } => Answer::Place { column, color },
            Reply::Rotate { cycles } => Answer::Rotate { cycles },
            Reply::Forfeit => Answer::Forfeit,
        }
    }

    fn reply_for(answer: Answer) -> Option<Reply> {
        Some(match answer {
            Answer::Place { column, color } => Reply::Place { column, color },
            Answer::Rotate { cycles } => Reply::Rotate { cycles },
            Answer::Forfeit => Reply::Forfeit,
        })
    }
}
