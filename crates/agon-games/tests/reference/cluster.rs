//! A naive second implementation of cluster, for the tests: a position and an answer give the next
//! position. It uses maps of coordinates, and shares only the types of positions, answers and
//! random streams with the game.

use std::collections::BTreeMap;

use agon_core::{Player, Purpose, Seed};
use agon_games::cluster::{Answer, End, Pellet, Position, Rules};

type Place = (i32, i32);

const STEPS: [Place; 6] = [(0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0)];

pub(crate) struct Reference {
    rules: Rules,
    seed: Seed,
    places: Vec<Place>,
}

impl Reference {
    pub(crate) fn new(rules: &Rules, seed: Seed) -> Reference {
        Reference { rules: rules.clone(), seed, places: number_ring_by_ring(rules.side as i32) }
    }

    pub(crate) fn start(&self) -> Position {
        let position = Position { bags: Some([self.rules.bag_size(); 4]), ..Position::default() };
        self.begin_turn(position)
    }

    pub(crate) fn step(&self, mut position: Position, answer: Answer) -> Position {
        let mover = Player((position.turn % 2) as u16);
        let hand = position.hand.take().unwrap();
        let mut bags = position.bags.unwrap();
        // All go back into the bags, from where a move takes what it uses.
        hand.iter().for_each(|&color| bags[usize::from(color)] += 1);
        let lost = End::Illegal { loser: mover };
        position.end = match answer {
            Answer::Forfeit => Some(End::Forfeit { loser: mover }),
            Answer::Rotate { cycles } if (1..=5).contains(&cycles) => {
                hand.iter().for_each(|&color| bags[usize::from(color)] -= 1);
                position.gravity = (position.gravity + cycles) % 6;
                self.fall(&mut position);
                self.judge(&position)
            }
            Answer::Rotate { .. } => Some(lost),
            Answer::Place { column, color } => match self.enter(&position, column) {
                Some(cell) if hand.contains(&color) => {
                    position.pellets.push(Pellet { cell, color });
                    bags[usize::from(color)] -= 1;
                    self.fall(&mut position);
                    self.judge(&position)
                }
                _ => Some(lost),
            },
        };
        position.bags = Some(bags);
        position.hand = Some(vec![]);
        position.turn += 1;
        if position.end.is_none() { self.begin_turn(position) } else { position }
    }

    fn begin_turn(&self, mut position: Position) -> Position {
        let mut bags = position.bags.unwrap();
        let mut hand = vec![];
        let mut rng = self.seed.quick_stream(Purpose::Draw, position.turn);
        let mine = [(position.turn % 2) as u8, (position.turn % 2) as u8 + 2];
        for _ in 0..self.rules.hand_size {
            let left: Vec<u8> =
                mine.into_iter().filter(|&color| bags[usize::from(color)] > 0).collect();
            // A choice among one takes nothing from the stream.
            let color = if left.len() == 1 { Some(&left[0]) } else { rng.pick(&left) };
            let Some(&color) = color else { break };
            bags[usize::from(color)] -= 1;
            hand.push(color);
        }
        hand.sort();
        if position.turn >= 2 * self.rules.max_rounds {
            position.end = Some(End::RoundLimit);
        } else if hand.is_empty() {
            position.end = Some(End::OutOfPellets { loser: Player(u16::from(mine[0])) });
        }
        if position.end.is_some() {
            hand.drain(..).for_each(|color| bags[usize::from(color)] += 1);
        }
        position.bags = Some(bags);
        position.hand = Some(hand);
        position
    }

    /// The top cell of a column, if there is such a column and the cell is free.
    fn enter(&self, position: &Position, column: u16) -> Option<u16> {
        let radius = self.rules.side as i32 - 1;
        let corner = |direction: i32| {
            let (q, r) = STEPS[direction.rem_euclid(6) as usize];
            (q * radius, r * radius)
        };
        let opposite = i32::from(position.gravity) + 3;
        let middle = corner(opposite);
        let left = corner(opposite - 1);
        let right = corner(opposite + 1);
        let (towards, distance) = match i32::from(column) - radius {
            below @ ..0 => (left, -below),
            above => (right, above),
        };
        let between = |a: i32, b: i32| a + (b - a) / radius * distance;
        let place = (between(middle.0, towards.0), between(middle.1, towards.1));
        let cell =
            self.places.iter().position(|&p| p == place).filter(|_| distance <= radius)? as u16;
        let taken = position.pellets.iter().any(|pellet| pellet.cell == cell);
        (!taken).then_some(cell)
    }

    /// Each pellet moves on by one cell as long as any can.
    fn fall(&self, position: &mut Position) {
        let (dq, dr) = STEPS[usize::from(position.gravity)];
        let cells: BTreeMap<Place, u16> =
            (0..).zip(&self.places).map(|(i, &place)| (place, i)).collect();
        loop {
            let mut moved = false;
            for i in 0..position.pellets.len() {
                let (q, r) = self.places[usize::from(position.pellets[i].cell)];
                let Some(&below) = cells.get(&(q + dq, r + dr)) else { continue };
                if position.pellets.iter().all(|pellet| pellet.cell != below) {
                    position.pellets[i].cell = below;
                    moved = true;
                }
            }
            if !moved {
                return;
            }
        }
    }

    fn judge(&self, position: &Position) -> Option<End> {
        let place = |pellet: &Pellet| self.places[usize::from(pellet.cell)];
        let colors: BTreeMap<Place, u8> =
            position.pellets.iter().map(|p| (place(p), p.color)).collect();
        let mut best = [(0, 0), (0, 0)];
        for pellet in position.pellets.iter().rev() {
            for (dq, dr) in &STEPS[..3] {
                let (q, r) = place(pellet);
                let same = |i: &i32| colors.get(&(q + dq * i, r + dr * i)) == Some(&pellet.color);
                let length = (0..).take_while(same).count() as u32;
                let best = &mut best[usize::from(pellet.color % 2)];
                if length > best.0 {
                    *best = (length, pellet.color);
                }
            }
        }
        let amount =
            |color: u8| position.pellets.iter().filter(|pellet| pellet.color == color).count();
        let [(first, a), (second, b)] = best;
        let length = first.max(second);
        match (first.cmp(&second), amount(a).cmp(&amount(b))) {
            _ if length < self.rules.run_length => None,
            (std::cmp::Ordering::Greater, _) => Some(End::Run { winner: Player(0), length }),
            (std::cmp::Ordering::Less, _) => Some(End::Run { winner: Player(1), length }),
            (_, std::cmp::Ordering::Greater) => {
                Some(End::EqualRunsMorePellets { winner: Player(0), length })
            }
            (_, std::cmp::Ordering::Less) => {
                Some(End::EqualRunsMorePellets { winner: Player(1), length })
            }
            _ => Some(End::EqualRuns { length }),
        }
    }
}

/// The centre, then for each ring the cells first seen from the ring before.
fn number_ring_by_ring(side: i32) -> Vec<Place> {
    let distance = |(q, r): Place| q.abs().max(r.abs()).max((q + r).abs());
    let mut places = vec![(0, 0)];
    for ring in 1..side {
        for (q, r) in places.clone() {
            for (dq, dr) in STEPS {
                let next = (q + dq, r + dr);
                if distance(next) == ring && !places.contains(&next) {
                    places.push(next);
                }
            }
        }
    }
    places
}
