//! The parts of the inspector's text, and how they become lines: short JSON stays on one line.
//!
//! Reports say what went wrong with bots at a step, and what they wrote to stderr up to there. They
//! come from the end of a replay.

use std::{borrow::Cow, iter};

use agon_core::{Fault, Player, exit_words, signal_words};
use agon_match::replay::{BotRecord, TurnTalk};
use serde_json::Value;

use crate::viewer::notes::{Notes, name_of};
use crate::viewer::painting::wrapped;

/// The most faults of a step that are reported.
const MAX_FAULTS: usize = 20;

/// The most bots whose output is reported.
const MAX_BOTS: usize = 64;

/// Returns the reports at a step.
pub(super) fn at(notes: &Notes, names: &[String], step: u64, is_at_end: bool) -> Vec<Item> {
    let mut items = faults(notes, names, step);
    let bots = notes.diagnosis.iter().flat_map(|diagnosis| &diagnosis.bots).take(MAX_BOTS);
    for bot in bots {
        items.extend(output(bot, name_of(names, bot.player), step, is_at_end));
    }
    items
}

/// Returns the faults of a step with their evidence.
fn faults(notes: &Notes, names: &[String], step: u64) -> Vec<Item> {
    let mut items = vec![];
    let here: Vec<&Fault> = notes.faults.iter().filter(|fault| fault.step == step).collect();
    for fault in here.iter().take(MAX_FAULTS) {
        items.push(Item::Heading(format!("fault of {}", name_of(names, fault.player))));
        items.push(Item::Text(format!("{}: {}", fault.kind.words(), fault.detail)));
        items.extend(evidence(fault, wrote_at(notes, fault.player, step)));
    }
    if here.len() > MAX_FAULTS {
        let more = here.len() - MAX_FAULTS;
        items.push(Item::Text(format!("and {more} more faults in this step")));
    }
    items
}

/// Returns what was seen of a fault.
///
/// Its stderr is left out if all output of the step is reported.
fn evidence(fault: &Fault, has_output: bool) -> Vec<Item> {
    let seen = &fault.evidence;
    let mut items = vec![];
    if fault.count > 1 {
        items.push(Item::Fact("times".into(), fault.count.to_string()));
    }
    items.extend(seen.exit_status.map(|status| Item::Fact("ended".into(), exit_words(status))));
    items.extend(seen.signal.map(|signal| Item::Fact("ended".into(), signal_words(signal))));
    items.extend(seen.unit.map(|unit| Item::Fact("unit".into(), unit.to_string())));
    items.extend(seen.wall_us.map(|time| Item::Fact("time".into(), milliseconds(time))));
    items.extend(seen.cpu_us.map(|time| Item::Fact("CPU time".into(), milliseconds(time))));
    let texts = [
        ("its last answer", &seen.last_output, true),
        ("it was sent", &seen.last_input, true),
        ("its stderr", &seen.stderr_tail, !has_output),
    ];
    for (heading, text, is_shown) in texts {
        if is_shown && !text.is_empty() {
            items.push(Item::Heading(heading.to_owned()));
            items.push(Item::Output(text.clone()));
        }
    }
    items
}

fn milliseconds(microseconds: u64) -> String {
    format!("{}.{} ms", microseconds / 1000, microseconds % 1000 / 100)
}

/// Returns whether the output of a bot in a step is kept.
fn wrote_at(notes: &Notes, player: Player, step: u64) -> bool {
    let bot = notes.diagnosis.as_ref().and_then(|diagnosis| diagnosis.of(player));
    bot.is_some_and(|bot| bot.stderr.turns().any(|turn| turn.step == Some(step)))
}

/// Returns the last output of a bot up to a step.
fn output(bot: &BotRecord, name: &str, step: u64, is_at_end: bool) -> Vec<Item> {
    let is_past = |turn: &&TurnTalk| turn.step.map_or(is_at_end, |at| at <= step);
    let talk = &bot.stderr;
    let mut items = vec![];
    let mut report = |turn: &TurnTalk| {
        let when = match turn.step {
            None => "after its last answer".to_owned(),
            Some(at) if at == step => "now".to_owned(),
            Some(at) => format!("in step {at}"),
        };
        items.push(Item::Heading(format!("{name} wrote {when}")));
        items.push(Item::Output(turn.text.clone()));
    };
    // Both lists are in order of step.
    let last = talk.last.iter().rfind(is_past);
    if let Some(turn) = last.or_else(|| talk.first.iter().rfind(is_past)) {
        report(turn);
    }
    let is_gap = last.is_none()
        && talk.left_out.turns > 0
        && talk.first.last().and_then(|turn| turn.step).is_none_or(|at| at < step);
    if is_gap {
        let turns = talk.left_out.turns;
        items.push(Item::Text(format!("Its output of {turns} turns about here is not kept.")));
    }
    items
}

