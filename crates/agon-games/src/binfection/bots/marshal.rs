//! The built-in bot `marshal`: takes the most land that its stacks can take, and fights with just
//! enough of them.
//!
//! In each turn it strikes where enough stacks meet, matches all other stacks with empty cells,
//! moves units from behind to where the front is weakest, presses where that is safe, and falls
//! back where it is not. Each step gives orders to stacks that have none yet.

use agon_core::{ParamError, Params, Policy, Rng};

use super::{
    battlefield::Battlefield,
    fight::{Strikers, fall_back, join, press, strike},
    land::claim,
    supply::supply,
};
use crate::binfection::{Answer, Binfection, View};

struct Marshal {
    /// Percent of a threat that a stack withstands if it presses.
    caution: u64,
}

pub(super) fn make(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(Marshal { caution: params.number("caution", 0..=300)? }))
}

impl Policy<Binfection> for Marshal {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let cap = view.rules().cap();
        let mut field = Battlefield::new(view);
        strike(&mut field, Strikers::Enough);
        let left = claim(&mut field, view.rules());
        join(&mut field, &left, cap);
        supply(&mut field, cap);
        press(&mut field, self.caution);
        fall_back(&mut field);
        field.answer()
    }
}
