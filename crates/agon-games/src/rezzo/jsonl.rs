//! What an agent sees in a tick, and its action, as JSON. Programs that speak the JSON Lines
//! protocol get these questions and send these replies.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Action, Answer, Cell, Kind, Rezzo, View, answer::Ack, position::VIEWPORT};
use crate::jsonl::{JsonGame, list, number};

/// The characters that show what is one's own; those of player `n` are `n` places further in the
/// alphabet than those of player 0.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Setup")]
pub struct Setup {
    /// The agent, `0` to `9`.
    agent: char,
    /// Flags, `A` to `J`.
    flag: char,
    /// Flag geysers, `a` to `j`.
    geyser: char,
    /// Bases, `n` to `w`.
    base: char,
}

/// What an agent sees in a tick.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Observation")]
pub struct Observation {
    /// What became of the previous answer.
    ack: Ack,
    /// The 13×13 cells ahead, a string a row from the farthest to the agent's own, left to right.
    /// The agent is `rows[12][6]`, the cell ahead of it `rows[11][6]`.
    rows: Vec<String>,
    /// The damage of the same cells.
    damage: Vec<[u8; VIEWPORT]>,
}

/// What the agent does: `{"action": "ADVANCE"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "an object with \"action\"")]
#[schemars(rename = "Reply")]
pub struct Reply {
    /// The action.
    pub action: Action,
}

impl JsonGame for Rezzo {
    type Setup = Setup;
    type Observation<'a> = Observation;
    type Reply = Reply;

    fn setup(&self, player: Player) -> Setup {
        let shown = |kind| Cell::owned(kind, player.0 as u8 + 1).to_char();
        Setup {
            agent: shown(Kind::Agent),
            flag: shown(Kind::Flag),
            geyser: shown(Kind::Geyser),
            base: shown(Kind::Base),
        }
    }

    fn observe<'a>(view: &View<'a>) -> Observation
    where
        Self: 'a,
    {
        let damage: Vec<u8> =
            View::places().map(|(forward, right)| view.damage(forward, right)).collect();
        Observation { ack: view.ack(), rows: view.rows(), damage: damage.as_chunks().0.to_vec() }
    }

    fn write_observation<'a>(view: &View<'a>, out: &mut Vec<u8>)
    where
        Self: 'a,
    {
        out.extend_from_slice(b"{\"ack\":");
        serde_json::to_writer(&mut *out, &view.ack()).expect("a word can always be written");
        out.extend_from_slice(b",\"rows\":");
        list(View::rows_of_places(), out, |row, out| {
            out.push(b'"');
            // None of these characters needs an escape in JSON.
            out.extend(row.map(|(forward, right)| view.cell(forward, right).to_char() as u8));
            out.push(b'"');
        });
        out.extend_from_slice(b",\"damage\":");
        list(View::rows_of_places(), out, |row, out| {
            list(row, out, |(forward, right), out| number(view.damage(forward, right).into(), out));
        });
        out.push(b'}');
    }

    fn answer_from(reply: Reply) -> Answer {
        reply.action.into()
    }

    /// `None` for several messages and for bytes that name no action: only programs of the binary
    /// protocol can send these.
    fn reply_for(answer: Answer) -> Option<Reply> {
        let action = answer.action()?;
        (Answer::from(action) == answer).then_some(Reply { action })
    }
}
