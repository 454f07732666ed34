//! The examinations `Topic::Memory`, `EndOfInput` and `Stderr`: 7, 8 and 10 in the output of
//! `agon check`.

use std::ops::Add;

use agon_bots::{BotKind, ShutdownReport};
use agon_core::{Evidence, signal_words};
use serde_json::json;

use super::{
    examination::{Examination, Topic, match_count},
    matches::{ExaminedBot, Played},
    time::{micros, ms},
    watched::PATIENCE,
};
use agon_text::number::{self, plural};

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
    let found = format!("at most {} resident", number::memory(peak));
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
            let place =
                if count == 0 { String::new() } else { format!(" in {}", match_count(count)) };
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
