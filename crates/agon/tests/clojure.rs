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
    command
        .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap()
}

/// Its stdout and stderr, if it does well.
#[track_caller]
fn agon(folder: &TempDir, args: &[&str]) -> (String, String) {
    texts(args, run(folder, args))
}

/// The same for a file that plays tournaments: the arena cannot have them again by itself when the
/// machine stood still.
#[track_caller]
fn agon_file(folder: &TempDir, args: &[&str]) -> (String, String) {
    let stood_still =
        |output: &Output| String::from_utf8_lossy(&output.stderr).contains("\nvoid: ");
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
    agon_testkit::slow!();
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
        let args =
            ["--seed", "7", "--set", "rounds=70", "--set", "world_size=60", "--replay", name];
        agon(
            &folder,
            &[&["play", "amoebas", "chance.clj", &settlers, "builtin:mutating"][..], &args]
                .concat(),
        );
    }
    // What the species cost differs, and nothing else.
    let [one, two] = ["one.agon", "two.agon"]
        .map(|name| agon(&folder, &["replay", "export", name, "--states", "-"]).0);
    assert!(
        one.len() > 1000 && one == two,
        "the matches differ: {} and {} bytes",
        one.len(),
        two.len()
    );
    let (verdict, _) = agon(&folder, &["replay", "verify", "one.agon"]);
    assert!(verdict.contains("proven"), "{verdict}");
    let (info, _) = agon(&folder, &["replay", "info", "one.agon"]);
    assert!(
        info.contains("clojure.lang.ExceptionInfo: bad luck, at chance/Evam (chance.clj:3)"),
        "{info}"
    );
}

#[test]
fn species_live_apart_unless_they_are_to_share() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    for name in ["one", "two"] {
        let text = format!(
            "(ns {name}) (defn Evam [e h s env d]
               {{:cmd :rest :data (.pid (java.lang.ProcessHandle/current))}})"
        );
        fs::write(folder.path().join(format!("{name}.clj")), text).unwrap();
    }
    let play = |more: &[&str]| {
        let args = [
            "play",
            "amoebas",
            "one.clj",
            "two.clj",
            "--set",
            "rounds=2",
            "--set",
            "world_size=20",
        ];
        agon(&folder, &[&args[..], more].concat()).0
    };
    assert!(!play(&["--json"]).contains("shared_process"));
    assert!(play(&["--json", "--share-jvm"]).contains("\"shared_process\":true"));
    let text = play(&["--share-jvm"]);
    assert!(
        text.contains("species in Clojure shared a JVM, in which they can reach each other"),
        "{text}"
    );
    // Nothing is shared with those who live in no JVM.
    let args =
        ["play", "amoebas", "one.clj", "builtin:mindless", "--set", "rounds=1", "--share-jvm"];
    let (text, _) = agon(&folder, &args);
    assert!(!text.contains("shared a JVM"), "{text}");
}

