//! Benchmarks of amoebas in a full world: all four species slightly brainy, the population at what
//! the sun feeds.

#![allow(
    unreachable_pub,
    dead_code,
    clippy::unwrap_used,
    reason = "the readable implementation is written for tests"
)]

use std::hint::black_box;

use agon_core::{Game, Seed};
use agon_games::amoebas::{Amoebas, Answer, Rules};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

#[path = "../tests/reference/amoebas.rs"]
mod reference;
mod support;

/// Rounds until the world is full, and rounds that are measured from there.
const GROWTH: u32 = 150;
const ROUNDS: u32 = 8;

const BOTS: [&str; 4] = ["slightly-brainy"; 4];

/// Amoeba-turns of the rounds that are measured, and the hash of the state after them.
const KNOWN: (u64, u64) = (29_975, 16_789_653_448_081_252_514);

/// Plays rounds with bots, and returns the number of amoeba-turns.
fn play(game: &mut Amoebas, rounds: u32, mut note: impl FnMut(&[Answer])) -> u64 {
    let mut bots = BOTS.map(support::policy::<Amoebas>);
    let mut streams = support::Streams::new(game);
    let end = game.round() + rounds;
    let mut step = 0;
    let mut count = 0;
    let mut answers = Vec::new();
    while game.round() < end {
        answers.clear();
        for &decision in game.decisions() {
            let mut rng = streams.of(step, decision);
            answers.push(bots[decision.player.index()].decide(&game.view(decision), &mut rng));
        }
        game.step(&answers);
        note(&answers);
        step += 1;
        count += answers.len() as u64;
    }
    count
}

fn world_full(c: &mut Criterion) {
    let mut start = Amoebas::new(&Rules::default(), BOTS.len(), Seed(1)).expect("the settings fit");
    play(&mut start, GROWTH, |_| ());
    let mut script = Vec::new();
    play(&mut start.clone(), ROUNDS, |answers| script.push(answers.to_vec()));
    let mut group = c.benchmark_group("amoebas: slightly brainy, world full");
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(KNOWN.0));
    group.bench_function("agon", |b| {
        b.iter(|| {
            let mut game = start.clone();
            let turns = play(&mut game, ROUNDS, |_| ());
            assert_eq!((turns, game.state_hash()), KNOWN);
        });
    });
    // As a match with a replay needs it: the hash after every batch.
    group.bench_function("with hashes", |b| {
        b.iter(|| {
            let mut game = start.clone();
            let mut hashes = 0u64;
            for answers in &script {
                game.step(black_box(answers));
                hashes ^= game.state_hash();
            }
            assert_eq!(game.state_hash(), KNOWN.1);
            hashes
        });
    });
    // The rules alone, with the answers of the bots: it knows no views. One round of the eight.
    let first_round = script.len() / ROUNDS as usize;
    let turns = script[..first_round].iter().map(|answers| answers.len() as u64).sum();
    group.throughput(Throughput::Elements(turns)).bench_function("reference", |b| {
        let rules = start.rules();
        let before = start.position();
        let mut expected = start.clone();
        script[..first_round].iter().for_each(|answers| expected.step(answers));
        let expected = expected.position();
        b.iter(|| {
            let step = |position, answers: &Vec<Answer>| {
                reference::step(rules, Seed(1), &position, answers)
            };
            let after = script[..first_round].iter().fold(before.clone(), step);
            assert_eq!(after, expected);
        });
    });
    group.finish();
}

criterion_group! {
    name = amoebas;
    config = support::config();
    targets = world_full
}
criterion_main!(amoebas);
