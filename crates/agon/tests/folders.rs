//! Bots that are folders with a manifest: they play from anywhere, as they were when they were
//! read.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use agon_testkit::needs;
use serde_json::Value;
use tempfile::TempDir;

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

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Writes a bot that works into a folder of this name.
fn bot(folder: &TempDir, name: &str) {
    write(
        &folder.path().join(name),
        &[("agon.toml", MANIFEST), ("bot.py", BOT), ("weights.json", "[1]")],
    );
}

/// The exit code, standard output and standard error.
fn run(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1");
    // What was built in other runs of the tests must not count.
    let output = command.env("XDG_CACHE_HOME", folder.path().join("cache")).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn result(folder: &TempDir, args: &[&str]) -> Value {
    let (code, text, notes) = run(folder, &[args, &["--json"]].concat());
    assert!(code <= 1, "{text}{notes}");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.rfind(|line| line["type"] == "result").unwrap()["data"].clone()
}

const MATCH: [&str; 4] = ["builtin:random", "--seed", "1", "--turns=8"];

fn play(folder: &TempDir, bot: &str) -> Value {
    result(folder, &[&["play", "cluster", bot][..], &MATCH].concat())
}

#[test]
fn a_folder_plays_from_anywhere() {
    needs!("python3");
    let folder = TempDir::new().unwrap();
    bot(&folder, "bots/fox 1");
    let before = play(&folder, "./bots/fox 1");
    let player = &before["players"][0];
    assert_eq!(before["faults"], Value::Array(vec![]), "{before:#}");
    assert_eq!(
        (&player["bot"]["name"], &player["bot"]["kind"], &player["bot"]["covers"]),
        (&"fox".into(), &"jsonl".into(), &"folder".into())
    );
    // Nothing is left behind, and the digest is that of the files.
    let files = fs::read_dir(folder.path().join("bots/fox 1")).unwrap().count();
    assert_eq!(files, 3);
    let whole = folder.path().join("bots/fox 1");
    let again = play(&folder, &format!("hen={}", whole.display()));
    assert_eq!(again["players"][0]["bot"]["digest"], player["bot"]["digest"]);
    assert_eq!(again["players"][0]["bot"]["name"], "hen");
    fs::write(whole.join("weights.json"), "[2]").unwrap();
    let changed = play(&folder, "bots/fox 1");
    assert_ne!(changed["players"][0]["bot"]["digest"], player["bot"]["digest"]);
}

#[test]
fn a_folder_is_built_in_a_copy() {
    needs!("cc", "python3");
    let folder = TempDir::new().unwrap();
    let source = "#include <stdio.h>\nint main(void) { char line[99];
        while (fgets(line, sizeof line, stdin)) if (*line == '\\n') { puts(\"ROTATE 1\");
        fflush(stdout); } }";
    let manifest = "game = \"cluster\"\nbuild = \"cc -o bin/bot bot.c\"\nrun = \"bin/bot\"\n";
    let place = folder.path().join("hen");
    // What lies where Agon starts does not matter.
    fs::create_dir_all(folder.path().join("bin/bot")).unwrap();
    write(&place, &[("agon.toml", manifest), ("bot.c", source), ("bin/.keep", "")]);
    let played = play(&folder, "hen");
    assert_eq!(played["faults"], Value::Array(vec![]), "{played:#}");
    assert_eq!(played["players"][0]["bot"]["name"], "hen");
    assert!(!place.join("bin/bot").exists());
    fs::write(place.join("bot.c"), "int main(void) { return }").unwrap();
    let (code, _, error) = run(&folder, &["play", "cluster", "hen", "builtin:random"]);
    assert_eq!(code, 2);
    assert!(error.contains("the build `cc -o bin/bot bot.c` fails: "), "{error}");
}

#[test]
fn a_folder_that_has_not_changed_is_built_once() {
    needs!("python3");
    let folder = TempDir::new().unwrap();
    bot(&folder, "fox");
    let place = folder.path().join("fox");
    let play = |value: &str| {
        let build = format!("{MANIFEST}build = \"echo [{value}] > weights.json\"\n");
        fs::write(place.join("agon.toml"), build).unwrap();
        let args = [&["play", "cluster", "fox"][..], &MATCH, &["--json"]].concat();
        let (code, text, notes) = run(&folder, &args);
        assert!(code <= 1 && text.contains("\"faults\":[]"), "{text}{notes}");
        notes.contains("building fox with")
    };
    assert!(play("1") && !play("1"));
    assert!(play("2"), "the line has changed");
    assert!(!play("1"), "what was built before is still there");
    fs::write(place.join("bot.py"), format!("# new\n{BOT}")).unwrap();
    assert!(play("1"), "a file has changed");
}

/// What plays as a command plays as a folder.
#[test]
fn a_folder_may_name_an_installed_interpreter_by_its_path() {
    let folder = TempDir::new().unwrap();
    let script = "while IFS= read -r line; do [ -n \"$line\" ] || echo ROTATE 1; done\n";
    let manifest = |run: &str| {
        let text = format!("game = \"cluster\"\nrun = \"{run}\"\n");
        write(&folder.path().join("fox"), &[("agon.toml", &text), ("bot.sh", script)]);
    };
    manifest("/bin/sh bot.sh");
    for bot in ["fox", "/bin/sh fox/bot.sh"] {
        let played = play(&folder, bot);
        assert_eq!(played["faults"], Value::Array(vec![]), "{bot}: {played:#}");
    }
    write(folder.path(), &[("opt/sh", "#!/bin/sh\n")]);
    let own = folder.path().join("opt/sh");
    for program in [own.to_str().unwrap(), "/opt/nowhere/sh"] {
        manifest(&format!("{program} bot.sh"));
        let (code, _, error) = run(&folder, &["play", "cluster", "fox"]);
        assert_eq!(code, 2);
        assert!(error.contains("in no runtime that bots see; write `sh`, which"), "{error}");
    }
}

#[test]
fn a_folder_may_have_its_own_environment_and_packages() {
    needs!("python3", "node");
    let folder = TempDir::new().unwrap();
    bot(&folder, "fox");
    let place = folder.path().join("fox");
    let made = Command::new("python3")
        .args(["-m", "venv", "--without-pip", ".venv"])
        .current_dir(&place)
        .status();
    assert!(made.unwrap().success());
    let packages = fs::read_dir(place.join(".venv/lib")).unwrap().next().unwrap().unwrap();
    fs::write(packages.path().join("site-packages/den.py"), "depth = 1\n").unwrap();
    let in_python = format!("import den\nassert den.depth\n{BOT}");
    let in_node = "const den = require('den');
        require('readline').createInterface({input: process.stdin}).on('line', line => {
            const message = JSON.parse(line);
            if (message.type === 'decide') console.log(JSON.stringify({step: message.step,
                answers: message.decisions.map(_ => ({action: 'ROTATE', cycles: den.depth}))}));
        });";
    write(
        &place,
        &[
            ("bot.py", &in_python),
            ("bot.js", in_node),
            ("node_modules/den/index.js", "exports.depth = 1;"),
        ],
    );
    for (program, file) in [(".venv/bin/python", "bot.py"), ("node", "bot.js")] {
        let run = format!("run = \"{program} {file}\"");
        let manifest = MANIFEST.replace("run = \"python3 bot.py\"", &run);
        fs::write(place.join("agon.toml"), manifest).unwrap();
        let of_folder = play(&folder, "fox");
        assert_eq!(of_folder["faults"], Value::Array(vec![]), "{file}: {of_folder:#}");
    }
    let of_command = play(&folder, "jsonl:node fox/bot.js");
    assert_eq!(of_command["faults"], Value::Array(vec![]), "{of_command:#}");
}

#[test]
fn a_folder_is_a_bot_in_every_command() {
    needs!("python3");
    let folder = TempDir::new().unwrap();
    bot(&folder, "class/fox");
    bot(&folder, "class/hen");
    let hen = MANIFEST.replace("fox", "hen");
    write(&folder.path().join("class"), &[("hen/agon.toml", &hen), ("notes/a.txt", "")]);
    for args in [
        &["check", "cluster", "class/fox", "--games", "1", "--turns", "8"][..],
        &["compare", "--game", "cluster", "class/fox", "class/hen", "--max", "2", "--json"],
    ] {
        let (code, text, notes) = run(&folder, args);
        assert!(code <= 1 && !text.contains("crash"), "{args:?}: {text}{notes}");
    }
    let plan = "game = \"cluster\"\nbots = [\"class/*\", \"builtin:random\"]\n[settings]\n\
                side = 4\n[format]\nkind = \"round-robin\"\n";
    fs::write(folder.path().join("cup.toml"), plan).unwrap();
    let (code, text, notes) = run(&folder, &["tournament", "cup.toml"]);
    assert_eq!(code, 0, "{text}{notes}");
    for name in ["fox", "hen", "random"] {
        assert!(text.contains(name), "{text}");
    }
    // A second run takes the results that are there.
    let (_, _, notes) = run(&folder, &["tournament", "cup.toml"]);
    assert!(!notes.contains("changed since"), "{notes}");
    let args = [&["play", "cluster", "class/fox"][..], &MATCH, &["--replay", "m.agon"]].concat();
    assert_eq!(run(&folder, &args).0, 0);
    let args = ["replay", "ask", "m.agon", "--step", "2", "--bot", "class/fox"];
    let (code, text, notes) = run(&folder, &args);
    assert_eq!(code, 0, "{text}{notes}");
}

#[test]
fn a_bot_alone_gets_an_opponent() {
    needs!("python3");
    let folder = TempDir::new().unwrap();
    bot(&folder, "fox");
    let (code, text, notes) = run(&folder, &["play", "cluster", "fox", "--turns", "4"]);
    assert_eq!(code, 0, "{text}{notes}");
    assert!(
        text.contains("searcher") && notes.contains("builtin:searcher is the opponent"),
        "{notes}"
    );
    // Where one player is enough, nobody is added.
    let (_, text, notes) = run(&folder, &["play", "cellhack", "builtin:grower", "--turns", "4"]);
    assert!(text.contains("grower") && !notes.contains("opponent"), "{text}{notes}");
}

#[test]
fn errors_say_what_to_do() {
    let folder = TempDir::new().unwrap();
    bot(&folder, "fox");
    let place = folder.path().join("fox");
    let error = |game: &str| {
        let (code, _, error) = run(&folder, &["play", game, "fox", "builtin:random"]);
        assert_eq!(code, 2, "{error}");
        error
    };
    let text = error("cellhack");
    assert!(text.contains("`fox` is a bot for cluster, as its agon.toml says, not for"), "{text}");
    for (manifest, wanted) in [
        ("game = \"cluster\"\n", "missing field `run`"),
        ("game = \"clutser\"\nrun = \"x\"", "unknown variant `clutser`"),
        ("game = \"cluster\"\nrun = \"x\"\nbuilds = \"make\"", "unknown field `builds`"),
        ("game = \"cluster\"\nrun = \" \"", "run is empty"),
        ("game = \"cluster\"\nrun = \"../bot.py\"", "it names no file of the folder"),
        ("game = \"cluster\"\nrun = \"builtin:random\"", "it names no file of the folder"),
    ] {
        fs::write(place.join("agon.toml"), manifest).unwrap();
        let text = error("cluster");
        assert!(text.contains("agon.toml") && text.contains(wanted), "{manifest}: {text}");
    }
    fs::write(place.join("agon.toml"), MANIFEST).unwrap();
    symlink("/etc/hostname", place.join("link")).unwrap();
    let text = error("cluster");
    assert!(text.contains("leads out of the bot's folder") && text.contains(".agonignore"));
    fs::remove_file(place.join("agon.toml")).unwrap();
    let text = error("cluster");
    assert!(text.contains("`fox` has no agon.toml"), "{text}");
    // The manifest that the error proposes works.
    let example: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    let example = example.join("\n").replace("amoebas", "cluster");
    fs::remove_file(place.join("link")).unwrap();
    fs::write(place.join("agon.toml"), example).unwrap();
    needs!("python3");
    let played = play(&folder, "fox");
    assert_eq!(played["faults"], Value::Array(vec![]), "{played:#}");
}

#[test]
fn check_takes_the_game_from_the_folder() {
    needs!("python3");
    let folder = TempDir::new().unwrap();
    bot(&folder, "mine");
    let (code, text, notes) = run(&folder, &["check", "./mine", "--games", "1"]);
    assert!(text.starts_with("fox \u{b7} cluster"), "{text}{notes}");
    assert!(code <= 1, "{text}{notes}");
    let (code, _, notes) = run(&folder, &["check", "builtin:greedy"]);
    assert_eq!(code, 2, "{notes}");
    assert!(notes.contains("name game and bot, as in `agon check amoebas BOT`"), "{notes}");
}

/// Nobody waits for a build only to hear that the bot is for another game.
#[test]
fn a_folder_of_another_game_is_refused_before_its_build() {
    let folder = TempDir::new().unwrap();
    bot(&folder, "mine");
    let other = MANIFEST.replace("cluster", "rezzo") + "build = \"touch /built; sleep 60\"\n";
    write(&folder.path().join("other"), &[("agon.toml", &other), ("bot.py", BOT)]);
    for args in [
        &["compare", "./mine", "./other"][..],
        &["compare", "--game", "cluster", "./other", "builtin:greedy"],
        &["check", "cluster", "./other"],
    ] {
        let (code, text, notes) = run(&folder, args);
        // That the bot opens is the first point of an examination.
        assert_eq!(code, if args[0] == "check" { 1 } else { 2 }, "{args:?}: {notes}");
        let notes = text + &notes;
        assert!(notes.contains("rezzo") && !notes.contains("building"), "{args:?}: {notes}");
    }
}

#[test]
fn a_build_that_makes_too_much_is_an_error() {
    let folder = TempDir::new().unwrap();
    let flood = "mkdir out && i=0 && while [ $i -lt 100 ]; do \
                 truncate -s 20M out/$i; i=$((i + 1)); done";
    let manifest = format!("{MANIFEST}build = \"{flood}\"\n");
    write(&folder.path().join("mine"), &[("agon.toml", &manifest), ("bot.py", BOT)]);
    let (code, _, notes) = run(&folder, &["play", "cluster", "./mine"]);
    assert_eq!(code, 2, "{notes}");
    assert!(notes.contains("1024 MiB after its build"), "{notes}");
}
