//! The JSON Schemas in the documentation are those of the code, also for events that are rare.

use agon_contest::events::{
    EloDifference, Event, ReplayVerdict, TunedBot, TuningVerdict, VerdictData, VoidMatch,
};
use agon_match::replay::Void;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::report::common::{Cup, WORLD, plan};

#[path = "../examples/contest-schemas.rs"]
#[allow(dead_code, unreachable_pub, reason = "it belongs to the example")]
mod example;

fn validator() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(&example::events().1).unwrap()).unwrap()
}

#[track_caller]
fn check(event: Event<'_>, expected: &Value) {
    let value = serde_json::to_value(&event).unwrap();
    assert_eq!(value, *expected);
    let problems: Vec<String> =
        validator().iter_errors(&value).map(|problem| problem.to_string()).collect();
    assert_eq!(problems, Vec::<String>::new(), "{value}");
}

#[test]
fn the_files_are_up_to_date() {
    for (path, text) in [example::reports(), example::events()] {
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, text, "{}: run `cargo xtask generate`", path.display());
    }
    let text = example::events().1;
    assert!(text.contains("`null`") && !text.contains("None`"), "{text}");
    assert!(!text.contains("[`"), "{text}");
}

/// Reports of tournaments that have not begun, are being played, and are over.
#[test]
fn reports_are_as_their_schema_says() {
    let validator =
        jsonschema::validator_for(&serde_json::from_str(&example::reports().1).unwrap()).unwrap();
    for limit in [0, 3, usize::MAX] {
        let plan = plan(6, "matches = 4", "kind = \"swiss\"");
        let mut json = Cup::played(plan, limit, &WORLD).json();
        let problems: Vec<String> =
            validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}");
        json["state"]["over"] = "many".into();
        assert!(!validator.is_valid(&json));
    }
}

#[test]
fn keys_that_are_always_printed_are_required() {
    let line = json!({ "type": "verdict", "data": { "proven": true } });
    assert!(!validator().is_valid(&line));
    let kind = json!({ "type": "judgement", "data": { "proven": true, "text": "" } });
    assert!(!validator().is_valid(&kind));
    let verdict = ReplayVerdict { proven: true, text: String::new() };
    let expected = json!({ "type": "verdict", "data": { "proven": true, "text": "" } });
    check(Event::Verdict(VerdictData::Replay(verdict)), &expected);
}

#[test]
fn void_matches_name_the_stall() {
    for (void, expected) in [
        (Void::Stall { stall_ms: 2480 }, json!({ "reason": "stall", "stall_ms": 2480 })),
        (
            Void::Timeout { stall_ms: 300, step: 7 },
            json!({ "reason": "timeout", "stall_ms": 300, "step": 7 }),
        ),
    ] {
        let event = Event::Void(VoidMatch { attempt: 1, void: Some(void) });
        let expected = json!({ "type": "void", "data": { "attempt": 1, "void": expected } });
        check(event, &expected);
    }
}

#[test]
fn infinite_elo_is_null() {
    let elo = EloDifference { mean: f64::INFINITY, low: 120.5, high: f64::INFINITY };
    let verdict = TuningVerdict {
        duels: 3,
        matches: 6,
        difference: 1.0,
        low: 0.5,
        high: 1.0,
        elo: Some(elo),
    };
    let tuned = TunedBot {
        game: "toy",
        seed: agon_core::Seed(7),
        bot: "bot 1".to_owned(),
        params: Vec::new(),
        matches: 20,
        faulty_matches: 0,
        tuned_with: 14,
        interrupted: false,
        verdict: Some(verdict),
    };
    let expected = json!({ "type": "tuning", "data": {
        "game": "toy", "seed": "7", "bot": "bot 1", "params": [], "matches": 20,
        "faulty_matches": 0, "tuned_with": 14, "interrupted": false, "verdict": {
            "duels": 3, "matches": 6, "difference": 1.0, "low": 0.5, "high": 1.0,
            "elo": { "mean": null, "low": 120.5, "high": null }
        }
    } });
    check(Event::Tuning(tuned), &expected);
}
