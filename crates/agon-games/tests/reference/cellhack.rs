//! A plain second implementation of cellhack's turn, for the tests: positions in, positions out.

use std::collections::BTreeMap;

use agon_core::{Purpose, Seed};
use agon_games::cellhack::{Action, Answer, Cell, Direction, Position, Rules};

type World = BTreeMap<(u32, u32), Cell>;

/// The state after a turn; `answers` holds one answer per cell, by player, then row, then column.
pub(crate) fn turn(rules: &Rules, seed: Seed, before: &Position, answers: &[Answer]) -> Position {
    let mut world: World = before.cells.iter().map(|&cell| ((cell.x, cell.y), cell)).collect();
    let mut order: Vec<&Cell> = before.cells.iter().collect();
    order.sort_by_key(|cell| (cell.player, cell.y, cell.x));
    assert_eq!(order.len(), answers.len());
    let wishes: Vec<((u32, u32), Action)> =
        order.iter().zip(answers).map(|(cell, answer)| ((cell.x, cell.y), answer.action)).collect();

    for (cell, answer) in order.iter().zip(answers) {
        let cell = world.get_mut(&(cell.x, cell.y)).unwrap();
        cell.memory = answer.memory.unwrap_or(cell.memory);
    }
    for &(place, action) in &wishes {
        if action == Action::Rest {
            let n = neighbours(rules, place)
                .into_iter()
                .filter(|&p| !is_free(before, &world, p))
                .count() as i64;
            let gain = (i64::from(rules.rest_base) - i64::from(rules.rest_per_neighbour) * n)
                .max(rules.rest_min.into());
            let cell = world.get_mut(&place).unwrap();
            cell.energy = limited(rules, i64::from(cell.energy) + gain);
        }
    }
    transfer(rules, &mut world, &wishes);
    world.retain(|_, cell| cell.energy >= rules.energy_min);

    let mut acting: Vec<_> = wishes
        .into_iter()
        .filter(|(place, action)| world.contains_key(place) && is_change(*action))
        .collect();
    seed.quick_stream(Purpose::Order, before.turn.into()).shuffle(&mut acting);
    for (place, action) in acting {
        act(rules, before, &mut world, place, action);
    }
    world.retain(|_, cell| cell.energy >= rules.energy_min);

    let mut cells: Vec<Cell> = world.into_values().collect();
    cells.sort_by_key(|cell| (cell.y, cell.x));
    Position { turn: before.turn + 1, cells, ..before.clone() }
}

fn is_change(action: Action) -> bool {
    matches!(action, Action::Move(_) | Action::Split(_) | Action::Die)
}

fn limited(rules: &Rules, energy: i64) -> u16 {
    energy.clamp(0, rules.energy_max.into()) as u16
}

/// EAT and FEED: for every cell, everything it gains minus everything it loses.
fn transfer(rules: &Rules, world: &mut World, wishes: &[((u32, u32), Action)]) {
    let mut change: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for &(place, action) in wishes {
        let (target, sign) = match action {
            Action::Eat(direction) => (next(rules, place, direction), 1),
            Action::Feed(direction) => (next(rules, place, direction), -1),
            _ => continue,
        };
        if world.contains_key(&target) {
            *change.entry(place).or_default() += sign * i64::from(rules.eat_amount);
            *change.entry(target).or_default() -= sign * i64::from(rules.eat_amount);
        }
    }
    for (place, change) in change {
        let cell = world.get_mut(&place).unwrap();
        cell.energy = limited(rules, i64::from(cell.energy) + change);
    }
}

fn act(rules: &Rules, start: &Position, world: &mut World, place: (u32, u32), action: Action) {
    let mut cell = world[&place];
    match action {
        Action::Die => {
            world.remove(&place);
        }
        Action::Move(direction) => {
            let target = next(rules, place, direction);
            if is_free(start, world, target) {
                world.remove(&place);
                (cell.x, cell.y) = target;
                world.insert(target, cell);
            }
        }
        Action::Split(direction) => {
            let target = next(rules, place, direction);
            if is_free(start, world, target) && cell.energy > rules.energy_min_split {
                cell.energy /= 2;
                world.insert(place, cell);
                (cell.x, cell.y) = target;
                world.insert(target, cell);
            }
        }
        _ => unreachable!("only these change the world"),
    }
}

fn is_free(start: &Position, world: &World, place: (u32, u32)) -> bool {
    !world.contains_key(&place) && !start.rocks.iter().any(|rock| (rock.x, rock.y) == place)
}

fn shifted(rules: &Rules, (x, y): (u32, u32), dx: i64, dy: i64) -> (u32, u32) {
    let wrap = |at: u32, by: i64, size: u32| (i64::from(at) + by).rem_euclid(size.into()) as u32;
    (wrap(x, dx, rules.width), wrap(y, dy, rules.height))
}

fn neighbours(rules: &Rules, place: (u32, u32)) -> Vec<(u32, u32)> {
    let all = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
    all.filter(|&d| d != (0, 0)).map(|(dx, dy)| shifted(rules, place, dx, dy)).collect()
}

fn next(rules: &Rules, place: (u32, u32), direction: Direction) -> (u32, u32) {
    match direction {
        Direction::Up => shifted(rules, place, 0, -1),
        Direction::Left => shifted(rules, place, -1, 0),
        Direction::Right => shifted(rules, place, 1, 0),
        Direction::Down => shifted(rules, place, 0, 1),
    }
}
