//! The examinations of a bot's start and of its answers: 1 to 5 and 9 in the output of `agon
//! check`.
//!
//! The bot can be loaded, keeps running after its start, and gives its first answer in time; its
//! answers are legal, alone, and the same in the same match.

use std::{collections::BTreeSet, path::PathBuf};

use agon_bots::{BotKind, BotSpec, OpenError, PRINT_TO_STDERR};
use agon_core::{Evidence, Fault, FaultKind, text::number::plural};
use agon_games::cluster::protocol::EMPTY_LINE;
use serde_json::json;

use super::matches::{Examination, ExaminedBot, Status, Topic};
use super::resources::{Limits, micros, ms};

/// Examines whether the bot is there and can be loaded. If so, it sees these folders and files.
pub(super) fn opens(spec: &BotSpec, opened: Result<&[PathBuf], &OpenError>) -> Examination {
    let kind = kind_in_words(spec.kind());
    match opened {
        Ok([]) => Examination::passed(Topic::Opens, kind),
        Ok(sees) => {
            let sees: Vec<_> = sees.iter().map(|path| path.display().to_string()).collect();
            let found = format!("{kind}; this bot sees: {}", sees.join(", "));
            Examination::passed(Topic::Opens, found)
        }
        Err(error) => Examination::failed(Topic::Opens, error.to_string(), error.remedy()),
    }
}

fn kind_in_words(kind: BotKind) -> &'static str {
    match kind {
        BotKind::Builtin => "a built-in bot",
        BotKind::C => "C source, compiled and loaded",
        BotKind::Library => "a shared library, loaded",
        BotKind::Wasm => "WebAssembly, loaded",
        BotKind::Clojure => "Clojure, loaded",
        BotKind::Program => "a program that can be executed",
        BotKind::Json => "a program that can be executed, asked by the JSON Lines protocol",
        BotKind::Http => "a program that can be executed, asked as a web server",
        BotKind::Connect => "an address of a running program",
        BotKind::Human => "a person",
    }
}

/// Examines whether the bot still runs a moment after its start.
pub(super) fn starts(seen: &ExaminedBot) -> Examination {
    let topic = Topic::Starts;
    let trial = &seen.trial;
    let remedy = "start it by hand to see why; a bot has to wait for its first question";
    if let Some(fault) = trial.faults.first() {
        let found = fault.detail.clone();
        return Examination {
            seen: fault.evidence.clone(),
            ..Examination::failed(topic, found, remedy)
        };
    }
    if let Some(exit) = trial.usage.and_then(|usage| usage.ended) {
        let shutdown = trial.shutdown.clone().unwrap_or_default();
        let seen = Evidence {
            exit_status: exit.status,
            signal: exit.signal,
            stderr_tail: shutdown.stderr_tail,
            last_output: trial.unsolicited.clone().unwrap_or_default(),
            ..Evidence::default()
        };
        let missing = missing_file(&seen.stderr_tail);
        let remedy = missing.as_deref().or(trial.hint.as_deref()).unwrap_or(remedy);
        let failed = Examination::failed(topic, "it ended before it was asked anything", remedy);
        return Examination { seen, ..failed };
    }
    let cases = seen.cases(topic);
    if !cases.is_empty() {
        return Examination::failed(topic, "it could not be started for a match", remedy)
            .with_cases(cases);
    }
    match trial.usage {
        None => Examination::not_applicable(topic, "it has no process of its own"),
        // A running process has memory.
        Some(usage) if usage.peak_memory.is_none() => {
            Examination::not_applicable(topic, "it is started anew for each question")
        }
        Some(_) => Examination::passed(topic, "it still runs half a second later"),
    }
}

/// Examines whether, and how soon, the first answer of a match comes.
pub(super) fn first_answer(seen: &ExaminedBot) -> Examination {
    let topic = Topic::FirstAnswer;
    let cases = seen.cases(topic);
    if !cases.is_empty() {
        let found = format!("no first answer in {}", plural(cases.len() as u64, "match"));
        let missing = missing_file(&cases[0].fault.evidence.stderr_tail);
        let remedy = match cases[0].fault.kind {
            FaultKind::Crash if let Some(missing) = &missing => missing.as_str(),
            FaultKind::Crash => "repair what ended it; what it wrote to stderr before is below",
            _ => {
                "read the whole question, answer at once, and flush the output (Python: print(..., \
                 flush=True))"
            }
        };
        return Examination::failed(topic, found, remedy).with_cases(cases);
    }
    let first = seen.matches.first().map(|played| &played.record);
    let Some((record, think)) = first.and_then(|record| Some((record, record.turns.first()?)))
    else {
        return Examination::not_reached(topic, seen.blocked_by(topic).unwrap_or(Topic::Starts));
    };
    if seen.matches[0].faults().any(|fault| fault.step == think.step)
        && let Some(blocker) = seen.blocked_by(topic)
    {
        return Examination::not_reached(topic, blocker);
    }
    let Some(cpu) = record.first_cpu else {
        return Examination::not_applicable(
            topic,
            "it has no process whose time could be measured",
        );
    };
    let limits = record.batch_limits.map(Limits);
    let limit = limits.map(|limits| limits.first(think.decisions));
    let limit_text =
        limit.map_or_else(String::new, |limit| format!("; the limit is {}", ms(limit)));
    let cpu_text = ms(cpu);
    let wall_text = ms(think.wall);
    let found = match limits {
        Some(limits) if limits.by_wall() => {
            format!("after {wall_text} ({cpu_text} of CPU time){limit_text}")
        }
        _ => format!(
            "after {cpu_text} of CPU time with its start ({wall_text} on the wall){limit_text}"
        ),
    };
    let figures = json!({
        "cpu_us": micros(cpu), "wall_us": micros(think.wall), "limit_us": limit.map(micros)
    });
    Examination::passed(topic, found).with_figures(figures)
}

