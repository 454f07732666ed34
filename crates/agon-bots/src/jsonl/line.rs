//! Judges a line from a bot: whether it is the answer to the question, late, or unusable; and what
//! may help then.

use agon_core::{Fault, FaultKind};
use agon_games::{any::AnswersMut, settings::plain};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::BatchPart;
use crate::hints::{self, PRINT_TO_STDERR, Typed};
use crate::process::{Process, last_output};

/// How many characters of a long error are quoted, at its start and at its end.
const QUOTED: usize = 100;

/// A line of [the right form](agon_games::jsonl::message::Answers).
///
/// Its answers have not been read yet.
#[derive(Deserialize)]
struct Line<'a> {
    step: u64,
    #[serde(borrow)]
    answers: Vec<&'a RawValue>,
}

/// The kind of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineVerdict {
    /// The answer to an earlier question.
    Late,
    /// Unusable.
    Bad(FaultKind, String),
    /// The answer to the question, except perhaps for some decisions.
    Answer(Option<BadElements>),
}

/// Elements of an answer that are no answers; those decisions keep their answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadElements {
    /// The first decision with such an element.
    pub(super) first: usize,
    /// Its text.
    pub(super) text: String,
    /// The problem.
    pub(super) problem: String,
    /// The number of such elements.
    pub(super) count: u64,
}

impl BadElements {
    /// Returns the fault for them.
    pub(super) fn fault(self, process: &mut Process, part: BatchPart<'_>) -> Fault {
        let BadElements { first, text, problem, count } = self;
        let detail =
            format!("answer {} of {} is no valid one: {problem}", first + 1, part.decisions.len());
        let mut fault = process.seen_now(part.into(), FaultKind::Garbage, detail);
        fault.evidence.unit = part.decisions.get(first).map(|decision| decision.unit);
        fault.evidence.last_output = last_output(text.as_bytes());
        fault.count = count;
        fault
    }
}

/// Judges a line and takes over its answers.
///
/// `step` is the step of the question. `answers` has one place for each of its decisions; it is
/// `None` as long as the bot does not have the whole question.
pub(super) fn judge(line: &[u8], step: u64, answers: Option<AnswersMut<'_>>) -> LineVerdict {
    let parsed = match parse(line) {
        Ok(parsed) => parsed,
        Err(problem) => {
            let form = format!("{{\"step\": {step}, \"answers\": [...]}}");
            return LineVerdict::Bad(
                FaultKind::Garbage,
                format!("expected a line {form}, but {problem}"),
            );
        }
    };
    if parsed.step < step {
        return LineVerdict::Late;
    }
    if parsed.step > step {
        let detail =
            format!("it answered step {}, but the question is that of step {step}", parsed.step);
        return LineVerdict::Bad(FaultKind::Early, detail);
    }
    let Some(answers) = answers else {
        let detail = format!("it answered step {step} before it had the whole question");
        return LineVerdict::Bad(FaultKind::Early, detail);
    };
    if parsed.answers.len() != answers.len() {
        let came = parsed.answers.len();
        let asked = answers.len();
        let detail = format!("expected {asked} answers, one per decision, but {came} came");
        return LineVerdict::Bad(FaultKind::Garbage, detail);
    }
    LineVerdict::Answer(take(&parsed.answers, answers))
}

fn parse(line: &[u8]) -> Result<Line<'_>, String> {
    // Otherwise a list of the values in order would pass for an object.
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err("it is no JSON object".to_owned());
    }
    serde_json::from_slice(line).map_err(|error| problem(&error))
}

fn take(elements: &[&RawValue], mut answers: AnswersMut<'_>) -> Option<BadElements> {
    let mut bad: Option<BadElements> = None;
    for (i, element) in elements.iter().enumerate() {
        if let Err(error) = answers.set_reply(i, element.get()) {
            let first = || BadElements {
                first: i,
                text: element.get().to_owned(),
                problem: problem(&error),
                count: 0,
            };
            bad.get_or_insert_with(first).count += 1;
        }
    }
    bad
}

/// Returns the error without the line number, which is always 1.
///
/// The error may quote any output of the bot. If it is long, its middle is left out.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let hint = match text.contains("floating point") {
        true => "; whole numbers are written as `3`, not as `3.0` or `-0`",
        false if error.is_eof() => "; an answer is one line, so print its JSON without line breaks",
        false => "",
    };
    shortened(&plain(&text).replace(" at line 1 column ", " at column ")) + hint
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= 2 * QUOTED {
        return text.to_owned();
    }
    let first: String = text.chars().take(QUOTED).collect();
    let last: String = text.chars().skip(count - QUOTED).collect();
    format!("{first}…{last}")
}

