//! The built-in snakes.

use std::cmp::Reverse;

use agon_core::{Builtin, Param, Policy, Rng};

use super::{Answer, Battlesnake, Board, Direction, Point, Rules, Snake};
use crate::kit::View;

pub(super) const RANDOM: Builtin<Battlesnake> = Builtin {
    name: "random",
    version: 1,
    summary: "Moves to any square where it does not die at once.",
    params: &[],
    make: |_| Ok(Box::new(Random::default())),
};

pub(super) const HUNGRY: Builtin<Battlesnake> = Builtin {
    name: "hungry",
    version: 1,
    summary: "Takes the shortest way to the next food.",
    params: &[],
    make: |_| Ok(Box::new(Hungry::default())),
};

pub(super) const CAREFUL: Builtin<Battlesnake> = Builtin {
    name: "careful",
    version: 1,
    summary: "Keeps room to move, avoids heads that it would lose against, and eats when it must.",
    params: &[],
    make: |_| Ok(Box::new(Careful::default())),
};

pub(super) const SEARCHER: Builtin<Battlesnake> = Builtin {
    name: "searcher",
    version: 1,
    summary: "Looks some turns ahead, expects the worst of the nearest snake, and fights for room.",
    params: &[Param {
        name: "depth",
        default: "2",
        summary: "Turns that it looks ahead, from 1 to 4.",
    }],
    make: |params| {
        let depth = params.number("depth", 1..=4)?;
        Ok(Box::new(Searcher { depth, ground: Ground::default() }))
    },
};

/// The match as a bot sees it: the snakes that are left, and which of them is its own.
struct Situation<'a> {
    rules: &'a Rules,
    board: Board,
    own: usize,
}

impl<'a> Situation<'a> {
    fn of(view: &View<'a, Board>) -> Situation<'a> {
        let seen = view.seen();
        let own = seen.board.snakes.iter().position(|snake| snake.id == seen.you.id);
        let snakes = seen.board.snakes.into_iter();
        let snakes =
            snakes.map(|snake| Snake { health: snake.health, body: snake.body, eliminated: None });
        let board = Board {
            turn: seen.turn,
            snakes: snakes.collect(),
            food: seen.board.food,
            hazards: seen.board.hazards,
            recorded: None,
        };
        Situation { rules: view.settings(), board, own: own.unwrap_or_default() }
    }

    fn snake(&self) -> &Snake {
        &self.board.snakes[self.own]
    }

    /// Returns the square that a move leads to.
    fn next(&self, direction: Direction) -> Point {
        self.rules.next(self.snake().head(), direction)
    }
}

/// When squares become free, and space for searches on the board.
#[derive(Default)]
struct Ground {
    /// For each square, the number of turns after which it is free.
    busy: Vec<u16>,
    has_food: Vec<bool>,
    is_seen: Vec<bool>,
    /// Squares to look at, with the snake that gets there first, and after how many turns.
    queue: Vec<(Point, u8, u16)>,
}

/// What a snake can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reach {
    squares: i64,
    /// Turns to the nearest food.
    food: Option<u16>,
}

impl Ground {
    fn prepare(&mut self, rules: &Rules, board: &Board) {
        self.busy.clear();
        self.busy.resize(rules.area(), 0);
        self.has_food.clear();
        self.has_food.resize(rules.area(), false);
        for at in board.food.iter().filter_map(|food| rules.index(*food)) {
            self.has_food[at] = true;
        }
        for snake in board.snakes.iter().filter(|snake| snake.eliminated.is_none()) {
            for (after_head, square) in snake.body.iter().enumerate() {
                let Some(at) = rules.index(*square) else { continue };
                let turns = match rules.constricts() {
                    true => u16::MAX,
                    false => (snake.body.len() - after_head).min(usize::from(u16::MAX)) as u16,
                };
                self.busy[at] = self.busy[at].max(turns);
            }
        }
    }

