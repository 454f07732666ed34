//! The built-in bots of rezzo.

mod known_map;
mod raider;
mod smuggler;

use agon_core::{Builtin, Param, Policy, Rng};
use smuggler::Smuggler;

use crate::rezzo::{Action, Answer, Cell, Rezzo, View};
use crate::{BuiltinBots, Preset, Presets, Sample};

impl BuiltinBots for Rezzo {
    const BUILTINS: &'static [Builtin<Rezzo>] =
        &[RANDOM, WANDERER, raider::RAIDER, smuggler::BOT, WEAVER];
    const SHOW: &'static [&'static str] =
        &["raider?patience=300", "raider?patience=500", "raider?patience=800"];
}

impl Presets for Rezzo {
    // Agents stay readable on a screen, sources of signals are near, and flags near any base decide
    // the match. With `base_of` as in the documents many matches tie: raiders block their own ways.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small world with many signals, in which a flag next to any base loses.",
        settings: &[
            "width=60",
            "height=60",
            "max_ticks=3000",
            "base_of=any",
            "density_divisor=10",
            "loop_area=200",
            "loop_max=6",
        ],
    }];
    const SHORT: &'static [&'static str] = &["width=48", "height=48", "max_ticks=4000"];
    const ENDLESS: &'static str = "max_ticks is 0";
    const TINY: &'static str = r#"{"width":20,"height":20,"max_ticks":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"width": 16, "height": 16, "max_ticks": 3}"#,
        position: None,
        script: 0,
        reply: r#"{"action":"TURN_LEFT"}"#,
    });
}

const RANDOM: Builtin<Rezzo> = Builtin {
    name: "random",
    version: 1,
    summary: "does anything, each action with the same chance",
    params: &[],
    make: |_| Ok(Box::new(Random)),
};

struct Random;

impl Policy<Rezzo> for Random {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        rng.pick(&Action::ALL).copied().unwrap_or(Action::Nop).into()
    }
}

const WANDERER: Builtin<Rezzo> = Builtin {
    name: "wanderer",
    version: 1,
    summary: "walks straight on, turns at obstacles and now and then for no reason",
    params: &[Param {
        name: "whim",
        default: "5",
        summary: "percentage of steps at which it turns for no reason, from 0 to 100",
    }],
    make: |params| Ok(Box::new(Wanderer { whim: params.number("whim", 0..=100)? })),
};

struct Wanderer {
    whim: u64,
}

impl Policy<Rezzo> for Wanderer {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        if view.cell(1, 0) == Cell::BLANK && !rng.chance(self.whim, 100) {
            Answer::Advance
        } else if rng.chance(1, 2) {
            Answer::TurnLeft
        } else {
            Answer::TurnRight
        }
    }
}

const WEAVER: Builtin<Rezzo> = Builtin {
    name: "weaver",
    version: 2,
    summary: "explores in a spiral, and lays one wire after the other from geysers home, without \
        a guard",
    params: &[],
    make: |_| Ok(Box::new(Smuggler::weaving())),
};
