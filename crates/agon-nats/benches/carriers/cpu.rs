//! CPU time of other processes.

use std::{fs, time::Duration};

/// Returns the CPU time of processes with all their threads.
pub(crate) fn cpu_of(processes: &[u32]) -> Duration {
    processes.iter().map(|&process| cpu(process)).sum()
}

/// Returns the processes that a process has started.
pub(crate) fn children_of(parent: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let process: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let field = fields(process)?.get(1)?.parse::<u32>().ok()?;
        (field == parent).then_some(process)
    });
    all.collect()
}

fn cpu(process: u32) -> Duration {
    // utime and stime, in hundredths of a second: proc_pid_stat(5).
    let ticks = |fields: Vec<String>| -> Option<u64> {
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    };
    Duration::from_millis(10 * fields(process).and_then(ticks).unwrap_or(0))
}

/// Returns the fields behind the name of a process; the first is its state.
fn fields(process: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}
