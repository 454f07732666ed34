//! What an older version of the program wrote in `tests/older` is verified, resumed and reported
//! as it was then.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// The most bytes that all files together may have.
const MOST: u64 = 300_000;

/// Kinds of bots that all games take.
const KINDS: [&str; 7] = ["builtin", "c", "library", "wasm", "jsonl", "connect", "human"];

/// Games that have a protocol of their own for programs.
const WITH_PROGRAMS: [&str; 3] = ["cluster", "binfection", "rezzo"];

const GAMES: [&str; 5] = ["cellhack", "cluster", "amoebas", "binfection", "rezzo"];

fn older() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/older")
}

fn expected(file: &str) -> String {
    let path = older().join("expected").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the program in a folder.
fn agon<'a>(folder: &Path, words: impl IntoIterator<Item = &'a str>) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(words).current_dir(folder);
    command.env("NO_COLOR", "1");
    command.output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
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

#[test]
fn all_files_together_are_small() {
    let files = files(&older());
    let total: u64 = files.iter().map(|(_, length)| length).sum();
    assert!(total <= MOST, "{total} bytes in {} files", files.len());
}

/// What was known of each replay when it was written.
fn replays() -> BTreeMap<String, Value> {
    let lines = expected("replays.jsonl");
    let lines = lines.lines().map(json);
    lines.map(|line| (line["file"].as_str().unwrap().to_owned(), line)).collect()
}

#[test]
fn no_replay_is_missing() {
    let known: BTreeSet<String> = replays().into_keys().collect();
    let found = files(&older().join("replays"));
    let found = found.iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap());
    assert_eq!(found.map(str::to_owned).collect::<BTreeSet<_>>(), known);
}

/// Counts the replays of a game that have a bot of this kind, and those in which it committed a
/// fault.
fn count(replays: &BTreeMap<String, Value>, game: &str, kind: &str) -> (usize, usize) {
    let (mut all, mut faulty) = (0, 0);
    for line in replays.values().filter(|line| line["info"]["data"]["game"] == game) {
        let data = &line["info"]["data"];
        let is_of_kind = |player: &Value| {
            let player = player.as_u64().unwrap() as usize;
            data["players"][player]["kind"] == kind
        };
        let players = data["players"].as_array().unwrap();
        all += usize::from(players.iter().any(|bot| bot["kind"] == kind));
        let faults = data["faults"].as_array().unwrap();
        faulty += usize::from(faults.iter().any(|fault| is_of_kind(&fault["player"])));
    }
    (all, faulty)
}

#[test]
fn each_game_has_replays_of_all_kinds_of_bots() {
    let replays = replays();
    let common = GAMES.iter().flat_map(|game| KINDS.map(|kind| (*game, kind)));
    let programs = WITH_PROGRAMS.map(|game| (game, "program"));
    for (game, kind) in common.chain(programs).chain([("amoebas", "clojure")]) {
        let (all, faulty) = count(&replays, game, kind);
        assert!(all >= 2, "{game}: {all} replays with bots of the kind `{kind}`");
        assert!(faulty > 0 || kind == "builtin", "{game}: `{kind}` commits no fault");
    }
}

#[test]
fn some_replays_begin_or_end_in_another_way() {
    let replays = replays();
    let data = |game: &str, name: &str| &replays[&format!("{game}-{name}.agon")]["info"]["data"];
    for game in GAMES {
        assert_eq!(data(game, "position")["result"]["end"], "over", "{game}");
    }
    // A key frame comes after half a million decisions and turns.
    assert!(data("cellhack", "keyframe")["decisions"].as_u64() > Some(500_000));
    for game in ["cellhack", "cluster"] {
        assert_eq!(data(game, "limit")["result"]["end"], "limit", "{game}");
        assert_eq!(data(game, "interrupted")["result"]["end"], "interrupted", "{game}");
        let cut = data(game, "cut");
        assert!(cut["result"].is_null() && cut["damage"].is_string(), "{cut}");
    }
}

