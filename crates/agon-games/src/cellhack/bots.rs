//! The built-in bots of cellhack.

use agon_core::{Builtin, Param, ParamError, Params, Policy, Rng};

use crate::cellhack::{Action, Answer, Cellhack, Direction, EMPTY, Env, ROCK, View};
use crate::{BuiltinBots, Preset, Presets, Sample};

impl BuiltinBots for Cellhack {
    const BUILTINS: &'static [Builtin<Cellhack>] =
        &[RANDOM, GROWER, HUNTER, SWARM, HOARDER, FEEDER];

    // A swarm with its usual parameters always wins.
    const SHOW: &'static [&'static str] =
        &["hunter?rich=41", "swarm?rich=97", "swarm?rich=99", "hunter?rich=42"];
}

impl Presets for Cellhack {
    // On larger boards the same bot wins each time.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small board, on which chance counts.",
        settings: &["width=32", "height=32", "turns=250"],
    }];
    const SHORT: &'static [&'static str] = &["width=40", "height=40", "turns=200"];
    const TINY: &'static str = r#"{"width":8,"height":8,"turns":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"width": 5, "height": 5, "turns": 4}"#,
        position: None,
        script: 108,
        reply: r#"{"action":"SPLIT_UP","memory":18446744073709551615}"#,
    });
}

/// A cell as its bot sees it.
struct Cell {
    env: Env,
    energy: u8,
    /// Where it was going, or where it last saw an enemy. Both halves of a split inherit it.
    heading: Option<Direction>,
}

/// Energy from which on a cell right behind the front feeds it: a little more than life needs.
const RESERVE: u8 = 25;

/// What a cell does, and its heading from now on.
type Step = (Action, Option<Direction>);

/// The heading in the low bits of a memory: the number of a direction, or anything else for none.
fn heading(memory: u64) -> Option<Direction> {
    Direction::ALL.into_iter().find(|&d| d as u64 == memory & 7)
}

impl Cell {
    /// Grows: splits from `rich` energy on, and otherwise rests where that pays. `way` is the free
    /// direction with most room; `roomy` if it has all of it.
    ///
    /// A cell without neighbours rests best. So of the two halves of a split the child takes a
    /// step away from its parent.
    fn grow(&self, rich: u8, way: Direction, roomy: bool) -> Step {
        if self.energy >= rich {
            return (Action::Split(way), Some(way));
        }
        let neighbours = self.env.occupied();
        if roomy && neighbours >= 2 {
            return (Action::Move(way), self.heading);
        }
        let is_child = |ahead: Direction| neighbours == 1 && self.env.is_family(ahead.opposite());
        match self.heading {
            Some(ahead) if is_child(ahead) && room(&self.env, ahead) == 3 => {
                (Action::Move(ahead), self.heading)
            }
            _ => (Action::Rest, self.heading),
        }
    }

    /// Acts in sight of an enemy: splits towards it from `strong` energy on, else closes in,
    /// bites, or feeds kin that can bite.
    fn fight(&self, strong: u8) -> Step {
        let env = &self.env;
        let free = Direction::ALL.into_iter().filter(|&d| env.is_empty(d));
        let closest = free.max_by_key(|&d| (enemies_on(env, d), room(env, d)));
        let target = self.target();
        if let Some(way) = closest {
            if self.energy >= strong {
                return (Action::Split(way), Some(way));
            }
            if target.is_none() && enemies_on(env, way) > 0 {
                return (Action::Move(way), Some(way));
            }
        }
        match target {
            // From three neighbours on, a bite gives as much as a rest, and the enemy pays for it.
            Some(enemy) if env.occupied() >= 3 => (Action::Eat(enemy), target),
            Some(_) => (Action::Rest, target),
            None if closest.is_none() => self.feed(RESERVE, self.biter().or(self.heading)),
            None => (Action::Rest, self.heading),
        }
    }

    /// Feeds the cell ahead if it is kin and this one has at least `least` energy; otherwise
    /// rests.
    fn feed(&self, least: u8, heading: Option<Direction>) -> Step {
        match heading {
            Some(ahead) if self.env.is_family(ahead) && self.energy >= least => {
                (Action::Feed(ahead), heading)
            }
            _ => (Action::Rest, heading),
        }
    }

