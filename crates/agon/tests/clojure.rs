//! Species in Clojure on the command line: matches, tournament files, the same replay each time.

use std::{fs, os::unix::fs::symlink};

use crate::support::{Done, TestDir, names};

/// Runs a file that plays tournaments: the arena cannot have them again by itself when the machine
/// stood still.
#[track_caller]
fn plays_file(dir: &TestDir, line: &str) -> Done {
    let mut runs = (0..3).map(|_| dir.run(&format!("amoebas {line}")));
    let done = runs.find(|done| !done.err.contains("\nvoid: "));
    let done = done.expect("the machine does not stand still all the time");
    assert_eq!(done.code, Some(0), "{line}: {}", done.all());
    done
}

#[test]
fn the_same_seed_gives_the_same_replay() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let species = "(ns chance (:use amoebas.lib amoebas.examples))
        (defn Evam [energy health species env data]
          (when (zero? (rand-int 6)) (throw (ex-info \"bad luck\" {})))
          (let [free (empty-neighbors env)]
            (if (and (seq free) (< 40 energy))
              {:cmd (rand-nth [:move :divide]) :dir (first (shuffle free)) :child-data (atom (rand))
               :data (vec (random-sample 0.5 (range 9)))}
              {:cmd :rest :data (object-array 3)})))";
    dir.write("chance.clj", species);
    // What the species cost differs, and nothing else.
    let [one, two] = ["one", "two"].map(|name| {
        dir.ok(&format!(
            "play amoebas chance.clj EXAMPLES/amoebas/settlers.clj builtin:mutating --seed 7 --set \
             rounds=15 --set world_size=20 --replay {name}.agon"
        ));
        dir.ok(&format!("replay export {name}.agon --states -")).out
    });
    assert!(one.len() > 1000 && one == two, "{} and {} bytes", one.len(), two.len());
    dir.ok("replay verify one.agon").says("proven");
    let info = dir.ok("replay info one.agon");
    info.says("clojure.lang.ExceptionInfo: bad luck, at chance/Evam (chance.clj:3)");
}

#[test]
fn species_live_apart_unless_they_are_to_share() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    for name in ["one", "two"] {
        let text = format!(
            "(ns {name}) (defn Evam [e h s env d]
               {{:cmd :rest :data (.pid (java.lang.ProcessHandle/current))}})"
        );
        dir.write(&format!("{name}.clj"), text);
    }
    let play = "play amoebas one.clj two.clj --set rounds=2 --set world_size=20";
    dir.ok(&format!("{play} --json")).hides("shared_process");
    dir.ok(&format!("{play} --json --share-jvm")).says("\"shared_process\":true");
    let shared = "species in Clojure shared a JVM, in which they can reach each other";
    dir.ok(&format!("{play} --share-jvm")).says(shared);
    // Nothing is shared with those who live in no JVM.
    let line = "play amoebas one.clj builtin:mindless --set rounds=1 --share-jvm";
    dir.ok(line).hides("shared a JVM");
}

#[test]
fn a_tournament_file_plays_in_the_arena() {
    agon_testkit::slow!();
    let done = plays_file(&TestDir::new(), "EXAMPLES/amoebas/tournament.clj --seed 1");
    assert!(done.out.starts_with("Who lives on?\n"), "{}", done.out);
    let last = done.out.lines().last().unwrap();
    assert!(last.starts_with("finished ( 200 generations): {:size {:hermit "), "{}", done.out);
    done.says("amoebas · 200 rounds · seed 1").says("species in Clojure shared a JVM");
    let size = |species: &str| -> u32 {
        let (_, text) = last.split_once(&format!("{species} ")).unwrap();
        text.split([',', '}']).next().unwrap().parse().unwrap()
    };
    assert!(size(":settlers") > size(":brainy"), "the clever one lives better: {last}");
}

