//! The examinations of what a bot uses: time (6 in the output of `agon check`), memory (7), stderr
//! (10), and how it ends (8).

use std::{fmt, ops::Add, time::Duration};

use agon_bots::{BatchLimits, BotKind, ShutdownReport};
use agon_core::text::number::{grouped, memory as memory_text, plural};
use agon_core::{Evidence, signal_words};
use serde_json::json;

use super::matches::{Examination, ExaminedBot, Played, Status, Topic};
use super::{PATIENCE, TimedAnswer};

/// A bot's time limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits(pub(super) BatchLimits);

impl Limits {
    /// Returns whether wall time decides; otherwise CPU time does.
    pub(super) fn by_wall(self) -> bool {
        self.0.clock.wall_factor <= 1
    }

    /// Returns the limit of the first answer of a match.
    pub(super) fn first(self, decisions: usize) -> Duration {
        self.0.clock.first.saturating_add(self.each(decisions))
    }

    /// Returns the limit of a later answer.
    pub(super) fn then(self, decisions: usize) -> Duration {
        self.0.clock.then.saturating_add(self.each(decisions))
    }

    fn each(self, decisions: usize) -> Duration {
        self.0.each.saturating_mul(u32::try_from(decisions).unwrap_or(u32::MAX))
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BatchLimits { clock, each } = self.0;
        f.write_str(&ms(clock.then))?;
        if each.is_zero() { Ok(()) } else { write!(f, " and {} a decision", ms(each)) }
    }
}

/// Formats a time for people.
pub(super) fn ms(time: Duration) -> String {
    let us = micros(time);
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..9_950 => format!("{}.{} ms", (us + 50) / 1000, (us + 50) % 1000 / 100),
        _ => format!("{} ms", grouped((us as i64).saturating_add(500) / 1000)),
    }
}

/// Returns a time in microseconds, for programs.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Examines how long the bot thinks, compared with its limit.
pub(super) fn time(seen: &ExaminedBot) -> Examination {
    let topic = Topic::Time;
    let cases = seen.cases(topic);
    let report = Report::of(seen);
    let examination = if !cases.is_empty() {
        let found = report
            .as_ref()
            .map_or_else(String::new, |report| format!("; before that {}", report.found()));
        let remedy = "think less, or search until a part of the limit is over; look for a loop \
             that does not end; do not wait for anything but the input";
        Examination::failed(topic, format!("it did not answer in time{found}"), remedy)
            .with_cases(cases)
    } else if let Some(report) = &report {
        let status = if report.share > 50 { Status::Warning } else { Status::Passed };
        let remedy = "more than half of the limit: on a slower machine it may run out of time";
        let remedy = (status == Status::Warning).then(|| remedy.to_owned());
        Examination { remedy, ..Examination::new(topic, status, report.found()) }
    } else if let Some(blocker) = seen.blocked_by(topic) {
        Examination::not_reached(topic, blocker)
    } else {
        Examination::not_applicable(topic, "it has no process whose time could be measured")
    };
    match report {
        Some(report) => examination.with_figures(report.figures()),
        None => examination,
    }
}

/// The times of all answers except the first one of each match.
struct Report {
    by_wall: bool,
    count: usize,
    /// The percentiles 50, 90 and 99, and the longest time.
    marks: [Duration; 4],
    /// The largest share of a limit that was used, in percent; 0 without a limit.
    share: u64,
    limits: Option<Limits>,
    /// The most processes that the bot had started. Their time is not in these figures.
    helpers: usize,
}

impl Report {
    fn of(seen: &ExaminedBot) -> Option<Report> {
        let limits = seen.matches.first()?.record.batch_limits.map(Limits);
        let by_wall = limits.is_some_and(Limits::by_wall);
        let mut times = Vec::new();
        let mut share = 0;
        for played in seen.all() {
            let faulty =
                |think: &TimedAnswer| played.faults().any(|fault| fault.step == think.step);
            for think in played.record.turns.iter().skip(1).filter(|think| !faulty(think)) {
                let Some(time) =
                    (if by_wall { think.cpu.and(Some(think.wall)) } else { think.cpu })
                else {
                    continue;
                };
                times.push(time);
                if let Some(limits) = limits {
                    let limit = micros(limits.then(think.decisions)).max(1);
                    share = share.max(micros(time).saturating_mul(100) / limit);
                }
            }
        }
        times.sort_unstable();
        let marks = [50, 90, 99, 100].map(|percent| percentile(&times, percent));
        let helpers = seen.shutdowns().map(|shutdown| shutdown.helpers).max().unwrap_or(0);
        let [Some(a), Some(b), Some(c), Some(d)] = marks else { return None };
        Some(Report { by_wall, count: times.len(), marks: [a, b, c, d], share, limits, helpers })
    }

