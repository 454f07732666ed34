//! Battlesnake: snakes on one board eat, grow and try to outlive each other.
//!
//! The rules follow the official documentation (docs.battlesnake.com) and the draft of a
//! specification (`BattlesnakeOfficial/rfcs`). Where both are silent, they follow recorded games of
//! the official program. No code of it was used.

mod board;
mod bots;
mod maps;
pub mod recording;
mod rules;
#[cfg(test)]
mod tests;
mod view;
pub mod web;

pub use board::{Board, Cause, Elimination, Point, Snake, Spawn};
pub use maps::Map;
pub use rules::{Rules, Ruleset};
pub use view::View;

use std::time::Duration;

use agon_core::{Builtin, Decision, Meta, Player, Seed, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Preset;
use crate::human::{ArrowKey, Gesture};
use crate::kit::{Grid, Kit, SmallGame};
use crate::scene::{Arrow, Hue, Ink, Shape};

/// The game.
pub type Battlesnake = Kit<Board>;

/// A direction on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards greater y.
    Up,
    /// Towards smaller y.
    Down,
    /// Towards smaller x.
    Left,
    /// Towards greater x.
    Right,
}

impl Direction {
    /// All four.
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

    /// Returns the arrow key that points this way.
    fn key(self) -> ArrowKey {
        match self {
            Direction::Up => ArrowKey::Up,
            Direction::Down => ArrowKey::Down,
            Direction::Left => ArrowKey::Left,
            Direction::Right => ArrowKey::Right,
        }
    }
}

/// Where a snake moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// As in the turn before; up in the first one. What a fault counts as.
    #[default]
    Ahead,
    /// Towards greater y.
    Up,
    /// Towards smaller y.
    Down,
    /// Towards smaller x.
    Left,
    /// Towards greater x.
    Right,
}

crate::postcard_codec!(Answer);

impl Answer {
    /// Returns the direction; `None` for [`Answer::Ahead`].
    pub fn direction(self) -> Option<Direction> {
        match self {
            Answer::Ahead => None,
            Answer::Up => Some(Direction::Up),
            Answer::Down => Some(Direction::Down),
            Answer::Left => Some(Direction::Left),
            Answer::Right => Some(Direction::Right),
        }
    }
}

impl From<Direction> for Answer {
    fn from(direction: Direction) -> Answer {
        match direction {
            Direction::Up => Answer::Up,
            Direction::Down => Answer::Down,
            Direction::Left => Answer::Left,
            Direction::Right => Answer::Right,
        }
    }
}

impl SmallGame for Board {
    const META: Meta = Meta {
        id: "battlesnake",
        rules_version: 1,
        min_players: 1,
        max_players: 16,
        turn_name: "turn",
        summary: "Snakes eat, grow and try to outlive each other.",
        page: include_str!("page.md"),
    };

