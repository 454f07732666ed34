//! Tests of amoebas: the rules against a second implementation, play one by one, and fixed hashes
//! of long games.

#![allow(clippy::unwrap_used, reason = "a test that finds nothing should fail")]

#[allow(unreachable_pub, reason = "a module of a test is its only user")]
#[path = "reference/amoebas.rs"]
mod reference;

use agon_core::{Fold, Game, GameExt, Purpose, Seed};
use agon_games::amoebas::{Amoebas, Position, Rules};
use proptest::prelude::*;

use crate::{bots, every_game::keeps_promises, walks};

/// Physics in which much happens on little room, all of it drawn at random.
fn rules() -> impl Strategy<Value = Rules> {
    // Some rows are longer than a word of bits.
    let extent = prop_oneof![9 => (3..19u32, 1..12u32), 1 => (60..140u32, 1..4u32)];
    let world = (extent, 1..5u32, 0..4u32, 1..60u32);
    let body = (1..120u32, 0..4u32, 0..6u32, 0..15u32, 0..15u32, 0..40u32, 0..20u32);
    let health = (1..12u32, 0..6u32, 0..3u32, 0..10u32);
    (world, body, health).prop_map(|(world, body, health)| {
        let ((world_size, rounds), view_distance, sun_energy, max_cell_energy) = world;
        let (
            max_amoeba_energy,
            rest_energy,
            move_energy,
            hit_energy,
            max_fueling_energy,
            divide,
            loss,
        ) = body;
        let (max_amoeba_health, hit_loss, recovery_gain, data_limit) = health;
        Rules {
            world_size,
            sun_energy,
            max_cell_energy,
            view_distance,
            max_amoeba_energy,
            rest_energy,
            move_energy,
            hit_energy,
            max_fueling_energy,
            min_divide_energy: divide,
            divide_energy_loss: loss.min(divide),
            max_amoeba_health,
            hit_loss,
            recovery_gain,
            rounds,
            data_limit,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn agrees_with_the_readable_implementation(rules in rules(), players in 1..6usize, seed: u64) {
        let (seed, script) = (Seed(seed), Seed(!seed));
        let mut game = Amoebas::new(&rules, players, seed).unwrap();
        let mut step = 0;
        while !game.is_over() {
            let position = game.position();
            prop_assert_eq!(game.decisions(), reference::decisions(&rules, seed, &position));
            let answers = game.scripted_answers(script, step);
            game.step(&answers);
            let expected = reference::step(&rules, seed, &position, &answers);
            prop_assert_eq!(game.position(), expected, "step {}", step);
            step += 1;
        }
        prop_assert_eq!(reference::decisions(&rules, seed, &game.position()), []);
    }

    /// Each amoeba is asked and acts alone, in random order within the class, and sees what was
    /// done before it.
    #[test]
    fn asking_together_is_asking_one_by_one(rules in rules(), players in 1..6usize, seed: u64) {
        let script = Seed(!seed);
        let mut together = Amoebas::new(&rules, players, Seed(seed)).unwrap();
        let mut alone = together.clone();
        let mut step = 0;
        while !together.is_over() {
            let answers = together.scripted_answers(script, step);
            let mut order: Vec<usize> = (0..answers.len()).collect();
            script.stream(Purpose::Order, step).shuffle(&mut order);
            for index in order {
                let decision = together.decisions()[index];
                let open = alone.decisions().binary_search(&decision).expect("asked in the same \
                    batch");
                let answer = alone.scripted_answers(script, step).swap_remove(open);
                prop_assert_eq!(&answer, &answers[index], "it sees the same");
                alone.answer_one(decision, &answer);
            }
            together.step(&answers);
            prop_assert!(alone == together, "step {}", step);
            prop_assert_eq!(alone.state_hash(), together.state_hash());
            prop_assert_eq!(alone.decisions(), together.decisions());
            step += 1;
        }
    }
}

/// Scripted answers look at neighbours only; here everything in view enters the answer.
#[test]
fn no_amoeba_of_a_batch_sees_what_another_one_does() {
    for (world_size, view_distance) in [(12, 2), (13, 3), (7, 3), (4, 5), (16, 1)] {
        let rules = Rules { world_size, view_distance, rounds: 40, ..Rules::default() };
        let mut game = Amoebas::new(&rules, 3, Seed(5)).unwrap();
        let mut widest = 0;
        for step in 0.. {
            if game.is_over() {
                break;
            }
            let answers = game.scripted_answers(Seed(6), step);
            let before: Vec<_> =
                game.decisions().iter().map(|&d| (d, everything_seen(&game, d))).collect();
            widest = widest.max(before.len());
            let mut alone = game.clone();
            for ((decision, seen), answer) in before.iter().zip(&answers) {
                assert_eq!(
                    everything_seen(&alone, *decision),
                    *seen,
                    "size {world_size} step {step}"
                );
                alone.answer_one(*decision, answer);
            }
            game.step(&answers);
        }
        assert!(
            widest > 1 || world_size == 4 || world_size == 7,
            "size {world_size}: batches of one"
        );
    }
}

fn everything_seen(game: &Amoebas, decision: agon_core::Decision) -> String {
    let view = game.view(decision);
    let reach = view.view_distance();
    let window = (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| (x, y)));
    window
        .filter_map(|(x, y)| view.cell(x, y))
        .map(|cell| {
            let who = cell
                .occupant()
                .map(|o| (o.species(), o.energy(), o.health(), o.data(), o.function()));
            format!("{} {who:?};", cell.fuel())
        })
        .collect()
}

#[test]
fn keeps_the_promises_of_all_games() {
    let small = Rules { world_size: 11, rounds: 25, ..Rules::default() };
    keeps_promises::<Amoebas>(&small, 3, 0..3, 10_000);
    let harsh =
        Rules { world_size: 6, view_distance: 1, sun_energy: 0, rounds: 60, ..Rules::default() };
    keeps_promises::<Amoebas>(&harsh, 1, 0..3, 10_000);
    keeps_promises::<Amoebas>(&Rules { rounds: 3, ..Rules::default() }, 64, 0..1, 10_000);
}

/// Lines of `rules <json>`, `players <n>` and, for these, `walk <seed> <plies> <hash>`.
#[test]
fn walks_end_where_they_always_did() {
    agon_testkit::slow!();
    let mut rules = Rules::default();
    let mut players = 0;
    let mut walks = 0;
    walks::agree("amoebas.walk", |line| {
        match line.split_once(' ').expect("a word and its values") {
            ("rules", json) => rules = serde_json::from_str(json).unwrap(),
            ("players", number) => players = number.parse().unwrap(),
            ("walk", values) => {
                let [seed, plies, _] = values.split(' ').collect::<Vec<_>>()[..] else {
                    panic!("{line}")
                };
                let seed = Seed::plain(seed.parse().unwrap());
                let plies: u64 = plies.parse().unwrap();
                let walk = Amoebas::new(&rules, players, seed).unwrap().walk(seed, plies);
                if rules.world_size <= 20 {
                    let reference = reference_walk(&rules, players, seed, plies);
                    assert_eq!(reference, walk, "reference: {line}");
                }
                walks += 1;
                return Some(walk.to_string());
            }
            (word, _) => panic!("unknown word `{word}`"),
        }
        None
    });
    assert!(walks >= 8, "only {walks} walks");
}

fn reference_walk(rules: &Rules, players: usize, seed: Seed, plies: u64) -> u64 {
    let load = |position: &Position| Amoebas::from_position(rules, seed, position.clone()).unwrap();
    let mut position = Amoebas::new(rules, players, seed).unwrap().position();
    let mut fold = Fold::new();
    fold.add(load(&position).state_hash());
    for step in 0..plies {
        if reference::decisions(rules, seed, &position).is_empty() {
            break;
        }
        let answers = load(&position).scripted_answers(seed, step);
        position = reference::step(rules, seed, &position, &answers);
        fold.add(load(&position).state_hash());
    }
    fold.finish()
}

/// Plays a match of built-in species, given as `name?param=value&...`.
fn play(rules: &Rules, species: &[&str], seed: Seed) -> Amoebas {
    bots::play(rules, species, seed, 32)
}

#[test]
fn the_wanderer_stays_alone_and_the_divider_fills_the_world() {
    let rules = Rules { world_size: 30, rounds: 200, ..Rules::default() };
    assert_eq!(play(&rules, &["mindless"], Seed(1)).population().size, [1]);
    let divider = play(&rules, &["mindless-divider"], Seed(1));
    assert!(divider.population().size[0] > 100, "{:?}", divider.population());
    let outcome = divider.standing().outcome.unwrap();
    assert_eq!(
        (outcome.winners.len(), outcome.reason.as_str()),
        (1, "most energy after 200 rounds")
    );
}

#[test]
fn a_barren_world_ends_when_all_have_starved() {
    let rules = Rules { max_cell_energy: 0, ..Rules::default() };
    let game = play(&rules, &["mindless", "slightly-brainy", "mindless"], Seed(1));
    assert!(game.population().is_extinct() && game.round() < 110, "{} rounds", game.round());
    let standing = game.standing();
    assert!(standing.players.iter().all(|p| p.out && p.place == 1));
    let outcome = standing.outcome.unwrap();
    assert_eq!(outcome.winners.len(), 3);
    assert_eq!(outcome.reason, format!("no amoeba is left after {} rounds", game.round()));
}

#[test]
fn every_target_is_one_to_play_with() {
    let rules = Rules { world_size: 20, rounds: 150, ..Rules::default() };
    for target in ["random", "weakest", "strongest", "most-energy", "most-energy-and-fuel"] {
        let nasty = format!("nasty?probability=50&target={target}");
        let brainy = format!("slightly-brainy?low=15&divide=60&target={target}");
        let game = play(&rules, &[&nasty, &brainy, "mindless-divider"], Seed(3));
        assert!(!game.population().is_extinct(), "{target}");
        assert_ne!(
            game.state_hash(),
            play(&rules, &[&nasty, &nasty, "mindless"], Seed(3)).state_hash()
        );
    }
}

#[test]
fn mutants_are_born_and_pass_on_their_thresholds() {
    let rules = Rules { world_size: 20, rounds: 200, ..Rules::default() };
    let game = play(&rules, &["mutating?rate=20&range=5"], Seed(3));
    let functions: Vec<_> =
        game.position().amoebas.into_iter().filter_map(|a| a.function).collect();
    assert!(functions.len() > 20, "{} mutants", functions.len());
    for function in &functions {
        let text = function.text().expect("text").to_owned();
        assert!(text.starts_with("low=") && text.contains(" divide="), "{text}");
    }
    let mut kinds = functions.clone();
    kinds.sort();
    kinds.dedup();
    assert!(kinds.len() > 5 && kinds.len() < functions.len(), "{} kinds", kinds.len());
}

#[test]
fn the_brood_beats_the_classic_species() {
    agon_testkit::slow!();
    let rules = Rules { world_size: 40, rounds: 300, ..Rules::default() };
    let others = ["mindless-divider", "slightly-brainy", "mutating", "nasty?target=weakest"];
    for other in others {
        let wins = (0..4).filter(|&seed| {
            let game = play(&rules, &["brood", other], Seed(seed));
            game.population().energy[0] > game.population().energy[1]
        });
        assert_eq!(wins.count(), 4, "against {other}");
    }
}

#[test]
fn chasers_and_brawlers_beat_the_brood() {
    agon_testkit::slow!();
    let rules = Rules { world_size: 40, rounds: 300, ..Rules::default() };
    for champion in ["chaser", "brawler"] {
        for seed in 0..3 {
            let game = play(&rules, &[champion, "brood"], Seed(seed));
            let energy = &game.population().energy;
            assert!(energy[0] > energy[1], "{champion}, seed {seed}: {energy:?}");
        }
    }
}
