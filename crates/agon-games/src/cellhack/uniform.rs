//! Questions and answers as JSON.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Action, Answer, Cellhack, View, protocol::Question};
use crate::uniform::{NoSetup, Uniform};

/// What a cell does: `{"action": "MOVE_UP", "memory": 5}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Reply")]
pub struct Reply {
    /// The action.
    pub action: Action,
    /// What the cell's memory becomes, before it acts; left out: it stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

impl Uniform for Cellhack {
    type Setup = NoSetup;
    type Observation<'a> = Question;
    type Reply = Reply;

    fn setup(&self, _: Player) -> NoSetup {
        NoSetup {}
    }

    fn observe<'a>(view: &View<'a>) -> Question
    where
        Self: 'a,
    {
        Question::new(view)
    }

    fn accept(Reply { action, memory }: Reply) -> Answer {
        Answer { action, memory }
    }

    fn reply(Answer { action, memory }: Answer) -> Option<Reply> {
        Some(Reply { action, memory })
    }
}
