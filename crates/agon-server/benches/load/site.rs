//! What the measurements have in common: a new server with an arena, and times in a table.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::support::{Client, Reply, Server, python_bot, wait_for};

/// Starts a server with a new folder and an arena of a game in which these built-in bots play;
/// returns it with its administrator.
pub(crate) fn start(
    data: &Path,
    game: &str,
    bosses: &[&str],
    flags: &[&str],
) -> Result<(Server, Client)> {
    let server = Server::start(data, &[&["--arena", game], flags].concat());
    let mut root = server.administrator();
    let page = format!("/admin/arenas/{game}");
    let bosses: Vec<String> = bosses.iter().map(|boss| format!("{game}/{boss}")).collect();
    let mut form = vec![("title", game), ("per_day", "10000")];
    form.extend(bosses.iter().map(|boss| ("boss", boss.as_str())));
    let reply = root.post(&page, &page, &form);
    ensure!(reply.status == 200, "the arena cannot be changed: {}", reply.text());
    Ok((server, root))
}

/// Hands in the bot in Python of the starter kit; returns the path of its version.
pub(crate) fn hand_in(author: &mut Client, game: &str) -> Result<String> {
    let page = format!("/arenas/{game}/hand-in");
    let code = python_bot(game);
    let fields = [("way", "editor"), ("language", "python"), ("code", &*code), ("message", "")];
    let reply = author.upload(&page, &page, &fields, &[]);
    ensure!(reply.path.contains("/versions/"), "it cannot be handed in: {}", reply.text());
    Ok(reply.path)
}

/// Waits until a version is built and checked.
pub(crate) fn until_ready(author: &mut Client, path: &str) -> Result<Reply> {
    let done = wait_for("the version", || {
        let reply = author.get(path);
        (!reply.has("data-live=\"true\"")).then_some(reply)
    });
    ensure!(done.has("It can play"), "it cannot play: {}", done.text());
    Ok(done)
}

/// Returns the time as the server's tables have it, in milliseconds since 1970 (UTC).
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Returns a time between two of these; none if the second one is earlier.
pub(crate) fn between(from: i64, to: i64) -> Duration {
    Duration::from_millis(to.saturating_sub(from).max(0).unsigned_abs())
}

/// Times of the same thing, measured many times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn extend(&mut self, others: Times) {
        self.0.extend(others.0);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the time that a share of all does not exceed, in milliseconds: the nearest rank.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        let found = sorted.get(rank.clamp(1, sorted.len().max(1)) - 1);
        found.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }
}

/// A line of a table of times.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) times: Times,
    /// The size of the largest answer.
    pub(crate) bytes: Option<usize>,
}

/// Prints lines as a table for people, or as JSON Lines.
pub(crate) fn print(lines: &[Line], as_json: bool) {
    if !as_json {
        println!("{:34}{:>7}{:>12}{:>12}{:>12}{:>10}", "", "n", "median", "p99", "max", "bytes");
    }
    for Line { what, times, bytes } in lines {
        let [median, p99, max] = [0.5, 0.99, 1.0].map(|share| times.quantile(share));
        if as_json {
            let line = json!({"what": what, "n": times.count(), "median_ms": median,
                "p99_ms": p99, "max_ms": max, "bytes": bytes});
            println!("{line}");
        } else {
            let bytes = bytes.map_or(String::new(), |bytes| bytes.to_string());
            let n = times.count();
            println!("{what:34}{n:>7}{median:>9.2} ms{p99:>9.2} ms{max:>9.2} ms{bytes:>10}");
        }
    }
}

/// Returns a figure of a process from `/proc`, such as `VmHWM`, in bytes.
pub(crate) fn memory(pid: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1_024)
}

/// Returns how much time of processors a process has used, with those that it has waited for.
pub(crate) fn cpu(pid: u32) -> Option<Duration> {
    /// Ticks of a second, as Linux shows them to programs.
    const TICKS: u64 = 100;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in brackets, may have spaces.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let ticks: u64 = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 1_000 / TICKS))
}
