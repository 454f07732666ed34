//! Capture the key: bots from folders that name a file of the person, in every place where they can
//! name something. The key is beside the folder, in the home folder and in the environment.
//!
//! [`TestDir::run`] checks that nothing prints it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::{fs, path::Path};

use super::test_dir::{Mode, SECRET};
use super::{Outcome, TestDir, mode};

/// Makes a folder with the spy as a bot, whose manifest has these lines.
fn spy(dir: &TestDir, name: &str, lines: &str) -> String {
    let folder = dir.path(name);
    fs::create_dir_all(&folder).unwrap();
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    write("agon.toml", &format!("game = \"cluster\"\nprotocol = \"jsonl\"\n{lines}\n"));
    write("spy.py", include_str!("bots/spy.py"));
    let places = ["hen/notes", "hen", "home/notes", "home/.ssh/id_rsa", "lib/key", "tool/key"];
    let places = places.map(|place| dir.path(place).display().to_string());
    write("places", &places.join("\n"));
    folder.to_str().unwrap().to_owned()
}

/// The spy has run, and found nothing.
#[track_caller]
fn blind(outcome: &Outcome) {
    assert!(outcome.everything.contains("the spy has looked"), "{outcome:?}");
    outcome.fault();
}

/// Agon does not play it, and says this.
#[track_caller]
fn refused(outcome: &Outcome, why: &str) {
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.everything.contains(why), "{why}: {outcome:?}");
    assert!(!outcome.everything.contains("the spy has looked"), "{outcome:?}");
}

/// All words in which an argument can name a file or a folder.
fn words(dir: &TestDir) -> String {
    let [key, folder] = ["hen/notes", "hen"].map(|name| dir.path(name).display().to_string());
    [
        "../hen/notes",
        "../hen",
        "../fox/../hen/notes",
        "../home",
        "~/notes",
        "--file=../hen/notes",
        "-I../hen",
        "x:../hen:y",
        "'cat ../hen/notes; exit'",
        &key,
        &folder,
        &format!("--file={key}"),
        &format!("-I{folder}"),
        &format!("x:{folder}:{key}"),
        &format!("'python3 {key}; exit'"),
    ]
    .join(" ")
}

#[test]
fn no_argument_in_a_manifest_shows_a_file() {
    let dir = TestDir::new();
    let spy = spy(&dir, "spy", &format!("run = \"python3 spy.py {}\"", words(&dir)));
    for level in ["default", "strict"] {
        // Where namespaces are missing, a strict sandbox plays nothing.
        if level == "default" || mode() == Mode::Full {
            blind(&dir.play(&spy, &format!("--sandbox {level}")));
        }
    }
    // Nor does a check.
    let outcome = dir.run(&format!("check {spy} --games 1 --turns 2 --json"));
    assert!(outcome.everything.contains("the spy has looked"), "{outcome:?}");
}

