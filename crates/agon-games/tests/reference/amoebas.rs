//! A plain second implementation of amoebas, for the tests: maps and copies instead of tables.
//!
//! It works from position to position and asks one amoeba after the other.

use std::collections::BTreeMap;

use agon_core::{Blob, Decision, Player, Purpose, Seed};
use agon_games::amoebas::{Amoeba, Answer, Baggage, Command, Position, Rules};

/// Column and row.
type Place = (i64, i64);

/// The world, taken apart.
struct World<'a> {
    rules: &'a Rules,
    round: u32,
    players: u32,
    fuel: BTreeMap<Place, u32>,
    amoebas: BTreeMap<Place, Amoeba>,
}

/// Who is asked next: the amoebas that have not acted on the cells of one class.
pub fn decisions(rules: &Rules, seed: Seed, position: &Position) -> Vec<Decision> {
    let is_over = position.round >= rules.rounds;
    let size = rules.world_size;
    let waiting: Vec<&Amoeba> = position.amoebas.iter().filter(|a| !a.acted && !is_over).collect();
    for class in class_order(rules, seed, position.round) {
        let of_class =
            waiting.iter().filter(|a| (class_of(rules, a.x), class_of(rules, a.y)) == class);
        let mut batch: Vec<Decision> =
            of_class.map(|a| Decision::new(Player(a.species as u16), a.y * size + a.x)).collect();
        if !batch.is_empty() {
            batch.sort();
            return batch;
        }
    }
    Vec::new()
}

/// The classes, as (class of x, class of y), in the order of a round.
fn class_order(rules: &Rules, seed: Seed, round: u32) -> Vec<(u32, u32)> {
    let side = (0..rules.world_size).map(|x| class_of(rules, x)).max().unwrap() + 1;
    let mut order: Vec<(u32, u32)> =
        (0..side).flat_map(|y| (0..side).map(move |x| (x, y))).collect();
    seed.stream(Purpose::Order, round.into()).shuffle(&mut order);
    order
}

/// The ring is cut into as many blocks of at least `view_distance + 2` cells as fit (or one); a
/// cell's class is its place in its block.
fn class_of(rules: &Rules, x: u32) -> u32 {
    let blocks = (rules.world_size / (rules.view_distance + 2)).max(1);
    let start = |block: u32| block * rules.world_size / blocks;
    let block = (0..blocks).rev().find(|&block| start(block) <= x).unwrap();
    x - start(block)
}

/// One step: the answers to [`decisions`] in order, and the sunshine if the round is over with
/// them.
pub fn step(rules: &Rules, seed: Seed, position: &Position, answers: &[Answer]) -> Position {
    let batch = decisions(rules, seed, position);
    let mut world = World::new(rules, position);
    for (decision, answer) in batch.iter().zip(answers) {
        let size = i64::from(rules.world_size);
        let place = (i64::from(decision.unit) % size, i64::from(decision.unit) / size);
        world.act(place, answer);
    }
    if world.amoebas.values().all(|amoeba| amoeba.acted) {
        world.end_round();
    }
    world.position()
}

