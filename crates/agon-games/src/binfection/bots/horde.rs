//! The built-in bot `horde`: takes land like `marshal`, but attacks with all that is near and
//! never falls back.
//!
//! Every stack beside a victim joins the strike, whether it is needed or not. The victim's cell is
//! taken with more units, and fewer of them stay behind to defend the own ones. Like `marshal` it
//! rehearses the turn, but harm to the enemies is worth more to it.

use agon_core::{ParamError, Params, Policy, Rng};

use super::{
    battlefield::Battlefield,
    fight::{Strikers, join, press, strike},
    land::claim,
    rehearsal::{Worth, rehearse},
    supply::supply,
};
use crate::binfection::{Answer, Binfection, Rules, View};

/// A loss of the enemies counts a little less than a gain.
const WORTH: Worth = Worth { cell: 30, harm: 80, guess: 1 };

struct Horde {
    /// Percent of a threat that a stack withstands if it presses.
    caution: u64,
}

pub(super) fn make(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(Horde { caution: params.number("caution", 0..=300)? }))
}

impl Policy<Binfection> for Horde {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let mut field = Battlefield::new(view);
        rehearse(&mut field, view.rules(), WORTH, |field| self.plan(field, view.rules()));
        field.answer()
    }
}

impl Horde {
    fn plan(&self, field: &mut Battlefield, rules: &Rules) {
        let cap = rules.cap();
        strike(field, Strikers::All);
        let left = claim(field, rules);
        join(field, &left, cap);
        supply(field, cap);
        press(field, self.caution);
    }
}
