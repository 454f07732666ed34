//! Cores, load, memory and disk space of this machine, for `agon doctor`.

use std::{fs, thread};

use super::Cache;
use crate::HostOptions;

/// What the machine has; `None` for what it does not tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Processor cores that the arena may use.
    pub cores: Option<usize>,
    /// Processes that were ready to run in the last minute, on average.
    pub load: Option<f64>,
    /// Memory.
    pub memory: Option<Memory>,
    /// The folder for compiled bots.
    pub cache: Cache,
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub total: u64,
    /// What programs can still have.
    pub available: u64,
}

impl Machine {
    /// Looks at the machine.
    pub fn look(options: &HostOptions) -> Machine {
        let read = |path| fs::read_to_string(path).ok();
        let number = |path| read(path)?.trim().parse().ok();
        let memory = read("/proc/meminfo").and_then(|text| Memory::parse(&text));
        // What the container may have, if this is one.
        let most = number("/sys/fs/cgroup/memory.max");
        let used = number("/sys/fs/cgroup/memory.current");
        Machine {
            cores: thread::available_parallelism().ok().map(Into::into),
            load: read("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            memory: memory.map(|memory| memory.within(most, used)),
            cache: Cache::look(options),
        }
    }

    /// Returns whether more programs want to run than there are cores.
    pub fn is_busy(&self) -> bool {
        self.load.zip(self.cores).is_some_and(|(load, cores)| load > cores as f64)
    }
}

impl Memory {
    /// Reads `/proc/meminfo`.
    fn parse(text: &str) -> Option<Memory> {
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
            kilobytes.checked_mul(1024)
        };
        Some(Memory { total: field("MemTotal")?, available: field("MemAvailable")? })
    }

    /// The same where no more than `most` bytes may be used, of which `used` are.
    fn within(self, most: Option<u64>, used: Option<u64>) -> Memory {
        let Some(most) = most.filter(|most| *most < self.total) else { return self };
        let left = most.saturating_sub(used.unwrap_or(0));
        Memory { total: most, available: self.available.min(left) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_may_be_used() {
        let text = "MemTotal:       1000 kB\nMemFree:          10 kB\nMemAvailable:    600 kB\n";
        let memory = Memory::parse(text).unwrap();
        assert_eq!(memory, Memory { total: 1_024_000, available: 614_400 });
        assert_eq!(memory.within(None, Some(7)), memory);
        assert_eq!(memory.within(Some(9_000_000), Some(7)), memory);
        assert_eq!(memory.within(Some(1000), Some(400)), Memory { total: 1000, available: 600 });
        assert_eq!(Memory::parse("MemTotal: many"), None);
    }
}
