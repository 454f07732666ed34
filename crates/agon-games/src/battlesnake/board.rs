//! The state of a match, and what happens in a turn.

use std::{cmp::Reverse, collections::BTreeMap};

use agon_core::{Player, Purpose, Rng, Seed, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Direction, Rules, Ruleset};

/// The health at the start, and after food.
pub(super) const MAX_HEALTH: u8 = 100;

/// Squares of a body at the start, all in the same place.
const START_LENGTH: usize = 3;

/// Turns without food in a castle.
const CASTLE_FAST: u64 = 10;

/// Food in a castle from then on: one appears in each turn that has less.
const CASTLE_FOOD: usize = 2;

/// A square. (0, 0) is at the bottom left.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Point {
    /// Its column, from 0 at the left.
    pub x: i16,
    /// Its row, from 0 at the bottom.
    pub y: i16,
}

impl Point {
    /// Returns the next square in a direction, perhaps outside of the board.
    #[inline]
    pub(super) fn next(self, direction: Direction) -> Point {
        let Point { x, y } = self;
        match direction {
            Direction::Up => Point { x, y: y + 1 },
            Direction::Down => Point { x, y: y - 1 },
            Direction::Left => Point { x: x - 1, y },
            Direction::Right => Point { x: x + 1, y },
        }
    }

    /// Returns how many moves of a chess king it takes from here to there.
    pub(super) fn distance(self, other: Point) -> u16 {
        self.x.abs_diff(other.x).max(self.y.abs_diff(other.y))
    }
}

impl Rules {
    /// Returns the next square in a direction, on the other side of the board if it wraps.
    #[inline]
    pub(super) fn next(&self, from: Point, direction: Direction) -> Point {
        let to = from.next(direction);
        if !self.wraps() {
            return to;
        }
        Point { x: to.x.rem_euclid(self.width as i16), y: to.y.rem_euclid(self.height as i16) }
    }

    /// Returns the direction from a square to one beside it; `None` if it is not beside it.
    pub(super) fn direction(&self, from: Point, to: Point) -> Option<Direction> {
        Direction::ALL.into_iter().find(|direction| self.next(from, *direction) == to)
    }

    /// Returns those squares that are on the board.
    pub(super) fn inside(&self, squares: &[Point]) -> Vec<Point> {
        squares.iter().copied().filter(|square| self.index(*square).is_some()).collect()
    }
}

/// Why a snake is out, in the words of the official program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It starved.
    OutOfHealth,
    /// It left the board.
    WallCollision,
    /// It ran into itself.
    SnakeSelfCollision,
    /// It ran into the body of another snake.
    SnakeCollision,
    /// It met the head of a snake that was not shorter.
    HeadCollision,
    /// A hazard took its last health.
    Hazard,
}

impl Cause {
    /// Returns the cause as the start of a sentence.
    pub(super) fn words(self) -> &'static str {
        match self {
            Cause::OutOfHealth => "starved",
            Cause::WallCollision => "left the board",
            Cause::SnakeSelfCollision => "ran into itself",
            Cause::SnakeCollision => "ran into a snake",
            Cause::HeadCollision => "met a head",
            Cause::Hazard => "died in a hazard",
        }
    }
}

/// How a snake left the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Elimination {
    /// The turn after which it was gone, from 1.
    pub turn: u64,
    /// Why it is out.
    pub cause: Cause,
    /// The player whose snake it ran into; null for none.
    pub by: Option<Player>,
}

/// A snake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snake {
    /// Its health, from 0 to 100.
    pub health: u8,
    /// Its squares, from head to tail. The last ones may be the same: it grows in the next moves.
    pub body: Vec<Point>,
    /// How it left the match; null while it is on the board.
    pub eliminated: Option<Elimination>,
}

impl Snake {
    fn new(body: Vec<Point>) -> Snake {
        Snake { health: MAX_HEALTH, body, eliminated: None }
    }

    /// Returns the first square of the body.
    pub fn head(&self) -> Point {
        self.body[0]
    }

    fn is_left(&self) -> bool {
        self.eliminated.is_none()
    }

