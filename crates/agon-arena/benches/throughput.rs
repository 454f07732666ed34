//! Measures whole matches of cluster on one core, with the start of their bots.
//!
//! `cargo bench -p agon-arena -p agon-sandbox --bench throughput`
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::time::{Duration, Instant};
use std::{num::NonZero, path::Path, process::Command, sync::Arc};

use agon_arena::{BotEntry, End, Pool, PoolOptions};
use agon_games::GameId;
use agon_match::pin;
use agon_match::spec::{MatchSettings, MatchSpec, Recording, SandboxLevel, SandboxSettings};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

#[path = "../tests/job_series.rs"]
mod job_series;

use job_series::JobSeries;

fn play(pool: &Pool, base: &MatchSpec, bots: &[Arc<BotEntry>], matches: u64) -> Duration {
    let mut series = JobSeries::new(base.clone(), bots.to_vec(), matches);
    let begun = Instant::now();
    assert_eq!(pool.client(Arc::default()).run(&mut series).unwrap(), End::Done);
    assert!(series.steps > matches);
    begun.elapsed()
}

fn throughput(c: &mut Criterion) {
    pin::pin_to_core(pin::cores().unwrap()[0]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("blocker");
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots/cluster/blocker.c");
    assert!(
        Command::new("cc")
            .args(["-O2", "-o"])
            .arg(&program)
            .arg(source)
            .status()
            .unwrap()
            .success()
    );
    let entry = |text: &str| BotEntry::of(text.parse().unwrap()).unwrap();
    let pool = Pool::new(PoolOptions { workers: NonZero::new(1), ..PoolOptions::default() });
    let base = |sets: &[&str], level, replay| {
        let settings = MatchSettings {
            sandbox: SandboxSettings { level, ..SandboxSettings::default() },
            recording: Recording { replay, ..Recording::default() },
            ..MatchSettings::default()
        };
        let rules = GameId::Cluster.kind().changed_rules(sets).unwrap();
        MatchSpec::new(GameId::Cluster, rules, settings)
    };

    let mut group = c.benchmark_group("matches");
    group.throughput(Throughput::Elements(1)).sampling_mode(SamplingMode::Flat).sample_size(20);
    let random = [entry("builtin:random"), entry("b=builtin:random")];
    for (name, record) in [("built-in", false), ("built-in, with replays", true)] {
        let base = base(&[], SandboxLevel::Default, record);
        group.bench_function(name, |b| {
            b.iter_custom(|matches| play(&pool, &base, &random, matches))
        });
    }
    let name = program.to_str().unwrap();
    let blockers = [entry(name), entry(&format!("b={name}"))];
    for (name, level) in
        [("programs", SandboxLevel::Default), ("programs, not confined", SandboxLevel::Off)]
    {
        let base = base(&["side=5"], level, true);
        group.bench_function(name, |b| {
            b.iter_custom(|matches| play(&pool, &base, &blockers, matches))
        });
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
