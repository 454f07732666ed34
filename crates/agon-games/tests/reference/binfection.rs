//! A plain second implementation of binfection, for the tests: every cell of the field in a map,
//! rules in the order of the game's page.

use std::collections::BTreeMap;

use agon_core::{Decision, Player};
use agon_games::binfection::{Answer, Cell, Fallen, MAX_UNITS, Position, Rules};

type Place = (i64, i64);

/// What is left after moves and fights, and after growth, in order of rows, then columns.
pub(crate) struct Turn {
    pub(crate) moved: Vec<Cell>,
    pub(crate) grown: Vec<Cell>,
}

/// The bots that decide; none when the game is over.
pub(crate) fn decisions(rules: &Rules, position: &Position) -> Vec<Decision> {
    let living: Vec<u16> =
        (0..position.players).filter(|&player| lives(player, &position.cells)).collect();
    let limit_reached = rules.turns_limit != -1 && position.turn >= rules.turns_limit as u64;
    if living.len() <= 1 || limit_reached {
        return Vec::new();
    }
    living.into_iter().map(|player| Decision::new(Player(player), 0)).collect()
}

/// The position after a turn.
pub(crate) fn step(rules: &Rules, position: &Position, answers: &[Answer]) -> Position {
    let Turn { grown, .. } = turn(rules, position, answers);
    let mut after = Position { turn: position.turn + 1, cells: grown, ..position.clone() };
    for player in 0..position.players {
        let known = after.fallen.iter().any(|fallen| fallen.player == Player(player));
        if !known && !lives(player, &after.cells) {
            after.fallen.push(Fallen { player: Player(player), turn: after.turn });
        }
    }
    after.fallen.sort_by_key(|fallen| fallen.player);
    after
}

/// What a turn does to the field.
pub(crate) fn turn(rules: &Rules, position: &Position, answers: &[Answer]) -> Turn {
    let deciders = decisions(rules, position);
    let limit = if rules.warriors_limit == -1 { MAX_UNITS } else { rules.warriors_limit as u64 };
    let mut field: BTreeMap<Place, (u16, u64)> = BTreeMap::new();
    for cell in &position.cells {
        if let (Some(owner), true) = (cell.owner, cell.units > 0) {
            field.insert((i64::from(cell.y), i64::from(cell.x)), (owner.0, cell.units));
        }
    }

    // Of several moves for a cell the last counts; moves of foreign cells do not.
    let mut moves: BTreeMap<Place, u8> = BTreeMap::new();
    for (decision, answer) in deciders.iter().zip(answers) {
        for order in &answer.moves {
            let place = (i64::from(order.y), i64::from(order.x));
            if field.get(&place).is_some_and(|&(owner, _)| owner == decision.player.0) {
                moves.insert(place, order.direction.into());
            }
        }
    }

    // Per cell and owner: what stays and what arrives.
    let mut sums: BTreeMap<Place, BTreeMap<u16, u64>> = BTreeMap::new();
    let mut add = |place: Place, owner: u16, units: u64| {
        *sums.entry(place).or_default().entry(owner).or_default() += units;
    };
    for (&(y, x), &(owner, units)) in &field {
        let Some(direction) = moves.get(&(y, x)) else {
            add((y, x), owner, units);
            continue;
        };
        let leaving = units / 2;
        add((y, x), owner, units - leaving);
        let (ty, tx) = match direction {
            0 => (y - 1, x),
            1 => (y, x + 1),
            2 => (y + 1, x),
            _ => (y, x - 1),
        };
        let inside = 0 <= tx
            && tx < i64::from(rules.field_width)
            && 0 <= ty
            && ty < i64::from(rules.field_height);
        if inside {
            add((ty, tx), owner, leaving);
        }
    }

    let mut moved = Vec::new();
    for ((y, x), owners) in sums {
        let mut sides: Vec<(u64, u16)> =
            owners.into_iter().map(|(owner, units)| (units, owner)).collect();
        sides.sort();
        sides.reverse();
        let second = sides.get(1).map_or(0, |side| side.0);
        let units = (sides[0].0 - second).min(limit);
        if units > 0 {
            moved.push(Cell { x: x as u32, y: y as u32, owner: Some(Player(sides[0].1)), units });
        }
    }
    let grow = |units: u64| u128::from(units) * u128::from(rules.grow_coefficient);
    let grown = moved
        .iter()
        .map(|cell| Cell { units: grow(cell.units).min(u128::from(limit)) as u64, ..*cell })
        .collect();
    Turn { moved, grown }
}

/// The winners of a game that is over.
pub(crate) fn winners(position: &Position) -> Vec<Player> {
    let rank = |player: u16| {
        let own = || position.cells.iter().filter(move |cell| cell.owner == Some(Player(player)));
        let fell = position.fallen.iter().find(|fallen| fallen.player == Player(player));
        (
            own().map(|cell| cell.units).sum::<u64>(),
            own().count(),
            fell.map_or(u64::MAX, |fallen| fallen.turn),
        )
    };
    let best = (0..position.players).map(rank).max().unwrap();
    (0..position.players).filter(|&player| rank(player) == best).map(Player).collect()
}

fn lives(player: u16, cells: &[Cell]) -> bool {
    cells.iter().any(|cell| cell.owner == Some(Player(player)) && cell.units > 0)
}
