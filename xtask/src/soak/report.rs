//! The results of `cargo xtask soak`: reads the output of each match, and prints the table.
//!
//! A fault, a failed command or a match without a result is evidence of a problem.

use std::{
    collections::BTreeMap,
    process::{Command, Output},
    time::Duration,
};

use serde_json::Value;

/// A completed match.
#[derive(Debug, Default)]
pub(super) struct Played {
    took: Duration,
    decisions: u64,
    stall_ms: u64,
    /// The number of its void attempts.
    voids: u64,
    /// The problem, with everything that is known of it.
    evidence: Option<String>,
}

/// Totals of all matches.
#[derive(Debug, Default)]
pub(super) struct Report {
    kinds: BTreeMap<&'static str, Kind>,
    pub(super) evidence: Vec<String>,
}

#[derive(Debug, Default)]
struct Kind {
    matches: u64,
    decisions: u64,
    voids: u64,
    slowest: Duration,
    stall_ms: u64,
}

impl Played {
    /// Reads the output of `agon play --json`.
    pub(super) fn of(command: &Command, output: &Output, took: Duration) -> Played {
        let text = String::from_utf8_lossy(&output.stdout);
        let talk = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut played = Played { took, ..Played::default() };
        let mut faults = 0;
        let mut result = None;
        for line in &lines {
            match line["type"].as_str() {
                Some("fault") => faults += 1,
                // Earlier events do not count, faults included.
                Some("void") => (played.voids, faults) = (played.voids + 1, 0),
                Some("result") => result = Some(&line["data"]),
                _ => {}
            }
        }
        let over = result.is_some_and(|result| result["end"] == "over" && result["void"].is_null());
        if let Some(result) = result {
            played.decisions = result["decisions"].as_u64().unwrap_or(0);
            played.stall_ms = result["longest_stall_ms"].as_u64().unwrap_or(0);
        }
        if faults > 0 || !over || !output.status.success() {
            played.evidence = Some(format!("{command:?}\n{}\n{text}{talk}", output.status));
        }
        played
    }
}

impl Report {
    /// Adds a match.
    pub(super) fn add(&mut self, kind: &'static str, played: Played) {
        let sum = self.kinds.entry(kind).or_default();
        sum.matches += 1;
        sum.decisions += played.decisions;
        sum.voids += played.voids;
        sum.slowest = sum.slowest.max(played.took);
        sum.stall_ms = sum.stall_ms.max(played.stall_ms);
        self.evidence.extend(played.evidence);
    }

    /// Prints counts, rates, the worst delays, and the evidence of problems.
    pub(super) fn print(&self, took: Duration) {
        eprintln!(
            "\n{:<20}{:>9}{:>12}{:>6}{:>12}{:>15}",
            "", "matches", "answers", "void", "slowest", "worst stall"
        );
        for (name, kind) in &self.kinds {
            let slowest = kind.slowest.as_millis();
            let stall = kind.stall_ms;
            let counts = format!("{:>9}{:>12}{:>6}", kind.matches, kind.decisions, kind.voids);
            eprintln!("{name:<20}{counts}{slowest:>9} ms{stall:>12} ms");
        }
        let matches: u64 = self.kinds.values().map(|kind| kind.matches).sum();
        let seconds = took.as_secs_f64();
        let failed = self.evidence.len();
        eprintln!(
            "\n{matches} matches in {seconds:.0} s, {:.1} a second; {failed} with a fault",
            matches as f64 / seconds
        );
        for evidence in &self.evidence {
            eprintln!("\n{evidence}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

    use super::*;

    fn played(stdout: &str, status: i32) -> Played {
        let output = Output {
            status: ExitStatus::from_raw(status << 8),
            stdout: stdout.into(),
            stderr: b"talk".to_vec(),
        };
        Played::of(&Command::new("agon"), &output, Duration::ZERO)
    }

    const GOOD: &str =
        r#"{"type":"result","data":{"end":"over","decisions":40,"longest_stall_ms":3}}"#;
    const FAULT: &str = r#"{"type":"fault","data":{"kind":"timeout"}}"#;

    #[test]
    fn a_match_without_faults_is_good() {
        let good = played(GOOD, 0);
        assert_eq!((good.evidence, good.decisions, good.stall_ms), (None, 40, 3));
    }

    #[test]
    fn faults_and_failures_are_evidence() {
        for (text, status) in
            [(format!("{FAULT}\n{GOOD}"), 0), (GOOD.to_owned(), 1), (String::new(), 0)]
        {
            let evidence = played(&text, status).evidence.unwrap();
            assert!(evidence.contains("talk") && evidence.contains(&text), "{evidence}");
        }
        let void = GOOD.replace("\"end\"", "\"void\":{\"reason\":\"stall\"},\"end\"");
        assert!(played(&void, 1).evidence.is_some());
    }

    #[test]
    fn what_was_void_does_not_count() {
        let again = played(&format!("{FAULT}\n{{\"type\":\"void\",\"data\":{{}}}}\n{GOOD}"), 0);
        assert_eq!((again.voids, again.evidence), (1, None));
    }
}