    const BOTS: &'static [Builtin<Battlesnake>] =
        &[bots::RANDOM, bots::HUNGRY, bots::CAREFUL, bots::SEARCHER];
    const SHOW: &'static [&'static str] = &["searcher", "careful", "hungry", "careful"];

    const PRESETS: &'static [Preset] = &[
        Preset {
            name: "duel",
            summary: "For two snakes on 11 by 11 squares.",
            settings: &["width=11", "height=11"],
        },
        Preset {
            name: "large",
            summary: "19 by 19 squares.",
            settings: &["width=19", "height=19"],
        },
        Preset {
            name: "solo",
            summary: "One snake plays for as many turns as it can.",
            settings: &["ruleset=solo"],
        },
        Preset {
            name: "royale",
            summary: "Hazards grow from the edges.",
            settings: &["ruleset=royale", "map=royale"],
        },
        Preset {
            name: "constrictor",
            summary: "Tails stay where they are.",
            settings: &["ruleset=constrictor"],
        },
        Preset { name: "wrapped", summary: "Opposite edges meet.", settings: &["ruleset=wrapped"] },
    ];
    const SHORT: &'static [&'static str] = &["width=7", "height=7", "turns=200"];
    const TINY: &'static str = r#"{"width": 5, "height": 5, "turns": 40}"#;

    const FIRST_ANSWER: Duration = Duration::from_secs(10);
    const LATER_ANSWERS: Duration = Duration::from_millis(500);

    type Settings = Rules;
    type Answer = Answer;
    type View = View;

    fn check_settings(rules: &Rules, players: usize, problems: &mut Problems) {
        problems.range("width", rules.width, 5..=50);
        problems.range("height", rules.height, 5..=50);
        problems.range("food_spawn_chance", rules.food_spawn_chance, 0..=100);
        problems.range("minimum_food", rules.minimum_food, 0..=2_500);
        problems.range("hazard_damage_per_turn", rules.hazard_damage_per_turn, -100..=100);
        problems.range("shrink_every_n_turns", rules.shrink_every_n_turns, 1..=100_000);
        problems.range("turns", rules.turns, 1..=100_000);
        let fits = rules.map.size().is_none_or(|size| rules.width == size && rules.height == size);
        problems.require(fits, "map", || {
            let size = rules.map.size().unwrap_or_default();
            format!("it needs `width` and `height` {size}")
        });
        let most = rules.area() / 2;
        problems.require(players <= most, "players", || {
            format!("at most {most} snakes have room on this board")
        });
    }

    fn check(&self, rules: &Rules, problems: &mut Problems) {
        self.check_parts(rules, problems);
    }

    fn start(rules: &Rules, players: usize, seed: Seed) -> Board {
        Board::new(rules, players, seed)
    }

    fn players(&self) -> usize {
        self.snakes.len()
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn limit(rules: &Rules) -> Option<u64> {
        Some(rules.turns.into())
    }

    fn decisions(&self, rules: &Rules) -> Vec<Decision> {
        if self.is_over(rules) {
            return Vec::new();
        }
        let left = Player::all(self.snakes.len()).filter(|player| !self.is_out(*player));
        left.map(|player| Decision::new(player, 0)).collect()
    }

    fn answers(_: &Rules, _: usize) -> Vec<Answer> {
        Direction::ALL.map(Answer::from).to_vec()
    }

    fn view(&self, rules: &Rules, decision: Decision) -> View {
        View::new(self, rules, decision.player)
    }

    fn step(&mut self, rules: &Rules, seed: Seed, answers: &[(Decision, Answer)]) {
        for (decision, answer) in answers {
            self.snakes[decision.player.index()].advance(rules, answer.direction());
        }
        self.resolve(rules);
        self.appear(rules, seed);
    }

    fn score(&self, _: &Rules, player: Player) -> i64 {
        let out = self.snakes[player.index()].eliminated;
        let turns = out.map_or(self.turn, |out| out.turn.saturating_sub(1));
        turns as i64
    }

    fn rank(&self, rules: &Rules, player: Player) -> Vec<i64> {
        vec![i64::from(!self.is_out(player)), self.score(rules, player)]
    }

    fn measures(&self, _: &Rules, player: Player) -> Vec<(&'static str, i64)> {
        let snake = &self.snakes[player.index()];
        vec![("length", snake.body.len() as i64), ("health", snake.health.into())]
    }

    fn is_out(&self, player: Player) -> bool {
        self.snakes[player.index()].eliminated.is_some()
    }

    fn ending(&self, rules: &Rules) -> String {
        let last =
            self.snakes.iter().filter_map(|snake| snake.eliminated).max_by_key(|out| out.turn);
        match (self.left(), last) {
            (0, Some(out)) if self.snakes.len() == 1 => {
                format!("{} in turn {}", out.cause.words(), out.turn)
            }
            (0, Some(out)) => format!("lasted longest, to turn {}", out.turn),
            (1, Some(_)) if self.turn < rules.turns.into() => "all others are out".into(),
            _ => format!("still on the board after {} turns", self.turn),
        }
    }

    fn grid(&self, rules: &Rules) -> Option<Grid> {
        let mut grid = Grid::new(rules.width, rules.height);
        let place = |square: Point| {
            rules.index(square).map(|_| (square.x as u32, rules.height - 1 - square.y as u32))
        };

        let mut hazards = self.hazards.clone();
        hazards.sort_unstable();
        for stack in hazards.chunk_by(|one, other| one == other) {
            let Some((x, y)) = place(stack[0]) else { continue };
            grid.fill(x, y, Ink::graded(Hue::Wall, 14, stack.len() as u32, 5));
        }
        for &square in &self.food {
            let Some((x, y)) = place(square) else { continue };
            if !self.hazards.contains(&square) {
                grid.fill(x, y, Ink::new(Hue::Food));
            }
            grid.mark(x, y, Shape::Disc(50), Ink::new(Hue::Head));
        }

        // The tail is pale, and pointers lead to the head, so that people can follow coils.
        for (player, snake) in Player::all(self.snakes.len()).zip(&self.snakes) {
            if snake.eliminated.is_some() {
                continue;
            }
            let hue = Hue::Player(player);
            let last = snake.body.len() - 1;
            for (number, &square) in snake.body.iter().enumerate().rev() {
                let Some((x, y)) = place(square) else { continue };
                let ink = Ink::graded(hue, 22, (last - number) as u32, last as u32);
                grid.fill(x, y, ink);
                if self.hazards.contains(&square) {
                    grid.mark(x, y, Shape::Ring, Ink::new(Hue::Wall));
                }
                // The square behind the head has a number instead.
                if number > 1
                    && let Some(way) = rules.direction(square, snake.body[number - 1])
                {
                    let pointer = Shape::Pointer(Arrow(2 * way.key() as u8));
                    grid.mark(x, y, pointer, Ink::faded(hue, ink.strength() / 2));
                }
            }
            let Some((x, y)) = place(snake.head()) else { continue };
            grid.fill(x, y, Ink::player(player));
            let eyes = Arrow(2 * snake.heading(rules).key() as u8);
            grid.mark(x, y, Shape::Pointer(eyes), Ink::GROUND);
            let neck = snake.body.get(1).filter(|neck| **neck != snake.head());
            if let Some((x, y)) = neck.and_then(|neck| place(*neck)) {
                grid.mark(x, y, Shape::Number(snake.health.into()), Ink::GROUND);
            }
        }
        Some(if rules.wraps() { grid.wrapping() } else { grid })
    }

    fn gesture(&self, _: &Rules, _: Decision, answer: &Answer) -> Option<Gesture> {
        answer.direction().map(|direction| Gesture::Go(direction.key()))
    }
}
