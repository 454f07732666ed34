//! [`Position`]: the whole state as JSON that people can read and write. Scenarios start from one,
//! and replays store one at the start and in key frames.

use agon_core::{Seed, SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Cell, Facing};
use super::rules::{MAX_CELLS, MAX_SIDE, Rules};
use super::state::{Body, Rezzo, check_players};
use super::{answer::Ack, world::World};
use crate::bounded_list::at_most;

/// The whole state: the world after a generation, while the messages of the tick are out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Generations so far.
    #[serde(default)]
    pub tick: u64,
    /// The world, a string a row in the characters of the viewport. Short rows are filled up with
    /// blanks.
    #[serde(deserialize_with = "at_most::<_, _, { MAX_SIDE as usize }>")]
    pub rows: Vec<String>,
    /// One entry per player.
    #[serde(deserialize_with = "at_most::<_, _, 1000>")]
    pub agents: Vec<AgentPosition>,
    /// The cells that were hit; all others are undamaged.
    #[serde(default, deserialize_with = "at_most::<_, _, { MAX_CELLS as usize }>")]
    pub damage: Vec<Damage>,
}

/// A player's agent. Where it stands is seen in the rows, unless they show several of this player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentPosition {
    /// Where it looks.
    pub facing: Facing,
    /// Column and row of the agent, needed only if the rows show several agents of this player; the
    /// others are obstacles that never act. Rules alone never lead there, but worlds drawn by hand
    /// may.
    pub at: Option<(u32, u32)>,
    /// What the message of this tick says about the tick before.
    pub ack: Ack,
    /// The tick in which the player lost; facing and ack are of no meaning then.
    pub lost: Option<u64>,
}

/// A damaged cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Damage {
    /// Column, from 0 in the west.
    pub x: u32,
    /// Row, from 0 in the north.
    pub y: u32,
    /// How often it was hit, at least once and less than `damage_limit`.
    pub hits: u8,
}

impl Position {
    pub(super) fn of(game: &Rezzo) -> Position {
        let shown = game.world.agents();
        let place = |index| {
            let (x, y) = game.world.place(index);
            (x as u32, y as u32)
        };
        let agents = game.bodies.iter().enumerate().map(|(i, body)| match *body {
            Body::Alive { agent, ack } => {
                let at = (shown[i + 1].len() > 1).then(|| place(agent.place));
                AgentPosition { facing: agent.facing, at, ack, lost: None }
            }
            Body::Lost(tick) => AgentPosition { lost: Some(tick), ..AgentPosition::default() },
        });
        let hit = game.world.all_damage().iter().enumerate().filter(|(_, hits)| **hits > 0);
        let damage = hit.map(|(index, &hits)| {
            let (x, y) = place(index);
            Damage { x, y, hits }
        });
        Position {
            tick: game.tick,
            rows: game.world.to_rows(),
            agents: agents.collect(),
            damage: damage.collect(),
        }
    }

    pub(super) fn into_game(self, rules: &Rules, seed: Seed) -> Result<Rezzo, SetupError> {
        rules.check()?;
        check_players(self.agents.len())?;
        let mut problems = Problems::new();
        let last = rules.last_tick();
        problems.require(self.tick <= last, "tick", || {
            format!("{} is beyond the last tick, {last} (max_ticks)", self.tick)
        });
        let mut world = self.read_world(rules)?;
        self.read_damage(rules, &mut world, &mut problems);
        world.require_owners(self.agents.len(), "rows: ", &mut problems);
        let bodies = self.read_agents(&world, &mut problems);
        problems.finish()?;
        Ok(Rezzo::assemble(rules, seed, self.tick, world, bodies))
    }

