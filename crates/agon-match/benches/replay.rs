//! Measures writing, verifying and seeking in the replay of a long match.
//!
//! Also measures the bytes of a decision in the file.

#![allow(clippy::print_stdout, reason = "sizes are figures, too")]

use std::{hint::black_box, time::Instant};

use agon_games::amoebas::Amoebas;
use agon_games::any::{AnyAnswers, AnyGame, FullGame, GameKind, kind_of};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use agon_match::replay::Replay;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use support::{Playout, amoebas_match, any, record, replay, write};

mod support;

fn amoebas() -> &'static dyn GameKind {
    kind_of::<Amoebas>()
}

fn speed(c: &mut Criterion) {
    let playout = amoebas_match();
    let start = playout.starts().remove(0);
    let script = playout.script(&start);
    let file = record(&start, &script);
    let opened = Replay::open(file.as_slice()).expect("it has just been written");
    let mut group = c.benchmark_group(playout.name);
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(opened.decisions()));
    group.bench_function("match", |b| {
        b.iter(|| playout.check([(opened.decisions(), playout.play(&start, drop))]));
    });
    group.bench_function("rules alone", |b| b.iter(|| replay(&start, &script)));
    group.bench_function("verify", |b| b.iter(|| assert!(opened.verify(amoebas()).is_proven())));
    // The cost of writing without that of playing: the last state stands for all states.
    let last = AnyGame::of(replay(&start, &script));
    let script: Vec<AnyAnswers> = any::<Amoebas>(&script).collect();
    group.bench_function("write", |b| b.iter(|| write(&last, &script).len()));
    group.finish();

    let mut group = c.benchmark_group(format!("{}, seek", playout.name));
    let mut places: Vec<_> =
        (0..100).map(|i| opened.steps() * i / 99).map(|s| (seek(&opened, s), s)).collect();
    places.sort_unstable();
    for (name, (_, step)) in
        [("median of 100 places", places[50]), ("worst of 100 places", places[99])]
    {
        group.bench_function(name, |b| b.iter(|| opened.seek(amoebas(), black_box(step)).is_ok()));
    }
    group.finish();
}

/// Returns the time of a seek.
fn seek(replay: &Replay, step: u64) -> std::time::Duration {
    let began = Instant::now();
    let game = replay.seek(amoebas(), step).expect("there is such a step");
    let took = began.elapsed();
    assert!(step < replay.steps() || game.is_over());
    took
}

/// Prints the size of a match's replay, which must be at most `most` bytes.
fn measure_size<G: FullGame>(playout: &Playout<G>, most: usize) {
    let start = playout.starts().remove(0);
    let script = playout.script(&start);
    let bytes = record(&start, &script).len();
    let decisions: usize = script.iter().map(Vec::len).sum();
    let steps = script.len();
    let each = bytes as f64 / decisions as f64;
    playout.check([(decisions as u64, replay(&start, &script))]);
    println!(
        "{}: {decisions} decisions in {steps} steps, {bytes} bytes: {each:.3} a decision",
        playout.name
    );
    assert!(bytes <= most, "{}: {bytes} bytes are more than {most}", playout.name);
}

fn sizes(_: &mut Criterion) {
    measure_size(&amoebas_match(), 8_000_000);

    let rules =
        binfection::Rules { field_width: 100, field_height: 100, ..binfection::Rules::default() };
    let bots = &["general", "spreader"];
    measure_size::<Binfection>(
        &Playout::new("binfection 100x100", rules, bots, (200, 11_966_812_254_923_099_950)),
        24_000,
    );

    let bots = &["swarm", "hunter", "grower", "random"];
    measure_size::<Cellhack>(
        &Playout::new(
            "cellhack 64x64",
            cellhack::Rules::default(),
            bots,
            (1_548_226, 13_456_638_462_256_161_666),
        ),
        180_000,
    );

    let bots = &["searcher", "greedy"];
    measure_size::<Cluster>(
        &Playout::new(
            "cluster side 12",
            cluster::Rules::default(),
            bots,
            (13, 10_908_609_147_652_570_048),
        ),
        700,
    );

    let bots = &["raider", "raider", "wanderer"];
    measure_size::<Rezzo>(
        &Playout::new(
            "rezzo 320x320",
            rezzo::Rules::default(),
            bots,
            (30_000, 7_501_228_713_297_961_342),
        ),
        38_000,
    );
}

criterion_group! {
    name = replays;
    config = support::config();
    targets = sizes, speed
}
criterion_main!(replays);
