//! What a cell sees, and what it replies, as JSON. Programs that speak the JSON Lines protocol get
//! these questions and send these replies.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Action, Answer, Cellhack, View};
use crate::jsonl::{JsonGame, NoSetup};

/// What a cell sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Observation")]
pub struct Observation {
    /// The cell and its neighbours, row by row from the top left one: 0 empty, 255 rock, else a
    /// player's number plus one.
    pub env: [u8; 9],
    /// The cell's energy; 255 stands for all that does not fit a byte.
    pub energy: u8,
    /// The cell's memory: any 64 bits.
    #[schemars(extend("maximum" = u64::MAX))]
    pub memory: u64,
}

/// What a cell does: `{"action": "MOVE_UP", "memory": 5}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "an object with \"action\"")]
#[schemars(rename = "Reply")]
pub struct Reply {
    /// The action.
    pub action: Action,
    /// What the cell's memory becomes, before it acts; left out: it stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maximum" = u64::MAX))]
    pub memory: Option<u64>,
}

impl JsonGame for Cellhack {
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
        Observation { env: view.env().0, energy: view.energy(), memory: view.memory() }
    }

    fn answer_from(Reply { action, memory }: Reply) -> Answer {
        Answer { action, memory }
    }

    fn reply_for(Answer { action, memory }: Answer) -> Option<Reply> {
        Some(Reply { action, memory })
    }
}
