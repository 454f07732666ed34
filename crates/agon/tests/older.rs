//! What an older version of the program wrote in `tests/older` is verified, resumed and reported
//! as it was then.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs};

use serde_json::Value;

use crate::support::{Done, TestDir, names};

const GAMES: [&str; 5] = ["cellhack", "cluster", "amoebas", "binfection", "rezzo"];

fn older() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/older")
}

fn expected(file: &str) -> String {
    let path = older().join("expected").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the program in a folder.
fn agon(folder: &Path, line: &str) -> Done {
    Done::of(TestDir::new().agon(line).current_dir(folder))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// All files below a folder, with their lengths.
fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![(path.clone(), path.metadata().unwrap().len())],
    };
    entries.flat_map(below).collect()
}

/// What was known of each replay when it was written.
fn replays() -> BTreeMap<String, Value> {
    let lines = expected("replays.jsonl");
    let lines = lines.lines().map(json);
    lines.map(|line| (line["file"].as_str().unwrap().to_owned(), line)).collect()
}

#[test]
fn no_replay_is_missing() {
    let known: Vec<String> = replays().into_keys().collect();
    assert_eq!(names(older().join("replays")), known);
}

/// The version of a game's rules today.
fn rules_of_today(game: &str) -> Value {
    let games = agon(&older(), "games --json").lines();
    let found = games.into_iter().find(|line| line["data"]["id"] == game);
    found.unwrap()["data"]["rules_version"].clone()
}

/// Whether a folder with matches of this game, of rules version 1, can still be continued: not
/// after a change of its rules, when the matches would be others.
fn has_rules_of_today(game: &str) -> bool {
    let is_same = rules_of_today(game) == 1;
    if !is_same {
        eprintln!("skipped: {game} has other rules than the files");
    }
    is_same
}

#[test]
fn replays_are_proven_and_say_the_same() {
    let folder = older().join("replays");
    let today: BTreeMap<&str, Value> =
        GAMES.iter().map(|game| (*game, rules_of_today(game))).collect();
    for (file, line) in replays() {
        let data = &line["info"]["data"];
        if data["rules_version"] != today[data["game"].as_str().unwrap()] {
            let verdict = agon(&folder, &format!("replay verify {file}"));
            assert_eq!(verdict.code, Some(1), "{file}: {verdict:?}");
            verdict.prints(["was played under rules version"]);
            continue;
        }
        let info = agon(&folder, &format!("replay info --json {file}"));
        assert_eq!(json(&info.out), line["info"], "{file}");
        let verdict = agon(&folder, &format!("replay verify --json {file}"));
        let code = i32::from(file.ends_with("-cut.agon"));
        assert_eq!(verdict.code, Some(code), "{file}: {verdict:?}");
        let verdict = json(&verdict.out);
        assert_eq!(verdict["data"]["proven"], code == 0, "{file}: {verdict}");
        // The hash of the last state, where there is one.
        let hash = line["info"]["data"]["result"]["state_hash"].as_str().unwrap_or_default();
        assert!(verdict["data"]["text"].as_str().unwrap().contains(hash), "{file}: {verdict}");
    }
}

#[test]
fn what_bots_cost_and_said_is_still_told() {
    let folder = older().join("replays");
    let bots = [("cluster-program-2.agon", "wrong"), ("amoebas-jsonl-2.agon", "rosa")];
    let told = bots
        .map(|(file, bot)| agon(&folder, &format!("replay info {file} --bot {bot} --json")).out);
    let lines = |text: &str| text.lines().map(json).collect::<Vec<_>>();
    assert_eq!(lines(&told.concat()), lines(&expected("bots.jsonl")));
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    for (path, _) in files(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&path, target).unwrap();
    }
}

/// Replaces what differs from run to run: how long matches took, how often the machine stalled.
fn mask(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "ms" | "mean_ms" | "longest_ms" | "void" | "void_matches" => {
                        *value = Value::Null;
                    }
                    _ => mask(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask),
        _ => {}
    }
}

/// What the program printed, without what differs from run to run.
fn masked(file: &str, text: &str) -> Vec<Value> {
    let line = |line: &str| match file.ends_with(".txt") {
        true => Value::from(line),
        false => {
            let mut value = json(line);
            mask(&mut value);
            value
        }
    };
    text.lines().map(line).collect()
}

/// Checks that all of a value is in another one. Objects may have got more keys.
#[track_caller]
fn assert_kept(before: &Value, now: &Value, what: &str) {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            for (key, value) in before {
                let found = now.get(key).unwrap_or_else(|| panic!("{what}: `{key}` is gone"));
                assert_kept(value, found, &format!("{what}.{key}"));
            }
        }
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            before.iter().zip(now).for_each(|(before, now)| assert_kept(before, now, what));
        }
        _ => assert_eq!(before, now, "{what}"),
    }
}

/// Runs the commands of `expected/commands.txt` about a folder, and compares what they print.
#[track_caller]
fn check(folder: &Path, about: &str) {
    let commands = expected("commands.txt");
    let commands: Vec<&str> = commands.lines().filter(|line| line.starts_with(about)).collect();
    assert!(!commands.is_empty());
    for line in commands {
        let [file, code, words] =
            <[&str; 3]>::try_from(line.splitn(3, char::is_whitespace).collect::<Vec<_>>()).unwrap();
        let done = agon(folder, words);
        assert_eq!(done.code.unwrap().to_string(), code, "{line}: {}", done.err);
        let printed = masked(file, &done.out);
        let before = masked(file, &expected(file));
        assert_eq!(printed.len(), before.len(), "{line}: {}", done.err);
        for (before, now) in before.iter().zip(&printed) {
            assert_kept(before, now, line);
        }
    }
}

/// Checks what is reported of a folder before and after it is played to its end. What was played
/// before must stay as it was.
#[track_caller]
fn check_resumed(name: &str, journals: &[&str]) {
    let dir = TestDir::new();
    copy(&older().join(name), &dir.path(name));
    check(&dir.path(""), name);
    for journal in journals {
        let before = fs::read(older().join(journal)).unwrap();
        let after = dir.bytes(journal);
        assert!(after.starts_with(&before), "{journal}: played matches are gone");
        assert!(after.len() > before.len(), "{journal}: nothing was played");
    }
}

#[test]
fn tournaments_comparisons_and_tunings_are_resumed() {
    for (game, name, journals) in [
        ("cluster", "cup", &["cup/journal.jsonl"][..]),
        ("cluster", "compare", &["compare/duel/compare.jsonl", "compare/pool/compare.jsonl"]),
        ("amoebas", "tune", &["tune/tune.jsonl"]),
    ] {
        if has_rules_of_today(game) {
            check_resumed(name, journals);
        }
    }
}

/// There were volunteers, for whom plans said `public`.
#[test]
fn a_tournament_that_had_volunteers_is_resumed() {
    if !has_rules_of_today("cluster") {
        return;
    }
    let dir = TestDir::new();
    copy(&older().join("cup"), &dir.path("cup"));
    let mut plan = json(&dir.read("cup/plan.json"));
    plan["bots"] = vec![serde_json::json!({ "is_public": true }); 5].into();
    dir.write("cup/plan.json", plan.to_string());
    dir.write("cup/excluded-volunteers", "eve\tsent other results\n");
    check(&dir.path(""), "cup");
}

#[test]
fn a_tournament_that_has_begun_is_reported_where_it_is() {
    if has_rules_of_today("cluster") {
        let before = files(&older());
        check(&older(), "cup-begun");
        assert_eq!(files(&older()), before);
    }
}
