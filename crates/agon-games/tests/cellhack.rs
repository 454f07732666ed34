//! Tests of cellhack: the conformance kit, a second implementation, fixed hashes of random games,
//! and a file of another program.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

#[path = "reference/cellhack.rs"]
mod reference;

use agon_core::{Fold, Game, GameExt, Seed};
use agon_games::cellhack::result_file::{Header, Record};
use agon_games::cellhack::{Cell, Cellhack, Place, Position, ROCK, Rules, result_file};
use proptest::prelude::*;

use crate::{every_game::keeps_promises, walks};

#[test]
fn keeps_the_promises_of_a_game() {
    let rules = Rules { width: 12, height: 9, turns: 80, ..Rules::default() };
    keeps_promises::<Cellhack>(&rules, 1, 0..2, 80);
    keeps_promises::<Cellhack>(&rules, 2, 0..2, 80);
    keeps_promises::<Cellhack>(&rules, 7, 0..2, 80);
    let deadly = Rules { eat_amount: 40, energy_min_split: 10, ..rules };
    keeps_promises::<Cellhack>(&deadly, 5, 0..4, 80);
    let crowded = Rules { width: 17, height: 17, turns: 20, ..Rules::default() };
    keeps_promises::<Cellhack>(&crowded, 254, 0..1, 20);
}

/// Plays game and reference side by side and compares every state.
fn agree(
    rules: &Rules,
    seed: Seed,
    start: Position,
    script: Seed,
    turns: u64,
) -> Result<(), TestCaseError> {
    let mut game = Cellhack::from_position(rules, seed, start.clone()).unwrap();
    let mut position = game.position();
    for turn in 0..turns {
        if game.is_over() {
            break;
        }
        let answers = game.scripted_answers(script, turn);
        position = reference::turn(rules, seed, &position, &answers);
        game.step(&answers);
        prop_assert_eq!(&game.position(), &position, "turn {}", turn);
        let fresh = Cellhack::from_position(rules, seed, position.clone()).unwrap();
        prop_assert_eq!(&fresh, &game);
        prop_assert_eq!(fresh.state_hash(), game.state_hash());
    }
    Ok(())
}

fn rules() -> impl Strategy<Value = Rules> {
    // Some rows are longer than a word of bits.
    let size =
        prop_oneof![5 => (3u32..12, 3u32..12, 1u32..60), 1 => (60u32..200, 3u32..6, 1u32..20)];
    let energy = (1u16..300, 0u16..60, 0u16..60, 0u16..80);
    let rest = (0u16..12, 0u16..5, 0u16..4);
    (size, energy, rest).prop_map(
        |((width, height, turns), (max, min, split, eat), (base, per, least))| {
            let energy_min = min.min(max);
            Rules {
                width,
                height,
                turns,
                energy_start: 100.min(max).max(energy_min),
                energy_max: max,
                energy_min,
                energy_min_split: split,
                // Mostly the usual small bites.
                eat_amount: if eat < 50 { eat % 4 } else { eat },
                rest_base: base,
                rest_per_neighbour: per,
                rest_min: least,
            }
        },
    )
}

/// Scatters cells and rocks: each number decides what stands on one place.
fn scattered(rules: &Rules, players: u16, places: &[u64]) -> Position {
    let mut position = Position { players, turn: 0, cells: Vec::new(), rocks: Vec::new() };
    let all = (0..rules.height).flat_map(|y| (0..rules.width).map(move |x| (x, y)));
    for ((x, y), &dice) in all.zip(places) {
        match dice % 8 {
            0..=2 => position.cells.push(Cell {
                x,
                y,
                player: (dice >> 8) as u16 % players,
                energy: (dice >> 24) as u16 % (rules.energy_max + 1),
                memory: dice,
            }),
            3 => position.rocks.push(Place { x, y }),
            _ => {}
        }
    }
    position
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn agrees_with_the_reference_from_anywhere(
        rules in rules(),
        players in 2u16..6,
        places in proptest::collection::vec(any::<u64>(), 1000),
        seed: u64,
        script: u64,
    ) {
        let start = scattered(&rules, players, &places);
        agree(&rules, Seed(seed), start, Seed(script), 60)?;
    }

    #[test]
    fn agrees_with_the_reference_from_the_start(
        rules in rules(),
        players in 2usize..9,
        seed: u64,
        script: u64,
    ) {
        let rules = Rules { width: rules.width + 3, height: rules.height + 3, ..rules };
        let start = Cellhack::new(&rules, players, Seed(seed)).unwrap().position();
        agree(&rules, Seed(seed), start, Seed(script), 60)?;
    }
}