    /// The enemy to bite: the one that most kin in sight can bite as well. The one ahead wins
    /// among equals, so that a cell stays with its victim.
    ///
    /// A single bite takes no more than the victim regains, so only common victims die.
    fn target(&self) -> Option<Direction> {
        let env = &self.env;
        let is_biter = |place: &usize| place.is_multiple_of(2) && env.0[*place] == env.own();
        let biters = |d: Direction| side(d).iter().filter(|&place| is_biter(place)).count();
        let enemies = Direction::ALL.into_iter().filter(|&d| env.is_enemy(d));
        enemies.max_by_key(|&d| (biters(d), self.heading == Some(d)))
    }

    /// A neighbour of the family with an enemy beside it.
    fn biter(&self) -> Option<Direction> {
        let env = &self.env;
        Direction::ALL.into_iter().find(|&d| env.is_family(d) && enemies_on(env, d) > 0)
    }
}

/// The directions for which `wanted` is true.
fn directions(wanted: impl Fn(Direction) -> bool) -> Vec<Direction> {
    Direction::ALL.into_iter().filter(|&direction| wanted(direction)).collect()
}

/// The directions of free places.
fn free(env: &Env) -> Vec<Direction> {
    directions(|d| env.is_empty(d))
}

/// The directions of enemies.
fn enemies(env: &Env) -> Vec<Direction> {
    directions(|d| env.is_enemy(d))
}

/// Whether an enemy's cell is at this place of the neighbourhood, corners included.
fn is_enemy_at(env: &Env, place: usize) -> bool {
    ![EMPTY, ROCK, env.own()].contains(&env.0[place])
}

/// Whether an enemy is anywhere around, corners included.
fn sees_enemy(env: &Env) -> bool {
    (0..9).any(|place| is_enemy_at(env, place))
}

/// The three places of the neighbourhood on one side.
fn side(direction: Direction) -> [usize; 3] {
    match direction {
        Direction::Up => [0, 1, 2],
        Direction::Left => [0, 3, 6],
        Direction::Right => [2, 5, 8],
        Direction::Down => [6, 7, 8],
    }
}

/// How many places on one side are free, 0 to 3.
fn room(env: &Env, direction: Direction) -> usize {
    side(direction).into_iter().filter(|&place| env.0[place] == EMPTY).count()
}

/// How many enemies are on one side, 0 to 3.
fn enemies_on(env: &Env, direction: Direction) -> usize {
    side(direction).into_iter().filter(|&place| is_enemy_at(env, place)).count()
}

/// The free direction with the most free places on its side, and their number, 1 to 3. A random
/// one of equal ones.
fn roomiest(env: &Env, rng: &mut Rng) -> Option<(Direction, usize)> {
    let free = free(env);
    let most = free.iter().map(|&d| room(env, d)).max()?;
    let best: Vec<_> = free.into_iter().filter(|&d| room(env, d) == most).collect();
    rng.pick(&best).map(|&d| (d, most))
}

/// The energy from which on a cell splits that sees no enemy. With the default rules it is the
/// least that allows a split.
const RICH: Param = Param {
    name: "rich",
    default: "41",
    summary: "energy from which on a cell splits that sees no enemy, 0 to 255",
};

const STRONG: Param = Param {
    name: "strong",
    default: "60",
    summary: "energy from which on a cell splits that sees an enemy, 0 to 255",
};

const FEEDER: Builtin<Cellhack> = Builtin {
    name: "feeder",
    version: 1,
    summary: "Spreads fast, closes in on enemies, bites with its kin, and feeds its front from \
        behind.",
    params: &[
        RICH,
        STRONG,
        Param {
            name: "full",
            default: "40",
            summary: "energy from which on a cell without a free place feeds the one ahead, 0 to \
                255",
        },
    ],
    make: |params| feeder(params, false),
};

/// Like `feeder`, but saves its energy and fights with few strong cells.
///
/// In sight of enemies its cells split late, so a gap in the front is filled by strong cells or
/// not at all. Cells feed the one ahead only if they or an ancestor have met an enemy. All others
/// save up to the limit, and split with all they have when a place becomes free.
const HOARDER: Builtin<Cellhack> = Builtin {
    name: "hoarder",
    version: 1,
    summary: "Spreads fast, saves energy, and fights with few strong cells. Only veterans feed \
        their front.",
    params: &[
        RICH,
        Param { default: "120", ..STRONG },
        Param {
            name: "full",
            default: "60",
            summary: "energy from which on a veteran without a free place feeds the one ahead, 0 \
                to 255",
        },
    ],
    make: |params| feeder(params, true),
};

/// Spreads fast, presses against enemies, and feeds its front from behind.
///
/// On a full board the interior has nothing to do with its energy. Every cell remembers where it
/// was heading or last saw an enemy, and feeds the cell there. So front cells outlast their
/// opponents, and the front moves.
struct Feeder {
    rich: u8,
    strong: u8,
    full: u8,
    /// Whether only veterans feed.
    hoards: bool,
}

