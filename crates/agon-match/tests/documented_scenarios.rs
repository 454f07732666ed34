//! Tests that the examples of `docs/scenarios.md` run and do what the page says.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_games::GameId;
use agon_match::scenario;
use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/scenarios.md");

fn examples() -> impl Iterator<Item = &'static str> {
    PAGE.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap())
}

fn states(text: &str) -> Vec<Value> {
    let mut out = Vec::new();
    scenario::write_states(text, false, &mut out).unwrap_or_else(|error| panic!("{text}: {error}"));
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The states of the example for a game.
fn example(game: &str) -> Vec<Value> {
    states(examples().find(|text| scenario::game_id(text).unwrap() == game).unwrap())
}

#[test]
fn there_is_an_example_for_each_game_and_it_runs() {
    let ids: Vec<_> = examples().map(|text| scenario::game_id(text).unwrap()).collect();
    let is_documented = |id: &GameId| id.kind().trials().sample.is_some();
    for id in GameId::OWN.into_iter().filter(is_documented) {
        assert!(ids.contains(&id.to_string()), "no example for {id}");
    }
    for text in examples() {
        let scenario: Value = serde_json::from_str(text).unwrap();
        let steps = scenario["steps"].as_array().unwrap().len();
        let states = states(text);
        assert_eq!(states.len(), steps + 1);
        assert!(
            states.windows(2).all(|pair| pair[0]["state_hash"] != pair[1]["state_hash"]),
            "{text}"
        );
    }
}

#[test]
fn every_printed_position_can_be_the_next_scenario() {
    for text in examples() {
        for state in states(text) {
            let mut next: Value = serde_json::from_str(text).unwrap();
            next["position"] = state["position"].clone();
            next["steps"] = Value::Array(Vec::new());
            let again = states(&next.to_string());
            assert_eq!(again.len(), 1);
            for key in ["state_hash", "position", "decisions", "standing", "turn"] {
                assert_eq!(again[0][key], state[key], "{key}: {next}");
            }
        }
    }
}

#[test]
fn the_examples_do_what_the_page_says() {
    let cells = &example("cellhack")[1]["position"]["cells"];
    assert_eq!(cells.as_array().unwrap().len(), 3, "the second cell has split: {cells}");
    assert!(cells[0]["energy"].as_u64() > Some(100), "the first cell has eaten: {cells}");

    let cluster = example("cluster");
    assert_eq!(cluster[1]["position"]["pellets"][0]["color"], 0);
    assert_ne!(cluster[2]["position"]["gravity"], cluster[1]["position"]["gravity"]);

    let amoebas = &example("amoebas")[2]["position"]["amoebas"];
    assert_eq!(amoebas.as_array().unwrap().len(), 1, "the neighbour is dead: {amoebas}");

    let moved = &example("binfection")[1]["position"]["cells"];
    assert_ne!(*moved, example("binfection")[0]["position"]["cells"]);

    let rezzo = example("rezzo");
    assert_eq!(rezzo[1]["position"]["agents"][1]["facing"], "E");
    assert_eq!(
        rezzo[1]["position"]["rows"][1].as_str().unwrap()[2..4],
        *".0",
        "a conductor stays behind"
    );
}
