//! Tests that scenarios set up any state and play scripted answers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_core::Seed;
use agon_games::any::AnyGame;
use agon_match::scenario::{self, Scenario, Snapshot};
use serde_json::{Value, json};

use crate::support::{adding, toys};

const MIDWAY: &str = r#"{
  "game": "toy",
  "rules": { "turns": 7, "full": 20 },
  "seed": 3,
  "players": ["alice", "bob"],
  "position": { "turn": 4, "counters": [[5, 19, 20], [20, 20, 1]] },
  "steps": [
    [ { "player": 0, "unit": 0, "answer": 3 }, { "player": 1, "answer": 2 } ],
    [],
    [ { "player": 0, "unit": 0, "answer": 1 } ]
  ]
}"#;

fn error(text: &str) -> String {
    play(text, &mut Vec::new()).unwrap_err().to_string()
}

fn play(text: &str, states: &mut Vec<Snapshot>) -> anyhow::Result<()> {
    Scenario::parse(toys(), text)?.play(toys(), |state| {
        states.push(state);
        Ok(())
    })
}

#[test]
fn answers_reach_their_decisions_and_the_others_are_default() {
    let rules = json!({ "turns": 7, "full": 20 });
    let position = r#"{ "turn": 4, "counters": [[5, 19, 20], [20, 20, 1]] }"#;
    let mut game = toys().start_from_json(&rules, Seed::plain(3), position).unwrap();
    let position = |game: &AnyGame| -> Value { game.position_json().parse().unwrap() };
    let mut states = Vec::new();
    play(MIDWAY, &mut states).unwrap();
    assert_eq!(states.len(), 4);
    assert_eq!(states[0].position, position(&game));
    game.step(&adding([3, 0, 2]));
    assert_eq!((&states[1].position, states[1].state_hash), (&position(&game), game.state_hash()));
    assert_eq!((states[1].step, states[1].turn), (1, 5));
    assert_eq!(states[1].decisions, game.decisions());
    assert_eq!(states[3].standing.outcome.as_ref().unwrap().reason, "most counted");
}

#[test]
fn nearly_everything_may_be_left_out() {
    let start = |text| Scenario::parse(toys(), text).unwrap().start(toys()).unwrap();
    let usual =
        |players, seed| toys().start(&toys().default_rules(), players, Seed::plain(seed)).unwrap();
    assert_eq!(start(r#"{ "game": "toy" }"#), usual(2, 0));
    let three = start(r#"{ "game": "toy", "players": 3, "seed": 8 }"#);
    assert_eq!(three, usual(3, 8));
    assert!(!three.is_over());
}

#[test]
fn typing_errors_are_named_with_their_place() {
    let unknown = error("{\n  \"game\": \"toy\",\n  \"stpes\": []\n}");
    assert!(
        unknown.contains("unknown field `stpes`") && unknown.contains("line 3 column"),
        "{unknown}"
    );
    let rules = error("{\"game\": \"toy\", \"rules\": {\"turn\": 3}}");
    assert!(rules.contains("unknown field `turn`, expected one of `turns`"), "{rules}");
    let entry =
        error("{\"game\": \"toy\", \"steps\": [[{\"player\": 0, \"unti\": 3, \"answer\": 1}]]}");
    assert!(entry.contains("unknown field `unti`"), "{entry}");
    let players = error("{\"game\": \"toy\", \"players\": true}");
    assert!(
        players.contains("expected a number of players or a list of their names at line 1"),
        "{players}"
    );
    assert_eq!(error("{\"game\": \"chess\"}"), "this is a scenario for chess, not for toy");
    assert!(error("{}").contains("missing field `game`"));
    assert!(error("not json").contains("line 1 column"));
    assert!(scenario::game_id("[]").unwrap_err().to_string().starts_with("the scenario cannot"));
    assert_eq!(scenario::game_id(MIDWAY).unwrap(), "toy");
}

#[test]
fn entries_without_a_decision_are_named() {
    let with = |steps: &str| {
        let (head, _) = MIDWAY.split_once("\"steps\"").unwrap();
        error(&format!("{head}\"steps\": {steps} }}"))
    };
    assert_eq!(
        with(r#"[[], [{ "player": 1, "answer": 1 }, { "player": 0, "unit": 7, "answer": 1 }]]"#),
        "steps[1][1]: player 0 unit 7 is not asked; asked are: player 0 unit 0, player 1 unit 2"
    );
    assert_eq!(
        with(r#"[[{ "player": 0, "answer": 1 }]]"#),
        "steps[0][0]: player 0 has several decisions, so a `unit` is needed: player 0 unit 0, \
         player 0 unit 1"
    );
    assert_eq!(
        with(r#"[[{ "player": 1, "answer": 1 }, { "player": 1, "unit": 2, "answer": 1 }]]"#),
        "steps[0][1]: player 1 unit 2 is answered twice"
    );
    assert!(
        with(r#"[[{ "player": 5, "answer": 1 }]]"#)
            .starts_with("steps[0][0]: player 5 is not asked")
    );
    assert_eq!(with("[[], [], [], []]"), "steps[3]: the game is over after 3 steps");
}

#[test]
fn impossible_starts_are_refused() {
    assert!(
        error(r#"{ "game": "toy", "players": 99 }"#).contains("players: 99 is not between 1 and 8")
    );
    let position = MIDWAY.replace("[\"alice\", \"bob\"]", "3");
    assert_eq!(error(&position), "players: 3 are named, but the position has 2");
}

#[test]
fn the_states_before_an_error_are_given() {
    let text = r#"{ "game": "toy", "steps": [[], [{ "player": 3, "answer": 1 }], []] }"#;
    let mut states = Vec::new();
    play(text, &mut states).unwrap_err();
    assert_eq!(states.iter().map(|state| state.step).collect::<Vec<_>>(), [0, 1]);
}
