//! Measures matches on one core, and as many at a time as there are cores.
//!
//! `cargo bench -p agon-arena --bench scaling`
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::{num::NonZero, sync::Arc};

use agon_arena::{ArenaError, BotEntry, End, Job, JobSource, Next, Pool, PoolOptions};
use agon_core::Seed;
use agon_games::{
    GameId,
    cellhack::{Cellhack, Rules},
};
use agon_match::{Control, pin};
use agon_spec::{MatchOutcome, MatchSettings, MatchSpec};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

/// So many matches of the same bots.
struct Series<'a> {
    base: &'a MatchSpec,
    bots: Vec<Arc<BotEntry>>,
    matches: u64,
    begun: u64,
    steps: u64,
}

impl JobSource for Series<'_> {
    type Error = ArenaError;

    fn next(&mut self) -> Result<Next, ArenaError> {
        if self.begun == self.matches {
            return Ok(Next::Done);
        }
        let ticket = self.begun;
        self.begun += 1;
        Ok(Next::Job(Job::new(ticket, self.base, Seed(ticket), self.bots.clone())))
    }

    fn over(
        &mut self,
        _: u64,
        outcome: MatchOutcome,
        _: Option<Vec<u8>>,
    ) -> Result<Control, ArenaError> {
        self.steps += outcome.result.steps;
        Ok(Control::Continue)
    }
}

fn scaling(c: &mut Criterion) {
    let bots = ["builtin:grower", "builtin:swarm"];
    let bots: Vec<_> = bots.map(|text| BotEntry::of(text.parse().unwrap()).unwrap()).into();
    let rules = Rules { turns: 200, ..Rules::default() };
    let cores = pin::cores().unwrap().len();
    let mut group = c.benchmark_group("matches side by side");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (name, jobs) in [("one", 1), ("two", 2)] {
        assert!(jobs <= cores, "two matches side by side need two cores");
        let options = PoolOptions { workers: NonZero::new(jobs), ..PoolOptions::default() };
        let pool = Pool::new(options);
        let settings = MatchSettings::default();
        let base = &MatchSpec::new::<Cellhack>(GameId::Cellhack, &rules, settings);
        let matches = 20;
        group.throughput(Throughput::Elements(matches));
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut series = Series { base, bots: bots.clone(), matches, begun: 0, steps: 0 };
                let end = pool.client(Arc::default()).run(&mut series).unwrap();
                assert_eq!(end, End::Done);
                assert_eq!(
                    series.steps,
                    matches * u64::from(rules.turns),
                    "all matches last to the end"
                );
            });
        });
    }
    group.finish();
}

criterion_group!(benches, scaling);
criterion_main!(benches);