fn feeder(params: &Params, hoards: bool) -> Result<Box<dyn Policy<Cellhack>>, ParamError> {
    let number = |name| params.number(name, 0..=255);
    Ok(Box::new(Feeder {
        rich: number("rich")?,
        strong: number("strong")?,
        full: number("full")?,
        hoards,
    }))
}

/// Set in the memory of a hoarder's cell that has met an enemy, or whose ancestor has.
const VETERAN: u64 = 8;

impl Policy<Cellhack> for Feeder {
    /// The memory holds the heading and the mark of veterans.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let cell = Cell { env: view.env(), energy: view.energy(), heading: heading(view.memory()) };
        let veteran = if self.hoards { VETERAN } else { 0 };
        let mut mark = view.memory() & veteran;
        let (action, heading) = if sees_enemy(&cell.env) {
            mark = veteran;
            cell.fight(self.strong)
        } else if let Some((way, room)) = roomiest(&cell.env, rng) {
            cell.grow(self.rich, way, room == 3)
        } else if mark == veteran {
            cell.feed(self.full, cell.heading)
        } else {
            (Action::Rest, cell.heading)
        };
        let memory = mark | heading.map_or(0, |heading| heading as u64);
        Answer { action, memory: (memory != view.memory()).then_some(memory) }
    }
}

const GROWER: Builtin<Cellhack> = Builtin {
    name: "grower",
    version: 1,
    summary: "Rests, and splits into a free place as soon as it is rich. Never fights.",
    params: &[Param {
        name: "rich",
        default: "60",
        summary: "energy from which on a cell splits, 0 to 255",
    }],
    make: |params| Ok(Box::new(Grower { rich: params.number("rich", 0..=255)? })),
};

struct Grower {
    rich: u8,
}

impl Policy<Cellhack> for Grower {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let action = match rng.pick(&free(&view.env())) {
            Some(&direction) if view.energy() >= self.rich => Action::Split(direction),
            _ => Action::Rest,
        };
        Answer::new(action)
    }
}

const HUNTER: Builtin<Cellhack> = Builtin {
    name: "hunter",
    version: 1,
    summary: "Grows in lines that remember their heading, bites what it meets, feeds its front \
        from behind.",
    params: &[
        Param {
            name: "rich",
            default: "50",
            summary: "energy from which on a cell splits, 0 to 255",
        },
        Param {
            name: "full",
            default: "120",
            summary: "energy from which on a cell without a way out feeds the one ahead, 0 to 255",
        },
    ],
    make: |params| {
        Ok(Box::new(Hunter {
            rich: params.number("rich", 0..=255)?,
            full: params.number("full", 0..=255)?,
        }))
    },
};

struct Hunter {
    rich: u8,
    full: u8,
}

impl Policy<Cellhack> for Hunter {
    /// The memory holds the heading: the number of a direction, or anything else for none yet. Both
    /// halves of a split inherit it, so a line of cells shares one heading.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let env = view.env();
        let heading = Direction::ALL.into_iter().find(|&d| d as u64 == view.memory());
        if let Some(&enemy) = rng.pick(&enemies(&env)) {
            return Answer { action: Action::Eat(enemy), memory: Some(enemy as u64) };
        }
        if let Some(step) = ambush(&env) {
            return Answer::new(Action::Move(step));
        }
        let action = match way(&env, heading, rng) {
            Some(way) if view.energy() >= self.rich => {
                return Answer { action: Action::Split(way), memory: Some(way as u64) };
            }
            Some(_) => Action::Rest,
            None => self.locked_in(&env, view.energy(), heading),
        };
        Answer::new(action)
    }
}

impl Hunter {
    /// Without a way out, a full cell feeds the one ahead, in its heading.
    fn locked_in(&self, env: &Env, energy: u8, heading: Option<Direction>) -> Action {
        match heading {
            Some(ahead) if env.is_family(ahead) && energy >= self.full => Action::Feed(ahead),
            _ => Action::Rest,
        }
    }
}

/// The heading if the place there is free, else another free direction.
fn way(env: &Env, heading: Option<Direction>, rng: &mut Rng) -> Option<Direction> {
    let free = free(env);
    heading.filter(|heading| free.contains(heading)).or_else(|| rng.pick(&free).copied())
}