    /// Returns the directions in which nothing is in the way now.
    fn open<'a>(
        &'a self,
        rules: &'a Rules,
        head: Point,
    ) -> impl Iterator<Item = Direction> + use<'a> {
        let is_open = move |direction: &Direction| {
            rules.index(rules.next(head, *direction)).is_some_and(|at| self.busy[at] <= 1)
        };
        Direction::ALL.into_iter().filter(is_open)
    }

    /// Searches from the squares in the queue. The snake that comes first to a square gets it, in
    /// the same turn the one that comes first in the queue.
    fn search<const SNAKES: usize>(&mut self, rules: &Rules) -> [Reach; SNAKES] {
        let mut reach = [Reach::default(); SNAKES];
        self.is_seen.clear();
        self.is_seen.resize(rules.area(), false);
        for at in self.queue.iter().filter_map(|(square, ..)| rules.index(*square)) {
            self.is_seen[at] = true;
        }
        let mut done = 0;
        while let Some(&(square, owner, turns)) = self.queue.get(done) {
            done += 1;
            let own = &mut reach[usize::from(owner)];
            own.squares += 1;
            if turns > 0 && rules.index(square).is_some_and(|at| self.has_food[at]) {
                own.food.get_or_insert(turns);
            }
            for direction in Direction::ALL {
                let next = rules.next(square, direction);
                let Some(at) = rules.index(next) else { continue };
                if !self.is_seen[at] && self.busy[at] <= turns + 1 {
                    self.is_seen[at] = true;
                    self.queue.push((next, owner, turns + 1));
                }
            }
        }
        reach
    }

    /// Returns what can be reached from a square in the next turn.
    fn reach(&mut self, rules: &Rules, from: Point) -> Reach {
        self.queue.clear();
        self.queue.push((from, 0, 1));
        let [reach] = self.search(rules);
        reach
    }
}

#[derive(Default)]
struct Random {
    ground: Ground,
}

impl Policy<Battlesnake> for Random {
    fn decide(&mut self, view: &View<'_, Board>, rng: &mut Rng) -> Answer {
        let now = Situation::of(view);
        self.ground.prepare(now.rules, &now.board);
        let open: Vec<Direction> = self.ground.open(now.rules, now.snake().head()).collect();
        rng.pick(&open).copied().map(Answer::from).unwrap_or_default()
    }
}

#[derive(Default)]
struct Hungry {
    ground: Ground,
}

impl Policy<Battlesnake> for Hungry {
    fn decide(&mut self, view: &View<'_, Board>, rng: &mut Rng) -> Answer {
        let now = Situation::of(view);
        self.ground.prepare(now.rules, &now.board);
        best(&now, &mut self.ground, rng, |ground, next| {
            let reach = ground.reach(now.rules, next);
            Reverse(reach.food.unwrap_or(u16::MAX))
        })
    }
}

/// Returns the open direction whose next square is worth most; ahead if there is none.
fn best<V: Ord>(
    now: &Situation<'_>,
    ground: &mut Ground,
    rng: &mut Rng,
    mut value: impl FnMut(&mut Ground, Point) -> V,
) -> Answer {
    let mut open: Vec<Direction> = ground.open(now.rules, now.snake().head()).collect();
    rng.shuffle(&mut open);
    let best = open.into_iter().max_by_key(|direction| value(ground, now.next(*direction)));
    best.map(Answer::from).unwrap_or_default()
}

#[derive(Default)]
struct Careful {
    ground: Ground,
}

impl Careful {
    /// Health below which it looks for food.
    const HUNGRY: u8 = 45;

    fn value(now: &Situation<'_>, ground: &mut Ground, next: Point) -> i64 {
        let snake = now.snake();
        let length = snake.body.len() as i64;
        let reach = ground.reach(now.rules, next);
        let mut value = 10 * reach.squares.min(2 * length);
        // Without room for its body it dies for certain; a head may turn elsewhere.
        if reach.squares < length {
            value -= 6_000;
        }

        let others = || {
            let others = now.board.snakes.iter().enumerate();
            others.filter(|(number, _)| *number != now.own).map(|(_, other)| other)
        };
        for other in others() {
            let meets = |direction: Direction| now.rules.next(other.head(), direction) == next;
            if Direction::ALL.into_iter().any(meets) {
                value += if other.body.len() >= snake.body.len() { -5_000 } else { 20 };
            }
        }

        let hazards = now.board.hazards.iter().filter(|hazard| **hazard == next).count() as i64;
        if hazards > 0 && !now.board.food.contains(&next) {
            let damage = 1 + hazards * i64::from(now.rules.hazard_damage_per_turn);
            value -= if damage >= snake.health.into() { 50_000 } else { 4 * damage };
        }

        let longest = others().map(|other| other.body.len()).max().unwrap_or_default();
        let is_hungry = snake.health < Careful::HUNGRY || snake.body.len() <= longest + 1;
        match reach.food {
            Some(turns) if is_hungry => value - 8 * i64::from(turns),
            _ => value,
        }
    }
}

impl Policy<Battlesnake> for Careful {
    fn decide(&mut self, view: &View<'_, Board>, rng: &mut Rng) -> Answer {
        let now = Situation::of(view);
        self.ground.prepare(now.rules, &now.board);
        best(&now, &mut self.ground, rng, |ground, next| Careful::value(&now, ground, next))
    }
}

struct Searcher {
    depth: u32,
    ground: Ground,
}

/// The value of a match that is won, beyond all others.
const WON: i64 = 1_000_000;