    fn found(&self) -> String {
        let clock = if self.by_wall { "on the wall" } else { "of CPU time" };
        let [half, ninety, ninety_nine, longest] = self.marks.map(ms);
        let share = match self.limits {
            Some(limits) => format!(": {} % of the limit of {limits}", self.share),
            None => "; there is no limit in time".to_owned(),
        };
        let helpers = match self.helpers {
            0 => "",
            _ => "; processes that it started are not counted, `exec` in a script avoids them",
        };
        format!(
            "longest {longest} {clock} (50 % up to {half}, 90 % {ninety}, 99 % \
             {ninety_nine}){share}{helpers}"
        )
    }

    fn figures(&self) -> serde_json::Value {
        let [p50, p90, p99, max] = self.marks.map(micros);
        let clock = if self.by_wall { "wall" } else { "cpu" };
        json!({
            "clock": clock, "answers": self.count,
            "p50_us": p50, "p90_us": p90, "p99_us": p99, "max_us": max,
            "limit_us": self.limits.map(|limits| micros(limits.0.clock.then)),
            "limit_each_us": self.limits.map(|limits| micros(limits.0.each)),
            "share_percent": self.share, "helpers": self.helpers
        })
    }
}

/// Returns the least of the sorted times that `percent` of them do not exceed.
fn percentile(sorted: &[Duration], percent: usize) -> Option<Duration> {
    sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1).copied()
}

const MIB: u64 = 1 << 20;

/// A notice about a bot's output.
const MARK: &str = "; its output begins with a byte order mark, which Agon reads over";

/// Examines how much memory the bot needs; `limit` is in MiB.
pub(super) fn memory(seen: &ExaminedBot, limit: Option<u64>) -> Examination {
    let topic = Topic::Memory;
    let cases = seen.cases(topic);
    let usages = seen.all().filter_map(|played| played.record.usage).chain(seen.trial.usage);
    let own = usages.filter_map(|usage| usage.peak_memory);
    let with_helpers = seen.shutdowns().filter_map(|shutdown| shutdown.peak_memory);
    let peak = own.chain(with_helpers).max();
    let remedy = "keep less: a smaller table or a shallower search";
    if !cases.is_empty() {
        return Examination::failed(topic, "it ran out of memory", remedy).with_cases(cases);
    }
    // A bot that never ran shows nothing.
    let Some(peak) = peak.filter(|_| seen.blocked_by(topic) != Some(Topic::Starts)) else {
        let unknown =
            || Examination::not_applicable(topic, "it has no process that could be measured");
        return seen
            .blocked_by(topic)
            .map_or_else(unknown, |blocker| Examination::not_reached(topic, blocker));
    };
    let found = format!("at most {} resident", memory_text(peak));
    let examination = match limit {
        Some(limit) if peak > limit.saturating_mul(MIB) => {
            Examination::failed(topic, format!("{found}; the limit is {limit} MiB"), remedy)
        }
        Some(limit) => Examination::passed(topic, format!("{found}; the limit is {limit} MiB")),
        None => Examination::passed(topic, found),
    };
    examination.with_figures(
        json!({ "peak_bytes": peak, "limit_bytes": limit.map(|mib| mib.saturating_mul(MIB)) }),
    )
}

