//! The built-in bot `horde`: takes land like `marshal`, but attacks with all that is near and
//! never falls back.
//!
//! Every stack beside a victim joins the strike, whether it is needed or not. The victim's cell is
//! taken with more units, and fewer of them stay behind to defend the own ones.

use agon_core::{ParamError, Params, Policy, Rng};

use super::{
    battlefield::Battlefield,
    fight::{Strikers, join, press, strike},
    land::claim,
    supply::supply,
};
use crate::binfection::{Answer, Binfection, View};

struct Horde {
    /// Percent of a threat that a stack withstands if it presses.
    caution: u64,
}

pub(super) fn make(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(Horde { caution: params.number("caution", 0..=300)? }))
}

impl Policy<Binfection> for Horde {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let cap = view.rules().cap();
        let mut field = Battlefield::new(view);
        strike(&mut field, Strikers::All);
        let left = claim(&mut field, view.rules());
        join(&mut field, &left, cap);
        supply(&mut field, cap);
        press(&mut field, self.caution);
        field.answer()
    }
}