    /// Returns the direction of the last move; up at the start.
    pub(super) fn heading(&self, rules: &Rules) -> Direction {
        let neck = self.body.get(1);
        neck.and_then(|neck| rules.direction(*neck, self.head())).unwrap_or(Direction::Up)
    }

    /// Moves by one square; ahead without a direction.
    #[inline]
    pub(super) fn advance(&mut self, rules: &Rules, direction: Option<Direction>) {
        let direction = direction.unwrap_or_else(|| self.heading(rules));
        let head = rules.next(self.head(), direction);
        self.body.rotate_right(1);
        self.body[0] = head;
        self.health = self.health.saturating_sub(1);
    }

    /// Becomes longer by a square on top of its tail.
    fn grow(&mut self) {
        self.body.extend(self.body.last().copied());
    }

    fn is_growing(&self) -> bool {
        matches!(self.body[..], [.., last, tail] if last == tail)
    }
}

/// Food and hazards that appear at the end of a turn, and hazards that go away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Spawn {
    /// The turn, from 1: the food is on the board when this many turns are over.
    pub turn: u64,
    /// New food.
    pub food: Vec<Point>,
    /// New hazards. One that comes twice hurts twice as much.
    pub hazards: Vec<Point>,
    /// Hazards that go away before.
    pub gone: Vec<Point>,
}

/// Returns what is left of `all` when each of the `taken` squares is taken away once.
pub(super) fn without(all: &[Point], taken: &[Point]) -> Vec<Point> {
    let mut open: BTreeMap<Point, usize> = BTreeMap::new();
    taken.iter().for_each(|square| *open.entry(*square).or_default() += 1);
    let is_left = |square: &Point| match open.get_mut(square) {
        Some(count @ 1..) => {
            *count -= 1;
            false
        }
        _ => true,
    };
    all.iter().copied().filter(is_left).collect()
}

/// The whole state of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Board {
    /// Turns that are over.
    pub turn: u64,
    /// The snakes in order of player number, also those that are out.
    pub snakes: Vec<Snake>,
    /// The squares with food.
    pub food: Vec<Point>,
    /// The squares with hazards. One that comes twice hurts twice as much.
    pub hazards: Vec<Point>,
    /// What appears in later turns, in order of turns. No bot and no picture shows it. Null, as
    /// usual, leaves it to chance.
    #[serde(default)]
    pub recorded: Option<Vec<Spawn>>,
}

impl Board {
    /// Returns the start of a match.
    pub(super) fn new(rules: &Rules, players: usize, seed: Seed) -> Board {
        let mut rng = seed.stream(Purpose::Setup, 0);
        let starts = starts(rules, players, &mut rng);
        let stacked = |square| std::iter::repeat_n(square, rules.hazards_at(square));
        let mut food = Vec::new();
        if rules.has_food() && !rules.map.is_castle() {
            let middle = |side: u32| (side as i16 - 1) / 2;
            let center = Point { x: middle(rules.width), y: middle(rules.height) };
            let is_free = |at: &Point| rules.map.size().is_none() || rules.hazards_at(*at) == 0;
            for &start in &starts {
                let mut near = first_food(rules, start, center);
                near.retain(|at| !food.contains(at) && !starts.contains(at));
                near.retain(is_free);
                food.extend(rng.pick(&near));
            }
            if !starts.contains(&center) && is_free(&center) {
                food.push(center);
            }
        }
        Board {
            turn: 0,
            snakes: starts.iter().map(|start| Snake::new(vec![*start; START_LENGTH])).collect(),
            food,
            hazards: rules.squares().flat_map(stacked).collect(),
            recorded: None,
        }
    }

    /// Returns the number of snakes on the board.
    pub(super) fn left(&self) -> usize {
        self.snakes.iter().filter(|snake| snake.is_left()).count()
    }

    /// Returns whether the match is over. A snake that started alone plays until it is out.
    pub(super) fn is_over(&self, rules: &Rules) -> bool {
        let is_alone = rules.ruleset == Ruleset::Solo || self.snakes.len() == 1;
        let least = if is_alone { 1 } else { 2 };
        self.turn >= rules.turns.into() || self.left() < least
    }