/// A free step towards an enemy at a corner, which brings it within reach.
fn ambush(env: &Env) -> Option<Direction> {
    let corners = |d| match d {
        Direction::Up => [0, 2],
        Direction::Left => [0, 6],
        Direction::Right => [2, 8],
        Direction::Down => [6, 8],
    };
    free(env).into_iter().find(|&d| corners(d).into_iter().any(|place| is_enemy_at(env, place)))
}

const RANDOM: Builtin<Cellhack> = Builtin {
    name: "random",
    version: 1,
    summary: "Does anything but die.",
    params: &[],
    make: |_| Ok(Box::new(Random)),
};

struct Random;

impl Policy<Cellhack> for Random {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        let actions: Vec<_> = Action::all().filter(|&action| action != Action::Die).collect();
        rng.pick(&actions).map_or_else(Answer::default, |&action| Answer::new(action))
    }
}

const SWARM: Builtin<Cellhack> = Builtin {
    name: "swarm",
    version: 1,
    summary: "Spreads thinly over the board, where resting pays, then fills it; bites where it is \
        crowded.",
    params: &[
        Param {
            name: "rich",
            default: "42",
            summary: "energy from which on a cell splits, 0 to 255",
        },
        Param {
            name: "crowd",
            default: "2",
            summary: "neighbours that make a cell walk on, 1 to 9 (never)",
        },
    ],
    make: |params| {
        Ok(Box::new(Swarm {
            rich: params.number("rich", 0..=255)?,
            crowd: params.number("crowd", 1..=9)?,
        }))
    },
};

struct Swarm {
    rich: u8,
    crowd: usize,
}

impl Policy<Cellhack> for Swarm {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let env = view.env();
        let roomy = roomiest(&env, rng);
        if let Some((direction, room)) = roomy {
            if view.energy() >= self.rich {
                return Answer::new(Action::Split(direction));
            }
            if room == 3 && env.occupied() >= self.crowd {
                return Answer::new(Action::Move(direction));
            }
        }
        match rng.pick(&enemies(&env)) {
            // From three neighbours on, a bite gives as much as a rest, and the enemy pays for it.
            Some(&enemy) if env.occupied() >= 3 => Answer::new(Action::Eat(enemy)),
            _ => Answer::new(Action::Rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: u8 = 0;
    const KIN: u8 = 1;
    const FOE: u8 = 2;

    fn cell(env: [u8; 9], energy: u8, heading: Option<Direction>) -> Cell {
        Cell { env: Env(env), energy, heading }
    }

    #[test]
    fn the_child_steps_away_and_the_parent_rests() {
        let heading = Some(Direction::Up);
        let child = cell([NONE, NONE, NONE, NONE, KIN, NONE, NONE, KIN, NONE], 20, heading);
        assert_eq!(child.grow(41, Direction::Left, true), (Action::Move(Direction::Up), heading));
        let parent = cell([NONE, KIN, NONE, NONE, KIN, NONE, NONE, NONE, NONE], 20, heading);
        assert_eq!(parent.grow(41, Direction::Down, true), (Action::Rest, heading));
        let rich = cell(parent.env.0, 41, heading);
        let split = (Action::Split(Direction::Down), Some(Direction::Down));
        assert_eq!(rich.grow(41, Direction::Down, true), split);
    }

    #[test]
    fn cells_bite_the_enemy_that_kin_can_bite_as_well() {
        let env = [NONE, FOE, NONE, FOE, KIN, KIN, KIN, KIN, KIN];
        let left = (Action::Eat(Direction::Left), Some(Direction::Left));
        assert_eq!(cell(env, 50, Some(Direction::Up)).fight(60), left);
        // Among equals it stays with the enemy ahead.
        let env = [NONE, FOE, NONE, FOE, KIN, KIN, NONE, KIN, KIN];
        let up = (Action::Eat(Direction::Up), Some(Direction::Up));
        assert_eq!(cell(env, 50, Some(Direction::Up)).fight(60), up);
    }

    #[test]
    fn the_row_behind_the_front_feeds_it() {
        let env = [FOE, KIN, KIN, KIN, KIN, KIN, KIN, KIN, KIN];
        let feed = (Action::Feed(Direction::Up), Some(Direction::Up));
        assert_eq!(cell(env, 25, None).fight(60), feed);
        assert_eq!(cell(env, 24, None).fight(60).0, Action::Rest);
    }

    #[test]
    fn any_memory_is_understood() {
        for memory in [0, 1, 2, 7, 8, 9, u64::MAX] {
            let found = heading(memory).map_or(0, |d| d as u64);
            assert_eq!(found, if memory & 1 == 1 { memory & 7 } else { 0 });
        }
    }
}