/// A part of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Heading(String),
    Text(String),
    Fact(Cow<'static, str>, String),
    Json(Value),
    /// Output of a program, whose lines and spaces matter.
    Output(String),
}

impl Item {
    /// Returns it without line breaks.
    pub(super) fn line(&self) -> String {
        match self {
            Item::Heading(text) | Item::Text(text) => text.clone(),
            Item::Output(text) => text.replace('\n', " "),
            Item::Fact(name, value) => format!("{name}: {value}"),
            Item::Json(value) => value.to_string(),
        }
    }

    /// Returns the length of a fact's name.
    pub(super) fn name_length(&self) -> Option<usize> {
        match self {
            Item::Fact(name, _) => Some(name.len()),
            _ => None,
        }
    }

    /// Adds its lines of at most `columns` characters, and whether they are headings.
    ///
    /// Names of facts get the width `widest`.
    pub(super) fn write(&self, columns: usize, widest: usize, lines: &mut Vec<(String, bool)>) {
        match self {
            Item::Heading(text) => lines.push((text.clone(), true)),
            Item::Text(text) => {
                lines.extend(wrapped(text, columns).into_iter().map(|line| (line, false)))
            }
            Item::Fact(name, value) => {
                let parts = wrapped(value, columns.saturating_sub(widest + 1).max(1));
                for (part, name) in
                    parts.into_iter().zip(iter::once(&**name).chain(iter::repeat("")))
                {
                    lines.push((format!("{name:<widest$} {part}"), false));
                }
            }
            Item::Json(value) => {
                lines.extend(json_lines(value, columns).into_iter().map(|line| (line, false)))
            }
            Item::Output(text) => lines.extend(text.lines().flat_map(|line| broken(line, columns))),
        }
    }
}

/// Breaks a line of output after every `columns` characters.
fn broken(line: &str, columns: usize) -> Vec<(String, bool)> {
    let letters: Vec<char> = line.chars().collect();
    let mut lines: Vec<(String, bool)> =
        letters.chunks(columns.max(1)).map(|part| (part.iter().collect(), false)).collect();
    if lines.is_empty() {
        lines.push((String::new(), false));
    }
    lines
}

/// The depth below which values are left out.
const DEEPEST: usize = 12;

/// Returns the lines of a value, if possible with at most `columns` characters.
fn json_lines(value: &Value, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    write(value, columns.max(12), 0, String::new(), "", &mut lines);
    lines
}

/// Writes a value after `prefix` and before `suffix`.
fn write(
    value: &Value,
    columns: usize,
    depth: usize,
    prefix: String,
    suffix: &str,
    lines: &mut Vec<String>,
) {
    let indent = " ".repeat(depth);
    let flat = value.to_string();
    if indent.len() + prefix.len() + flat.chars().count() + suffix.len() <= columns
        || depth == DEEPEST
    {
        lines.push(format!("{indent}{prefix}{flat}{suffix}"));
        return;
    }
    match value {
        Value::Object(map) => {
            lines.push(format!("{indent}{prefix}{{"));
            for (index, (key, value)) in map.iter().enumerate() {
                let comma = if index + 1 < map.len() { "," } else { "" };
                write(value, columns, depth + 1, format!("{key}: "), comma, lines);
            }
            lines.push(format!("{indent}}}{suffix}"));
        }
        Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
            lines.push(format!("{indent}{prefix}["));
            for (index, item) in list.iter().enumerate() {
                let comma = if index + 1 < list.len() { "," } else { "" };
                write(item, columns, depth + 1, String::new(), comma, lines);
            }
            lines.push(format!("{indent}]{suffix}"));
        }
        Value::Array(list) => {
            lines.push(format!("{indent}{prefix}["));
            wrap(list, columns, &format!("{indent} "), lines);
            lines.push(format!("{indent}]{suffix}"));
        }
        _ => {
            let mut text = format!("{indent}{prefix}{flat}{suffix}");
            // A long text continues on more lines.
            while let Some((at, _)) = text.char_indices().nth(columns) {
                let rest = text.split_off(at);
                lines.push(std::mem::replace(&mut text, format!("{indent} {rest}")));
            }
            lines.push(text);
        }
    }
}

/// Writes as many numbers on a line as fit.
fn wrap(list: &[Value], columns: usize, indent: &str, lines: &mut Vec<String>) {
    let mut line = indent.to_owned();
    for (index, item) in list.iter().enumerate() {
        let comma = if index + 1 < list.len() { "," } else { "" };
        let item = format!("{item}{comma}");
        if line.len() > indent.len() && line.chars().count() + item.chars().count() > columns {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        }
        line.push_str(&item);
    }
    lines.push(line);
}

