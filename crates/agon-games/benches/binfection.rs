//! Benchmarks of binfection on the usual field, a tenth of it owned.

#![allow(
    unreachable_pub,
    dead_code,
    clippy::unwrap_used,
    reason = "the readable implementation is written for tests"
)]

use std::hint::black_box;

use agon_core::{Game, Player, Purpose, Seed};
use agon_games::binfection::{Answer, Binfection, Cell, Position, Rules};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

#[path = "../tests/reference/binfection.rs"]
mod reference;
mod support;

/// Two players with half of 100 000 cells each, in blocks of 10 x 10 all over the field; those of
/// one player lie in the east of the other's, so that they fight where they grow together.
fn start() -> Binfection {
    let rules = Rules { turns_limit: -1, ..Rules::default() };
    let mut rng = Seed(1).stream(Purpose::Setup, 0);
    let block = |n: u32| (n % 25 * 40 + n / 25 % 2 * 10, n / 50 * 50);
    let cells = (0..1000u32).flat_map(|n| {
        let (left, top) = block(n);
        (0..100).map(move |at| (left + at % 10, top + at / 10, n / 25 % 2))
    });
    let mut cell =
        |(x, y, owner)| Cell { x, y, owner: Some(Player(owner as u16)), units: 1 + rng.below(100) };
    let cells: Vec<Cell> = cells.map(&mut cell).collect();
    let position = Position { turn: 0, players: 2, cells, fallen: Vec::new() };
    Binfection::from_position(&rules, Seed(1), position).expect("the position fits the rules")
}

/// Plays turns with a bot for both, and returns the number of cell-turns.
fn play(game: &mut Binfection, bot: &str, turns: u64, mut note: impl FnMut(&[Answer])) -> u64 {
    let mut bots = [(); 2].map(|()| support::policy::<Binfection>(bot));
    let mut streams = support::Streams::new(game);
    let mut count = 0;
    let mut answers = Vec::new();
    for turn in 0..turns {
        count += game.cells().len() as u64;
        answers.clear();
        for &decision in game.decisions() {
            let mut rng = streams.of(turn, decision);
            answers.push(bots[decision.player.index()].decide(&game.view(decision), &mut rng));
        }
        game.step(&answers);
        note(&answers);
    }
    count
}

fn many_cells(c: &mut Criterion) {
    let start = start();
    assert_eq!(start.cells().len(), 100_000);
    let mut group = c.benchmark_group("binfection: 1000x1000, 100 000 cells");
    group.sampling_mode(SamplingMode::Flat);
    let mut script = Vec::new();
    for (bot, turns, known) in SPREAD {
        let mut answers = Vec::new();
        let cell_turns = play(&mut start.clone(), bot, turns, |turn| answers.push(turn.to_vec()));
        group.throughput(Throughput::Elements(cell_turns)).bench_function(bot, |b| {
            b.iter(|| {
                let mut game = start.clone();
                assert_eq!((play(&mut game, bot, turns, |_| ()), game.state_hash()), known);
            });
        });
        script = answers;
    }
    // The answers of the last bot.
    let turns = script.len() as u64;
    let cell_turns = {
        let mut game = start.clone();
        let mut count = |answers: &Vec<Answer>| {
            let cells = game.cells().len() as u64;
            game.step(answers);
            cells
        };
        script.iter().map(&mut count).sum()
    };
    group.throughput(Throughput::Elements(cell_turns)).bench_function("rules alone", |b| {
        b.iter(|| {
            let mut game = start.clone();
            script.iter().for_each(|answers| game.step(black_box(answers)));
            assert_eq!(game.progress().turn, turns);
            game
        });
    });
    // The rules alone: it knows no views. One turn.
    group.throughput(Throughput::Elements(100_000)).bench_function("reference", |b| {
        let before = start.position();
        let mut expected = start.clone();
        expected.step(&script[0]);
        let expected = expected.position();
        b.iter(|| assert_eq!(reference::step(start.rules(), &before, &script[0]), expected));
    });
    group.finish();
}

/// Bots, turns to play, and how that ends: cell-turns and the hash of the last state.
const SPREAD: [(&str, u64, (u64, u64)); 2] = [
    ("general", 4, (568_329, 2_580_343_618_882_310_306)),
    ("spreader", 4, (564_094, 7_300_328_232_220_952_548)),
];

criterion_group! {
    name = binfection;
    config = support::config();
    targets = many_cells
}
criterion_main!(binfection);
