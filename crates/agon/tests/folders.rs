//! Bots that are folders with a manifest: they play from anywhere, as they were when they were
//! read.

use std::{fs, os::unix::fs::symlink, process::Command};

use agon_testkit::needs;
use serde_json::{Value, json};

use crate::support::{Done, TestDir, names};

/// A bot for cluster that reads a file of its folder, and writes to the folder for temporary files.
const BOT: &str = r#"
import json, os, sys, tempfile
weights = json.load(open("weights.json"))
with tempfile.NamedTemporaryFile(dir=os.environ["TMPDIR"]) as scratch:
    scratch.write(b"room")
try:
    open("weights.json", "w")
    sys.exit("the folder can be written to")
except OSError:
    pass
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answers = [{"action": "ROTATE", "cycles": weights[0]} for _ in message["decisions"]]
        reply = {"type": "answers", "step": message["step"], "answers": answers}
        print(json.dumps(reply), flush=True)
"#;

const MANIFEST: &str = "game = \"cluster\"\nname = \"fox\"\nprotocol = \"jsonl\"\n\
                        run = \"python3 bot.py\"\n";

/// Writes a bot that works into a folder of this name.
fn write_bot(dir: &TestDir, folder: &str, manifest: &str) {
    for (file, text) in [("agon.toml", manifest), ("bot.py", BOT), ("weights.json", "[1]")] {
        dir.write(&format!("{folder}/{file}"), text);
    }
}

/// Runs a command; what was built in other runs of the tests does not count.
fn run(dir: &TestDir, line: &str) -> Done {
    Done::of(dir.agon(line).env("XDG_CACHE_HOME", dir.path("cache")))
}

/// Returns the result of a short match against a built-in bot.
#[track_caller]
fn play(dir: &TestDir, bot: &str) -> Value {
    let line = format!("play cluster '{bot}' builtin:random --seed 1 --turns=8 --json");
    run(dir, &line).data("result")
}

/// Plays such a match in which nobody is at fault.
#[track_caller]
fn plays_well(dir: &TestDir, bot: &str) -> Value {
    let mut played = play(dir, bot);
    assert_eq!(played["faults"], json!([]), "{bot}: {played:#}");
    played["players"][0]["bot"].take()
}

#[track_caller]
fn fails<const N: usize>(dir: &TestDir, line: &str, words: [&str; N]) -> String {
    let done = run(dir, line);
    assert_eq!(done.tells(words).code, Some(2), "{line}: {}", done.all());
    done.err
}

#[test]
fn a_folder_plays_from_anywhere() {
    needs!("python3");
    let dir = TestDir::new();
    write_bot(&dir, "bots/fox 1", MANIFEST);
    let fox = plays_well(&dir, "./bots/fox 1");
    for (key, value) in [("name", "fox"), ("kind", "jsonl"), ("covers", "folder")] {
        assert_eq!(fox[key], value);
    }
    // Nothing is left behind, and the digest is that of the files.
    let whole = dir.path("bots/fox 1");
    assert_eq!(names(&whole).len(), 3);
    let hen = plays_well(&dir, &format!("hen={}", whole.display()));
    assert_eq!((&hen["digest"], &hen["name"]), (&fox["digest"], &"hen".into()));
    dir.write("bots/fox 1/weights.json", "[2]");
    assert_ne!(plays_well(&dir, "bots/fox 1")["digest"], fox["digest"]);
}

#[test]
fn a_folder_is_built_in_a_copy() {
    needs!("cc");
    let dir = TestDir::new();
    let source = "#include <stdio.h>\nint main(void) { char line[99];
        while (fgets(line, sizeof line, stdin)) if (*line == '\\n') { puts(\"ROTATE 1\");
        fflush(stdout); } }";
    dir.write(
        "hen/agon.toml",
        "game = \"cluster\"\nbuild = \"cc -o bin/bot bot.c\"\nrun = \"bin/bot\"\n",
    );
    dir.write("hen/bot.c", source);
    dir.write("hen/bin/.keep", "");
    // What lies where Agon starts does not matter.
    fs::create_dir_all(dir.path("bin/bot")).unwrap();
    assert_eq!(plays_well(&dir, "hen")["name"], "hen");
    assert!(!dir.path("hen/bin/bot").exists());
    dir.write("hen/bot.c", "int main(void) { return }");
    let line = "play cluster hen builtin:random";
    fails(&dir, line, ["the build `cc -o bin/bot bot.c` fails: "]);
}

