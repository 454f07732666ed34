//! Whole matches from the command line: the same seed and the same match, interrupts and damage,
//! matches that nobody can win, presets, and people without a screen.

use std::fs;

use agon_testkit::{needs, slow};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Done, TestDir, end_of, hears, runs, signal, until};

/// A short match of each game, with bots in the game's original form where it has one.
const MATCHES: [(&str, &str); 5] = [
    ("amoebas", "builtin:nasty builtin:slightly-brainy?low=15 --set world_size=40 --set rounds=40"),
    (
        "binfection",
        "EXAMPLES/binfection/alice.sh EXAMPLES/binfection/bob.sh builtin:general \
         --set field_width=12 --set field_height=12 --set turns_limit=4",
    ),
    (
        "cellhack",
        "EXAMPLES/cellhack/amoeboid.c EXAMPLES/cellhack/drifter.c EXAMPLES/cellhack/pioneers.c \
         builtin:hunter --set width=24 --set height=24 --set turns=40",
    ),
    ("cluster", "'python3 EXAMPLES/cluster/greedy.py' builtin:random --set side=5"),
    (
        "rezzo",
        "'python3 EXAMPLES/rezzo/guard.py' builtin:wanderer --set width=40 --set height=40 \
         --set max_ticks=60",
    ),
];

#[test]
fn the_same_seed_gives_the_same_match_and_its_replay_verifies() {
    slow!();
    let dir = TestDir::new();
    for (game, words) in MATCHES {
        let states = ["first.agon", "second.agon"].map(|file| {
            let play = format!("play {game} {words} --seed 7 --replay {file}");
            dir.ok(&play).hides("faults").says(game);
            dir.ok(&format!("replay export {file} --states -"))
        });
        // What programs cost differs; without any the replay is the same byte by byte.
        if !words.contains("EXAMPLES") {
            let are_same = dir.bytes("first.agon") == dir.bytes("second.agon");
            assert!(are_same, "{game}: the replays differ");
        }
        dir.ok("replay verify first.agon").says("proven");
        assert!(states[0].out == states[1].out, "{game}: states differ");
        assert!(states[0].lines().len() > 2, "{game} has few states");
    }
}

#[test]
fn a_state_of_a_replay_can_be_played_on_as_a_scenario() {
    needs!("python3");
    let dir = TestDir::new();
    for (game, words) in MATCHES {
        dir.ok(&format!("play {game} {words} --seed 3 --turns 5 --replay m.agon"));
        let state = dir.ok("replay export m.agon --states - --step 3").lines().remove(0);
        let info = dir.ok("replay info m.agon --json").data("replay");
        let scenario = json!({ "game": game, "rules": info["rules"], "seed": info["seed"],
            "position": state["position"], "steps": [[]] });
        dir.write("scenario.json", scenario.to_string());
        let played = dir.ok("scenario scenario.json").lines();
        assert_eq!((&played[0]["state_hash"], played.len()), (&state["state_hash"], 2), "{game}");
    }
}

#[test]
fn json_lines_tell_the_whole_match() {
    let done = TestDir::new().ok("play cluster \"sh -c 'exit 1'\" builtin:random --seed 1 --json");
    let lines = done.lines();
    let types: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
    assert_eq!(types, ["match", "fault", "result"]);
    let [fault, result] = [1, 2].map(|line| &lines[line]["data"]);
    assert_eq!((&fault["kind"], &fault["evidence"]["exit_status"]), (&"crash".into(), &1.into()));
    assert_eq!(result["standing"]["outcome"]["winners"], json!([1]));
}

/// Starts a match that takes long enough to be stopped.
fn start_long_match(dir: &TestDir) -> std::process::Child {
    let child = dir.start("play amoebas --seed 1 --set rounds=1000000 --replay long.agon");
    let size = || fs::metadata(dir.path("long.agon")).map_or(0, |file| file.len());
    until("a replay", || size() >= 100_000);
    child
}