#[test]
fn a_tournament_file_plays_in_the_arena() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let (out, err) = agon_file(&folder, &["amoebas", &example("tournament.clj"), "--seed", "1"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Who lives on?");
    let last = lines.last().unwrap();
    assert!(last.starts_with("finished ( 200 generations): {:size {:hermit "), "{out}");
    assert!(err.contains("amoebas · 200 rounds · seed 1"), "{err}");
    assert!(err.contains("species in Clojure shared a JVM"), "{err}");
    let size = |species: &str| -> u32 {
        last.split(&format!("{species} "))
            .nth(1)
            .unwrap()
            .split([',', '}'])
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!(size(":settlers") > size(":brainy"), "the clever one lives better: {last}");
}

#[test]
fn tournaments_follow_one_another_and_write_their_files() {
    agon_testkit::needs_clojure!();
    let folder = TempDir::new().unwrap();
    let file = "(ns many (:use amoebas.run amoebas.examples))
        (println \"one\")
        ((tournament {:red mindless-divider, \"blue\" (create-nasty 0.9 random-target-selector)})
         12 {:csv-stats true :directory \"stats\" :graphics true :generational-stats true})
        (println \"two\")
        (T05 9 {})";
    fs::write(folder.path().join("many.clj"), file).unwrap();
    let (out, err) = agon_file(
        &folder,
        &["amoebas", "many.clj", "--seed", "4", "--last-gen-stats", "--replay", "m.agon"],
    );
    let starts: Vec<&str> =
        out.lines().map(|line| line.split(['{', ':']).next().unwrap().trim()).collect();
    let rounds = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    let expected = [
        &["one"][..],
        &rounds,
        &["finished ( 12 generations)", "two", "finished ( 9 generations)"],
    ];
    assert_eq!(starts, expected.concat());
    assert_eq!(err.matches(":graphics needs a display, and there is none").count(), 1, "{err}");
    assert!(
        err.contains("amoebas · 12 rounds · seed 4") && err.contains("amoebas · 9 rounds · seed "),
        "{err}"
    );
    let csv = fs::read_to_string(folder.path().join("stats/popsize.csv")).unwrap();
    assert!(csv.starts_with(":red,blue\n1,1\n") && csv.lines().count() == 14, "{csv}");
    for name in ["m.agon", "m-2.agon"] {
        agon(&folder, &["replay", "verify", name]);
    }
}

#[test]
fn a_single_species_plays_alone_and_a_bad_file_says_where() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let (out, err) =
        agon(&folder, &["amoebas", &example("hermit.clj"), "--rounds", "9", "--last-gen-stats"]);
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
    agon_testkit::needs_clojure!();
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(["play", "amoebas", &example("hermit.clj")]).env("AGON_JAVA", "/no/java");
    let output = command.current_dir(&folder).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err.contains("`/no/java` cannot be started") && err.contains("apt install clojure"),
        "{err}"
    );
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command
        .args(["check", "amoebas", &example("hermit.clj")])
        .env("AGON_CLOJURE", "/no/clojure.jar");
    command.env("XDG_CACHE_HOME", folder.path());
    let output = command.current_dir(&folder).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(
        err.contains("does not work with the class path /no/clojure.jar; AGON_CLOJURE"),
        "{err}"
    );
}

/// A folder with a competition as it was held: species in folders, and a file that defines
/// tournaments.
fn competition() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "code/amoebas/cup2020/caesar/core.clj",
        "(ns amoebas.cup2020.caesar.core (:use amoebas.defs amoebas.lib amoebas.run)
                                           (:require home.words))
         (def Evam (fn [energy health species env data]
           {:cmd (if (< energy 60) :rest :divide) :dir (rand-nth Dirs) :data home.words/Word}))",
    );
    write(
        "code/amoebas/cup2019/Amoeboid2/core.clj",
        "(ns amoebas.cup2019.Amoeboid2.core (:use [amoebas.defs] [amoebas.examples]))
         (def Evam (create-slightlybrainy 10 70 most-energy-target-selector))",
    );
    write("src/home/words.clj", "(ns home.words) (def Word :veni)");
    write(
        "code/amoebas/cup2020/tournament.clj",
        "(ns amoebas.cup2020.tournament
           (:use amoebas.defs amoebas.simulation amoebas.display amoebas.util amoebas.run
                 amoebas.examples clojure.set)
           (:require amoebas.cup2020.caesar.core
                     amoebas.cup2019.Amoeboid2.core))
         (def SpeciesColors {:md (Color :blue) :sb (Color :orange) :red (Color :red)})
         (defn act [a] (assoc a :energy 0))
         (defn qual2020 [evam]
           (tournament {:md (create-mindless-divider 0.3)
                        :sb (create-slightlybrainy 10 70 random-target-selector)
                        :red evam}
                       SpeciesColors))
         (def Q01 (qual2020 amoebas.cup2020.caesar.core/Evam))
         (def Final (tournament {:blue amoebas.cup2020.caesar.core/Evam
                                 :red amoebas.cup2019.Amoeboid2.core/Evam} Default-RGB-Map))",
    );
    folder
}

const CUP: &str = "code/amoebas/cup2020/tournament.clj";

#[test]
fn a_tournament_that_a_file_defines_is_called_by_its_name() {
    agon_testkit::slow!();
    let folder = competition();
    for (function, live) in [("Final", "(:blue :red)"), ("Q01", "(:md :sb :red)")] {
        let args =
            ["amoebas", CUP, "--fn", function, "--rounds", "6", "--last-gen-stats", "--seed", "2"];
        let (out, err) = agon_file(&folder, &args);
        assert!(
            out.starts_with("finished ( 6 generations): {:size {:") && out.contains(live),
            "{out}{err}"
        );
        assert_eq!(out.lines().count(), 1, "{out}");
        assert!(err.contains("amoebas · 6 rounds · seed 2"), "{err}");
    }
    let refused = |args: &[&str], words: &[&str]| {
        let output = run(&folder, &[&["amoebas"], args].concat());
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {err}");
        assert!(words.iter().all(|word| err.contains(word)), "{args:?}: {err}");
    };
    refused(&[CUP], &["calls none", "--fn Q01 --rounds", "--fn can call: Q01, Final"]);
    refused(
        &[CUP, "--fn", "Finl"],
        &["defines no `Finl`; did you mean `Final`?", "--fn can call: Q01, Final"],
    );
    refused(&[CUP, "--fn", "qual2020"], &["`qual2020` of ", "takes no number of rounds and flags"]);
    fs::write(folder.path().join("bare.clj"), "(ns bare) (def Final 7)").unwrap();
    refused(
        &["bare.clj"],
        &["it defines no amoeba function: no public", "; and no tournament, such"],
    );
    refused(&["bare.clj", "--fn", "Final"], &["`Final` of bare.clj takes no number of rounds"]);
    let beside = &["it defines tournaments: `agon amoebas FILE --fn Q01` plays one"];
    refused(&[CUP, "builtin:nasty"], beside);
    refused(&["builtin:nasty", "--fn", "Final"], &["--fn Final calls a function of a file"]);
    refused(&["gone.clj", "--fn", "Final"], &["--fn Final calls a function of a file"]);
}

/// Evaluates a file; what it says.
fn played(folder: &TempDir, text: &str, args: &[&str]) -> (String, String) {
    fs::write(
        folder.path().join("t.clj"),
        format!("(ns t (:use amoebas.run amoebas.examples))\n{text}"),
    )
    .unwrap();
    agon_file(folder, &[&["amoebas", "t.clj", "--set", "world_size=20"], args].concat())
}

#[test]
fn a_run_goes_on_when_nobody_is_left() {
    agon_testkit::needs_clojure!();
    let folder = TempDir::new().unwrap();
    // Energy lasts for 33 moves; the 34th is a rest, which eats the fuel of its cell.
    let text = "(defn runs [energy health species env data]
          {:cmd (if (< 10 energy) :move :hit) :dir (if (< 10 energy) 3 9)})
        ((tournament {'a runs}) 60 {:csv-stats true :generational-stats true
                                    :report-extinctions true :save-graphics true
                                    :last-gen-stats true :directory \"out/new\"})";
    let sets = ["--set", "max_cell_energy=0", "--set", "sun_energy=0"];
    let (out, err) = played(&folder, text, &sets);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "0 : {:size {a 1}, :energy {a 97}, :live-species (a)}");
    let extinct = lines.iter().position(|line| line.starts_with("extinct at ")).unwrap();
    let last = "{:size {}, :energy {}, :live-species nil}";
    assert_eq!(lines[extinct - 1], format!("{} : {last}", extinct - 1));
    assert_eq!(lines[extinct], format!("extinct at {} : (a)", extinct - 1));
    assert!((20..59).contains(&extinct), "{out}");
    assert_eq!(lines[60], format!("59 : {last}"));
    assert_eq!(lines[61..], [format!("finished ( 60 generations): {last}")]);
    let files = folder.path().join("out/new");
    let csv = fs::read_to_string(files.join("popsize.csv")).unwrap();
    assert!(
        csv.starts_with("a\n1\n1\n") && csv.ends_with("\n\n") && csv.lines().count() == 62,
        "{csv}"
    );
    let mut pictures: Vec<String> = fs::read_dir(&files)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".png"))
        .collect();
    pictures.sort();
    assert_eq!(
        (pictures.len(), &*pictures[0], &*pictures[59]),
        (60, "g00000.png", "g00059.png"),
        "{err}"
    );
    assert!(err.contains("out/new: 60 pictures of 80x80"), "{err}");
}

#[test]
fn species_keep_the_form_of_what_stands_for_them() {
    agon_testkit::needs_clojure!();
    let folder = TempDir::new().unwrap();
    let text = "((tournament (array-map :k mindless \"s t\" mindless 'sym mindless 3 mindless
                                           [1 \"a\"] mindless
                                           :n/k mindless \"k\" mindless))
         1 {:csv-stats true :last-gen-stats true})";
    let (out, err) = played(&folder, text, &["--seed", "1"]);
    assert!(out.ends_with(":live-species (:k s t sym 3 [1 a] :n/k k)}\n"), "{out}{err}");
    let csv = fs::read_to_string(folder.path().join("popsize.csv")).unwrap();
    assert!(csv.starts_with(":k,s t,sym,3,\"[1 \"\"a\"\"]\",:n/k,k\n1,1,1,1,1,1,1\n"), "{csv}");
}

#[test]
fn a_file_writes_below_the_current_folder_only() {
    agon_testkit::slow!();
    let outer = TempDir::new().unwrap();
    let outside = outer.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept.csv"), "kept").unwrap();
    let inner = TempDir::new_in(&outer).unwrap();
    let link =
        |to: &str, name: &str| std::os::unix::fs::symlink(to, inner.path().join(name)).unwrap();
    link("../outside", "out");
    link("real", "inside");
    fs::create_dir(inner.path().join("real")).unwrap();
    fs::create_dir(inner.path().join("links")).unwrap();
    link("../../outside/kept.csv", "links/popsize.csv");
    let cup = |directory: &str| {
        let text = format!(
            "((tournament {{:red mindless}}) 1 {{:csv-stats true :directory {directory:?}}})"
        );
        fs::write(
            inner.path().join("t.clj"),
            format!("(ns t (:use amoebas.run amoebas.examples))\n{text}"),
        )
        .unwrap();
    };
    let outside_text = outside.to_str().unwrap();
    let away =
        format!("real/../../{}/outside", outer.path().file_name().unwrap().to_str().unwrap());
    for directory in [
        outside_text,
        "../outside",
        "out",
        "out/new",
        "real/../out",
        "links",
        &away,
        "/proc/self/cwd",
    ] {
        cup(directory);
        let output = run(&inner, &["amoebas", "t.clj"]);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{directory}: {err}");
        assert!(
            err.contains("is not below the current folder") && err.contains("--directory DIR"),
            "{err}"
        );
        let files: Vec<_> =
            fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(files, ["kept.csv"], "{directory}");
        assert_eq!(fs::read_to_string(outside.join("kept.csv")).unwrap(), "kept", "{directory}");
    }
    let absolute = inner.path().canonicalize().unwrap().join("deep/er");
    for (directory, file) in [
        (absolute.to_str().unwrap(), "deep/er/popsize.csv"),
        ("inside", "real/popsize.csv"),
        ("inside/new/../a", "real/a/popsize.csv"),
        (".", "energy.csv"),
    ] {
        cup(directory);
        agon_file(&inner, &["amoebas", "t.clj"]);
        assert!(inner.path().join(file).is_file(), "{directory}: {file}");
    }
    cup("../outside");
    agon_file(&inner, &["amoebas", "t.clj", "--directory", outside_text]);
    assert!(outside.join("energy.csv").is_file(), "the command line may name any folder");
}
