//! Presets: `agon play` uses them, and the demonstration shows matches with one winner.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::Command;

use serde_json::{Value, json};

fn agon(args: &[&str]) -> String {
    let mut agon = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    let output = agon.args(args).env("NO_COLOR", "1").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The data of the first line of a match.
fn start(args: &[&str]) -> Value {
    let text = agon(&[&["play"], args, &["--json", "--seed", "1", "--turns", "1"]].concat());
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.find(|line| line["type"] == "match").unwrap()["data"].clone()
}

#[test]
fn a_match_starts_from_a_preset_unless_settings_are_given() {
    let bots = ["binfection", "builtin:random", "builtin:random"];
    let default = start(&bots);
    assert_eq!(default["preset"], "default");
    assert!(default["rules"]["field_width"].as_u64().unwrap() < 100, "{default}");
    let classic = start(&[&bots[..], &["--preset", "classic"]].concat());
    assert_eq!(
        (&classic["preset"], &classic["rules"]["field_width"]),
        (&json!("classic"), &json!(1000))
    );
    let changed = start(&[&bots[..], &["--set", "field_height=30"]].concat());
    assert_eq!(changed.get("preset"), None);
    let rules = &changed["rules"];
    assert_eq!((&rules["field_width"], &rules["field_height"]), (&json!(1000), &json!(30)));
    let both = start(&[&bots[..], &["--preset", "default", "--set", "field_height=30"]].concat());
    assert_eq!(both["rules"]["field_width"], default["rules"]["field_width"]);
    assert_eq!(both["rules"]["field_height"], 30);
}

#[test]
fn the_demonstration_shows_matches_with_one_winner() {
    let text = agon(&["play"]);
    assert_eq!(text.matches("preset default").count(), 5, "{text}");
    assert_eq!(text.matches(" wins: ").count(), 5, "{text}");
    assert!(!text.contains("tie: "), "{text}");
}

#[test]
fn every_game_lists_its_presets() {
    for line in agon(&["games", "--json"]).lines() {
        let game = serde_json::from_str::<Value>(line).unwrap()["data"]["id"].clone();
        let page = agon(&["rules", game.as_str().unwrap()]);
        let presets = page.split("## Presets").nth(1).unwrap();
        for name in ["default", "short", "classic"] {
            assert!(presets.contains(&format!("| `{name}` |")), "{game}: {presets}");
        }
    }
}
