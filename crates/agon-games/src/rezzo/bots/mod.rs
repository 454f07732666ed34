//! The built-in bots of rezzo.

mod known_map;
mod raider;
mod random;
mod route;
mod smuggler;
mod spot_map;
mod wanderer;
mod weaver;

use agon_core::Builtin;

use super::Rezzo;
use crate::BuiltinBots;

impl BuiltinBots for Rezzo {
    const BUILTINS: &'static [Builtin<Rezzo>] =
        &[random::BOT, wanderer::BOT, raider::BOT, smuggler::BOT, weaver::BOT];
    const SHOW: &'static [&'static str] =
        &["raider?patience=300", "raider?patience=500", "raider?patience=800"];
}

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
    fn every_bot_plays_to_the_end() {
        let names: Vec<&str> = Rezzo::BUILTINS.iter().map(|bot| bot.name).collect();
        assert!(!play(&names, 32, 300, Seed(3)).is_empty());
        for show in Rezzo::SHOW {
            bot(show.split_once("?").map_or(show, |(name, _)| name));
        }
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

    #[test]
    fn parameters_are_checked() {
        let wanderer = &Rezzo::BUILTINS[1];
        let params = Params::new(wanderer.params, [("whim", "101")]).unwrap();
        assert!((wanderer.make)(&params).is_err());
    }
}
