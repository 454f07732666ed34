//! What a player sees in a turn, and its moves, as JSON. Programs that speak the JSON Lines
//! protocol get these questions and send these replies.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answer, Binfection, Cell, Move, View};
use crate::jsonl::{JsonGame, NONE, NoSetup, number};

/// What a bot sees.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Observation")]
pub struct Observation {
    /// All own cells and their eight neighbors, each once, row by row; those outside of the field
    /// are missing.
    cells: Vec<SeenCell>,
}

/// A cell and what is on it.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct SeenCell {
    /// Column, from 0 at the left.
    x: u32,
    /// Row, from 0 at the top.
    y: u32,
    /// The player whose units they are; -1 on an empty cell.
    owner: i32,
    /// Number of units, up to 10^12.
    units: u64,
}

impl From<Cell> for SeenCell {
    fn from(Cell { x, y, owner, units }: Cell) -> SeenCell {
        SeenCell { x, y, owner: owner.map_or(NONE, |player| player.0.into()), units }
    }
}

/// The moves of a turn: `{"moves": [{"x": 4, "y": 3, "direction": 2}]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "an object with \"moves\"")]
#[schemars(rename = "Reply")]
pub struct Reply {
    /// At most one move per own cell; of several for a cell the last counts, moves of foreign cells
    /// do not.
    pub moves: Vec<Move>,
}

impl JsonGame for Binfection {
    type Setup = NoSetup;
    type Observation<'a> = Observation;
    type Reply = Reply;

    fn setup(&self, _: Player) -> NoSetup {
        NoSetup {}
    }

    fn observe<'a>(view: &View<'a>) -> Observation
    where
        Self: 'a,
    {
        Observation { cells: view.seen().into_iter().map(SeenCell::from).collect() }
    }

    fn write_observation<'a>(view: &View<'a>, out: &mut Vec<u8>)
    where
        Self: 'a,
    {
        out.extend_from_slice(b"{\"cells\":[");
        view.visit_visible(|run| {
            for Cell { x, y, owner, units } in run.cells() {
                out.extend_from_slice(b"{\"x\":");
                number(x.into(), out);
                out.extend_from_slice(b",\"y\":");
                number(y.into(), out);
                out.extend_from_slice(b",\"owner\":");
                match owner {
                    None => out.extend_from_slice(b"-1"),
                    Some(player) => number(player.0.into(), out),
                }
                out.extend_from_slice(b",\"units\":");
                number(units, out);
                out.extend_from_slice(b"},");
            }
        });
        // Drops the last comma. There always is one: a bot that is asked owns a cell.
        out.pop();
        out.extend_from_slice(b"]}");
    }

    fn answer_from(reply: Reply) -> Answer {
        Answer { moves: reply.moves }
    }

    fn reply_for(answer: Answer) -> Option<Reply> {
        Some(Reply { moves: answer.moves })
    }
}
