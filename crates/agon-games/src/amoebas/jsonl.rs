//! What an amoeba sees, and what it replies, as JSON. Programs that speak the JSON Lines protocol
//! get these questions and send these replies.

use agon_core::{Blob, Game, Player};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Amoebas, Answer, Baggage, Command, Dir, Offset, View};
use crate::jsonl::JsonGame;

/// How places relate to an amoeba.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Setup")]
pub struct Setup {
    /// For each direction, from 0, the way to the cell there: dx to the east, dy to the south.
    directions: [Offset; 8],
    /// For each number in `fuel` where that cell lies: dx, dy.
    window: Vec<Offset>,
}

/// What an amoeba sees: itself and the cells around it.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Observation")]
pub struct Observation<'a> {
    /// Its energy.
    energy: u32,
    /// Its health.
    health: u32,
    /// Its data; null: none.
    data: Option<&'a Blob>,
    /// Its amoeba function; null: the original one of its species.
    function: Option<&'a Blob>,
    /// The fuel of each cell in its window, row by row from the north-west; its own cell is in the
    /// middle.
    fuel: Vec<u32>,
    /// The other amoebas in its window, in the same order.
    others: Vec<Other<'a>>,
}

/// Another amoeba.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Other<'a> {
    /// Columns to the east of the amoeba that looks.
    dx: i32,
    /// Rows to the south of it.
    dy: i32,
    /// Its species: the number of its player.
    species: u16,
    /// Its energy.
    energy: u32,
    /// Its health.
    health: u32,
    /// Its data; null: none.
    data: Option<&'a Blob>,
}

/// What an amoeba does: `{"cmd": "move", "dir": 4, "data": "x"}`. Without `data` its old data are
/// forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "cmd", rename_all = "snake_case", expecting = "an object with \"cmd\"")]
#[schemars(rename = "Reply")]
pub enum Reply {
    /// Eats from its cell and recovers.
    Rest {
        /// The amoeba's data from now on; left out: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Blob>,
    },
    /// Goes to an empty neighboring cell.
    Move {
        /// Where to.
        dir: Dir,
        /// The amoeba's data from now on; left out: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Blob>,
    },
    /// Hurts the amoeba on a neighboring cell, friend or foe.
    Hit {
        /// Where it is.
        dir: Dir,
        /// The amoeba's data from now on; left out: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Blob>,
    },
    /// Puts a child on an empty neighboring cell.
    Divide {
        /// Where to.
        dir: Dir,
        /// The amoeba's data from now on; left out: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Blob>,
        /// The child's amoeba function; left out: the parent's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        function: Option<Blob>,
        /// The child's data; left out: none.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "child-data")]
        child_data: Option<Blob>,
    },
}

fn window(reach: i32) -> impl Iterator<Item = Offset> {
    (-reach..=reach).flat_map(move |dy| (-reach..=reach).map(move |dx| (dx, dy)))
}

impl JsonGame for Amoebas {
    type Setup = Setup;
    type Observation<'a> = Observation<'a>;
    type Reply = Reply;

    fn setup(&self, _: Player) -> Setup {
        let window = window(self.rules().view_distance as i32).collect();
        Setup { directions: Dir::ALL.map(Dir::offset), window }
    }

    fn observe<'a>(view: &View<'a>) -> Observation<'a>
    where
        Self: 'a,
    {
        let window = || window(view.view_distance());
        let other = |(dx, dy)| {
            let other = view.cell(dx, dy)?.occupant()?;
            Some(Other {
                dx,
                dy,
                species: other.species().0,
                energy: other.energy(),
                health: other.health(),
                data: other.data(),
            })
        };
        Observation {
            energy: view.energy(),
            health: view.health(),
            data: view.data(),
            function: view.function(),
            fuel: window()
                .filter_map(|(dx, dy)| view.cell(dx, dy))
                .map(|cell| cell.fuel())
                .collect(),
            others: window().filter(|&at| at != (0, 0)).filter_map(other).collect(),
        }
    }

    fn answer_from(reply: Reply) -> Answer {
        match reply {
            Reply::Rest { data } => Answer::REST.with_data(data),
            Reply::Move { dir, data } => Answer::step(dir).with_data(data),
            Reply::Hit { dir, data } => Answer::hit(dir).with_data(data),
            Reply::Divide { dir, data, function, child_data } => {
                Answer::new(Command::Divide { dir }, Baggage { data, function, child_data })
            }
        }
    }

    fn reply_for(answer: Answer) -> Option<Reply> {
        let (command, Baggage { data, function, child_data }) = answer.into_parts();
        Some(match command {
            Command::Fault => return None,
            Command::Rest => Reply::Rest { data },
            Command::Move { dir } => Reply::Move { dir, data },
            Command::Hit { dir } => Reply::Hit { dir, data },
            Command::Divide { dir } => Reply::Divide { dir, data, function, child_data },
        })
    }
}
