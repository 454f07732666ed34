//! Measures matches on one core, and as many at a time as there are cores.
//!
//! `cargo bench -p agon-arena --bench scaling`
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::{num::NonZero, sync::Arc};

use agon_arena::{BotEntry, End, Pool, PoolOptions};
use agon_games::GameId;
use agon_match::pin;
use agon_match::spec::{MatchSettings, MatchSpec};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

#[path = "../tests/job_series.rs"]
mod job_series;

use job_series::JobSeries;

fn scaling(c: &mut Criterion) {
    let bots = ["builtin:grower", "builtin:swarm"];
    let bots: Vec<_> = bots.map(|text| BotEntry::of(text.parse().unwrap()).unwrap()).into();
    let turns = 200;
    let rules = GameId::Cellhack.kind().changed_rules(&[&*format!("turns={turns}")]).unwrap();
    let cores = pin::cores().unwrap().len();
    let mut group = c.benchmark_group("matches side by side");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (name, jobs) in [("one", 1), ("two", 2)] {
        assert!(jobs <= cores, "two matches side by side need two cores");
        let options = PoolOptions { workers: NonZero::new(jobs), ..PoolOptions::default() };
        let pool = Pool::new(options);
        let settings = MatchSettings::default();
        let base = &MatchSpec::new(GameId::Cellhack, rules.clone(), settings);
        let matches = 20;
        group.throughput(Throughput::Elements(matches));
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut series = JobSeries::new(base.clone(), bots.clone(), matches);
                let end = pool.client(Arc::default()).run(&mut series).unwrap();
                assert_eq!(end, End::Done);
                assert_eq!(series.steps, matches * turns, "all matches last to the end");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, scaling);
criterion_main!(benches);
