//! Measures tables of large tournaments, and the time of a sequential test for its results.

use std::hint::black_box;

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{
    EloModel, HeadToHead, Options, Pentanomial, Record, Skills, Sprt, cycles, table,
};
use criterion::{BatchSize, Criterion, SamplingMode, criterion_group, criterion_main};

/// Makes random matches of `seats` out of `players` players.
///
/// The lower number tends to win; one in ten neighbours in a match ties.
fn tournament(players: usize, matches: usize, seats: usize) -> Vec<Record> {
    let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
    (0..matches).map(|_| match_of(&mut rng, players, seats)).collect()
}

fn match_of(rng: &mut Rng, players: usize, seats: usize) -> Record {
    let mut chosen = Vec::new();
    while chosen.len() < seats {
        let player = rng.index(players);
        if !chosen.contains(&player) {
            chosen.push(player);
        }
    }
    // A strength of 0 to 4 (natural logarithm), and noise about as wide as the
    // logistic distribution.
    let luck =
        |rng: &mut Rng| (0..12).map(|_| rng.below(1_000) as f64 / 1_000.0).sum::<f64>() * 1.8;
    let mut order: Vec<(f64, usize)> = chosen
        .iter()
        .enumerate()
        .map(|(seat, &player)| (4.0 * player as f64 / players as f64 + luck(rng), seat))
        .collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut places = vec![1; seats];
    for (at, &(_, seat)) in order.iter().enumerate().skip(1) {
        let before = places[order[at - 1].1];
        places[seat] = if rng.chance(1, 10) { before } else { at as u32 + 1 };
    }
    Record::new(&chosen, &places)
}

fn tables(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("table");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (name, players, matches, seats) in [
        ("20 players, 2 000 duels", 20, 2_000, 2),
        ("1 000 players, 100 000 duels", 1_000, 100_000, 2),
    ] {
        let records = tournament(players, matches, seats);
        group.bench_function(name, |b| b.iter(|| table(black_box(&records), &Options::default())));
    }
    let records = tournament(1_000, 100_000, 4);
    let options = Options { samples: 0, ..Options::default() };
    group.bench_function("1 000 players, 100 000 matches of four, no ranks", |b| {
        b.iter(|| table(black_box(&records), &options));
    });
    group.bench_function("cycles among 1 000 players, 100 000 matches of four", |b| {
        b.iter(|| {
            cycles(&HeadToHead::new(black_box(&records)).expect("records are right"), 0.95, 20)
        });
    });
    group.finish();
}

fn single(criterion: &mut Criterion) {
    let test = Sprt::new(0.0, 2.0, 0.05, 0.05, EloModel::Normalized).expect("a usual test");
    let counts = Pentanomial([390, 16_974, 36_229, 16_618, 365]);
    criterion
        .bench_function("sprt/normalized, pairs", |b| b.iter(|| test.decide(black_box(&counts))));
    let record = Record::new(&[0, 1, 2, 3], &[1, 2, 2, 4]);
    criterion.bench_function("skills/update of four", |b| {
        b.iter_batched_ref(
            || Skills::new(4),
            |skills| skills.update(black_box(&record)),
            BatchSize::SmallInput,
        );
    });
    let skills = Skills::new(4);
    criterion.bench_function("skills/information of two", |b| {
        b.iter(|| skills.information(black_box(&[0, 1])))
    });
}

criterion_group!(benches, tables, single);
criterion_main!(benches);
