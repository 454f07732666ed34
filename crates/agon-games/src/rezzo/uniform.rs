//! Questions and answers as JSON.

use agon_core::Player;

use super::{Answer, Rezzo, View};
use crate::uniform::Uniform;

impl Uniform for Rezzo {
    type Setup = ();
    type Observation<'a> = ();
    type Reply = Answer;

    fn setup(&self, _: Player) {}

    fn observe<'a>(_: &View<'a>)
    where
        Self: 'a,
    {
        todo!()
    }

    fn accept(reply: Answer) -> Answer {
        reply
    }
}
