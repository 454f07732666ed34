//! How much a core of this machine computes: so limits in CPU time mean the same on all machines.

use std::{hint::black_box, time::Duration};

use rustix::time::{ClockId, clock_gettime};

/// Words of the memory that a measurement uses: 256 KiB, as much as a core has for itself.
const WORDS: usize = 1 << 16;

/// Steps of a measurement: some milliseconds.
const STEPS: u32 = 1_000_000;

/// Of so many measurements the fastest counts: others were disturbed.
const MEASUREMENTS: usize = 12;

/// Returns the speed of this machine: million steps of a small program in a second of CPU time.
/// That takes about a tenth of a second.
pub fn machine_speed() -> u32 {
    let mut memory: Vec<u32> = (0..WORDS as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let fastest = (0..MEASUREMENTS).map(|_| {
        let began = cpu_time();
        black_box(walk(&mut memory, STEPS));
        cpu_time().saturating_sub(began)
    });
    let fastest = fastest.min().unwrap_or_default().as_nanos().max(1);
    let speed = u128::from(STEPS) * 1_000 / fastest;
    u32::try_from(speed).unwrap_or(u32::MAX).max(1)
}

/// Does what programs of bots do: numbers, branches that nobody foresees, and memory that is read
/// and written in any order.
fn walk(memory: &mut [u32], steps: u32) -> u32 {
    let mut state = 1_u32;
    for step in 0..steps {
        let at = state as usize % WORDS;
        let found = memory[at];
        state = match found & 3 {
            0 => state.rotate_left(7) ^ found,
            1 => state.wrapping_mul(747_796_405).wrapping_add(found),
            2 => (state ^ (state >> 15)).wrapping_add(step),
            _ => found.wrapping_sub(state),
        };
        memory[at] = found.wrapping_add(state);
    }
    state
}

/// Returns the CPU time of this thread.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_is_the_same_everywhere_and_goes_through_all_of_the_memory() {
        let mut memory = vec![7; WORDS];
        let end = walk(&mut memory, STEPS);
        assert_eq!(end, walk(&mut vec![7; WORDS], STEPS));
        let touched = memory.iter().filter(|word| **word != 7).count();
        assert!(touched > WORDS * 9 / 10, "{touched}");
    }

    #[test]
    fn a_machine_has_about_the_same_speed_each_time() {
        let [one, other] = [machine_speed(), machine_speed()];
        // Other work on the machine takes caches, but not half of the speed.
        assert!(one.abs_diff(other) < one.max(other) / 2, "{one} {other}");
    }
}
