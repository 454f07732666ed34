//! Tests that random maps of rezzo equal those of a second implementation, and resemble the maps of
//! the original game.

use agon_core::{Game as _, Player, Seed};
use agon_games::rezzo::{Ack, Answer, Rezzo, Rules};
use proptest::prelude::*;

#[path = "reference/rezzo_map.rs"]
mod reference;

/// How many maps were measured of the original, and are here.
const MAPS: u64 = 60;

/// Whether a cell lies in the 5×5 around an agent, where the map has been cleared.
fn is_start_area(game: &Rezzo, x: usize, y: usize) -> bool {
    let world = game.world();
    Player::all(game.players()).any(|player| {
        let place = game.agent(player).expect("all are alive").place;
        let (agent_x, agent_y) = world.place(place);
        let near = |a: usize, b: usize, side: usize| a.abs_diff(b).min(side - a.abs_diff(b)) <= 2;
        near(x, agent_x, world.width()) && near(y, agent_y, world.height())
    })
}

fn check_map(rules: &Rules, players: usize, seed: Seed) -> Result<(), TestCaseError> {
    let game = Rezzo::new(rules, players, seed).expect("there is room");
    let expected = reference::random_map(rules, seed);
    for (y, (row, expected)) in game.world().to_rows().iter().zip(&expected).enumerate() {
        for (x, (cell, expected)) in row.chars().zip(expected.chars()).enumerate() {
            prop_assert!(cell == expected || is_start_area(&game, x, y), "({x}, {y}): `{cell}`");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn maps_agree_with_the_reference(
        (width, height) in (5..80u32, 5..80u32),
        (density_divisor, grid_step) in (1..20u32, 1..7u32),
        loop_area in 16..400u32,
        seed: u64,
    ) {
        let rules = Rules {
            width,
            height,
            density_divisor,
            grid_step,
            loop_area,
            ..Rules::default()
        };
        check_map(&rules, 1, Seed(seed))?;
    }
}

#[test]
fn usual_maps_agree_with_the_reference() {
    for seed in 0..3 {
        check_map(&Rules::default(), 10, Seed(seed)).unwrap();
    }
}

fn count(game: &Rezzo, cells: std::ops::RangeInclusive<char>) -> f64 {
    let rows = game.world().to_rows();
    rows.iter().flat_map(|row| row.chars()).filter(|cell| cells.contains(cell)).count() as f64
}

/// Three bots as simple as the original's `wander`: they lay a wire as they walk on, and turn right
/// when they could not. Counts electrons in ticks 10 and 100, flags in ticks 100 and 600, and who
/// is alive at the end.
fn wander(seed: u64) -> [f64; 5] {
    let rules = Rules { width: 64, height: 64, ..Rules::default() };
    let mut game = Rezzo::new(&rules, 3, Seed(seed)).expect("there is room");
    let mut counted = [0.0; 5];
    for tick in 1..=600 {
        let step = |player| match game.ack(player) {
            Some(Ack::Invalid) => Answer::TurnRight,
            _ => Answer::Build,
        };
        let answers: Vec<Answer> =
            game.decisions().iter().map(|decision| step(decision.player)).collect();
        game.step(&answers);
        match tick {
            10 => counted[0] = count(&game, '*'..='*'),
            100 => {
                counted[1] = count(&game, '*'..='*');
                counted[2] = count(&game, 'A'..='J');
            }
            _ => {}
        }
    }
    counted[3] = count(&game, 'A'..='J');
    counted[4] = game.living().count() as f64;
    counted
}

/// The mean of ours must not be further from the original's than chance explains: four standard
/// errors of the difference of two means of as many matches, and the last digit of the original's.
#[track_caller]
fn check_mean(what: &str, values: &[f64], original: f64, digit: f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let most = 4.0 * (2.0 * variance / count).sqrt() + digit / 2.0;
    assert!((mean - original).abs() <= most, "{what}: {mean:.2}, not {original} ± {most:.2}");
}

#[test]
fn maps_give_what_those_of_the_original_give() {
    let matches: Vec<_> = (0..MAPS).map(wander).collect();
    let all = |number: usize| matches.iter().map(|one| one[number]).collect::<Vec<_>>();
    check_mean("electrons at tick 10", &all(0), 3.6, 0.1);
    check_mean("electrons at tick 100", &all(1), 34.0, 1.0);
    check_mean("flags at tick 100", &all(2), 4.1, 0.1);
    check_mean("flags at tick 600", &all(3), 23.0, 1.0);
    // Hardly anybody has lost by then; with loops on uncleared ground 2.7 of 3 are alive.
    let alive = all(4).iter().sum::<f64>() / MAPS as f64;
    assert!(alive >= 2.9, "{alive:.2} of 3 are alive");
}