/// The remedy for a bot that takes the end of a message for the beginning of the next one.
const EMPTY_LINE_REMEDY: &str = "each message ends with an empty line: read it before you answer; \
    `agon rules cluster` shows the messages";

/// Returns whether a bot may have taken the end of a message for the beginning of the next one.
fn overlooks_empty_line(fault: &Fault) -> bool {
    fault.detail.contains(EMPTY_LINE)
}

/// Examines whether whole matches pass without a fault.
pub(super) fn legal(seen: &ExaminedBot) -> Examination {
    let topic = Topic::Legal;
    let cases = seen.cases(topic);
    if let Some(first) = cases.first() {
        let (kind, all) = (first.fault.kind, seen.matches.len());
        let same = cases.iter().filter(|case| case.fault.kind == kind);
        let matches: BTreeSet<u32> = same.map(|case| case.number).collect();
        let found = match matches.len() {
            1 => format!("it {} in match {} of {all}", kind.words(), first.number),
            several => format!("it {} in {several} of {all} matches", kind.words()),
        };
        let remedy = match kind {
            _ if overlooks_empty_line(&first.fault) => EMPTY_LINE_REMEDY,
            _ if first.fault.detail.contains(PRINT_TO_STDERR) => PRINT_TO_STDERR,
            FaultKind::Crash => {
                "repair what ended it, which the evidence below may tell; after an answer a bot \
                 waits for the next question"
            }
            FaultKind::Timeout => "answer sooner, and flush the output",
            _ => {
                "`agon rules GAME` tells which answers there are; the evidence below shows what \
                 came"
            }
        };
        return Examination::failed(topic, found, remedy).with_cases(cases);
    }
    if let Some(blocker) = seen.blocked_by(topic) {
        return Examination::not_reached(topic, blocker);
    }
    let decisions: u64 =
        seen.all().flat_map(|played| &played.record.turns).map(|t| t.decisions as u64).sum();
    let whole = seen.all().count();
    let found =
        format!("{} in {}, no fault", plural(decisions, "answer"), plural(whole as u64, "match"));
    Examination::passed(topic, found)
        .with_figures(json!({ "matches": whole, "answers": decisions }))
}

/// Examines whether there is one answer per question, and nothing else.
pub(super) fn protocol(seen: &ExaminedBot) -> Examination {
    let topic = Topic::Protocol;
    let remedy = &format!("write one answer per question; {PRINT_TO_STDERR}");
    let failed = |found: &str, last_output: &str| {
        let seen = Evidence { last_output: last_output.to_owned(), ..Evidence::default() };
        Examination { seen, ..Examination::failed(topic, found, remedy) }
    };
    let cases = seen.cases(topic);
    if let Some(text) = seen.trial.unsolicited.as_deref().filter(|text| !text.is_empty()) {
        return failed("it wrote before it was asked anything", text);
    }
    if let Some((number, (step, text))) =
        seen.all().find_map(|played| Some((played.number, played.record.unsolicited.as_ref()?)))
    {
        let found = format!("it wrote more after its answer of step {step} in match {number}");
        return failed(&found, text).with_cases(cases);
    }
    if let Some(case) = cases.first() {
        let found = format!("it {} in match {}", case.fault.kind.words(), case.number);
        let remedy =
            if overlooks_empty_line(&case.fault) { EMPTY_LINE_REMEDY } else { remedy.as_str() };
        return Examination::failed(topic, found, remedy).with_cases(cases);
    }
    if !seen.trial.runs() {
        return Examination::not_reached(topic, Topic::Starts);
    }
    if seen.trial.unsolicited.is_none() {
        return Examination::not_applicable(topic, "its answers do not go through a pipe");
    }
    match seen.blocked_by(topic) {
        Some(blocker) if blocker <= Topic::FirstAnswer => Examination::not_reached(topic, blocker),
        Some(_) => Examination::passed(topic, "it wrote nothing unasked as long as it played"),
        None => Examination::passed(topic, "one answer per question, and nothing in between"),
    }
}

