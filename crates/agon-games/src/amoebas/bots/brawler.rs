//! The built-in bot `brawler`: stays at home, and hits every amoeba of another species beside it.
//!
//! It does not ask whether a hit pays. Whoever grazes beside brawlers is hit each round until it
//! leaves or dies, so their land stays theirs.

use agon_core::{Builtin, Policy, Rng};

use super::living::{DIVIDE, Surroundings, prey};
use crate::amoebas::{Amoebas, Answer, View};

pub(super) const BUILTIN: Builtin<Amoebas> = Builtin {
    name: "brawler",
    version: 1,
    summary: "divides early, stays at home and hits every neighbour of another species",
    params: &[DIVIDE],
    make: |params| Ok(Box::new(Brawler { divide: params.number("divide", 0..=10_000)? })),
};

struct Brawler {
    divide: u32,
}

impl Policy<Amoebas> for Brawler {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        if let Some(dir) = prey(view, |_, _| true) {
            return Answer::hit(dir);
        }
        let surroundings = Surroundings::new(view);
        surroundings.divide(self.divide).unwrap_or_else(|| surroundings.graze())
    }
}