/// Folds the states that the reference passes, like `GameExt::walk` does for the game.
fn reference_walk(start: &Cellhack, script: Seed, plies: u64) -> u64 {
    let mut fold = Fold::new();
    let mut game = start.clone();
    fold.add(game.state_hash());
    for step in 0..plies {
        if game.is_over() {
            break;
        }
        let answers = game.scripted_answers(script, step);
        let position = reference::turn(game.rules(), game.seed(), &game.position(), &answers);
        game = Cellhack::from_position(start.rules(), start.seed(), position).unwrap();
        fold.add(game.state_hash());
    }
    fold.finish()
}

#[test]
fn walks_never_change() {
    agon_testkit::slow!();
    let mut start = None;
    let mut walks = 0;
    walks::agree("cellhack.walk", |line| {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "game" => {
                let (players, rules) = rest.split_once(' ').unwrap();
                let rules: Rules = serde_json::from_str(rules).unwrap();
                start =
                    Some(Cellhack::new(&rules, players.parse().unwrap(), Seed::plain(1)).unwrap());
                None
            }
            "walk" => {
                let numbers: Vec<u64> = rest.split(' ').map(|n| n.parse().unwrap()).collect();
                let [script, plies, _] = numbers[..] else { panic!("{line}") };
                let start = start.as_ref().unwrap();
                let found = start.clone().walk(Seed::plain(script), plies);
                if start.rules().width <= 64 {
                    let reference = reference_walk(start, Seed::plain(script), plies);
                    assert_eq!(reference, found, "reference: {line}");
                }
                walks += 1;
                Some(found.to_string())
            }
            _ => {
                assert!(line.is_empty(), "{line}");
                None
            }
        }
    });
    assert_eq!(walks, 11);
}

/// `cellhack_replay_a.bin` was written by another program; `.json` tells its content, with names
/// for owners and "dead" for places without a cell.
#[test]
fn reads_the_file_of_another_program() {
    let file = result_file::read(include_bytes!("data/cellhack_replay_a.bin")).unwrap();
    let json: serde_json::Value =
        serde_json::from_str(include_str!("data/cellhack_replay_a.json")).unwrap();
    assert_eq!(json["meta"]["width"], file.width.to_string());
    assert_eq!(json["meta"]["height"], file.height.to_string());
    assert_eq!(json["meta"]["players"], file.players.join(", "));
    assert_eq!(file.cut_off, None);
    let frames = json["frames"].as_array().unwrap();
    assert_eq!(frames.len(), file.frames.len());
    for (expected, frame) in frames.iter().zip(&file.frames) {
        let rows = expected.as_array().unwrap();
        let places: Vec<_> = rows.iter().flat_map(|row| row.as_array().unwrap()).collect();
        assert_eq!(places.len(), frame.len());
        for (place, &Record { owner, energy, memory }) in places.iter().zip(frame) {
            let name =
                usize::from(owner).checked_sub(1).map_or("dead", |player| &file.players[player]);
            assert_eq!(place["player"], name);
            assert_eq!(place["energy"], energy);
            assert_eq!(place["memory"], memory);
        }
    }
}

/// The same players on the same board start at the same places: header and first frame are the same
/// bytes.
#[test]
fn writes_the_same_start_as_another_program() {
    let rules = Rules { width: 10, height: 10, ..Rules::default() };
    let game = Cellhack::new(&rules, 3, Seed(1)).unwrap();
    let names = ["simple", "moving", "rand"].map(str::to_owned);
    let mut bytes = Vec::new();
    result_file::write_header(&Header::new(&game, &names), &mut bytes).unwrap();
    result_file::write_frame(&game, &mut bytes).unwrap();
    let other = include_bytes!("data/cellhack_replay_a.bin");
    assert_eq!(bytes, other[..bytes.len()]);
}

#[test]
fn rocks_stand_in_the_file() {
    let rules = Rules { width: 3, height: 3, ..Rules::default() };
    let position =
        Position { players: 2, turn: 0, cells: vec![], rocks: vec![Place { x: 1, y: 0 }] };
    let game = Cellhack::from_position(&rules, Seed(1), position).unwrap();
    let mut bytes = Vec::new();
    result_file::write_header(&Header::new(&game, &["a".into(), "b".into()]), &mut bytes).unwrap();
    result_file::write_frame(&game, &mut bytes).unwrap();
    let file = result_file::read(&bytes).unwrap();
    assert_eq!(file.frames[0][1], Record { owner: ROCK, energy: 0, memory: 0 });
}