#[test]
fn ctrl_c_ends_a_match_in_order_and_a_kill_leaves_what_was_played() {
    let dir = TestDir::new();
    let child = start_long_match(&dir);
    signal(&child, Signal::INT);
    let done = end_of(child);
    assert_eq!(done.says("interrupted").code, Some(130));
    dir.ok("replay verify long.agon").says("proven");

    fs::remove_file(dir.path("long.agon")).unwrap();
    let mut child = start_long_match(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    let verdict = dir.ends(1, "replay verify long.agon");
    verdict.says("not proven").says("steps follow the rules");
}

#[test]
fn ctrl_c_while_a_bot_is_compiled_ends_the_compiler_with_all_its_programs() {
    let dir = TestDir::new();
    dir.write("bot.c", "int x;");
    // It tells the number of a process, by a file.
    let part = dir.path("part");
    let script = "sleep 1000 & echo $! > PART.new; mv PART.new PART; wait";
    dir.write("cc.sh", script.replace("PART", part.to_str().unwrap()));
    let mut agon = dir.agon("play cluster bot.c builtin:greedy --sandbox off");
    let compiler = format!("sh {}", dir.path("cc.sh").display());
    agon.env("CC", compiler).env("XDG_CACHE_HOME", dir.path("cache"));
    let child = agon.spawn().unwrap();
    until("a compiler", || part.exists());
    let part = dir.read("part");
    signal(&child, Signal::INT);
    assert_eq!(end_of(child).code, Some(130));
    until("an end of what the compiler has started", || !runs(part.trim()));
}

/// The result is on standard error here; `NO_COLOR` is not set, so only the pipe says that colours
/// are unwanted.
#[test]
fn a_tournaments_result_has_no_colours_in_a_pipe() {
    let dir = TestDir::new();
    let mut agon = dir.agon("amoebas builtin:mindless --rounds 3 --seed 1 --last-gen-stats");
    let done = Done::of(agon.env_remove("NO_COLOR"));
    assert!(done.out.starts_with("finished ( 3 generations): {:size {:mindless 1}"), "{done:?}");
    done.says("amoebas · 3 rounds · seed 1").hides("\u{1b}");
}

#[test]
fn one_player_alone_plays_to_the_end_without_a_winner() {
    let dir = TestDir::new();
    for (words, reason) in [
        ("cellhack builtin:grower --set turns=20", "one player alone, after 20 turns"),
        ("rezzo builtin:wanderer --set max_ticks=20", "one player alone, after 20 ticks"),
    ] {
        let play = format!("play {words} --seed 1 --replay m.agon");
        let said = format!("no winner: {reason}");
        dir.ok(&play).says(&said);
        dir.ok("replay verify m.agon");
        dir.ok("replay info m.agon").says(&said);
        let result = dir.ok(&format!("{play} --json")).data("result");
        assert_eq!(result["standing"]["outcome"], json!({ "winners": [], "reason": reason }));
        assert_eq!(result["end"], "over");
    }
    // Classic command lines take one player, too.
    let done = dir.ok("cellhack 5 9 9 m.replay rosa builtin:grower");
    assert!(done.says("rosa: ").err.is_empty(), "{done:?}");
    assert!(dir.bytes("m.replay").starts_with(b"width: 9\nheight: 9\nplayers: rosa\n\0"));
    let classic = "rezzo -q -w 20 -h 20 builtin:wanderer";
    dir.ok(&format!("{classic} --max-ticks 5")).says("one player alone, after 5 ticks");
    // Without a limit that is announced.
    let mut child = dir.start(classic);
    hears(&mut child, "it goes on while the one bot holds out. Ctrl-C ends it");
    child.kill().unwrap();
    child.wait().unwrap();
    let limited = dir.ok("play rezzo builtin:wanderer --set max_ticks=0 --turns 3");
    assert_eq!(limited.err, "");
}

#[test]
fn nobody_is_compared_or_rated_alone() {
    let dir = TestDir::new();
    let plan = "game = \"rezzo\"\nplayers = 1\nbots = [\"builtin:wanderer\", \"builtin:random\"]\n\
                [format]\nkind = \"round-robin\"\n";
    dir.write("alone.toml", plan);
    for line in [
        "compare --game rezzo builtin:raider builtin:random --players 1",
        "tournament alone.toml",
        "tune --game cellhack builtin:grower --param rich=20..90 --players 1",
    ] {
        dir.refuses(line, ["players"]);
    }
}

#[test]
fn a_match_in_which_every_answer_failed_says_so() {
    let dir = TestDir::new();
    dir.write("fails.sh", "exit 1\n");
    let bad = "'sh fails.sh'";
    let dead = "\"jsonl:sh -c 'exit 3'\"";
    let field = "binfection --set turns_limit=3 --set field_width=8 --set field_height=8 --seed 1";
    for (words, bot) in [(field, bad), ("cellhack --set turns=3", dead)] {
        let line = format!("play {words} {bot} {bot}");
        dir.ends(1, &line).says("no valid answer: no bot gave one in the whole match");
        let result = dir.ends(1, &format!("{line} --json")).data("result");
        assert_eq!(result["unanswered"], true);
    }
    // A bot that answers makes a result of it.
    dir.ok(&format!("play {field} {bad} builtin:random")).hides("no valid answer");
}

#[test]
fn a_match_starts_from_a_preset_unless_settings_are_given() {
    let dir = TestDir::new();
    let start = |more: &str| {
        let line = "play binfection builtin:random builtin:random --json --seed 1 --turns 1";
        dir.ok(&format!("{line} {more}")).data("match")
    };
    let rule = |of: &Value, name: &str| of["rules"][name].as_u64().unwrap();
    let default = start("");
    assert_eq!(default["preset"], "default");
    assert!(rule(&default, "field_width") < 100, "{default}");
    let classic = start("--preset classic");
    assert_eq!((&classic["preset"], rule(&classic, "field_width")), (&json!("classic"), 1000));
    let changed = start("--set field_height=30");
    assert_eq!(changed.get("preset"), None);
    assert_eq!([rule(&changed, "field_width"), rule(&changed, "field_height")], [1000, 30]);
    let both = start("--preset default --set field_height=30");
    assert_eq!(rule(&both, "field_width"), rule(&default, "field_width"));
    assert_eq!(rule(&both, "field_height"), 30);
    for game in dir.ok("games --json").lines() {
        let page = dir.ok(&format!("rules {}", game["data"]["id"].as_str().unwrap())).out;
        let presets = page.split("## Presets").nth(1).unwrap();
        for name in ["default", "short", "classic"] {
            assert!(presets.contains(&format!("| `{name}` |")), "{game}: {presets}");
        }
    }
}

#[test]
fn the_demonstration_shows_matches_with_one_winner() {
    let text = TestDir::new().ok("play").out;
    assert_eq!(text.matches("preset default").count(), 6, "{text}");
    assert_eq!(text.matches(" wins: ").count(), 6, "{text}");
    assert!(!text.contains("tie: "), "{text}");
}

#[test]
fn what_needs_a_person_or_a_screen_is_refused_without() {
    let dir = TestDir::new();
    for (line, words) in [
        ("play cluster human builtin:greedy", "a person needs a screen to play on"),
        ("cluster builtin:greedy", "a person needs a screen to play on"),
        ("play cluster human builtin:greedy --view none", "--view none: a person needs a screen"),
        (
            "play cluster builtin:greedy builtin:random --human-time 5",
            "--human-time: nobody here is a person",
        ),
        (
            "play cluster builtin:greedy builtin:random --real-time",
            "--real-time: nobody here is a person",
        ),
        ("play cluster human human --human-time 0", "0.1 to 1000000"),
        (
            "rezzo -q builtin:random builtin:random -- -rfbport 1",
            "`-- -rfbport 1`: Agon's displays have no options",
        ),
        ("rezzo -q builtin:random builtin:random -- -rfbport 1", "`--view vnc:5901`"),
    ] {
        dir.refuses(line, [words]);
    }
    dir.ends(1, "check cluster human").says("a person needs a board");
}
