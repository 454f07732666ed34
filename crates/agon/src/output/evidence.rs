//! The evidence of a fault, as people read it.

use std::{io::Write, time::Duration};

use agon_core::{Evidence, Fault, exit_words, signal_words};
use anyhow::Result;

use super::{DIM, duration, memory};

/// So many lines of stderr are shown: some programs end a stack trace with the error, others begin
/// it with that.
const STDERR_LINES: usize = 16;

/// So many characters of input and output are shown, the last ones.
const CHARACTERS: usize = 100;

/// Prints a fault with all that was seen of it.
pub(crate) fn print_evidence(fault: &Fault, out: &mut impl Write) -> Result<()> {
    let unit = fault.evidence.unit.map_or_else(String::new, |unit| format!(" (unit {unit})"));
    writeln!(out, "    step {}: {}{unit}", fault.step, fault.detail)?;
    print_output(&fault.evidence, out)?;
    if READ_ONLY.iter().any(|words| fault.evidence.stderr_tail.contains(words)) {
        writeln!(
            out,
            "    {DIM}hint:{DIM:#} a confined bot writes to $TMPDIR only; --allow-write DIR opens \
             a folder"
        )?;
    }
    Ok(())
}

/// What programs say who want to write where they may not: the system's words, and Node's.
const READ_ONLY: [&str; 2] = ["Read-only file system", "EROFS"];

/// Prints how a bot ended, what it used, and the end of what it got and wrote.
pub(crate) fn print_output(evidence: &Evidence, out: &mut impl Write) -> Result<()> {
    let mut rows = Vec::new();
    let ended = evidence.signal.map(signal_words).or(evidence.exit_status.map(exit_words));
    rows.extend(ended.map(|words| ("ended:", words)));
    rows.extend(used(evidence).map(|words| ("used:", words)));
    let said = [("last input:", &evidence.last_input), ("last output:", &evidence.last_output)];
    rows.extend(
        said.into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(label, text)| (label, end(text))),
    );
    let lines: Vec<&str> = evidence.stderr_tail.lines().collect();
    let lines = &lines[lines.len().saturating_sub(STDERR_LINES)..];
    let labels = std::iter::once("stderr:").chain(std::iter::repeat(""));
    rows.extend(labels.zip(lines).map(|(label, line)| (label, (*line).to_owned())));
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
    for (label, text) in rows {
        writeln!(out, "    {DIM}{label:width$}{DIM:#} {text}")?;
    }
    Ok(())
}

/// Time for the answer and memory in words.
fn used(evidence: &Evidence) -> Option<String> {
    let time = |us| duration(Duration::from_micros(us));
    let time = match (evidence.cpu_us, evidence.wall_us) {
        (Some(cpu), Some(wall)) => Some(format!("{} of CPU time in {}", time(cpu), time(wall))),
        (Some(cpu), None) => Some(format!("{} of CPU time", time(cpu))),
        (None, Some(wall)) => Some(time(wall)),
        (None, None) => None,
    };
    let memory = evidence.peak_memory.map(|bytes| format!("at most {} of memory", memory(bytes)));
    let words: Vec<String> = time.into_iter().chain(memory).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The end of a line that may be long.
fn end(text: &str) -> String {
    match text.char_indices().rev().nth(CHARACTERS - 1) {
        Some((start @ 1.., _)) => format!("…{}", text[start..].trim_start_matches('…')),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(evidence: &Evidence) -> String {
        let mut out = Vec::new();
        print_output(evidence, &mut out).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn labels_are_as_wide_as_the_longest() {
        let mut evidence = Evidence { stderr_tail: "one\ntwo\n".into(), ..Evidence::default() };
        assert_eq!(printed(&evidence), "    stderr: one\n            two\n");
        (evidence.signal, evidence.peak_memory, evidence.cpu_us) =
            (Some(11), Some(3 << 20), Some(1_500));
        evidence.last_input = "x".repeat(101);
        let expected = [
            "    ended:      SIGSEGV (segmentation fault)",
            "    used:       1.5 ms of CPU time, at most 3.0 MiB of memory",
            &format!("    last input: …{}", "x".repeat(100)),
            "    stderr:     one",
            "                two",
        ];
        assert_eq!(printed(&evidence).lines().collect::<Vec<_>>(), expected);
        assert_eq!(printed(&Evidence::default()), "");
    }
}
