//! The built-in bots of binfection.

mod battlefield;
mod general;
mod horde;

use agon_core::{Builtin, Param, ParamError, Params, Policy, Rng};

use crate::binfection::{Answer, Binfection, Direction, Move, View};
use crate::{BuiltinBots, Preset, Presets, Sample};

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
            make: random,
        },
        Builtin {
            name: "spreader",
            version: 1,
            summary: "Spreads over empty cells as fast as it can and strikes where it is stronger.",
            params: &[],
            make: |_| Ok(Box::new(Spreader)),
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
            make: horde::horde,
        },
        Builtin {
            name: "marshal",
            version: 2,
            summary: "Takes as much land as it can, strikes with just enough stacks and supplies \
                the weakest front.",
            params: &[CAUTION],
            make: horde::marshal,
        },
    ];

    const SHOW: &'static [&'static str] =
        &["general", "general?caution=70", "general?caution=150", "general?caution=250"];
}

impl Presets for Binfection {
    // On larger fields bots meet late. After some 40 turns the fronts stand still.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small field with three spawns a bot, so that bots fight soon.",
        settings: &["field_width=24", "field_height=18", "spawns_number=3", "turns_limit=40"],
    }];
    const SHORT: &'static [&'static str] = &["field_width=24", "field_height=16", "turns_limit=60"];
    // Each turn starts the runners again, which takes longer than anything else.
    const CHECKED: &'static [&'static str] = &["turns_limit=15"];
    const ENDLESS: &'static str = "turns_limit is -1";
    const TINY: &'static str = r#"{"field_width":8,"field_height":8,"turns_limit":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: concat!(
            r#"{"field_width": 4, "field_height": 3, "spawn_border_gap": 0, "#,
            r#""turns_limit": 3}"#
        ),
        position: None,
        script: 0,
        reply: r#"{"moves":[{"x":4,"y":3,"direction":2},{"x":5,"y":3,"direction":0}]}"#,
    });
}

struct Random {
    /// Chance in percent that a cell moves.
    restless: u64,
}

fn random(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(Random { restless: params.number("restless", 0..=100)? }))
}

impl Policy<Binfection> for Random {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let mut moves = Vec::new();
        for cell in view.own() {
            if rng.chance(self.restless, 100) {
                moves.push(Move { x: cell.x, y: cell.y, direction: Direction::ALL[rng.index(4)] });
            }
        }
        Answer { moves }
    }
}

/// Each cell takes a weaker neighbour, else an empty one, else stays.
struct Spreader;

impl Policy<Binfection> for Spreader {
    fn decide(&mut self, view: &View<'_>, stream: &mut Rng) -> Answer {
        let mut moves = Vec::with_capacity(view.own().len());
        // A local copy stays in registers.
        let mut rng = stream.clone();
        view.survey(|cell, against| {
            if cell.units <= 1 {
                return;
            }
            let ranks = &RANKS[rng.index(4)][rng.index(3)][rng.index(2)];
            // Among equally good directions a random one wins. No processor could predict a branch
            // here, so there is none.
            let rated =
                |way: usize| gain(cell.units, against[way]) << 4 | ranks[way] << 2 | way as u64;
            let best = rated(0).max(rated(1)).max(rated(2)).max(rated(3));
            if best >> 4 > 0 {
                moves.push(Move {
                    x: cell.x,
                    y: cell.y,
                    direction: Direction::ALL[best as usize & 3],
                });
            }
        });
        *stream = rng;
        Answer { moves }
    }
}

/// The gain of a move: 1 plus the units that it beats, or 0 if it is too weak.
#[inline(always)]
fn gain(units: u64, against: u64) -> u64 {
    if against < units / 2 { 1 + against } else { 0 }
}

/// The rank of each direction in the order that [`Rng::shuffle`] makes of all four, by its draws
/// below 4, 3 and 2.
const RANKS: [[[[u64; 4]; 2]; 3]; 4] = {
    let mut ranks = [[[[0; 4]; 2]; 3]; 4];
    let mut draw = 0;
    while draw < 24 {
        let drawn = [draw / 6, draw / 2 % 3, draw % 2];
        let mut order = [0, 1, 2, 3];
        let mut last = 3;
        while last > 0 {
            order.swap(last, drawn[3 - last]);
            last -= 1;
        }
        let mut rank = 0;
        while rank < 4 {
            ranks[drawn[0]][drawn[1]][drawn[2]][order[rank]] = rank as u64;
            rank += 1;
        }
        draw += 1;
    }
    ranks
};

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn ranks_are_those_of_a_shuffle() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        for _ in 0..500 {
            let mut order = [0, 1, 2, 3];
            rng.clone().shuffle(&mut order);
            let ranks = RANKS[rng.index(4)][rng.index(3)][rng.index(2)];
            assert_eq!(order.map(|way: usize| ranks[way]), [0, 1, 2, 3]);
        }
    }
}