/// The version of a game's rules today.
fn rules_of_today(game: &str) -> Value {
    let games = text(agon(&older(), ["games", "--json"]).stdout);
    let mut games = games.lines().map(json);
    let found = games.find(|line| line["data"]["id"] == game);
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
            let verdict = agon(&folder, ["replay", "verify", &file]);
            assert_eq!(verdict.status.code(), Some(1), "{file}: {verdict:?}");
            let verdict = text(verdict.stdout);
            assert!(verdict.contains("was played under rules version"), "{file}: {verdict}");
            continue;
        }
        let info = agon(&folder, ["replay", "info", "--json", &file]);
        assert_eq!(json(&text(info.stdout)), line["info"], "{file}");
        let verdict = agon(&folder, ["replay", "verify", "--json", &file]);
        let code = i32::from(file.ends_with("-cut.agon"));
        assert_eq!(verdict.status.code(), Some(code), "{file}: {verdict:?}");
        let verdict = json(&text(verdict.stdout));
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
    let told = bots.map(|(file, bot)| {
        let output = agon(&folder, ["replay", "info", file, "--bot", bot, "--json"]);
        text(output.stdout)
    });
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
        let mut words = line.split_whitespace();
        let (file, code) = (words.next().unwrap(), words.next().unwrap());
        let output = agon(folder, words);
        let talk = text(output.stderr);
        assert_eq!(output.status.code().unwrap().to_string(), code, "{line}: {talk}");
        let printed = masked(file, &text(output.stdout));
        let before = masked(file, &expected(file));
        assert_eq!(printed.len(), before.len(), "{line}: {talk}");
        for (before, now) in before.iter().zip(&printed) {
            assert_kept(before, now, line);
        }
    }
}

/// Checks what is reported of a folder before and after it is played to its end. What was played
/// before must stay as it was.
#[track_caller]
fn check_resumed(name: &str, journals: &[&str]) {
    let folder = TempDir::new().unwrap();
    copy(&older().join(name), &folder.path().join(name));
    check(folder.path(), name);
    for journal in journals {
        let before = fs::read(older().join(journal)).unwrap();
        let after = fs::read(folder.path().join(journal)).unwrap();
        assert!(after.starts_with(&before), "{journal}: played matches are gone");
        assert!(after.len() > before.len(), "{journal}: nothing was played");
    }
}

#[test]
fn a_tournament_is_resumed() {
    if !has_rules_of_today("cluster") {
        return;
    }
    check_resumed("cup", &["cup/journal.jsonl"]);
}

/// There were volunteers, for whom plans said `public`.
#[test]
fn a_tournament_that_had_volunteers_is_resumed() {
    if !has_rules_of_today("cluster") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let cup = folder.path().join("cup");
    copy(&older().join("cup"), &cup);
    let mut plan = json(&fs::read_to_string(cup.join("plan.json")).unwrap());
    plan["bots"] = vec![serde_json::json!({ "is_public": true }); 5].into();
    fs::write(cup.join("plan.json"), plan.to_string()).unwrap();
    fs::write(cup.join("excluded-volunteers"), "eve\tsent other results\n").unwrap();
    check(folder.path(), "cup");
}

#[test]
fn a_tournament_that_has_begun_is_reported_where_it_is() {
    if !has_rules_of_today("cluster") {
        return;
    }
    let before = files(&older());
    check(&older(), "cup-begun");
    assert_eq!(files(&older()), before);
}

#[test]
fn comparisons_are_resumed() {
    if !has_rules_of_today("cluster") {
        return;
    }
    check_resumed("compare", &["compare/duel/compare.jsonl", "compare/pool/compare.jsonl"]);
}

#[test]
fn a_tuning_is_resumed() {
    if !has_rules_of_today("amoebas") {
        return;
    }
    check_resumed("tune", &["tune/tune.jsonl"]);
}
