//! The result of a match as people read it, with the evidence of faults.

use std::{io::Write, path::Path, time::Duration};

use agon_core::{
    Evidence, Fault, FaultKind, Meta, Player, PlayerStanding, exit_words, signal_words,
};
use agon_match::{MatchResult, replay::End};
use anyhow::Result;

use super::{
    BAD, BOLD, DIM, GOOD, duration, grouped, memory, plural, print_table, shell_word, table_of,
};
use crate::Exit;

/// What a result does not say itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchInfo<'a> {
    /// The game's facts.
    pub(crate) meta: Meta,
    /// Where the replay was written.
    pub(crate) replay: Option<&'a Path>,
    /// The preset with the settings, as the heading names it.
    pub(crate) preset: Option<&'a str>,
}

impl<'a> MatchInfo<'a> {
    /// The facts of a game, and where the replay was written.
    pub(crate) fn of(meta: Meta, replay: Option<&'a Path>) -> MatchInfo<'a> {
        MatchInfo { meta, replay, preset: None }
    }
}

/// The exit code that a match ends with.
pub(crate) fn exit_of(result: &MatchResult) -> Exit {
    match result.end {
        End::Interrupted => Exit::Interrupted,
        End::Over | End::Limit if result.void.is_some() || result.unanswered => Exit::Negative,
        End::Over | End::Limit => Exit::Done,
    }
}

/// Prints places and scores, the outcome, the faults and where the replay is.
pub(crate) fn print_result(
    result: &MatchResult,
    info: &MatchInfo<'_>,
    out: &mut impl Write,
) -> Result<()> {
    let turns = plural(result.turns, info.meta.turn_name);
    let preset = info.preset.map(|name| format!(" · preset {name}")).unwrap_or_default();
    writeln!(out, "{BOLD}{}{BOLD:#}{preset} · {turns} · seed {}\n", result.game, result.seed)?;
    print_standing(result, out)?;
    let style = if result.end == End::Over { GOOD } else { BAD };
    writeln!(out, "\n{style}{}{style:#}", result.headline())?;
    print_faults(result, info, out)
}

/// A row per player, the best first.
fn print_standing(result: &MatchResult, out: &mut impl Write) -> Result<()> {
    let rows = &result.standing.players;
    let mut order: Vec<Player> = Player::all(rows.len()).collect();
    order.sort_by_key(|p| rows[p.index()].place);
    let with_score =
        rows.iter().any(|row| row.measures.first().is_none_or(|(_, first)| *first != row.score));
    let names =
        rows.first().into_iter().flat_map(|row| &row.measures).map(|(name, _)| name.as_str());
    let header = ["", "bot"].into_iter().chain(with_score.then_some("score")).chain(names);
    let header: Vec<String> = header.map(|name| name.replace('_', " ")).collect();
    let mut table = table_of(&header, 2..header.len());
    for player in order {
        table.add_row(row(result.name(player), &rows[player.index()], with_score));
    }
    Ok(print_table(&table, out)?)
}

/// Place, name, score (unless it is the first measure), measures, whether the player is out.
fn row(name: &str, standing: &PlayerStanding, with_score: bool) -> Vec<String> {
    let name = if standing.place == 1 { format!("{BOLD}{name}{BOLD:#}") } else { name.to_owned() };
    let mut cells = vec![standing.place.to_string(), name];
    cells.extend(with_score.then(|| grouped(standing.score)));
    cells.extend(standing.measures.iter().map(|(_, value)| grouped(*value)));
    cells.extend(standing.out.then(|| format!("{DIM}out{DIM:#}")));
    cells
}

/// What a person can do about a match that the machine disturbed.
pub(crate) const VOID_HELP: &str = "it helps to end other programs that keep the machine busy, and \
                                    to give bots more time (`--time MS`)";

/// The faults, by player and kind: how often, and the first one with its evidence; then where the
/// replay is.
pub(crate) fn print_faults(
    result: &MatchResult,
    info: &MatchInfo<'_>,
    out: &mut impl Write,
) -> Result<()> {
    if let Some(void) = result.void {
        writeln!(out, "{BAD}void{BAD:#}: {void}; the result counts for nothing; {VOID_HELP}")?;
    }
    if result.shared_process {
        writeln!(
            out,
            "{DIM}species in Clojure shared a JVM, in which they can reach each other{DIM:#}"
        )?;
    }
    if result.unanswered {
        writeln!(
            out,
            "{BAD}no valid answer{BAD:#}: no bot gave one in the whole match; the result says \
             nothing"
        )?;
    }
    if result.players.iter().any(|p| !p.faults.is_empty()) {
        writeln!(out, "\n{BAD}faults{BAD:#}")?;
    }
    for (player, row) in Player::all(result.players.len()).zip(&result.players) {
        for (&kind, &count) in &row.faults {
            let times =
                if count == 1 { String::new() } else { format!(", {} times", grouped(count)) };
            writeln!(out, "  {BOLD}{}{BOLD:#} {}{times}", row.bot.name, kind.words())?;
            let mut own = result.faults.iter().filter(|f| f.player == player && f.kind == kind);
            if let Some(first) = own.next() {
                print_evidence(first, out)?;
            }
            // The one with which a bot was stopped because of timeouts.
            let ended = kind == FaultKind::Timeout && row.stopped_for_timeouts;
            if let Some(last) = own.next_back().filter(|_| ended) {
                writeln!(out, "    step {}: {}", last.step, last.detail)?;
            }
        }
    }
    if let Some(path) = info.replay {
        let word = shell_word(path);
        let path = path.display();
        writeln!(out, "\n{DIM}replay: {path} · prove it with: agon replay verify {word}{DIM:#}")?;
    }
    Ok(())
}

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
