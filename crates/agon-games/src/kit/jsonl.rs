//! Questions and answers of games of the kit in the JSON Lines protocol: a question lists the legal
//! answers, and a bot sends one back.

use agon_core::Player;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kit, SmallGame, View};
use crate::jsonl::{JsonGame, NoSetup};

/// What one decision sees.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Observation")]
pub struct Observation<V, A> {
    /// The unit that the decision is about.
    pub unit: u32,
    /// The answers that are allowed now. Send one of them back, as it is.
    pub legal: Vec<A>,
    /// What the game shows.
    pub view: V,
}

impl<S: SmallGame> JsonGame for Kit<S> {
    const LISTS_LEGAL: bool = true;

    type Setup = NoSetup;
    type Observation<'a> = Observation<S::View, S::Answer>;
    type Reply = S::Answer;

    fn setup(&self, _: Player) -> NoSetup {
        NoSetup {}
    }

    fn observe<'a>(view: &View<'a, S>) -> Observation<S::View, S::Answer>
    where
        Self: 'a,
    {
        Observation {
            unit: view.decision().unit,
            legal: view.legal_answers().cloned().collect(),
            view: view.seen(),
        }
    }

    fn answer_from(reply: S::Answer) -> S::Answer {
        reply
    }

    fn reply_for(answer: S::Answer) -> Option<S::Answer> {
        Some(answer)
    }
}