#[cfg(test)]
mod tests {
    use agon_core::{Evidence, FaultKind};
    use agon_match::replay::{BotTotals, Diagnosis, LeftOut, Talk};
    use serde_json::json;

    use super::*;

    fn turn(step: Option<u64>, text: &str) -> TurnTalk {
        TurnTalk { step, bytes: text.len() as u64, text: text.into() }
    }

    fn notes(left_out: u64) -> Notes {
        let stderr = Talk {
            first: vec![turn(Some(2), "two\n"), turn(Some(4), "four\n")],
            left_out: LeftOut { turns: left_out, bytes: 9 },
            last: vec![turn(Some(20), "twenty\n"), turn(None, "bye\n")],
        };
        let (player, totals) = (Player(1), BotTotals::default());
        let bot = BotRecord { player, totals, slowest: vec![], stderr };
        let evidence = Evidence {
            exit_status: Some(1),
            stderr_tail: "Traceback".into(),
            wall_us: Some(12_345),
            ..Evidence::default()
        };
        let fault = |step| Fault {
            player,
            step,
            kind: FaultKind::Crash,
            detail: "it ended".into(),
            evidence: evidence.clone(),
            count: 3,
        };
        let diagnosis = Some(Diagnosis { bots: vec![bot] });
        Notes { faults: vec![fault(4), fault(9)], diagnosis, ..Notes::default() }
    }

    fn lines(notes: &Notes, step: u64, is_at_end: bool) -> String {
        let names = ["ann".to_owned(), "bob".to_owned()];
        let items = at(notes, &names, step, is_at_end);
        items.iter().map(Item::line).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn the_output_is_that_of_the_step_shown_or_the_last_one_before() {
        let notes = notes(0);
        assert_eq!(lines(&notes, 1, false), "");
        assert_eq!(lines(&notes, 2, false), "bob wrote now|two ");
        assert_eq!(lines(&notes, 3, false), "bob wrote in step 2|two ");
        assert_eq!(lines(&notes, 12, false), "bob wrote in step 4|four ");
        assert_eq!(lines(&notes, 21, false), "bob wrote in step 20|twenty ");
        assert_eq!(lines(&notes, 21, true), "bob wrote after its last answer|bye ");
    }

    #[test]
    fn a_gap_in_the_output_is_told() {
        let notes = notes(7);
        assert!(!lines(&notes, 4, false).contains("not kept"));
        let gap = lines(&notes, 12, false);
        assert!(gap.contains("four") && gap.contains("7 turns about here"), "{gap}");
        assert!(!lines(&notes, 20, false).contains("not kept"));
    }

    #[test]
    fn a_fault_has_its_evidence_and_its_stderr_once() {
        let notes = notes(0);
        let here = lines(&notes, 4, false);
        assert!(here.starts_with("fault of bob|crashed: it ended|times: 3|ended: "), "{here}");
        assert!(here.contains("time: 12.3 ms"), "{here}");
        assert!(here.ends_with("bob wrote now|four "), "{here}");
        assert!(!here.contains("Traceback"), "{here}");
        // Nothing else has the output of step 9.
        let other = lines(&notes, 9, false);
        assert!(other.contains("its stderr|Traceback"), "{other}");
    }

    #[test]
    fn players_that_do_not_exist_are_nobody() {
        let mut notes = notes(0);
        notes.faults[0].player = Player(77);
        assert!(lines(&notes, 4, false).starts_with("fault of ?|crashed"));
    }

    #[test]
    fn output_keeps_its_lines_and_spaces() {
        let mut lines = vec![];
        Item::Output("a  b\n\n  cdefgh\n".into()).write(5, 0, &mut lines);
        let lines: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, ["a  b", "", "  cde", "fgh"]);
    }

    #[test]
    fn what_is_short_stays_on_a_line() {
        let fuel = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        let value = json!({ "energy": 3, "fuel": fuel, "others": [{ "dx": 1 }] });
        assert_eq!(
            json_lines(&value, 20),
            [
                "{",
                " energy: 3,",
                " fuel: [",
                "  1,2,3,4,5,6,7,8,9,",
                "  10",
                " ],",
                " others: [{\"dx\":1}]",
                "}"
            ]
        );
        assert_eq!(json_lines(&value, 200).len(), 1);
        assert!(
            json_lines(&json!("ä".repeat(50)), 20).iter().all(|line| line.chars().count() <= 20)
        );
    }
}
