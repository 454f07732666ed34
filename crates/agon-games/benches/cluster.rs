//! Benchmarks of whole matches of cluster in which both players move at random, from setup to the
//! end.
//!
//! Elements are moves.

use std::hint::black_box;

use agon_core::{Fold, Game, GameExt, Purpose, Rng, Seed};
use agon_games::cluster::{Answer, Cluster, Rules};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

#[path = "../tests/reference/cluster.rs"]
#[allow(clippy::unwrap_used, reason = "written like a test")]
mod reference;
mod support;

/// One of all legal commands, each with the same chance: a colour in hand into a column that is not
/// full, or (if rotations are wanted) one of the five rotations.
fn command(game: &Cluster, rotations: u16, rng: &mut Rng) -> Answer {
    let hand = game.hand();
    let columns = game.board().columns() as u16;
    let colors = if hand[0] == hand[hand.len() - 1] { 1 } else { 2 };
    loop {
        // What is not legal is drawn again: so the others keep equal chances.
        let choice = rng.below((columns * colors + rotations).into()) as u16;
        let Some(choice) = choice.checked_sub(rotations) else {
            return Answer::Rotate { cycles: choice as u8 + 1 };
        };
        let column = choice % columns;
        let color = choice / columns;
        let top = game.board().top(column.into(), game.gravity());
        if game.pellets().is_free(top) {
            // The hand is sorted: the other colour is the last.
            let color = if color == 0 { hand[0] } else { hand[hand.len() - 1] };
            return Answer::Place { column, color };
        }
    }
}

/// Plays the match of a seed; `take` is told all commands.
fn play(seed: u64, rotations: u16, mut take: impl FnMut(Answer)) -> Cluster {
    let mut game = Cluster::new(&Rules::default(), 2, Seed(seed)).expect("the settings fit");
    let mut rng = Seed(seed).quick_stream(Purpose::Script, 0);
    while !game.is_over() {
        let answer = command(&game, rotations, &mut rng);
        game.step(&[answer]);
        take(answer);
    }
    game
}

/// The same match by the reference, which is told the commands.
fn play_reference(seed: u64, commands: &[Answer]) -> Cluster {
    let reference = reference::Reference::new(&Rules::default(), Seed(seed));
    let end = commands
        .iter()
        .fold(reference.start(), |position, &answer| reference.step(position, answer));
    Cluster::from_position(&Rules::default(), Seed(seed), end)
        .expect("the reference keeps to the rules")
}

fn fold(ends: impl Iterator<Item = Cluster>) -> u64 {
    let mut fold = Fold::new();
    ends.for_each(|game| fold.add(game.state_hash()));
    fold.finish()
}

/// `known` are the moves of 1000 matches and the hash of their ends, then the same of the 5 that
/// the reference plays.
fn measure(c: &mut Criterion, name: &str, rotations: u16, known: [(u64, u64); 2]) {
    let mut group = c.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(known[0].0));
    group.bench_function("agon", |b| {
        b.iter(|| {
            let mut moves = 0;
            let hash = fold((0..1000).map(|seed| play(seed, black_box(rotations), |_| moves += 1)));
            assert_eq!((moves, hash), known[0], "{name}");
        });
    });
    let script = |seed| {
        let mut commands = Vec::new();
        play(seed, rotations, |answer| commands.push(answer));
        commands
    };
    let scripts: Vec<_> = (0..5).map(script).collect();
    let moves = scripts.iter().map(|commands| commands.len() as u64).sum();
    group.throughput(Throughput::Elements(moves));
    group.bench_function("reference", |b| {
        b.iter(|| {
            let ends = (0..).zip(&scripts).map(|(seed, commands)| play_reference(seed, commands));
            assert_eq!((moves, fold(ends)), known[1], "{name}");
        });
    });
    group.finish();
}

fn commands(c: &mut Criterion) {
    measure(
        c,
        "cluster: random legal commands, side 12",
        5,
        [(61_184, 18_229_525_228_506_475_831), (287, 193_256_563_811_256_711)],
    );
}

fn placements(c: &mut Criterion) {
    measure(
        c,
        "cluster: random placements, side 12",
        0,
        [(87_003, 17_105_235_159_548_622_509), (413, 756_778_316_048_747_748)],
    );
}

criterion_group! {
    name = cluster;
    config = support::config();
    targets = commands, placements
}
criterion_main!(cluster);