    /// Plays the turn after the moves, up to what appears.
    pub(super) fn resolve(&mut self, rules: &Rules) {
        self.turn += 1;
        self.hurt(rules);
        self.feed();
        self.eliminate(rules);
        if rules.constricts() {
            self.food.clear();
            // As in the official program, also those that are out.
            for snake in &mut self.snakes {
                snake.health = MAX_HEALTH;
                if !snake.is_growing() {
                    snake.grow();
                }
            }
        }
    }

    /// Hazards take or give health, except where food is.
    fn hurt(&mut self, rules: &Rules) {
        if self.hazards.is_empty() {
            return;
        }
        for snake in self.snakes.iter_mut().filter(|snake| snake.eliminated.is_none()) {
            let head = snake.body[0];
            let hazards = self.hazards.iter().filter(|hazard| **hazard == head).count() as i64;
            if hazards == 0 || self.food.contains(&head) {
                continue;
            }
            let health =
                i64::from(snake.health) - hazards * i64::from(rules.hazard_damage_per_turn);
            snake.health = health.clamp(0, MAX_HEALTH.into()) as u8;
            if snake.health == 0 {
                let cause = Cause::Hazard;
                snake.eliminated = Some(Elimination { turn: self.turn, cause, by: None });
            }
        }
    }

    /// Snakes eat what is under their heads, also those that are about to collide.
    fn feed(&mut self) {
        if self.food.is_empty() {
            return;
        }
        let Board { snakes, food, .. } = self;
        for snake in snakes.iter_mut().filter(|snake| snake.is_left()) {
            if food.contains(&snake.head()) {
                snake.health = MAX_HEALTH;
                snake.grow();
            }
        }
        let is_eaten =
            |food: &Point| snakes.iter().any(|snake| snake.is_left() && snake.head() == *food);
        food.retain(|food| !is_eaten(food));
    }

    /// Takes snakes off the board: first those that starved or left it, so that nobody collides
    /// with them, then all that collided at the same time.
    fn eliminate(&mut self, rules: &Rules) {
        let turn = self.turn;
        for snake in self.snakes.iter_mut().filter(|snake| snake.is_left()) {
            let cause = match (snake.health, rules.index(snake.head())) {
                (0, _) => Cause::OutOfHealth,
                (_, None) => Cause::WallCollision,
                _ => continue,
            };
            snake.eliminated = Some(Elimination { turn, cause, by: None });
        }
        let collided: Vec<(usize, Cause, usize)> = (0..self.snakes.len())
            .filter_map(|number| self.collision(number).map(|(cause, by)| (number, cause, by)))
            .collect();
        for (number, cause, by) in collided {
            let by = Some(Player::from_index(by));
            self.snakes[number].eliminated = Some(Elimination { turn, cause, by });
        }
    }

    /// Returns what a snake collided with: the longest one if there are several.
    fn collision(&self, number: usize) -> Option<(Cause, usize)> {
        let snake = &self.snakes[number];
        if !snake.is_left() {
            return None;
        }
        let head = snake.head();
        if snake.body[1..].contains(&head) {
            return Some((Cause::SnakeSelfCollision, number));
        }
        let others = || {
            let others = self.snakes.iter().enumerate();
            others.filter(|(other, snake)| *other != number && snake.is_left())
        };
        let length = |(other, snake): &(usize, &Snake)| (snake.body.len(), Reverse(*other));
        let bitten = others().filter(|(_, other)| other.body[1..].contains(&head));
        if let Some((other, _)) = bitten.max_by_key(length) {
            return Some((Cause::SnakeCollision, other));
        }
        let is_lost = |other: &Snake| other.head() == head && other.body.len() >= snake.body.len();
        let met = others().filter(|(_, other)| is_lost(other)).max_by_key(length);
        met.map(|(other, _)| (Cause::HeadCollision, other))
    }

