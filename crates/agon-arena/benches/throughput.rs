//! Whole matches of cluster on one core, the bots' start included.
//!
//! `cargo bench -p agon-runner -p agon-jail --bench throughput`
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::{
    num::NonZero,
    path::Path,
    process::Command,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use agon_bots::{HostOptions, Level, SandboxOptions};
use agon_core::Seed;
use agon_games::cluster::{Cluster, Rules};
use agon_match::{Control, pin};
use agon_runner::{BotEntry, End, Finished, Job, JobSource, RunError, Runner, RunnerOptions};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

/// So many matches of two bots.
struct Series<'a> {
    bots: &'a [Arc<BotEntry>],
    matches: u64,
    begun: u64,
    record: bool,
    steps: u64,
}

impl JobSource for Series<'_> {
    type Error = RunError;

    fn next(&mut self) -> Result<Option<Job>, RunError> {
        if self.begun == self.matches {
            return Ok(None);
        }
        self.begun += 1;
        let ticket = self.begun;
        let seed = Seed(self.begun);
        Ok(Some(Job { ticket, seed, seats: self.bots.to_vec(), record: self.record }))
    }

    fn over(&mut self, finished: Finished) -> Result<Control, RunError> {
        assert!(finished.result.faults.is_empty(), "{:?}", finished.result.faults);
        self.steps += finished.result.steps;
        Ok(Control::Continue)
    }
}

fn play(runner: &Runner<Cluster>, bots: &[Arc<BotEntry>], matches: u64, record: bool) -> Duration {
    let mut series = Series { bots, matches, begun: 0, record, steps: 0 };
    let begun = Instant::now();
    assert_eq!(runner.run(&mut series, &AtomicBool::new(false)).unwrap(), End::Done);
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
    let runner = |side, level| {
        let sandbox = SandboxOptions { level, ..SandboxOptions::default() };
        let host = HostOptions { sandbox, ..HostOptions::default() };
        let options = RunnerOptions { host, jobs: NonZero::new(1), ..RunnerOptions::default() };
        Runner::<Cluster>::new(Rules { side, ..Rules::default() }, options)
    };

    let mut group = c.benchmark_group("matches");
    group.throughput(Throughput::Elements(1)).sampling_mode(SamplingMode::Flat).sample_size(20);
    let random = [entry("builtin:random"), entry("b=builtin:random")];
    for (name, record) in [("built-in", false), ("built-in, with replays", true)] {
        let runner = runner(Rules::default().side, Level::Default);
        group.bench_function(name, |b| {
            b.iter_custom(|matches| play(&runner, &random, matches, record))
        });
    }
    let name = program.to_str().unwrap();
    let blockers = [entry(name), entry(&format!("b={name}"))];
    for (name, level) in [("programs", Level::Default), ("programs, not confined", Level::Off)] {
        let runner = runner(5, level);
        group.bench_function(name, |b| {
            b.iter_custom(|matches| play(&runner, &blockers, matches, true))
        });
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
