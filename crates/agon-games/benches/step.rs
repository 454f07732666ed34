//! Benchmarks of single states: hash, copy, save and load in the middle of a game, and the time of
//! a turn as the board grows. There, elements are places of the board: their rate must not fall
//! with the size, except for the caches of the processor.

#![allow(clippy::print_stdout, reason = "sizes are figures, too")]

use std::hint::black_box;

use agon_core::{Blob, Game, GameExt, Player, Seed};
use agon_games::amoebas::{self, Amoebas};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use agon_games::{BuiltinBots, scene::Render};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use support::Playout;

mod support;

fn measure_state<G: BuiltinBots + Render>(c: &mut Criterion, playout: &Playout<G>) {
    let mut decisions = 0;
    let game = playout.play(&playout.starts()[0], |answers| decisions += answers.len() as u64);
    playout.check([(decisions, game.clone())]);
    let saved = save(&game);
    println!("{}: {} bytes saved", playout.name, saved.len());
    assert_eq!(load::<G>(&playout.rules, game.seed(), &saved), game);
    let mut group = c.benchmark_group(playout.name);
    group.bench_function("state hash", |b| b.iter(|| black_box(&game).state_hash()));
    group.bench_function("clone", |b| b.iter(|| game.clone()));
    group.bench_function("standing", |b| b.iter(|| game.standing()));
    group.bench_function("scene", |b| b.iter(|| game.scene()));
    group.bench_function("save position", |b| b.iter(|| save(&game)));
    group.bench_function("load position", |b| {
        b.iter(|| load::<G>(&playout.rules, game.seed(), &saved))
    });
    group.finish();
}

fn save<G: Game>(game: &G) -> Vec<u8> {
    postcard::to_stdvec(&game.position()).expect("positions can be written")
}

fn load<G: Game>(rules: &G::Rules, seed: Seed, saved: &[u8]) -> G {
    let position = postcard::from_bytes(saved).expect("it was written by `save`");
    G::from_position(rules, seed, position).expect("it is a state of the game")
}

fn states(c: &mut Criterion) {
    let name = "amoebas 200x200 after 100 rounds";
    let rules = amoebas::Rules::default();
    let rules = amoebas::Rules { rounds: 100, ..rules };
    let bots = &["slightly-brainy", "mutating", "nasty?target=strongest", "brood"];
    let playout = Playout::<Amoebas>::new(name, rules, bots, (76_650, 13_375_023_958_589_396_666));
    measure_state(c, &playout);
    let name = "rezzo 320x320 after 500 ticks";
    let rules = rezzo::Rules::default();
    let bots = &["raider", "raider", "wanderer"];
    let playout = Playout {
        steps: 500,
        ..Playout::<Rezzo>::new(name, rules, bots, (1_500, 866_291_500_810_220_437))
    };
    measure_state(c, &playout);
    let name = "cellhack 64x64 after 250 turns";
    let rules = cellhack::Rules::default();
    let bots = &["swarm", "hunter", "grower", "random"];
    let playout = Playout {
        steps: 250,
        ..Playout::<Cellhack>::new(name, rules, bots, (524_559, 6_780_604_971_619_163_276))
    };
    measure_state(c, &playout);
}

/// Measures a turn of a game that has just been set up, with scripted answers.
fn measure_turn<G: Game>(c: &mut Criterion, places: u64, start: &G) {
    let mut after = start.clone();
    let mut script = Vec::new();
    while after.progress().turn == start.progress().turn {
        script.push(after.scripted_answers(Seed(1), script.len() as u64));
        after.step(&script[script.len() - 1]);
    }
    let mut group = c.benchmark_group(format!("{}/turn", G::META.id));
    group.throughput(Throughput::Elements(places));
    group.bench_function(BenchmarkId::from_parameter(places), |b| {
        let turn = |game: &mut G| {
            script.iter().for_each(|answers| game.step(answers));
            assert_eq!(game.state_hash(), after.state_hash());
        };
        b.iter_batched_ref(|| start.clone(), turn, BatchSize::LargeInput);
    });
    group.finish();
}

/// All places of a board with sides of this length that `taken` chooses, with a number.
fn places(side: u32, taken: fn(u32) -> bool) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..side * side).filter(move |&n| taken(n)).map(move |n| (n % side, n / side, n))
}

fn amoebas(c: &mut Criterion) {
    for side in [100, 200, 400] {
        let rules =
            amoebas::Rules { world_size: side, data_limit: 64, ..amoebas::Rules::default() };
        let amoebas = places(side, |n| n % 3 == 0).map(|(x, y, n)| amoebas::Amoeba {
            x,
            y,
            species: n % 4,
            energy: 20 + n % 60,
            health: 10,
            data: Some(Blob::from("data")),
            function: None,
            acted: false,
        });
        let position =
            amoebas::Position { players: 4, round: 0, fuel: vec![], amoebas: amoebas.collect() };
        let game =
            Amoebas::from_position(&rules, Seed(1), position).expect("the position fits the rules");
        measure_turn(c, u64::from(side).pow(2), &game);
    }
}

fn binfection(c: &mut Criterion) {
    for side in [100, 200, 400] {
        let rules = binfection::Rules {
            field_width: side,
            field_height: side,
            ..binfection::Rules::default()
        };
        let cells = places(side, |n| n % 2 == 0).map(|(x, y, n)| binfection::Cell {
            x,
            y,
            owner: Some(Player((n / 2 % 2) as u16)),
            units: u64::from(1 + n % 100),
        });
        let position =
            binfection::Position { turn: 0, players: 2, cells: cells.collect(), fallen: vec![] };
        let game = Binfection::from_position(&rules, Seed(1), position)
            .expect("the position fits the rules");
        measure_turn(c, u64::from(side).pow(2), &game);
    }
}

fn cellhack(c: &mut Criterion) {
    for side in [64, 128, 256] {
        let rules = cellhack::Rules { width: side, height: side, ..cellhack::Rules::default() };
        let cells = places(side, |n| n % 2 == 0).map(|(x, y, n)| cellhack::Cell {
            x,
            y,
            player: (n / 2 % 4) as u16,
            energy: (20 + n % 100) as u16,
            memory: 0,
        });
        let position =
            cellhack::Position { players: 4, turn: 0, cells: cells.collect(), rocks: vec![] };
        let game = Cellhack::from_position(&rules, Seed(1), position)
            .expect("the position fits the rules");
        measure_turn(c, u64::from(side).pow(2), &game);
    }
}

/// A turn of cluster is one pellet; places are those of the whole board.
fn cluster(c: &mut Criterion) {
    for side in [12, 24, 48] {
        let rules = cluster::Rules { side, ..cluster::Rules::default() };
        let game = Cluster::new(&rules, 2, Seed(1)).expect("the settings fit");
        measure_turn(c, u64::from(rules.cells()), &game);
    }
}

/// A turn of rezzo is little else than a generation of its world.
fn rezzo(c: &mut Criterion) {
    for side in [160, 320, 640] {
        let rules = rezzo::Rules { width: side, height: side, ..rezzo::Rules::default() };
        let game = Rezzo::new(&rules, 3, Seed(1)).expect("the settings fit");
        measure_turn(c, u64::from(side).pow(2), &game);
    }
}

criterion_group! {
    name = steps;
    config = support::config();
    targets = states, amoebas, binfection, cellhack, cluster, rezzo
}
criterion_main!(steps);