/// Knows answers of a game's own protocol, see [`Hosting::own_answer`](crate::Hosting::own_answer).
pub(super) type OwnAnswer = Option<fn(&[u8]) -> bool>;

/// Returns what is probably wrong with a line that is no JSON object.
///
/// `typed` is the program as a person named it, as long as it may speak another protocol.
pub(super) fn line_hint(own: OwnAnswer, typed: Option<&Typed>, line: &[u8]) -> Option<String> {
    if line.trim_ascii_start().first() == Some(&b'{') {
        return None;
    }
    match (own, typed) {
        (Some(is_own), Some(typed)) if is_own(line) => Some(typed.own()),
        _ => Some(PRINT_TO_STDERR.to_owned()),
    }
}

/// Adds the game's own protocol to the fault of a program that has not answered well so far.
///
/// `waiting` is its output without a line feed, as in a protocol without lines.
pub(super) fn hint_at_own(own: OwnAnswer, fault: &mut Fault, typed: &Typed, waiting: &[u8]) {
    let Some(is_own) = own else { return };
    match fault.kind {
        FaultKind::Timeout if is_own(waiting) => hints::add(fault, &typed.own()),
        FaultKind::Crash => typed.hint_at_own(fault),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use agon_games::any::AnyAnswers;
    use agon_games::cellhack::{Action, Answer, Cellhack, Direction};

    use super::*;
    use crate::{cellhack, cluster, rezzo};

    fn judge_as(line: &[u8], step: u64, count: usize) -> (LineVerdict, Vec<Answer>) {
        let mut answers = AnyAnswers::of::<Cellhack>(vec![Answer::default(); count]);
        let verdict = judge(line, step, Some(answers.as_mut()));
        (verdict, answers.as_slice::<Cellhack>().unwrap().to_vec())
    }

    #[track_caller]
    fn check_bad(line: &str, kind: FaultKind, detail: &str) {
        let (verdict, answers) = judge_as(line.as_bytes(), 7, 2);
        let LineVerdict::Bad(found, text) = verdict else { panic!("{line}: {verdict:?}") };
        assert_eq!(found, kind, "{line}: {text}");
        assert!(text.contains(detail), "{line}: {text}");
        assert_eq!(answers, [Answer::default(); 2], "{line}");
    }

    #[test]
    fn an_answer_is_taken_over() {
        let line = concat!(
            r#" {"answers": [{"action": "MOVE_UP"}, {"action": "NOTHING", "memory": 5}], "#,
            r#""step": 7, "x": []} "#
        );
        let (verdict, answers) = judge_as(line.as_bytes(), 7, 2);
        assert_eq!(verdict, LineVerdict::Answer(None));
        let up = Answer::new(Action::Move(Direction::Up));
        assert_eq!(answers, [up, Answer { action: Action::Nothing, memory: Some(5) }]);
    }

    #[test]
    fn the_step_says_whether_it_is_late_or_early() {
        assert_eq!(judge_as(br#"{"step": 6, "answers": []}"#, 7, 2).0, LineVerdict::Late);
        check_bad(r#"{"step": 8, "answers": [{}, {}]}"#, FaultKind::Early, "answered step 8");
        let verdict = judge(br#"{"step": 7, "answers": []}"#, 7, None);
        assert!(matches!(verdict, LineVerdict::Bad(FaultKind::Early, _)), "{verdict:?}");
    }

    #[test]
    fn what_is_no_answer_is_told() {
        let garbage = |line: &str, detail: &str| check_bad(line, FaultKind::Garbage, detail);
        garbage("thinking...", "but it is no JSON object");
        garbage("[7, [{}, {}]]", "it is no JSON object");
        garbage("{", "EOF while parsing an object at column 1; an answer is one line");
        garbage(r#"{"step": 7.0, "answers": []}"#, "whole numbers are written as `3`");
        garbage(r#"{"step": -0, "answers": []}"#, "not as `3.0` or `-0`");
        garbage(r#"{"step": 7}"#, "missing field `answers`");
        garbage(r#"{"answers": [{}, {}]}"#, "missing field `step`");
        garbage(r#"{"step": -7, "answers": [{}, {}]}"#, "invalid value");
        garbage(r#"{"step": 7, "step": 7, "answers": [{}, {}]}"#, "duplicate field `step`");
        garbage(r#"{"step": 7, "answers": {}}"#, "invalid type");
        garbage(
            r#"{"step": 7, "answers": [{}]}"#,
            "expected 2 answers, one per decision, but 1 came",
        );
        garbage(r#"{"step": 7, "answers": [{}, {}]} x"#, "trailing characters");
        garbage(
            &format!(r#"{{"step": 7, "answers": {}"#, "[".repeat(100_000)),
            "expected a line {\"step\": 7,",
        );
    }

    #[test]
    fn an_element_that_is_no_answer_costs_its_decision() {
        let nested = "[".repeat(100_000) + &"]".repeat(100_000);
        for bad in [
            "null",
            "7",
            r#"{"action": "MOVE_UPP"}"#,
            r#"{"action": "NOTHING", "memory": -1}"#,
            &nested,
        ] {
            let line = format!(r#"{{"step": 7, "answers": [{{"action": "EAT"}}, {bad}, {bad}]}}"#);
            let line = line.replace("EAT", "MOVE_UP");
            let (verdict, answers) = judge_as(line.as_bytes(), 7, 3);
            let LineVerdict::Answer(Some(found)) = verdict else { panic!("{bad}: {verdict:?}") };
            assert_eq!((found.first, found.count, found.text.as_str()), (1, 2, bad));
            let up = Answer::new(Action::Move(Direction::Up));
            assert_eq!(answers, [up, Answer::default(), Answer::default()]);
        }
    }

    #[test]
    fn an_error_does_not_repeat_all_that_a_bot_wrote() {
        let long = "ä".repeat(50_000);
        let line = format!(r#"{{"step": 7, "answers": [{{"action": "{long}"}}]}}"#);
        let (verdict, _) = judge_as(line.as_bytes(), 7, 1);
        let LineVerdict::Answer(Some(bad)) = verdict else { panic!("{verdict:?}") };
        assert!(bad.problem.starts_with("there is no action `ä"), "{}", bad.problem);
        assert!(bad.problem.chars().count() <= 2 * QUOTED + 1, "{}", bad.problem);
        let line = format!(r#"{{"step": "{long}", "answers": []}}"#);
        let (verdict, _) = judge_as(line.as_bytes(), 7, 1);
        let LineVerdict::Bad(FaultKind::Garbage, detail) = verdict else { panic!("{verdict:?}") };
        assert!(detail.contains("invalid type: string") && detail.len() < 1000, "{detail}");
    }

    #[test]
    fn invalid_text_is_garbage() {
        let line = b"{\"step\": 7, \"answers\": [{\"action\": \"\xff\"}]}";
        let (verdict, _) = judge_as(line, 7, 1);
        assert!(matches!(verdict, LineVerdict::Bad(FaultKind::Garbage, _)), "{verdict:?}");
    }

    #[test]
    fn a_line_of_the_games_protocol_gets_a_proposal() {
        let typed = Typed::new("python3 bot.py", None, Vec::new(), None);
        let own = Some("did you mean `python3 bot.py`?".to_owned());
        let stderr = Some(PRINT_TO_STDERR.to_owned());
        let cluster = cluster::HOSTING.own_answer;
        assert_eq!(line_hint(cluster, Some(&typed), b"PLACE 3 1"), own);
        assert_eq!(line_hint(cluster, Some(&typed), b"thinking"), stderr);
        assert_eq!(line_hint(cluster, None, b"PLACE 3 1"), stderr);
        let cellhack = cellhack::HOSTING.own_answer;
        assert_eq!(line_hint(cellhack, Some(&typed), b"PLACE 3 1"), stderr);
        assert_eq!(line_hint(cluster, Some(&typed), br#" {"step": 0}"#), None);
    }

    #[test]
    fn answers_without_lines_get_a_proposal() {
        let typed = Typed::new("./bot", None, Vec::new(), None);
        let hinted = |kind, waiting: &[u8]| {
            let evidence = Default::default();
            let detail = String::new();
            let player = agon_core::Player(0);
            let mut fault = Fault { player, step: 0, kind, detail, evidence, count: 1 };
            hint_at_own(rezzo::HOSTING.own_answer, &mut fault, &typed, waiting);
            fault.detail
        };
        assert_eq!(hinted(FaultKind::Timeout, b"\x22^"), "; did you mean `./bot`?");
        assert_eq!(hinted(FaultKind::Timeout, b""), "");
        assert_eq!(hinted(FaultKind::Timeout, b"{\"step\""), "");
        assert_eq!(hinted(FaultKind::Crash, b"\x22^"), "");
    }
}
