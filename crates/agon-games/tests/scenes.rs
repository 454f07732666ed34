//! Tests that every scene of every game keeps the rules for scenes, on random games.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::collections::BTreeSet;

use agon_core::{Decision, Game, GameExt, Player, Seed};
use agon_games::{
    amoebas::{self, Amoebas},
    binfection::{self, Binfection},
    cellhack::{self, Cellhack},
    cluster::{self, Cluster},
    rezzo::{self, Rezzo},
    scene::{Board, Ink, Place, Render, Scene, Shape, Travel},
};
use proptest::prelude::*;

/// A scene that painters can rely on.
fn check_scene(scene: &Scene, players: usize) {
    let places = scene.board.places();
    assert_eq!(scene.cells.len(), places);
    assert!(scene.pieces.is_sorted_by(|a, b| a.id < b.id), "{:?}", scene.pieces);
    let marks = scene.marks.iter().map(|mark| (mark.place, mark.ink, mark.shape));
    let drawn = marks.chain(scene.pieces.iter().map(|piece| (piece.place, piece.ink, piece.shape)));
    for (place, ink, shape) in drawn {
        check_place(&scene.board, place);
        check_ink(ink);
        if let Shape::Pointer(arrow) = shape {
            assert!(arrow.0 < 8, "{arrow:?} is no direction");
        }
    }
    scene.cells.iter().copied().for_each(check_ink);
    assert_eq!(scene.players.len(), players);
    for line in &scene.players {
        check_ink(line.ink);
        line.hand.iter().copied().for_each(check_ink);
        assert!(line.score.len() <= 40 && line.score.is_ascii(), "{:?}", line.score);
    }
    assert!(!scene.title.is_empty() && scene.title.is_ascii(), "{:?}", scene.title);
}

fn check_place(board: &Board, place: Place) {
    assert!((place as usize) < board.places(), "{place} is not on the board");
}

fn check_ink(ink: Ink) {
    assert_eq!(Ink::from_index(ink.index()), Some(ink));
}

/// Travels lead to one of the eight neighbours.
fn check_travel(board: &Board, travel: &Travel) {
    check_place(board, travel.from);
    check_place(board, travel.to);
    check_ink(travel.ink);
    let Board::Grid { width, height, wraps } = *board else { panic!("only grids have travels") };
    let step = |from: u32, to: u32, size: u32| {
        let way = from.abs_diff(to);
        if wraps { way.min(size - way) } else { way }
    };
    let across = step(travel.from % width, travel.to % width, width);
    let down = step(travel.from / width, travel.to / width, height);
    assert_eq!(across.max(down), 1, "{travel:?}");
}

fn check_state<G: Render>(game: &G) {
    let scene = game.scene();
    let players = game.players();
    check_scene(&scene, players);
    let places = 0..scene.board.places() as Place;
    let found: BTreeSet<Decision> =
        places.clone().filter_map(|place| game.decision_at(place)).collect();
    assert!(
        game.decisions().iter().all(|decision| found.contains(decision)),
        "found only {found:?}"
    );
    assert!(!game.is_over() || found.is_empty());
    assert_eq!(scene.title.starts_with("over: "), game.is_over());
    for place in places {
        assert!(!game.inspect(place).is_empty());
    }
    for player in Player::all(players) {
        let seen = game.scene_for(player);
        check_scene(&seen, players);
        for place in (0..seen.board.places() as Place).step_by(7) {
            game.inspect_for(player, place);
        }
    }
    for series in G::SERIES {
        let mut values = Vec::new();
        (series.sample)(game, &mut values);
        assert_eq!(values.len(), players, "{}", series.id);
    }
}

