//! The examinations `Topic::Legal`, `Protocol` and `SameAnswers`: 4, 5 and 9 in the output of `agon
//! check`.

use std::collections::BTreeSet;

use agon_bots::PRINT_TO_STDERR;
use agon_core::{Evidence, Fault, FaultKind};
use agon_games::cluster::protocol::EMPTY_LINE;
use serde_json::json;

use super::{
    examination::{Examination, Status, Topic, match_count},
    matches::ExaminedBot,
};
use agon_text::number::plural;

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
    let found = format!("{} in {}, no fault", plural(decisions, "answer"), match_count(whole));
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
