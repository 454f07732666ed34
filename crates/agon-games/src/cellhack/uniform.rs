//! Questions and answers as JSON.

use agon_core::Player;

use super::{Answer, Cellhack, View, protocol::Question};
use crate::uniform::Uniform;

impl Uniform for Cellhack {
    type Setup = ();
    type Observation<'a> = Question;
    type Reply = Answer;

    fn setup(&self, _: Player) {}

    fn observe<'a>(view: &View<'a>) -> Question
    where
        Self: 'a,
    {
        Question::new(view)
    }

    fn accept(reply: Answer) -> Answer {
        reply
    }
}
