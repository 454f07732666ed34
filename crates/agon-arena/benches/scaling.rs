//! Matches on one core, and as many at a time as there are cores.
//!
//! `cargo bench -p agon-runner --bench scaling`
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::{
    num::NonZero,
    sync::{Arc, atomic::AtomicBool},
};

use agon_core::Seed;
use agon_games::cellhack::{Cellhack, Rules};
use agon_match::{Control, pin};
use agon_runner::{BotEntry, End, Finished, Job, JobSource, RunError, Runner, RunnerOptions};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

/// So many matches of the same bots.
struct Series {
    bots: Vec<Arc<BotEntry>>,
    matches: u64,
    begun: u64,
    steps: u64,
}

impl JobSource for Series {
    type Error = RunError;

    fn next(&mut self) -> Result<Option<Job>, RunError> {
        let ticket = self.begun;
        self.begun = (ticket + 1).min(self.matches);
        let job = Job { ticket, seed: Seed(ticket), seats: self.bots.clone(), record: false };
        Ok((ticket < self.matches).then_some(job))
    }

    fn over(&mut self, finished: Finished) -> Result<Control, RunError> {
        self.steps += finished.result.steps;
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
        let options = RunnerOptions { jobs: NonZero::new(jobs), ..RunnerOptions::default() };
        let runner = Runner::<Cellhack>::new(rules.clone(), options);
        let matches = 20;
        group.throughput(Throughput::Elements(matches));
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut series = Series { bots: bots.clone(), matches, begun: 0, steps: 0 };
                assert_eq!(runner.run(&mut series, &AtomicBool::new(false)).unwrap(), End::Done);
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
