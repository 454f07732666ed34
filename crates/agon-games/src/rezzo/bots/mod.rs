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

#[cfg(test)]
mod tests {
    use agon_core::{Decision, Game as _, GameExt as _, Params, Player, Policy, Purpose, Seed};

    use super::*;
    use crate::rezzo::{Answer, Rules};

    fn bot(name: &str) -> Box<dyn Policy<Rezzo>> {
        let bot = Rezzo::BUILTINS.iter().find(|bot| bot.name == name).unwrap();
        (bot.make)(&Params::new(bot.params, []).unwrap()).unwrap()
    }

    /// The winners of a game between built-in bots.
    fn play(names: &[&str], size: u32, max_ticks: u64, seed: Seed) -> Vec<Player> {
        let rules = Rules { width: size, height: size, max_ticks, ..Rules::default() };
        let mut game = Rezzo::new(&rules, names.len(), seed).unwrap();
        let mut bots: Vec<_> = names.iter().map(|name| bot(name)).collect();
        while !game.is_over() {
            let decide = |game: &Rezzo, d: Decision| -> Answer {
                let mut rng = seed.stream(Purpose::Bot(d.player.0), game.tick());
                bots[d.player.index()].decide(&game.view(d), &mut rng)
            };
            game.step_with(decide);
        }
        game.standing().outcome.unwrap().winners
    }

    #[test]
    fn the_raider_beats_the_wanderer_on_most_small_worlds() {
        agon_testkit::slow!();
        // Eight worlds say little, so they stay the same ones.
        let won = (0..8).map(Seed::plain);
        let won = won.filter(|&seed| play(&["raider", "wanderer"], 40, 2_000, seed) == [Player(0)]);
        let won = won.count();
        assert!(won >= 5, "{won} of 8");
    }

    #[test]
    fn the_smuggler_brings_flags_home_on_most_worlds() {
        agon_testkit::slow!();
        for name in ["smuggler", "weaver"] {
            let won = (0..8)
                .filter(|&seed| play(&[name, "wanderer"], 64, 3_000, Seed(seed)) == [Player(0)]);
            let won = won.count();
            assert!(won >= 5, "{name}: {won} of 8");
        }
    }
}
