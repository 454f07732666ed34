//! The built-in bot `marshal`: takes the most land that its stacks can take, and fights with just
//! enough of them.
//!
//! In each turn it strikes where enough stacks meet, matches all other stacks with empty cells,
//! moves units from behind to where the front is weakest, presses where that is safe, and falls
//! back where it is not. Each step gives orders to stacks that have none yet. Then it rehearses the
//! turn against what it would do in the enemies' place, and improves the orders of its front.

use agon_core::{ParamError, Params, Policy, Rng};

use super::{
    battlefield::Battlefield,
    fight::{Strikers, fall_back, join, press, strike},
    land::claim,
    rehearsal::{Worth, rehearse},
    supply::supply,
};
use crate::binfection::{Answer, Binfection, Rules, View};

/// A loss of the enemies counts less than a gain.
const WORTH: Worth = Worth { cell: 30, harm: 60, guess: 3 };

struct Marshal {
    /// Percent of a threat that a stack withstands if it presses.
    caution: u64,
}

pub(super) fn make(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(Marshal { caution: params.number("caution", 0..=300)? }))
}

impl Policy<Binfection> for Marshal {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let mut field = Battlefield::new(view);
        rehearse(&mut field, view.rules(), WORTH, |field| self.plan(field, view.rules()));
        field.answer()
    }
}

impl Marshal {
    fn plan(&self, field: &mut Battlefield, rules: &Rules) {
        let cap = rules.cap();
        strike(field, Strikers::Enough);
        let left = claim(field, rules);
        join(field, &left, cap);
        supply(field, cap);
        press(field, self.caution);
        fall_back(field);
    }
}