#[test]
fn a_folder_that_has_not_changed_is_built_once() {
    needs!("python3");
    let dir = TestDir::new();
    write_bot(&dir, "fox", MANIFEST);
    let is_built = |value: &str| {
        let build = format!("{MANIFEST}build = \"echo [{value}] > weights.json\"\n");
        dir.write("fox/agon.toml", build);
        let done = run(&dir, "play cluster fox builtin:random --seed 1 --turns=8 --json");
        done.says("\"faults\":[]");
        done.err.contains("building fox with")
    };
    assert!(is_built("1") && !is_built("1"));
    assert!(is_built("2"), "the line has changed");
    assert!(!is_built("1"), "what was built before is still there");
    dir.write("fox/bot.py", format!("# new\n{BOT}"));
    assert!(is_built("1"), "a file has changed");
}

/// What plays as a command plays as a folder.
#[test]
fn a_folder_may_name_an_installed_interpreter_by_its_path() {
    let dir = TestDir::new();
    dir.write(
        "fox/bot.sh",
        "while IFS= read -r line; do [ -n \"$line\" ] || echo ROTATE 1; done\n",
    );
    let manifest = |run: &str| {
        dir.write("fox/agon.toml", format!("game = \"cluster\"\nrun = \"{run}\"\n"));
    };
    manifest("/bin/sh bot.sh");
    for bot in ["fox", "/bin/sh fox/bot.sh"] {
        plays_well(&dir, bot);
    }
    let own = dir.write("opt/sh", "#!/bin/sh\n");
    for program in [own.to_str().unwrap(), "/opt/nowhere/sh"] {
        manifest(&format!("{program} bot.sh"));
        fails(&dir, "play cluster fox", ["in no runtime that bots see; write `sh`, which"]);
    }
}

#[test]
fn a_folder_may_have_its_own_environment_and_packages() {
    needs!("python3", "node");
    let dir = TestDir::new();
    write_bot(&dir, "fox", MANIFEST);
    let made = Command::new("python3")
        .args(["-m", "venv", "--without-pip", ".venv"])
        .current_dir(dir.path("fox"))
        .status();
    assert!(made.unwrap().success());
    let version = &names(dir.path("fox/.venv/lib"))[0];
    dir.write(&format!("fox/.venv/lib/{version}/site-packages/den.py"), "depth = 1\n");
    dir.write("fox/bot.py", format!("import den\nassert den.depth\n{BOT}"));
    dir.write("fox/node_modules/den/index.js", "exports.depth = 1;");
    let in_node = "const den = require('den');
        require('readline').createInterface({input: process.stdin}).on('line', line => {
            const message = JSON.parse(line);
            if (message.type === 'decide') console.log(JSON.stringify({step: message.step,
                answers: message.decisions.map(_ => ({action: 'ROTATE', cycles: den.depth}))}));
        });";
    dir.write("fox/bot.js", in_node);
    for run in [".venv/bin/python bot.py", "node bot.js"] {
        dir.write("fox/agon.toml", MANIFEST.replace("python3 bot.py", run));
        plays_well(&dir, "fox");
    }
    plays_well(&dir, "jsonl:node fox/bot.js");
}

#[test]
fn a_folder_is_a_bot_in_every_command() {
    needs!("python3");
    let dir = TestDir::new();
    write_bot(&dir, "class/fox", MANIFEST);
    write_bot(&dir, "class/hen", &MANIFEST.replace("fox", "hen"));
    dir.write("class/notes/a.txt", "");
    for line in [
        "check cluster class/fox --games 1 --turns 8",
        "compare --game cluster class/fox class/hen --max 2 --json",
    ] {
        let done = run(&dir, line);
        assert!(matches!(done.code, Some(0 | 1)), "{line}: {}", done.all());
        done.hides("crash");
    }
    let plan = "game = \"cluster\"\nbots = [\"class/*\", \"builtin:random\"]\n[settings]\n\
                side = 4\n[format]\nkind = \"round-robin\"\n";
    dir.write("cup.toml", plan);
    let done = run(&dir, "tournament cup.toml");
    assert_eq!(done.code, Some(0), "{}", done.all());
    for name in ["fox", "hen", "random"] {
        done.says(name);
    }
    // A second run takes the results that are there.
    run(&dir, "tournament cup.toml").hides("changed since");
    for line in [
        "play cluster class/fox builtin:random --seed 1 --turns=8 --replay m.agon",
        "replay ask m.agon --step 2 --bot class/fox",
    ] {
        let done = run(&dir, line);
        assert_eq!(done.code, Some(0), "{}", done.all());
    }
}