/// Examines whether the same match, played twice, has the same answers.
pub(super) fn same_answers(seen: &ExaminedBot) -> Examination {
    let topic = Topic::SameAnswers;
    let (Some(first), Some(again)) = (seen.matches.first(), &seen.again) else {
        return Examination::not_reached(topic, seen.blocked_by(topic).unwrap_or(Topic::Legal));
    };
    let (one, other) = (&first.record.turns, &again.record.turns);
    let differs = one.iter().zip(other).find(|(a, b)| (a.step, a.answers) != (b.step, b.answers));
    let seed = first.result.seed;
    if differs.is_none() && first.result.state_hash == again.result.state_hash {
        let found = format!("the match of seed {seed} comes out the same twice");
        return Examination::passed(topic, found)
            .with_figures(json!({ "same": true, "step": null }));
    }
    let step = differs.map_or(first.result.steps, |(a, _)| a.step);
    let found = format!("the match of seed {seed} played twice differs from step {step} on");
    let remedy = "allowed; a fixed seed for its random numbers would make its matches repeatable";
    let warning = Examination::new(topic, Status::Warning, found);
    Examination { remedy: Some(remedy.to_owned()), ..warning }
        .with_figures(json!({ "same": false, "step": step }))
}

/// What stands before the name of a missing file, in the messages of languages and systems.
const BEFORE_FILE: [&str; 6] = [
    "can't open file ",
    "No such file or directory: ",
    "no such file or directory, open ",
    "FileNotFoundException: ",
    "cannot open ",
    "error while loading shared libraries: ",
];

/// What stands behind it.
const BEHIND_FILE: &str = ": no such file or directory";

/// What stands before the name of a missing module, package or class.
const BEFORE_MODULE: [&str; 5] = [
    "No module named ",
    "Cannot find module ",
    "Cannot find package ",
    "Could not find or load main class ",
    "NoClassDefFoundError: ",
];

/// Returns what to do about a missing file, if the last words of a bot name one.
fn missing_file(stderr: &str) -> Option<String> {
    // The last one ended it.
    stderr.lines().rev().find_map(remedy_of_line)
}

fn remedy_of_line(line: &str) -> Option<String> {
    let behind = |before: &&str| Some(first_name(line.split_once(before)?.1));
    if let Some(module) = BEFORE_MODULE.iter().find_map(behind).filter(|name| !name.is_empty()) {
        return Some(format!(
            "`{module}` is missing: put it among the bot's files. Bots find only these, and what \
             is installed on the machine"
        ));
    }
    let before = || {
        let at = line.to_ascii_lowercase().find(BEHIND_FILE)?;
        line[..at].split_whitespace().next_back()
    };
    let file = BEFORE_FILE.iter().find_map(behind).or_else(before)?;
    // Where its files lie now is nothing that the author knows.
    let file = match file.starts_with('/') {
        true => file.rsplit('/').next()?,
        false => file,
    };
    (!file.is_empty()).then(|| {
        format!(
            "`{file}` is missing: put it among the bot's files, and name it by its path from \
             their folder"
        )
    })
}

/// Returns the name at the start of a text: in quotes, or up to a blank or a colon.
fn first_name(text: &str) -> &str {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'));
    match quote {
        Some(quote) => text[1..].split(quote).next().unwrap_or_default(),
        None => text.split([' ', ':']).next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_languages_name_what_is_missing() {
        for (said, missing) in [
            ("python3: can't open file 'b1/fox.py': [Errno 2] No such file", "b1/fox.py"),
            ("  x\nFileNotFoundError: [Errno 2] No such file or directory: 'w.bin'\n", "w.bin"),
            ("FileNotFoundError: [Errno 2] No such file or directory: '/home/me/w.bin'", "w.bin"),
            ("ModuleNotFoundError: No module named 'torch'", "torch"),
            ("Error: Cannot find module './fox'\n    at node:internal", "./fox"),
            ("Error: ENOENT: no such file or directory, open 'w.bin'", "w.bin"),
            ("Error: Could not find or load main class Agon", "Agon"),
            ("java.io.FileNotFoundException: w.bin (No such file or directory)", "w.bin"),
            ("sh: 0: cannot open run.sh: No such file", "run.sh"),
            ("./run.sh: line 2: ./fox: No such file or directory", "./fox"),
            ("panic: open w.bin: no such file or directory", "w.bin"),
            ("./fox: error while loading shared libraries: libm.so.9: cannot open", "libm.so.9"),
        ] {
            let remedy = missing_file(said).unwrap_or_else(|| panic!("{said}"));
            assert!(remedy.starts_with(&format!("`{missing}` is missing: put it")), "{remedy}");
        }
        for said in
            ["", "ValueError: no such move", "No module named ", ": no such file or directory"]
        {
            assert_eq!(missing_file(said), None, "{said}");
        }
    }
}