impl Searcher {
    /// Returns the best direction and its value, if the nearest snake plays against it.
    fn search(&mut self, now: &Situation<'_>, depth: u32, rng: &mut Rng) -> (Direction, i64) {
        let (rules, board) = (now.rules, &now.board);
        self.ground.prepare(rules, board);
        let moves = |snake: &Snake| -> Vec<Direction> {
            let mut open: Vec<Direction> = self.ground.open(rules, snake.head()).collect();
            if open.is_empty() {
                open.push(snake.heading(rules));
            }
            open
        };
        let mut own = moves(now.snake());
        let rival = now.nearest();
        let replies =
            rival.map_or_else(|| vec![Direction::Up], |rival| moves(&board.snakes[rival]));
        // Snakes farther away go ahead, if they can.
        let others: Vec<Direction> = board
            .snakes
            .iter()
            .map(|snake| {
                let heading = snake.heading(rules);
                let open = moves(snake);
                if open.contains(&heading) { heading } else { open[0] }
            })
            .collect();

        rng.shuffle(&mut own);
        let mut best = (own[0], i64::MIN);
        for direction in own {
            let mut worst = i64::MAX;
            for &reply in &replies {
                let mut board = board.clone();
                for (number, snake) in board.snakes.iter_mut().enumerate() {
                    let way = match number {
                        _ if number == now.own => direction,
                        _ if Some(number) == rival => reply,
                        _ => others[number],
                    };
                    if snake.eliminated.is_none() {
                        snake.advance(rules, Some(way));
                    }
                }
                board.resolve(rules);
                let next = Situation { rules, board, own: now.own };
                worst = worst.min(self.value(&next, depth - 1, rng));
                if worst <= best.1 {
                    break;
                }
            }
            if worst > best.1 {
                best = (direction, worst);
            }
        }
        best
    }

    /// Returns what a situation is worth to the own snake.
    fn value(&mut self, now: &Situation<'_>, depth: u32, rng: &mut Rng) -> i64 {
        let turn = now.board.turn as i64;
        let is_alone = now.nearest().is_none();
        if now.snake().eliminated.is_some() {
            let loss = if is_alone { WON / 2 } else { WON };
            return turn - loss;
        }
        if is_alone && now.board.snakes.len() > 1 {
            return WON - turn;
        }
        if depth > 0 {
            return self.search(now, depth, rng).1;
        }
        self.estimate(now)
    }

    /// Estimates a situation by the squares that each snake reaches first.
    fn estimate(&mut self, now: &Situation<'_>) -> i64 {
        let Situation { rules, board, own } = now;
        let ground = &mut self.ground;
        ground.prepare(rules, board);

        // The longer of two snakes gets a square that both reach in the same turn.
        let left = board.snakes.iter().enumerate().filter(|(_, it)| it.eliminated.is_none());
        ground.queue.clear();
        ground.queue.extend(left.map(|(number, snake)| (snake.head(), number as u8, 0)));
        let key = |number: u8| {
            (Reverse(board.snakes[usize::from(number)].body.len()), usize::from(number) == *own)
        };
        ground.queue.sort_by_key(|&(_, number, _)| key(number));
        let reach: [Reach; 16] = ground.search(rules);

        let snake = now.snake();
        let length = snake.body.len() as i64;
        let others = || now.others().map(|(number, other)| (reach[number].squares, other));
        let room = reach[*own].squares;
        let most = others().map(|(squares, _)| squares).max().unwrap_or_default();
        let longest = others().map(|(_, other)| other.body.len() as i64).max().unwrap_or_default();

        let lead = (length - longest).clamp(-4, 2);
        let mut value = 10 * (room - most) + 60 * lead + i64::from(snake.health) / 2;
        value -= 40 * (length - room).max(0);
        let is_hungry = snake.health < 40 || lead < 2;
        match reach[*own].food {
            Some(turns) if u16::from(snake.health) >= turns => {
                value -= i64::from(turns) * if is_hungry { 8 } else { 1 };
            }
            _ if rules.has_food() => value -= if is_hungry { 150 } else { 20 },
            _ => {}
        }
        value
    }
}

impl Situation<'_> {
    /// Returns the other snakes that are left.
    fn others(&self) -> impl Iterator<Item = (usize, &Snake)> {
        let all = self.board.snakes.iter().enumerate();
        all.filter(|(number, snake)| *number != self.own && snake.eliminated.is_none())
    }

    fn nearest(&self) -> Option<usize> {
        let head = self.snake().head();
        let distance = |(_, other): &(usize, &Snake)| other.head().distance(head);
        self.others().min_by_key(distance).map(|(number, _)| number)
    }
}

impl Policy<Battlesnake> for Searcher {
    fn decide(&mut self, view: &View<'_, Board>, rng: &mut Rng) -> Answer {
        let now = Situation::of(view);
        self.search(&now, self.depth, rng).0.into()
    }
}