    fn read_world(&self, rules: &Rules) -> Result<World, SetupError> {
        let (width, height) = rules.size();
        let mut problems = Problems::new();
        problems.require(self.rows.len() == height, "rows", || {
            format!("{} given, but the world has {height}", self.rows.len())
        });
        for (y, row) in self.rows.iter().enumerate() {
            let cells = row.chars().count();
            problems.require(cells <= width, format_args!("rows[{y}]"), || {
                format!("{cells} characters, but the world is {width} wide")
            });
        }
        problems.finish()?;
        let filled: Vec<String> = self.rows.iter().map(|row| format!("{row:width$}")).collect();
        World::from_rows(filled)
    }

    fn read_damage(&self, rules: &Rules, world: &mut World, problems: &mut Problems) {
        for (i, damage) in self.damage.iter().enumerate() {
            let (x, y) = (damage.x as usize, damage.y as usize);
            let inside = x < world.width() && y < world.height();
            problems.require(inside, format_args!("damage[{i}]"), || {
                format!(
                    "column {x}, row {y} is outside of {}x{} cells",
                    world.width(),
                    world.height()
                )
            });
            let possible = damage.hits > 0 && damage.hits < rules.damage_limit;
            problems.require(possible, format_args!("damage[{i}].hits"), || {
                format!(
                    "{} is not at least 1 and less than damage_limit {}",
                    damage.hits, rules.damage_limit
                )
            });
            if inside {
                let index = world.index(x as i64, y as i64);
                problems.require(world.damage(index) == 0, format_args!("damage[{i}]"), || {
                    format!("column {x}, row {y} is listed twice")
                });
                world.set_damage(index, damage.hits);
            }
        }
    }

    fn read_agents(&self, world: &World, problems: &mut Problems) -> Vec<Body> {
        let places = world.agents();
        let mut bodies = Vec::with_capacity(self.agents.len());
        for (i, given) in self.agents.iter().enumerate() {
            let what = format!("agents[{i}]");
            let places = &places[i + 1];
            if let Some(lost) = given.lost {
                problems.require(!world.owners().contains(&(i as u8 + 1)), &what, || {
                    "has lost, but there are cells of this player in the rows".to_owned()
                });
                problems.require(
                    (1..=self.tick).contains(&lost),
                    format_args!("{what}.lost"),
                    || format!("{lost} is not a tick from 1 to the current one, {}", self.tick),
                );
                bodies.push(Body::Lost(lost));
                continue;
            }
            let place = match given.at {
                Some((x, y)) => {
                    places.iter().copied().find(|&p| world.place(p) == (x as usize, y as usize))
                }
                None => places.first().copied().filter(|_| places.len() == 1),
            };
            problems.require(place.is_some(), &what, || agent_problem(i, given.at, places.len()));
            let place = place.unwrap_or(0);
            bodies
                .push(Body::Alive { agent: Agent { place, facing: given.facing }, ack: given.ack });
        }
        bodies
    }
}

/// Why the place of player `i`'s agent is unknown.
fn agent_problem(i: usize, at: Option<(u32, u32)>, shown: usize) -> String {
    match at {
        Some((x, y)) => format!("the rows show no agent '{i}' in column {x}, row {y}"),
        None => format!(
            "the rows show {shown} agents '{i}'; a player who has not lost has one, or says with \
             `at` which it is"
        ),
    }
}

/// Rows and columns of the viewport.
pub const VIEWPORT: usize = 13;
/// The number of columns to either side of the agent.
pub const SIDEWAYS: i64 = VIEWPORT as i64 / 2;

/// One message to a bot: the 13×13 cells ahead of its agent, which stands in the middle of the last
/// row.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    world: &'a World,
    agent: Agent,
    tick: u64,
    ack: Ack,
}

