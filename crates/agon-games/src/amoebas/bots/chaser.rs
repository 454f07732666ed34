//! The built-in bot `chaser`: goes after amoebas of other species that it sees, and kills them
//! together with its kin.
//!
//! A kill takes three hits, and so more energy than a single amoeba likes to spend. Chasers come
//! from all sides, so the hits of a kill are shared, and what the victim had becomes fuel beside
//! them.

use agon_core::{Builtin, Param, Policy, Rng};

use super::living::{DIVIDE, Surroundings, kin_around, prey};
use crate::amoebas::{Amoebas, Answer, Dir, Offset, View, helpers};

pub(super) const BUILTIN: Builtin<Amoebas> = Builtin {
    name: "chaser",
    version: 1,
    summary: "divides early, goes after other species in view and kills them with its kin",
    params: &[
        DIVIDE,
        Param {
            name: "brave",
            default: "40",
            summary: "energy from which it goes after others (0 to 10000)",
        },
    ],
    make: |params| {
        let divide = params.number("divide", 0..=10_000)?;
        Ok(Box::new(Chaser { divide, brave: params.number("brave", 0..=10_000)? }))
    },
};

struct Chaser {
    divide: u32,
    brave: u32,
}

impl Policy<Amoebas> for Chaser {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        if let Some(dir) = prey(view, |dir, hits| can_kill(view, dir, hits)) {
            return Answer::hit(dir);
        }
        let surroundings = Surroundings::new(view);
        if let Some(answer) = surroundings.divide(self.divide) {
            return answer;
        }
        let chase = (view.energy() >= self.brave).then(|| chase(view)).flatten();
        chase.map_or_else(|| surroundings.graze(), Answer::step)
    }
}

/// Whether it can kill its neighbour: alone, or if everybody beside the neighbour hits once.
fn can_kill(view: &View<'_>, dir: Dir, hits: u32) -> bool {
    let alone = view.energy() >= hits.saturating_mul(view.rules().hit_energy);
    hits == 1 || alone || kin_around(view, dir.offset()) >= hits as usize
}

/// The step towards the nearest amoeba of another species, the weakest of equally near ones.
fn chase(view: &View<'_>) -> Option<Dir> {
    let distance = |(x, y): Offset| x.abs().max(y.abs());
    let hostile = |at: Offset| {
        let other = view.cell(at.0, at.1)?.occupant()?;
        (other.species() != view.species()).then_some((distance(at), other.health(), at))
    };
    let all = helpers::environment(view.view_distance());
    let (near, _, (x, y)) = all.filter_map(hostile).min()?;
    if near == 1 {
        // It is beside one already, and cannot kill it yet.
        return None;
    }
    let left = |dir: &Dir| {
        let (dx, dy) = dir.offset();
        (distance((x - dx, y - dy)), (x - dx).abs() + (y - dy).abs())
    };
    helpers::empty_neighbors(view).iter().min_by_key(left)
}