#[test]
fn a_bot_alone_gets_an_opponent() {
    needs!("python3");
    let dir = TestDir::new();
    write_bot(&dir, "fox", MANIFEST);
    let done = dir.ok("play cluster fox --turns 4");
    done.says("builtin:searcher is the opponent");
    assert!(done.out.contains("searcher"), "{}", done.out);
    // Where one player is enough, nobody is added.
    dir.ok("play cellhack builtin:grower --turns 4").says("grower").hides("opponent");
}

#[test]
fn errors_say_what_to_do() {
    let dir = TestDir::new();
    write_bot(&dir, "fox", MANIFEST);
    let other = "`fox` is a bot for cluster, as its agon.toml says, not for";
    fails(&dir, "play cellhack fox builtin:random", [other]);
    let line = "play cluster fox builtin:random";
    for (manifest, wanted) in [
        ("game = \"cluster\"\n", "missing field `run`"),
        ("game = \"clutser\"\nrun = \"x\"", "there is no game `clutser`; did you mean `cluster`?"),
        ("game = \"cluster\"\nrun = \"x\"\nbuilds = \"make\"", "unknown field `builds`"),
        ("game = \"cluster\"\nrun = \" \"", "run is empty"),
        ("game = \"cluster\"\nrun = \"../bot.py\"", "it names no file of the folder"),
        ("game = \"cluster\"\nrun = \"builtin:random\"", "it names no file of the folder"),
    ] {
        dir.write("fox/agon.toml", manifest);
        fails(&dir, line, ["agon.toml", wanted]);
    }
    dir.write("fox/agon.toml", MANIFEST);
    symlink("/etc/hostname", dir.path("fox/link")).unwrap();
    fails(&dir, line, ["leads out of the bot's folder", ".agonignore"]);
    fs::remove_file(dir.path("fox/agon.toml")).unwrap();
    let text = fails(&dir, line, ["`fox` has no agon.toml"]);
    // The manifest that the error proposes works.
    let example: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    fs::remove_file(dir.path("fox/link")).unwrap();
    dir.write("fox/agon.toml", example.join("\n").replace("amoebas", "cluster"));
    needs!("python3");
    plays_well(&dir, "fox");
}

#[test]
fn check_takes_the_game_from_the_folder() {
    needs!("python3");
    let dir = TestDir::new();
    write_bot(&dir, "mine", MANIFEST);
    let done = run(&dir, "check ./mine --games 1");
    assert!(done.out.starts_with("fox \u{b7} cluster"), "{}", done.all());
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.all());
    fails(&dir, "check builtin:greedy", ["name game and bot, as in `agon check amoebas BOT`"]);
}

/// Nobody waits for a build only to hear that the bot is for another game.
#[test]
fn a_folder_of_another_game_is_refused_before_its_build() {
    let dir = TestDir::new();
    write_bot(&dir, "mine", MANIFEST);
    let other = MANIFEST.replace("cluster", "rezzo") + "build = \"touch /built; sleep 60\"\n";
    write_bot(&dir, "other", &other);
    for (line, code) in [
        ("compare ./mine ./other", 2),
        ("compare --game cluster ./other builtin:greedy", 2),
        // That the bot opens is the first point of an examination.
        ("check cluster ./other", 1),
    ] {
        let done = run(&dir, line);
        assert_eq!(done.code, Some(code), "{line}: {}", done.all());
        done.says("rezzo").hides("building");
    }
}

#[test]
fn a_build_that_makes_too_much_is_an_error() {
    let dir = TestDir::new();
    let flood = "mkdir out && i=0 && while [ $i -lt 100 ]; do \
                 truncate -s 20M out/$i; i=$((i + 1)); done";
    write_bot(&dir, "mine", &format!("{MANIFEST}build = \"{flood}\"\n"));
    fails(&dir, "play cluster ./mine", ["1024 MiB after its build"]);
}