/// Plays `steps` steps and looks at every `every`th state and at the last one.
fn check<G: Render>(rules: &G::Rules, players: usize, seed: u64, steps: u64, every: u64) {
    let mut game = G::new(rules, players, Seed(seed)).unwrap();
    for step in 0..steps {
        if step % every == 0 {
            check_state(&game);
        }
        if game.is_over() {
            break;
        }
        let answers = game.scripted_answers(Seed(seed), step);
        let board = game.scene().board;
        game.travels(&answers).iter().for_each(|travel| check_travel(&board, travel));
        game.step(&answers);
    }
    check_state(&game);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn scenes_of_amoebas(
        seed: u64,
        players in 1..5usize,
        world_size in 5..16u32,
        view_distance in 1..4u32,
    ) {
        let rules = amoebas::Rules {
            world_size,
            view_distance,
            rounds: 12,
            ..amoebas::Rules::default()
        };
        check::<Amoebas>(&rules, players, seed, 300, 17);
    }

    #[test]
    fn scenes_of_binfection(
        seed: u64,
        players in 2..5usize,
        side in 9..16u32,
        turns_limit in 1..25i64,
    ) {
        let rules = binfection::Rules {
            turns_limit,
            field_width: side,
            field_height: side + 3,
            ..binfection::Rules::default()
        };
        check::<Binfection>(&rules, players, seed, 30, 3);
    }

    #[test]
    fn scenes_of_cellhack(seed: u64, players in 2..6usize, width in 4..16u32, turns in 1..60u32) {
        let rules = cellhack::Rules {
            width,
            height: width + 2,
            turns,
            ..cellhack::Rules::default()
        };
        check::<Cellhack>(&rules, players, seed, 60, 7);
    }

    #[test]
    fn scenes_of_cluster(seed: u64, side in 3..7u32, run_length in 3..6u32) {
        let rules = cluster::Rules { side, run_length, ..cluster::Rules::default() };
        check::<Cluster>(&rules, 2, seed, 200, 5);
    }

    #[test]
    fn scenes_of_rezzo(seed: u64, players in 2..4usize, width in 20..36u32, max_ticks in 1..80u64) {
        let rules = rezzo::Rules { width, height: width + 5, max_ticks, ..rezzo::Rules::default() };
        check::<Rezzo>(&rules, players, seed, 80, 9);
    }
}

#[test]
fn amoebas_arrive_exactly_where_travels_lead() {
    let rules =
        amoebas::Rules { world_size: 14, rounds: 40, data_limit: 10, ..amoebas::Rules::default() };
    let mut game = Amoebas::new(&rules, 4, Seed(9)).unwrap();
    let mut arrivals = 0;
    for step in 0..600 {
        let answers = game.scripted_answers(Seed(9), step);
        let mut expected: Vec<Place> =
            game.travels(&answers).iter().map(|travel| travel.to).collect();
        expected.sort_unstable();
        let before: Vec<_> = game.occupants().collect();
        game.step(&answers);
        let entered = game
            .occupants()
            .zip(&before)
            .enumerate()
            .filter(|(_, (now, before))| now.is_some() && before.is_none());
        assert_eq!(
            entered.map(|(cell, _)| cell as Place).collect::<Vec<_>>(),
            expected,
            "step {step}"
        );
        arrivals += expected.len();
    }
    assert!(arrivals > 100, "only {arrivals}");
}

#[test]
fn cells_that_decide_are_where_their_unit_says() {
    fn check<G: Render>(rules: &G::Rules) {
        let mut game = G::new(rules, 3, Seed(5)).unwrap();
        for step in 0..40 {
            for &decision in game.decisions() {
                assert_eq!(game.decision_at(decision.unit), Some(decision));
            }
            let answers = game.scripted_answers(Seed(5), step);
            game.step(&answers);
        }
    }
    check::<Amoebas>(&amoebas::Rules { world_size: 12, ..amoebas::Rules::default() });
    check::<Cellhack>(&cellhack::Rules { width: 12, height: 12, ..cellhack::Rules::default() });
}

#[test]
fn series_have_names_of_their_own() {
    fn ids<G: Render>() {
        let ids: BTreeSet<&str> = G::SERIES.iter().map(|series| series.id).collect();
        assert_eq!(ids.len(), G::SERIES.len());
        assert!(
            !ids.is_empty()
                && ids.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_lowercase()))
        );
    }
    ids::<Amoebas>();
    ids::<Binfection>();
    ids::<Cellhack>();
    ids::<Cluster>();
    ids::<Rezzo>();
}
