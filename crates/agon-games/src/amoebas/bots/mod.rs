//! The built-in bots of amoebas: the classic example species, and three of our own.

mod living;
mod slightly_brainy;

use agon_core::{Builtin, Param, Policy, Rng};
use slightly_brainy::TARGET;

use crate::amoebas::{Amoebas, Answer, Dir, View, helpers};
use crate::{BuiltinBots, Preset, Presets, Sample};

pub use slightly_brainy::Target;

impl BuiltinBots for Amoebas {
    const BUILTINS: &'static [Builtin<Amoebas>] = &[
        MINDLESS,
        DIVIDER,
        NASTY,
        slightly_brainy::SLIGHTLY_BRAINY,
        slightly_brainy::MUTATING,
        living::BROOD,
        living::BRAWLER,
        living::CHASER,
        RANDOM,
    ];

    // A brood that divides earlier always wins.
    const SHOW: &'static [&'static str] = &["brood?divide=96", "slightly-brainy", "mutating"];
}

impl Presets for Amoebas {
    // Later the best species has killed the others, and nothing happens any more.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small world, which ends while the species still fight for it.",
        settings: &["world_size=60", "rounds=200"],
    }];
    const SHORT: &'static [&'static str] = &["world_size=80", "rounds=300"];
    // Against this bot a random bot grows without limit, and a whole match with thousands of
    // amoebas takes many minutes.
    const OPTIONS: &'static str = "--turns 100";
    const TINY: &'static str = r#"{"world_size":12,"rounds":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"world_size": 6, "view_distance": 1, "rounds": 3}"#,
        position: Some(
            r#"{"players": 2, "amoebas": [
                {"x": 0, "y": 0, "species": 0, "energy": 80, "health": 10, "data": "scout"},
                {"x": 3, "y": 0, "species": 0, "energy": 40, "health": 6, "function": "low=12"},
                {"x": 4, "y": 0, "species": 1, "energy": 57, "health": 10,
                    "data": "\u0000hex:ff00"}]}"#,
        ),
        script: 0,
        reply: concat!(
            r#"{"cmd":"divide","dir":4,"data":"x","function":"low=12","#,
            r#""child_data":"\u0000hex:ff00"}"#
        ),
    });
}

const MINDLESS: Builtin<Amoebas> = Builtin {
    name: "mindless",
    version: 1,
    summary: "wanders in random directions; it eats only when it is too weak to move",
    params: &[],
    make: |_| Ok(Box::new(Mindless)),
};

const PROBABILITY: Param = Param {
    name: "probability",
    default: "30",
    summary: "chance in percent of dividing rather than moving, once there is energy (0 to 100)",
};

const DIVIDER: Builtin<Amoebas> = Builtin {
    name: "mindless-divider",
    version: 1,
    summary: "eats until it has energy, then moves or divides in a random direction",
    params: &[PROBABILITY],
    make: |params| Ok(Box::new(Divider { probability: params.number("probability", 0..=100)? })),
};

struct Mindless;

impl Policy<Amoebas> for Mindless {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        Answer::step(any_dir(rng))
    }
}

/// Divides with a chance of `probability` percent.
struct Divider {
    probability: u64,
}

impl Policy<Amoebas> for Divider {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        if view.energy() < helpers::above_division_energy_level(view.rules(), 50) {
            Answer::REST
        } else if rng.chance(self.probability, 100) {
            Answer::divide(any_dir(rng))
        } else {
            Answer::step(any_dir(rng))
        }
    }
}

/// Any direction, whether something is there or not.
fn any_dir(rng: &mut Rng) -> Dir {
    Dir::ALL[rng.index(8)]
}

const RANDOM: Builtin<Amoebas> = Builtin {
    name: "random",
    version: 1,
    summary: "rests, moves, hits or divides in a random direction",
    params: &[],
    make: |_| Ok(Box::new(Random)),
};

struct Random;

impl Policy<Amoebas> for Random {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        match rng.index(4) {
            0 => Answer::REST,
            1 => Answer::step(any_dir(rng)),
            2 => Answer::hit(any_dir(rng)),
            _ => Answer::divide(any_dir(rng)),
        }
    }
}

const NASTY: Builtin<Amoebas> = Builtin {
    name: "nasty",
    version: 1,
    summary: "hits hostile neighbours, otherwise lives like mindless-divider",
    params: &[PROBABILITY, Param { default: "random", ..TARGET }],
    make: |params| {
        let divider = Divider { probability: params.number("probability", 0..=100)? };
        Ok(Box::new(Nasty { divider, target: Target::from_params(params)? }))
    },
};

struct Nasty {
    divider: Divider,
    target: Target,
}

impl Policy<Amoebas> for Nasty {
    /// It does not check its energy before it hits: without enough energy, a hit becomes a rest.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        match self.target.select(view, helpers::hostile_neighbors(view), rng) {
            Some(dir) => Answer::hit(dir),
            None => self.divider.decide(view, rng),
        }
    }
}