    /// Adds what appears at the end of a turn.
    pub(super) fn appear(&mut self, rules: &Rules, seed: Seed) {
        let turn = self.turn;
        if let Some(recorded) = &self.recorded {
            let first = recorded.partition_point(|spawn| spawn.turn < turn);
            for spawn in recorded[first..].iter().take_while(|spawn| spawn.turn == turn) {
                let known = &mut self.food;
                for &food in &spawn.food {
                    if !known.contains(&food) {
                        known.push(food);
                    }
                }
                self.hazards = without(&self.hazards, &spawn.gone);
                self.hazards.extend(&spawn.hazards);
            }
            return;
        }

        let mut rng = seed.stream(Purpose::Draw, 2 * turn);
        rules.add_hazards(turn, &mut self.hazards, &mut rng);
        if rules.has_food() {
            self.add_food(rules, &mut seed.stream(Purpose::Draw, 2 * turn + 1));
        }
    }

    fn add_food(&mut self, rules: &Rules, rng: &mut Rng) {
        let count = if rules.map.is_castle() {
            usize::from(self.turn > CASTLE_FAST && self.food.len() < CASTLE_FOOD)
        } else {
            let missing = (rules.minimum_food as usize).saturating_sub(self.food.len());
            let is_more = missing == 0 && rng.chance(rules.food_spawn_chance.into(), 100);
            missing + usize::from(is_more)
        };
        if count == 0 {
            return;
        }
        let mut taken = self.food.clone();
        if rules.map.size().is_some() {
            taken.extend(&self.hazards);
        }
        for snake in self.snakes.iter().filter(|snake| snake.is_left()) {
            taken.extend(&snake.body);
            // Recorded games show no food where a head could eat it at once.
            taken.extend(Direction::ALL.map(|direction| rules.next(snake.head(), direction)));
        }
        let mut empty = rules.free_of(&taken);
        for _ in 0..count.min(empty.len()) {
            let square = empty.swap_remove(rng.index(empty.len()));
            self.food.push(square);
        }
    }

    /// Notes every part that contradicts the rules or itself.
    pub(super) fn check_parts(&self, rules: &Rules, problems: &mut Problems) {
        problems.range("turn", self.turn, 0..=rules.turns.into());
        for (number, snake) in self.snakes.iter().enumerate() {
            self.check_snake(rules, number, problems);
            let Some(out) = snake.eliminated else { continue };
            let is_known = out.by.is_none_or(|by| by.index() < self.snakes.len());
            problems.require(is_known, format_args!("snakes[{number}].eliminated.by"), || {
                "there is no such player".into()
            });
            let what = format_args!("snakes[{number}].eliminated.turn");
            problems.range(what, out.turn, 1..=self.turn.max(1));
        }

        let is_inside = |square: &Point| rules.index(*square).is_some();
        let mut food = self.food.clone();
        food.sort_unstable();
        food.dedup();
        let fits = food.len() == self.food.len() && food.iter().all(is_inside);
        problems.require(fits, "food", || "wanted: different squares of the board".into());
        problems.require(self.hazards.iter().all(is_inside), "hazards", || {
            "wanted: squares of the board".into()
        });

        let spawns = self.recorded.as_deref().unwrap_or_default();
        let is_sorted = spawns.is_sorted_by(|a, b| a.turn < b.turn);
        let are_inside = |spawn: &Spawn| {
            [&spawn.food, &spawn.hazards, &spawn.gone].into_iter().flatten().all(is_inside)
        };
        let fits = is_sorted && spawns.iter().all(are_inside);
        problems.require(fits, "recorded", || {
            "wanted: ascending turns, with squares of the board".into()
        });
        problems.require(self.most_hazards(rules) <= 100 * rules.area(), "hazards", || {
            "at most 100 for each square, the recorded ones included".into()
        });
    }