#[test]
fn tournaments_follow_one_another_and_write_their_files() {
    agon_testkit::needs_clojure!();
    let dir = TestDir::new();
    let file = "(ns many (:use amoebas.run amoebas.examples))
        (println \"one\")
        ((tournament {:red mindless-divider, \"blue\" (create-nasty 0.9 random-target-selector)})
         12 {:csv-stats true :directory \"stats\" :graphics true :generational-stats true})
        (println \"two\")
        (T05 9 {})";
    dir.write("many.clj", file);
    let done = plays_file(&dir, "many.clj --seed 4 --last-gen-stats --replay m.agon");
    let starts = done.out.lines().map(|line| line.split(['{', ':']).next().unwrap().trim());
    let rounds: String = (0..12).map(|round| format!("{round} ")).collect();
    assert_eq!(
        starts.collect::<Vec<_>>().join(" "),
        format!("one {rounds}finished ( 12 generations) two finished ( 9 generations)")
    );
    let no_display = ":graphics needs a display, and there is none";
    assert_eq!(done.err.matches(no_display).count(), 1, "{}", done.err);
    done.says("amoebas · 12 rounds · seed 4").says("amoebas · 9 rounds · seed ");
    let csv = dir.read("stats/popsize.csv");
    assert!(csv.starts_with(":red,blue\n1,1\n") && csv.lines().count() == 14, "{csv}");
    dir.ok("replay verify m.agon");
    dir.ok("replay verify m-2.agon");
}

#[test]
fn a_single_species_plays_alone_and_a_bad_file_says_where() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let done = dir.ok("amoebas EXAMPLES/amoebas/hermit.clj --rounds 9 --last-gen-stats");
    let start = "finished ( 9 generations): {:size {:hermit ";
    assert!(done.out.starts_with(start), "{}", done.out);
    done.says("hermit wins");
    dir.write("bad.clj", "(ns bad)\n\n(println 1)\n(/ 1 0)\n");
    let done = dir.ends(2, "amoebas bad.clj");
    assert_eq!(done.out, "1\n");
    done.says("bad.clj: ").says("bad.clj:4").says("Divide by zero");
}

#[test]
fn without_java_or_clojure_the_error_says_how_to_get_it() {
    agon_testkit::needs_clojure!();
    let dir = TestDir::new();
    let mut play = dir.agon("play amoebas EXAMPLES/amoebas/hermit.clj");
    let done = Done::of(play.env("AGON_JAVA", "/no/java"));
    assert_eq!(done.code, Some(2));
    done.tells(["`/no/java` cannot be started", "apt install clojure"]);
    let mut check = dir.agon("check amoebas EXAMPLES/amoebas/hermit.clj");
    check.env("AGON_CLOJURE", "/no/clojure.jar").env("XDG_CACHE_HOME", dir.path(""));
    let done = Done::of(&mut check);
    assert_eq!(done.code, Some(2), "{}", done.err);
    done.says("does not work with the class path /no/clojure.jar; AGON_CLOJURE");
}

/// A folder with a competition as it was held: species in folders, and a file that defines
/// tournaments.
fn competition() -> TestDir {
    let dir = TestDir::new();
    dir.write(
        "code/amoebas/cup2020/caesar/core.clj",
        "(ns amoebas.cup2020.caesar.core (:use amoebas.defs amoebas.lib amoebas.run)
                                           (:require home.words))
         (def Evam (fn [energy health species env data]
           {:cmd (if (< energy 60) :rest :divide) :dir (rand-nth Dirs) :data home.words/Word}))",
    );
    dir.write(
        "code/amoebas/cup2019/Amoeboid2/core.clj",
        "(ns amoebas.cup2019.Amoeboid2.core (:use [amoebas.defs] [amoebas.examples]))
         (def Evam (create-slightlybrainy 10 70 most-energy-target-selector))",
    );
    dir.write("src/home/words.clj", "(ns home.words) (def Word :veni)");
    dir.write(
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
    dir
}

const CUP: &str = "code/amoebas/cup2020/tournament.clj";

#[test]
fn a_tournament_that_a_file_defines_is_called_by_its_name() {
    agon_testkit::slow!();
    let dir = competition();
    let flags = "--fn Final --rounds 6 --last-gen-stats --seed 2";
    let done = plays_file(&dir, &format!("{CUP} {flags}"));
    assert!(done.out.starts_with("finished ( 6 generations): {:size {:"), "{}", done.out);
    assert!(done.out.contains("(:blue :red)") && done.out.lines().count() == 1, "{}", done.out);
    done.says("amoebas · 6 rounds · seed 2");
    dir.write("bare.clj", "(ns bare) (def Final 7)");
    let calls = "--fn can call: Q01, Final";
    let rounds = "takes no number of rounds and flags";
    let bare = "it defines no amoeba function: no public";
    let no_file = "--fn Final calls a function of a file";
    for (line, words) in [
        (CUP.to_owned(), &["calls none", "--fn Q01 --rounds", calls][..]),
        (format!("{CUP} --fn Finl"), &["defines no `Finl`; did you mean `Final`?", calls]),
        (format!("{CUP} --fn qual2020"), &["`qual2020` of ", rounds]),
        ("bare.clj".to_owned(), &[bare, "; and no tournament, such"]),
        (
            format!("{CUP} builtin:nasty"),
            &["it defines tournaments: `agon amoebas FILE --fn Q01` plays one"],
        ),
        ("builtin:nasty --fn Final".to_owned(), &[no_file]),
        ("gone.clj --fn Final".to_owned(), &[no_file]),
    ] {
        let said = dir.fails(&format!("amoebas {line}"));
        assert!(words.iter().all(|word| said.contains(word)), "{line}: {said}");
    }
}

/// Evaluates a file; what it says.
fn evaluated(dir: &TestDir, text: &str, flags: &str) -> Done {
    dir.write("t.clj", format!("(ns t (:use amoebas.run amoebas.examples))\n{text}"));
    plays_file(dir, &format!("t.clj --set world_size=20 {flags}"))
}

#[test]
fn a_run_goes_on_when_nobody_is_left() {
    agon_testkit::needs_clojure!();
    let dir = TestDir::new();
    // Energy lasts for 33 moves; the 34th is a rest, which eats the fuel of its cell.
    let text = "(defn runs [energy health species env data]
          {:cmd (if (< 10 energy) :move :hit) :dir (if (< 10 energy) 3 9)})
        ((tournament {'a runs}) 60 {:csv-stats true :generational-stats true
                                    :report-extinctions true :save-graphics true
                                    :last-gen-stats true :directory \"out/new\"})";
    let done = evaluated(&dir, text, "--set max_cell_energy=0 --set sun_energy=0");
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines[0], "0 : {:size {a 1}, :energy {a 97}, :live-species (a)}");
    let extinct = lines.iter().position(|line| line.starts_with("extinct at ")).unwrap();
    let last = "{:size {}, :energy {}, :live-species nil}";
    assert_eq!(lines[extinct - 1], format!("{} : {last}", extinct - 1));
    assert_eq!(lines[extinct], format!("extinct at {} : (a)", extinct - 1));
    assert!((20..59).contains(&extinct), "{}", done.out);
    assert_eq!(lines[60], format!("59 : {last}"));
    assert_eq!(lines[61..], [format!("finished ( 60 generations): {last}")]);
    let csv = dir.read("out/new/popsize.csv");
    assert!(csv.starts_with("a\n1\n1\n") && csv.ends_with("\n\n"), "{csv}");
    assert_eq!(csv.lines().count(), 62);
    let mut pictures = names(dir.path("out/new"));
    pictures.retain(|name| name.ends_with(".png"));
    let [first, .., last] = &*pictures else { panic!("{}", done.err) };
    assert_eq!((pictures.len(), &**first, &**last), (60, "g00000.png", "g00059.png"));
    done.says("out/new: 60 pictures of 80x80");
}

#[test]
fn species_keep_the_form_of_what_stands_for_them() {
    agon_testkit::needs_clojure!();
    let dir = TestDir::new();
    let text = "((tournament (array-map :k mindless \"s t\" mindless 'sym mindless 3 mindless
                                           [1 \"a\"] mindless
                                           :n/k mindless \"k\" mindless))
         1 {:csv-stats true :last-gen-stats true})";
    let done = evaluated(&dir, text, "--seed 1");
    assert!(done.out.ends_with(":live-species (:k s t sym 3 [1 a] :n/k k)}\n"), "{}", done.out);
    let csv = dir.read("popsize.csv");
    assert!(csv.starts_with(":k,s t,sym,3,\"[1 \"\"a\"\"]\",:n/k,k\n1,1,1,1,1,1,1\n"), "{csv}");
}

#[test]
fn a_file_writes_below_the_current_folder_only() {
    agon_testkit::slow!();
    let outer = TestDir::new();
    outer.write("outside/kept.csv", "kept");
    for folder in ["inner/real", "inner/links"] {
        fs::create_dir_all(outer.path(folder)).unwrap();
    }
    for (to, name) in
        [("../outside", "out"), ("real", "inside"), ("../../outside/kept.csv", "links/popsize.csv")]
    {
        symlink(to, outer.path("inner").join(name)).unwrap();
    }
    // Runs a file that plays a tournament for each of these folders.
    let cup = |directories: &[&str], flags: &str| {
        let call = "((tournament {:red mindless}) 1 {:csv-stats true :directory";
        let calls = directories.iter().map(|folder| format!("{call} {folder:?}}})\n"));
        let text = "(ns t (:use amoebas.run amoebas.examples))\n".to_owned();
        outer.write("inner/t.clj", text + &calls.collect::<String>());
        let mut command = outer.agon(&format!("amoebas t.clj {flags}"));
        command.current_dir(outer.path("inner"));
        // A machine that stood still makes it void.
        let mut runs = (0..3).map(|_| Done::of(&mut command));
        runs.find(|done| !done.err.contains("\nvoid: ")).unwrap()
    };
    let outside = outer.path("outside").display().to_string();
    for directory in [&*outside, "out/new", "links"] {
        let done = cup(&[directory], "");
        assert_eq!(done.code, Some(2), "{directory}: {}", done.err);
        done.says("is not below the current folder").says("--directory DIR");
        assert_eq!(names(&outside), ["kept.csv"], "{directory}");
        assert_eq!(outer.read("outside/kept.csv"), "kept", "{directory}");
    }
    let absolute = outer.path("inner").canonicalize().unwrap().join("deep/er");
    let done = cup(&[absolute.to_str().unwrap(), "inside", "inside/new/../a", "."], "");
    assert_eq!(done.code, Some(0), "{}", done.err);
    for file in ["deep/er/popsize.csv", "real/popsize.csv", "real/a/popsize.csv", "energy.csv"] {
        assert!(outer.path("inner").join(file).is_file(), "{file}");
    }
    // The command line may name any folder.
    let done = cup(&["../outside"], &format!("--directory {outside}"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(outer.path("outside/energy.csv").is_file());
}