#[test]
fn no_program_beside_the_folder_is_run() {
    let dir = TestDir::new();
    // In the folder in which `agon` starts, and in another.
    for name in ["tool.sh", "lib/tool.sh"] {
        let tool = dir.write(name, "#!/bin/sh\nexec python3 \"$@\"\n");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for run in ["tool.sh spy.py", "../lib/tool.sh spy.py", "../lib/tool.sh"] {
        let spy = spy(&dir, "spy", &format!("run = \"{run}\""));
        let outcome = dir.play(&spy, "");
        assert_eq!(outcome.code, Some(2), "{run}: {outcome:?}");
    }
}

#[test]
fn no_first_line_of_a_script_shows_a_folder() {
    let dir = TestDir::new();
    fs::create_dir_all(dir.path("tool/lib")).unwrap();
    fs::create_dir_all(dir.path("tool/bin")).unwrap();
    for name in ["tool/key", "tool/bin/key"] {
        dir.write(name, SECRET);
    }
    let python = dir.path("tool/bin/python3");
    symlink("/usr/bin/python3", &python).unwrap();
    let spy = spy(&dir, "spy", "run = \"./spy.py\"");
    let spied = Path::new(&spy).join("spy.py");
    let first = format!("#!{}\n{}", python.display(), include_str!("bots/spy.py"));
    fs::write(&spied, first).unwrap();
    fs::set_permissions(&spied, fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = dir.play(&spy, "");
    outcome.fault();
    // Nor does a virtual environment that it has beside it.
    fs::write(&spied, include_str!("bots/spy.py")).unwrap();
    fs::create_dir_all(Path::new(&spy).join("env/bin")).unwrap();
    let settings = format!("home = {}\n", dir.path("tool/bin").display());
    fs::write(Path::new(&spy).join("env/pyvenv.cfg"), settings).unwrap();
    let manifest = Path::new(&spy).join("agon.toml");
    let text = "game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"python3 spy.py env/bin ../tool\"";
    fs::write(&manifest, text).unwrap();
    blind(&dir.play(&spy, ""));
}

#[test]
fn no_link_and_no_result_of_a_build_shows_a_file() {
    let dir = TestDir::new();
    let hen = dir.path("hen").display().to_string();
    let run = "run = \"python3 spy.py hen notes\"";
    // What the build itself sees is as little.
    let build = format!("{run}\nbuild = \"python3 spy.py {}; exit 3\"", words(&dir));
    let outcome = dir.play(&spy(&dir, "spy", &build), "");
    assert!(outcome.everything.contains("the spy has looked"), "{outcome:?}");
    let rows = [
        (format!("ln -s {hen} hen"), "`hen`, a link that leads out"),
        (format!("ln -s {hen}/notes notes"), "`notes`, a link that leads out"),
        ("mkdir a; ln -s ../../hen/notes a/b".to_owned(), "`a/b`, a link that leads out"),
        ("ln -s /etc/shadow notes".to_owned(), "`notes`, a link that leads out"),
        ("ln -s /proc/self/root/etc notes".to_owned(), "`notes`, a link that leads out"),
        ("mkfifo pipe".to_owned(), "neither a file nor a folder"),
        ("mkdir closed; echo x > closed/x; chmod 0 closed".to_owned(), "closed"),
    ];
    for (number, (build, why)) in rows.into_iter().enumerate() {
        let folder = spy(&dir, &format!("spy{number}"), &format!("{run}\nbuild = \"{build}\""));
        refused(&dir.play(&folder, ""), why);
    }
    // A hard link is refused to the build, or the file is of the bot's own folder.
    let hard = format!("{run}\nbuild = \"ln {hen}/notes notes || cp spy.py notes\"");
    blind(&dir.play(&spy(&dir, "hard", &hard), ""));
    symlink(&hen, dir.path("hard/hen")).unwrap();
    refused(&dir.play(dir.path("hard").to_str().unwrap(), ""), "leads out of the bot's folder");
}

#[test]
fn no_source_of_a_folder_includes_a_file() {
    let dir = TestDir::new();
    let hen = dir.path("hen/notes").display().to_string();
    for line in [
        "#include \"../hen/notes\"".to_owned(),
        format!("#include {hen:?}"),
        format!("__asm__(\".incbin \\\"{hen}\\\"\");"),
    ] {
        let folder = spy(&dir, "source", "");
        let manifest = "game = \"cluster\"\nrun = \"bot.c\"";
        fs::write(Path::new(&folder).join("agon.toml"), manifest).unwrap();
        fs::write(Path::new(&folder).join("bot.c"), line).unwrap();
        refused(&dir.play(&folder, ""), "bot.c");
    }
    // Nor does a build with the compiler's own words.
    let build = format!(
        "run = \"python3 spy.py\"\nbuild = \"cc -I{} -include notes -x c -c spy.py\"",
        dir.path("hen").display()
    );
    refused(&dir.play(&spy(&dir, "words", &build), ""), "notes");
}

#[test]
fn what_a_person_types_is_seen_and_listed() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("data")).unwrap();
    dir.write("data/own.txt", "xyzzy-this-is-mine");
    spy(&dir, "spy", "run = \"python3 spy.py\"");
    let typed = format!(
        "jsonl:python3 {} {}",
        dir.path("spy/spy.py").display(),
        dir.path("data/own.txt").display()
    );
    let outcome = dir.play(&typed, "");
    blind(&outcome);
    assert!(outcome.everything.contains("xyzzy-this-is-mine"), "{outcome:?}");
    let mine = "xyzzy-in-a-variable";
    let line = format!("play cluster '{typed}' builtin:greedy --json --allow-env MINE");
    let output = dir.agon(&line).env("MINE", mine).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(mine), "{output:?}");
    let checked = dir.run(&format!("check cluster '{typed}' --games 1 --turns 2"));
    let listed = checked.everything.lines().find(|line| line.contains("this bot sees: ")).unwrap();
    for place in ["data", "spy"] {
        assert!(listed.contains(dir.path(place).to_str().unwrap()), "{listed}");
    }
}

/// Compiles other code than that of `helper.py`, in a way that Python never compares with it.
const CACHE: &str = "import os, py_compile
own = open('helper.py').read()
open('helper.py', 'w').write(own.replace('its own code', 'other code'))
py_compile.compile('helper.py', invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
open('helper.py', 'w').write(own)
";

#[test]
fn no_compiled_file_plays_in_place_of_a_source() {
    let dir = TestDir::new();
    let run = "run = \"python3 main.py\"";
    let [folder, built] = [run, &format!("{run}\nbuild = \"python3 cache.py\"")]
        .map(|lines| spy(&dir, if lines == run { "cached" } else { "built" }, lines));
    for folder in [&folder, &built] {
        let write = |name: &str, text: &str| fs::write(Path::new(folder).join(name), text).unwrap();
        write("helper.py", "import sys\nprint('its own code', file=sys.stderr)\n");
        write("main.py", "import helper\n");
        write("cache.py", CACHE);
    }
    let made = std::process::Command::new("python3").arg("cache.py").current_dir(&folder).status();
    assert!(made.unwrap().success() && Path::new(&folder).join("__pycache__").is_dir());
    for bot in [&folder, &built, &format!("jsonl:python3 {folder}/main.py")] {
        let outcome = dir.play(bot, "");
        let said = &outcome.everything;
        assert!(said.contains("its own code") && !said.contains("other code"), "{outcome:?}");
    }
}
