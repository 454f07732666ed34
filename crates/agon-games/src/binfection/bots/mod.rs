//! The built-in bots of binfection.

mod battlefield;
mod fight;
mod general;
mod horde;
mod land;
mod marshal;
mod random;
mod rehearsal;
mod spreader;
mod supply;
mod turn_plan;

use agon_core::{Builtin, Param};

use super::Binfection;
use crate::BuiltinBots;

/// The parameter of `horde` and `marshal`.
const CAUTION: Param = Param {
    name: "caution",
    default: "100",
    summary: "percent of a threat that a stack withstands if it presses, 0 to 300",
};

impl BuiltinBots for Binfection {
    const BUILTINS: &'static [Builtin<Binfection>] = &[
        Builtin {
            name: "random",
            version: 1,
            summary: "Moves some of its cells anywhere, over the border as well.",
            params: &[Param {
                name: "restless",
                default: "50",
                summary: "chance in percent that a cell moves, 0 to 100",
            }],
            make: random::make,
        },
        Builtin {
            name: "spreader",
            version: 1,
            summary: "Spreads over empty cells as fast as it can and strikes where it is stronger.",
            params: &[],
            make: |_| Ok(Box::new(spreader::Spreader)),
        },
        Builtin {
            name: "general",
            version: 1,
            summary: "Strikes with several stacks at once, spreads, keeps up supplies and falls \
                back.",
            params: &[Param {
                name: "caution",
                default: "100",
                summary: "percent of an enemy's units that a strike has to reach, 50 to 300",
            }],
            make: general::make,
        },
        Builtin {
            name: "horde",
            version: 2,
            summary: "Takes as much land as it can, strikes with all that is near and never falls \
                back.",
            params: &[Param { default: "80", ..CAUTION }],
            make: horde::make,
        },
        Builtin {
            name: "marshal",
            version: 2,
            summary: "Takes as much land as it can, strikes with just enough stacks and supplies \
                the weakest front.",
            params: &[CAUTION],
            make: marshal::make,
        },
    ];

    const SHOW: &'static [&'static str] =
        &["general", "general?caution=70", "general?caution=150", "general?caution=250"];
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, GameExt, Params, Player, Policy, Purpose, Seed};

    use super::*;
    use crate::binfection::Rules;

    fn bot(name: &str) -> Box<dyn Policy<Binfection>> {
        let builtin = Binfection::BUILTINS.iter().find(|builtin| builtin.name == name).unwrap();
        (builtin.make)(&Params::new(builtin.params, []).unwrap()).ok().unwrap()
    }

    /// Points of the first bot against the second: 2 for a win, 1 for a tie; both seats on every
    /// seed.
    fn duel(names: [&str; 2], side: u32, seeds: u64) -> u64 {
        let rules =
            Rules { field_width: side, field_height: side, turns_limit: 80, ..Rules::default() };
        let mut points = 0;
        for (seed, seat) in (0..seeds).flat_map(|seed| [(seed, 0), (seed, 1)]) {
            let mut bots = [bot(names[seat]), bot(names[1 - seat])];
            let mut game = Binfection::new(&rules, 2, Seed(seed)).unwrap();
            while !game.is_over() {
                let turn = game.progress().turn;
                game.step_with(|game, decision| {
                    let mut rng = Seed(seed).stream(Purpose::Bot(decision.player.0), turn);
                    bots[decision.player.index()].decide(&game.view(decision), &mut rng)
                });
            }
            let outcome = game.standing().outcome.unwrap();
            let won = outcome.winners.contains(&Player::from_index(seat));
            points += if outcome.is_tie() { 1 } else { 2 * u64::from(won) };
        }
        points
    }

    #[test]
    fn marshal_and_horde_beat_the_older_bots() {
        for champion in ["horde", "marshal"] {
            for (other, percent) in [("random", 90), ("spreader", 75), ("general", 65)] {
                let points = duel([champion, other], 20, 10);
                assert!(5 * points >= 2 * percent, "{champion}, {other}: {points} of 40 points");
            }
        }
    }

    /// On a large field nobody meets anybody: more land is more units.
    #[test]
    fn marshal_and_horde_take_more_land_than_the_older_bots() {
        let rules = Rules {
            field_width: 300,
            field_height: 300,
            spawn_border_gap: 40,
            turns_limit: 40,
            ..Rules::default()
        };
        let land = |name: &str| {
            let mut bots = [bot(name), bot(name)];
            let mut game = Binfection::new(&rules, 2, Seed(1)).unwrap();
            while !game.is_over() {
                let turn = game.progress().turn;
                game.step_with(|game, decision| {
                    let mut rng = Seed(1).stream(Purpose::Bot(decision.player.0), turn);
                    bots[decision.player.index()].decide(&game.view(decision), &mut rng)
                });
            }
            game.cells().len()
        };
        let old = land("general").max(land("spreader"));
        for champion in ["horde", "marshal"] {
            assert!(land(champion) > old, "{champion}: {} and {old} cells", land(champion));
        }
    }

    #[test]
    fn each_bot_beats_the_one_before_it() {
        for (side, seeds) in [(7, 6), (12, 6), (20, 10)] {
            let most = 4 * seeds;
            for pair in [["spreader", "random"], ["general", "spreader"]] {
                let points = duel(pair, side, seeds);
                assert!(
                    5 * points >= 4 * most,
                    "{pair:?} on {side}x{side}: {points} of {most} points"
                );
            }
        }
    }
}