    /// Returns how many hazards there are at the same time, now or later.
    fn most_hazards(&self, rules: &Rules) -> usize {
        let mut stacks = vec![0_usize; rules.area()];
        let mut count = 0;
        let mut add = |squares: &[Point], gone: &[Point]| {
            for stack in gone.iter().filter_map(|at| rules.index(*at)) {
                count -= stacks[stack].min(1);
                stacks[stack] = stacks[stack].saturating_sub(1);
            }
            squares.iter().filter_map(|at| rules.index(*at)).for_each(|at| stacks[at] += 1);
            count += squares.len();
            count
        };
        let now = add(&self.hazards, &[]);
        let later = self.recorded.iter().flatten().filter(|spawn| spawn.turn > self.turn);
        later.map(|spawn| add(&spawn.hazards, &spawn.gone)).fold(now, usize::max)
    }

    fn check_snake(&self, rules: &Rules, number: usize, problems: &mut Problems) {
        let snake = &self.snakes[number];
        let least = u8::from(snake.is_left());
        problems.range(format_args!("snakes[{number}].health"), snake.health, least..=MAX_HEALTH);

        // Each turn adds at most one square.
        let most = 2 * rules.area() + self.turn as usize;
        let is_inside = |square: &Point| rules.index(*square).is_some();
        let is_near = |pair: &[Point]| {
            let next = |direction: Direction| rules.next(pair[1], direction) == pair[0];
            pair[0] == pair[1] || Direction::ALL.into_iter().any(next)
        };
        // The head of a snake that is out may be beyond the edge.
        let body = match snake.body[..] {
            [_, ref rest @ ..] if !snake.is_left() => rest,
            ref all => all,
        };
        let fits = !snake.body.is_empty()
            && snake.body.len() <= most
            && body.iter().all(is_inside)
            && snake.body.windows(2).all(is_near);
        problems.require(fits, format_args!("snakes[{number}].body"), || {
            format!("wanted: 1 to {most} squares of the board, each next to the one before")
        });
    }
}

/// Returns where the snakes start: next to the corners, or next to the middles of the edges.
fn starts(rules: &Rules, players: usize, rng: &mut Rng) -> Vec<Point> {
    let (right, top) = (rules.width as i16 - 2, rules.height as i16 - 2);
    let (column, row) = ((rules.width as i16 - 1) / 2, (rules.height as i16 - 1) / 2);
    let mut groups = [
        [(1, 1), (1, top), (right, 1), (right, top)].map(|(x, y)| Point { x, y }),
        [(1, row), (right, row), (column, 1), (column, top)].map(|(x, y)| Point { x, y }),
    ];
    groups.iter_mut().for_each(|group| rng.shuffle(group));
    rng.shuffle(&mut groups);
    groups.sort_by_key(|group| group.iter().any(|square| rules.hazards_at(*square) > 0));

    // Heads meet only if all are on squares of the same colour of a chessboard.
    let is_even = |square: &Point| (square.x + square.y) % 2 == 0;
    let ring = groups.as_flattened();
    let is_small = rules.width.min(rules.height) < 7;
    if players <= ring.len() && !is_small && ring[..players].iter().all(is_even) {
        return ring[..players].to_vec();
    }
    // Far from each other, on any such squares.
    let mut free: Vec<Point> = rules.squares().filter(is_even).collect();
    rng.shuffle(&mut free);
    let mut starts: Vec<Point> = Vec::new();
    while starts.len() < players {
        let room = |square: &&Point| starts.iter().map(|start| start.distance(**square)).min();
        let Some(&next) = free.iter().max_by_key(room) else { break };
        starts.push(next);
    }
    starts
}

/// Returns where the first food of a snake may be: two moves from its start and not nearer to the
/// centre, but in no corner.
fn first_food(rules: &Rules, start: Point, center: Point) -> Vec<Point> {
    let (right, top) = (rules.width as i16 - 1, rules.height as i16 - 1);
    let is_corner = |at: &Point| (at.x == 0 || at.x == right) && (at.y == 0 || at.y == top);
    let near = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
    let near = near.map(|(x, y)| Point { x: start.x + x, y: start.y + y });
    let fits = |at: &Point| {
        rules.index(*at).is_some()
            && !is_corner(at)
            && at.distance(center) >= start.distance(center)
            && *at != center
    };
    near.into_iter().filter(fits).collect()
}