impl<'a> View<'a> {
    /// Makes the view of an agent in a tick; `ack` is the result of its last answer.
    pub fn new(world: &'a World, agent: Agent, tick: u64, ack: Ack) -> View<'a> {
        View { world, agent, tick, ack }
    }

    /// The number of this tick.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The number of this tick as messages carry it: its last eight bits.
    pub fn ts(&self) -> u8 {
        self.tick as u8
    }

    /// The result of the previous answer.
    pub fn ack(&self) -> Ack {
        self.ack
    }

    /// The agent's own number as cells show their owner: the player's index plus 1.
    pub fn me(&self) -> u8 {
        self.cell(0, 0).owner
    }

    /// The cell `forward` (0 to 12) steps ahead and `right` (−6 to 6) steps to the right of the
    /// agent.
    ///
    /// # Panics
    /// Outside of the viewport.
    pub fn cell(&self, forward: i64, right: i64) -> Cell {
        let (x, y) = self.spot(forward, right);
        self.world.cell_at(x, y)
    }

    /// The damage of a cell, addressed as in [`View::cell`].
    ///
    /// # Panics
    /// Outside of the viewport.
    pub fn damage(&self, forward: i64, right: i64) -> u8 {
        let (x, y) = self.spot(forward, right);
        self.world.damage(y * self.world.width() + x)
    }

    /// All places of the viewport as (forward, right), in the order of the message: from the
    /// farthest row to the agent's, left to right.
    pub fn places() -> impl Iterator<Item = (i64, i64)> {
        View::rows_of_places().flatten()
    }

    /// The same, row by row.
    pub(super) fn rows_of_places() -> impl Iterator<Item = impl Iterator<Item = (i64, i64)>> {
        let row = |forward| (-SIDEWAYS..=SIDEWAYS).map(move |right| (forward, right));
        (0..VIEWPORT as i64).rev().map(row)
    }

    /// The viewport as text, the farthest row first.
    pub fn rows(&self) -> Vec<String> {
        let row = |forward| {
            (-SIDEWAYS..=SIDEWAYS).map(|right| self.cell(forward, right).to_char()).collect()
        };
        (0..VIEWPORT as i64).rev().map(row).collect()
    }

    fn spot(&self, forward: i64, right: i64) -> (usize, usize) {
        let inside = (0..VIEWPORT as i64).contains(&forward) && right.abs() <= SIDEWAYS;
        assert!(inside, "{forward} ahead, {right} to the right is outside of the viewport");
        self.agent.spot(self.world, forward, right)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game as _, GameExt as _};

    use super::*;
    use crate::rezzo::Answer;

    fn rules(width: u32, height: u32) -> Rules {
        Rules { width, height, ..Rules::default() }
    }

    fn read(json: &str) -> Result<Rezzo, SetupError> {
        Rezzo::from_position(&rules(4, 2), Seed(1), serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_short_position_will_do() {
        let game = read(r#"{"rows": ["0", " 1 ."], "agents": [{"facing": "E"}, {}]}"#).unwrap();
        assert_eq!(game.world().to_rows(), ["0   ", " 1 ."]);
        assert_eq!(game.decisions().len(), 2);
        assert_eq!(Rezzo::from_position(&rules(4, 2), Seed(1), game.position()), Ok(game));
    }

    #[test]
    fn of_several_agents_one_acts() {
        let json = r#"{"rows": ["0 0", " 1"], "agents": [{"at": [2, 0], "facing": "E"}, {}]}"#;
        let mut game = read(json).unwrap();
        assert_eq!(Rezzo::from_position(&rules(4, 2), Seed(1), game.position()), Ok(game.clone()));
        let other = read(&json.replace("[2, 0]", "[0, 0]")).unwrap();
        assert_ne!(game.state_hash(), other.state_hash());
        game.step(&[Answer::Advance, Answer::Silence]);
        assert_eq!(game.world().to_rows(), ["0  0", " 1  "]);
    }

    #[test]
    fn states_with_losses_acks_and_damage_come_back() {
        let json = r#"{"tick": 7, "rows": ["0  2", " ., "], "damage": [{"x": 1, "y": 1, "hits": 3}],
            "agents": [{"ack": "SEVERAL"}, {"lost": 5}, {"facing": "S"}]}"#;
        let game = read(json).unwrap();
        assert_eq!(game.lost_in(agon_core::Player(1)), Some(5));
        let position = game.position();
        let bytes = postcard::to_allocvec(&position).unwrap();
        assert_eq!(postcard::from_bytes::<Position>(&bytes).unwrap(), position);
        assert_eq!(Rezzo::from_position(&rules(4, 2), Seed(1), position), Ok(game));
    }

    #[test]
    fn ticks_without_limit_can_still_be_counted() {
        let at = |max_ticks, tick| {
            let position = Position {
                tick,
                ..read(r#"{"rows": ["0", " 1"], "agents": [{}, {}]}"#).unwrap().position()
            };
            Rezzo::from_position(&Rules { max_ticks, ..rules(4, 2) }, Seed(1), position)
        };
        for max_ticks in [0, u64::MAX] {
            let last = Rules { max_ticks, ..Rules::default() }.last_tick();
            let mut game = at(max_ticks, last - 1).unwrap();
            game.step(&[Answer::Silence, Answer::Silence]);
            assert!(game.is_over() && game.tick() == last);
            assert_eq!(Rezzo::from_position(game.rules(), Seed(1), game.position()), Ok(game));
        }
        let error = |max_ticks, tick| at(max_ticks, tick).unwrap_err().to_string();
        let expected =
            "tick: 18446744073709551615 is beyond the last tick, 1000000000000000 (max_ticks)";
        assert_eq!(error(0, u64::MAX), expected);
        assert_eq!(error(7, 8), "tick: 8 is beyond the last tick, 7 (max_ticks)");
    }

    #[test]
    fn every_contradiction_is_named_with_its_place() {
        for (json, expected) in [
            (r#"{"rows": ["0 1"], "agents": [{}, {}]}"#, "rows: 1 given, but the world has 2"),
            (r#"{"rows": ["0 1  ", ""], "agents": [{}, {}]}"#, "rows[0]: 5 characters"),
            (
                r#"{"rows": ["0 1", "0"], "agents": [{}, {}]}"#,
                "agents[0]: the rows show 2 agents '0'",
            ),
            (
                r#"{"rows": ["0 1", "0"], "agents": [{"at": [1, 1]}, {}]}"#,
                "agents[0]: the rows show no agent '0' in column 1, row 1",
            ),
            (
                r#"{"rows": ["0", "D"], "agents": [{}, {}]}"#,
                "rows: row 1, column 0: 'D' belongs to player 3",
            ),
            (r#"{"rows": ["0", "D"], "agents": [{}, {}]}"#, "agents[1]: the rows show 0 agents"),
            (r#"{"rows": ["0", "?"], "agents": [{}, {}]}"#, "row 1, column 0: '?' is no cell"),
            (r#"{"rows": ["0", "1"], "agents": []}"#, "players: 0 is not between 1 and 10"),
            (
                r#"{"rows": ["0n", "b"], "tick": 3, "agents": [{}, {"lost": 4}]}"#,
                "agents[1]: has lost, but there are cells",
            ),
            (
                r#"{"rows": ["0n", ""], "tick": 3, "agents": [{}, {"lost": 4}]}"#,
                "agents[1].lost: 4 is not a tick from 1 to the current one, 3",
            ),
            (
                r#"{"rows": ["01", ""], "agents": [{}, {}],
                    "damage": [{"x": 4, "y": 0, "hits": 1}]}"#,
                "damage[0]: column 4, row 0 is outside of 4x2 cells",
            ),
            (
                r#"{"rows": ["01", ""], "agents": [{}, {}],
                    "damage": [{"x": 0, "y": 0, "hits": 4}]}"#,
                "damage[0].hits: 4 is not at least 1 and less than damage_limit 4",
            ),
            (
                r#"{"rows": ["01", ""], "agents": [{}, {}],
                    "damage": [{"x": 0, "y": 0, "hits": 1}, {"x": 0, "y": 0, "hits": 1}]}"#,
                "damage[1]: column 0, row 0 is listed twice",
            ),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}\nlacks: {expected}");
        }
    }
}