impl World<'_> {
    fn new<'a>(rules: &'a Rules, position: &Position) -> World<'a> {
        let size = i64::from(rules.world_size);
        let places = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        World {
            rules,
            round: position.round,
            players: position.players,
            fuel: places.zip(position.fuel.iter().copied()).collect(),
            amoebas: position
                .amoebas
                .iter()
                .map(|a| ((a.x.into(), a.y.into()), a.clone()))
                .collect(),
        }
    }

    fn position(self) -> Position {
        let row_by_row = |(x, y): &Place| (*y, *x);
        let mut fuel: Vec<(Place, u32)> = self.fuel.into_iter().collect();
        fuel.sort_by_key(|(place, _)| row_by_row(place));
        let mut amoebas: Vec<Amoeba> = self
            .amoebas
            .into_iter()
            .map(|((x, y), amoeba)| Amoeba { x: x as u32, y: y as u32, ..amoeba })
            .collect();
        amoebas.sort_by_key(|a| (a.y, a.x));
        let fuel = fuel.into_iter().map(|(_, fuel)| fuel).collect();
        Position { players: self.players, round: self.round, fuel, amoebas }
    }

    fn end_round(&mut self) {
        self.round += 1;
        for (place, fuel) in &mut self.fuel {
            if !self.amoebas.contains_key(place) {
                *fuel = (*fuel + self.rules.sun_energy).min(self.rules.max_cell_energy);
            }
        }
        self.amoebas.values_mut().for_each(|amoeba| amoeba.acted = false);
    }

    fn act(&mut self, place: Place, answer: &Answer) {
        let mut me = self.amoebas.remove(&place).unwrap();
        me.acted = true;
        let (command, Baggage { data, function, child_data }) = answer.clone().into_parts();
        let fits = |blob: &Option<Blob>| {
            blob.as_ref().is_none_or(|blob| blob.bytes().len() <= self.rules.data_limit as usize)
        };
        if command == Command::Fault || !(fits(&data) && fits(&function) && fits(&child_data)) {
            return self.rest(place, me);
        }
        me.data = data;
        match command {
            Command::Fault | Command::Rest => self.rest(place, me),
            Command::Move { dir } => {
                let target = self.beside(place, dir.number());
                if me.energy < self.rules.move_energy || self.is_taken(target, place) {
                    return self.rest(place, me);
                }
                me.energy -= self.rules.move_energy;
                self.amoebas.insert(target, me);
            }
            Command::Hit { dir } => {
                let target = self.beside(place, dir.number());
                if me.energy < self.rules.hit_energy || !self.is_taken(target, place) {
                    return self.rest(place, me);
                }
                me.energy -= self.rules.hit_energy;
                self.amoebas.insert(place, me);
                self.suffer(target);
            }
            Command::Divide { dir } => {
                let target = self.beside(place, dir.number());
                if me.energy < self.rules.min_divide_energy || self.is_taken(target, place) {
                    return self.rest(place, me);
                }
                me.energy = (me.energy - self.rules.divide_energy_loss) / 2;
                let function = function.or_else(|| me.function.clone());
                self.amoebas.insert(target, Amoeba { function, data: child_data, ..me.clone() });
                self.amoebas.insert(place, me);
            }
        }
    }

    fn rest(&mut self, place: Place, mut me: Amoeba) {
        let fuel = self.fuel[&place];
        let gain =
            fuel.min(self.rules.max_amoeba_energy - me.energy).min(self.rules.max_fueling_energy);
        if me.energy + gain < self.rules.rest_energy {
            return;
        }
        me.energy = me.energy + gain - self.rules.rest_energy;
        me.health = (me.health + self.rules.recovery_gain).min(self.rules.max_amoeba_health);
        self.fuel.insert(place, fuel - gain);
        self.amoebas.insert(place, me);
    }

    fn suffer(&mut self, place: Place) {
        let mut victim = self.amoebas.remove(&place).unwrap();
        if victim.health > self.rules.hit_loss {
            victim.health -= self.rules.hit_loss;
            self.amoebas.insert(place, victim);
            return;
        }
        let fuel = self.fuel.get_mut(&place).unwrap();
        *fuel = (*fuel + victim.energy).min(self.rules.max_cell_energy);
    }

    /// Whether somebody is at `target`; the one who acts, from `place`, is in our hands and not on
    /// the map.
    fn is_taken(&self, target: Place, place: Place) -> bool {
        assert_ne!(target, place, "worlds are at least 3 cells wide");
        self.amoebas.contains_key(&target)
    }

    fn beside(&self, (x, y): Place, dir: u8) -> Place {
        let (dx, dy) = match dir {
            0 => (-1, -1),
            1 => (0, -1),
            2 => (1, -1),
            3 => (1, 0),
            4 => (1, 1),
            5 => (0, 1),
            6 => (-1, 1),
            _ => (-1, 0),
        };
        let size = i64::from(self.rules.world_size);
        ((x + dx).rem_euclid(size), (y + dy).rem_euclid(size))
    }
}
