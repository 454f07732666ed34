//! Runs bots for the benchmarks of this crate.

use std::time::Duration;

use criterion::Criterion;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Stays on one core. The programs that bots start inherit it.
pub(crate) fn pin(_: &mut Criterion) {
    let allowed = sched_getaffinity(None).expect("the system tells");
    let last =
        (0..CpuSet::MAX_CPU).rev().find(|&core| allowed.is_set(core)).expect("there is a core");
    let mut set = CpuSet::new();
    set.set(last);
    sched_setaffinity(None, &set).expect("it is one that we may use");
}

/// Returns a configuration with few samples: all benchmarks take minutes, not an hour.
pub(crate) fn config() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(10).warm_up_time(second / 4).measurement_time(second)
}