/// Examines whether the bot ends when its input ends, and leaves no process behind.
pub(super) fn end_of_input(seen: &ExaminedBot, kind: BotKind) -> Examination {
    let topic = Topic::EndOfInput;
    let shutdowns: Vec<&ShutdownReport> = seen.shutdowns().collect();
    let bad = shutdowns.iter().find(|shutdown| problem(shutdown).is_some());
    let Some(shutdown) = bad.or_else(|| shutdowns.iter().max_by_key(|shutdown| shutdown.took))
    else {
        return match (seen.blocked_by(topic), kind) {
            (_, BotKind::Builtin) => {
                Examination::not_applicable(topic, "it has no process of its own")
            }
            (Some(blocker), _) => Examination::not_reached(topic, blocker),
            (None, BotKind::Http) => Examination::not_applicable(topic, "a server has no input"),
            (None, _) => Examination::not_applicable(topic, "it has no process of its own"),
        };
    };
    let figures = json!({
        "took_us": micros(shutdown.took),
        "exit_status": shutdown.exit.and_then(|exit| exit.status),
        "signal": shutdown.exit.and_then(|exit| exit.signal),
        "left_behind": shutdown.left_behind,
    });
    let examination = match problem(shutdown) {
        Some((found, remedy)) => {
            let evidence = Evidence {
                exit_status: shutdown.exit.and_then(|exit| exit.status),
                signal: shutdown.exit.and_then(|exit| exit.signal),
                stderr_tail: shutdown.stderr_tail.clone(),
                ..Evidence::default()
            };
            Examination { seen: evidence, ..Examination::failed(topic, found, remedy) }
        }
        // Runners (binfection) are started again for each turn. They see no end of input, so that
        // there is no time to report.
        None if shutdown.took.is_zero() => {
            Examination::passed(topic, "each run ended with status 0 and left nothing behind")
        }
        None => {
            let found = format!(
                "it ended {} later with status 0 and left nothing behind{}",
                ms(shutdown.took),
                if shutdown.byte_order_mark { MARK } else { "" }
            );
            Examination::passed(topic, found)
        }
    };
    examination.with_figures(figures)
}

/// Returns the problem with a shutdown, if there is one, and its remedy.
fn problem(shutdown: &ShutdownReport) -> Option<(String, &'static str)> {
    let Some(exit) = shutdown.exit else {
        let found = format!("it still ran {} after the end of its input", ms(PATIENCE));
        return Some((found, "leave the loop when reading finds the end of the input, and end"));
    };
    if shutdown.left_behind > 0 {
        let left = shutdown.left_behind as u64;
        let found = format!(
            "it left {} running",
            if left == 1 { "a process".to_owned() } else { format!("{left} processes") }
        );
        return Some((found, "end and wait for all processes that it starts"));
    }
    let remedy = "leave the loop when reading finds the end of the input, and end with status 0";
    match (exit.status, exit.signal) {
        (Some(0), _) => None,
        (_, Some(signal)) => Some((format!("it was ended by {}", signal_words(signal)), remedy)),
        (status, None) => Some((format!("it ended with status {}", status.unwrap_or(-1)), remedy)),
    }
}

/// Examines how much the bot writes to stderr.
pub(super) fn stderr(seen: &ExaminedBot) -> Examination {
    let topic = Topic::Stderr;
    let in_matches = seen.all().filter_map(stderr_bytes).reduce(u64::add);
    let in_trial = seen.trial.shutdown.as_ref().map(|shutdown| shutdown.stderr);
    match in_matches.or(in_trial) {
        None if !seen.trial.runs() => Examination::not_reached(topic, Topic::Starts),
        None => Examination::not_applicable(topic, "it has no process of its own"),
        Some(0) => {
            Examination::passed(topic, "it wrote nothing").with_figures(json!({ "bytes": 0 }))
        }
        Some(bytes) => {
            let count = seen.all().count();
            let place = if count == 0 {
                String::new()
            } else {
                format!(" in {}", plural(count as u64, "match"))
            };
            let found = format!("it wrote {}{place}", plural(bytes, "byte"));
            Examination::passed(topic, found).with_figures(json!({ "bytes": bytes }))
        }
    }
}

/// Returns how many bytes the bot wrote to stderr in a match; `None` if that is not known.
fn stderr_bytes(played: &Played) -> Option<u64> {
    let while_playing = played.record.usage.map(|usage| usage.stderr);
    let at_end = played.record.shutdown.as_ref().map(|shutdown| shutdown.stderr);
    // If a bot died, only the end is known of what it wrote after its last answer.
    let last_words = played.faults().map(|fault| fault.evidence.stderr_tail.len() as u64).max();

    [while_playing, at_end, last_words].into_iter().flatten().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_occurred() {
        let times: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        let at = |percent| percentile(&times, percent).unwrap().as_millis();
        assert_eq!([at(50), at(90), at(99), at(100)], [100, 180, 198, 200]);
        assert_eq!(percentile(&times[..1], 50), Some(times[0]));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn times_have_two_digits_or_more() {
        let text = |us| ms(Duration::from_micros(us)).replace('\u{202f}', " ");
        assert_eq!(
            [text(0), text(999), text(1_950), text(9_949)],
            ["0 µs", "999 µs", "2.0 ms", "9.9 ms"]
        );
        assert_eq!([text(9_950), text(12_400), text(2_000_000)], ["10 ms", "12 ms", "2 000 ms"]);
    }
}
