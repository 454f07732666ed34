//! Species in Clojure on the command line: matches, tournament files, the same replay each time.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

fn example(name: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots/amoebas");
    fs::canonicalize(root.join(name)).unwrap().to_str().unwrap().to_owned()
}

/// Runs `agon` in a folder, with compiled code that all tests share.
fn run(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY");
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")).output().unwrap()
}

/// Its stdout and stderr, if it does well.
#[track_caller]
fn agon(folder: &TempDir, args: &[&str]) -> (String, String) {
    texts(args, run(folder, args))
}

/// The same for a file that plays tournaments: the arena cannot have them again by itself when the machine stood still.
#[track_caller]
fn agon_file(folder: &TempDir, args: &[&str]) -> (String, String) {
    let stood_still = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("\nvoid: ");
    let output = (0..3).map(|_| run(folder, args)).find(|output| !stood_still(output));
    texts(args, output.expect("the machine does not stand still all the time"))
}

#[track_caller]
fn texts(args: &[&str], output: Output) -> (String, String) {
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{args:?}: {out}{err}");
    (out, err)
}

#[test]
fn the_same_seed_gives_the_same_replay() {
    let folder = TempDir::new().unwrap();
    let species = "(ns chance (:use amoebas.lib amoebas.examples))
        (defn Evam [energy health species env data]
          (when (zero? (rand-int 50)) (throw (ex-info \"bad luck\" {})))
          (let [free (empty-neighbors env)]
            (if (and (seq free) (< 40 energy))
              {:cmd (rand-nth [:move :divide]) :dir (first (shuffle free)) :child-data (atom (rand))
               :data (vec (random-sample 0.5 (range 9)))}
              {:cmd :rest :data (object-array 3)})))";
    fs::write(folder.path().join("chance.clj"), species).unwrap();
    let settlers = example("settlers.clj");
    for name in ["one.agon", "two.agon"] {
        let args = ["--seed", "7", "--set", "rounds=70", "--set", "world_size=60", "--replay", name];
        agon(
            &folder,
            &[&["play", "amoebas", "chance.clj", &settlers, "builtin:mutating"][..], &args].concat(),
        );
    }
    // What the species cost differs, and nothing else.
    let [one, two] =
        ["one.agon", "two.agon"].map(|name| agon(&folder, &["replay", "export", name, "--states", "-"]).0);
    assert!(one.len() > 1000 && one == two, "the matches differ: {} and {} bytes", one.len(), two.len());
    let (verdict, _) = agon(&folder, &["replay", "verify", "one.agon"]);
    assert!(verdict.contains("proven"), "{verdict}");
    let (info, _) = agon(&folder, &["replay", "info", "one.agon"]);
    assert!(info.contains("clojure.lang.ExceptionInfo: bad luck, at chance/Evam (chance.clj:3)"), "{info}");
}

#[test]
fn a_tournament_file_plays_in_the_arena() {
    let folder = TempDir::new().unwrap();
    let (out, err) = agon_file(&folder, &["amoebas", &example("tournament.clj"), "--seed", "1"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Who lives on?");
    let last = lines.last().unwrap();
    assert!(last.starts_with("finished ( 200 generations): {:size {:hermit "), "{out}");
    assert!(err.contains("amoebas · 200 rounds · seed 1"), "{err}");
    let size = |species: &str| -> u32 {
        last.split(&format!("{species} ")).nth(1).unwrap().split([',', '}']).next().unwrap().parse().unwrap()
    };
    assert!(size(":settlers") > size(":brainy"), "the clever one lives better: {last}");
}

#[test]
fn tournaments_follow_one_another_and_write_their_files() {
    let folder = TempDir::new().unwrap();
    let file = "(ns many (:use amoebas.run amoebas.examples))
        (println \"one\")
        ((tournament {:red mindless-divider, \"blue\" (create-nasty 0.9 random-target-selector)})
         12 {:csv-stats true :directory \"stats\" :graphics true :generational-stats true})
        (println \"two\")
        (T05 9 {})";
    fs::write(folder.path().join("many.clj"), file).unwrap();
    let (out, err) =
        agon_file(&folder, &["amoebas", "many.clj", "--seed", "4", "--last-gen-stats", "--replay", "m.agon"]);
    let starts: Vec<&str> = out.lines().map(|line| line.split(['{', ':']).next().unwrap().trim()).collect();
    let rounds = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    let expected =
        [&["one"][..], &rounds, &["finished ( 12 generations)", "two", "finished ( 9 generations)"]];
    assert_eq!(starts, expected.concat());
    assert_eq!(err.matches(":graphics needs a display, and there is none").count(), 1, "{err}");
    assert!(
        err.contains("amoebas · 12 rounds · seed 4") && err.contains("amoebas · 9 rounds · seed "),
        "{err}"
    );
    let csv = fs::read_to_string(folder.path().join("stats/popsize.csv")).unwrap();
    assert!(csv.starts_with(":red,:blue\n1,1\n") && csv.lines().count() == 14, "{csv}");
    for name in ["m.agon", "m-2.agon"] {
        agon(&folder, &["replay", "verify", name]);
    }
}

#[test]
fn a_single_species_plays_alone_and_a_bad_file_says_where() {
    let folder = TempDir::new().unwrap();
    let (out, err) = agon(&folder, &["amoebas", &example("hermit.clj"), "--rounds", "9", "--last-gen-stats"]);
    assert!(out.starts_with("finished ( 9 generations): {:size {:hermit "), "{out}");
    assert!(err.contains("hermit wins"), "{err}");
    fs::write(folder.path().join("bad.clj"), "(ns bad)\n\n(println 1)\n(/ 1 0)\n").unwrap();
    let output = run(&folder, &["amoebas", "bad.clj"]);
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b"1\n"[..]), "{err}");
    assert!(
        err.contains("bad.clj: ") && err.contains("bad.clj:4") && err.contains("Divide by zero"),
        "{err}"
    );
}

#[test]
fn without_java_the_error_says_how_to_get_it() {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(["play", "amoebas", &example("hermit.clj")]).env("AGON_JAVA", "/no/java");
    let output = command.current_dir(&folder).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("`/no/java` cannot be started") && err.contains("apt install clojure"), "{err}");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(["check", "amoebas", &example("hermit.clj")]).env("AGON_CLOJURE", "/no/clojure.jar");
    command.env("XDG_CACHE_HOME", folder.path());
    let output = command.current_dir(&folder).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("does not work with the class path /no/clojure.jar; AGON_CLOJURE"), "{err}");
}
