//! Species in Clojure: their views and rights, and all kinds of bad ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod apart;
mod bad;
mod jvm;

use std::{path::PathBuf, time::Duration};

use crate::common::{AGES, Arena, Workshop, assert_gone, new_game, script, spec, within};
use agon_bots::{
    Bot, Clock, HostOptions, OpenError,
    clojure::{Call, Called, End, Event, Tournaments},
    open,
};
use agon_core::{Blob, Evidence, FaultKind, Game, GameExt, Seed};
use agon_games::amoebas::{Amoebas, Answer, Dir, Rules};

/// Returns options with compiled code that all tests share.
fn options(clock: Clock) -> HostOptions {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clojure");
    HostOptions { cache: Some(cache), ..within(clock) }
}

fn patient() -> HostOptions {
    options(Clock::cpu(AGES))
}

fn bad(name: &str) -> String {
    script(&format!("clojure/{name}.clj"))
}

fn small(rounds: u32) -> Rules {
    Rules { world_size: 30, rounds, ..Rules::default() }
}

/// Makes a match of one of the bad species and a good one.
fn beside_a_good_one(name: &str, clock: Clock) -> Arena<Amoebas> {
    let good = script("clojure/defines.clj");
    Arena::new(new_game::<Amoebas>(&small(100), 2), &[&bad(name), &good], &options(clock))
}

/// Makes the same match in one JVM.
fn in_one_jvm(name: &str, clock: Clock) -> Arena<Amoebas> {
    let good = script("clojure/defines.clj");
    let options = HostOptions { share_jvm: true, ..options(clock) };
    Arena::new(new_game::<Amoebas>(&small(100), 2), &[&bad(name), &good], &options)
}

/// Plays until the match is over, and checks that the good species has survived.
#[track_caller]
fn play_on(arena: &mut Arena<Amoebas>) {
    arena.steps(100_000);
    assert!(arena.game.is_over());
    assert!(
        arena.game.population().size[1] > 5,
        "the good one lives: {:?}",
        arena.game.population()
    );
}

/// Returns the message of a species that cannot be opened.
#[track_caller]
fn refused(text: &str) -> String {
    open::<Amoebas>(&spec(text), &patient()).err().expect("it is refused").to_string()
}

/// Returns the output of a file that is evaluated.
fn said(path: &str) -> String {
    let mut file = Tournaments::open(path.as_ref(), None, &Rules::default(), &patient()).unwrap();
    let mut text = String::new();
    loop {
        match file.next_event().unwrap() {
            Event::Say(more) => text.push_str(&more),
            Event::End(_) => return text,
            Event::Tournament(call) => panic!("a tournament: {call:?}"),
        }
    }
}

#[test]
fn the_functions_of_the_library_give_the_recorded_values() {
    agon_testkit::slow!();
    assert_eq!(said(&bad("golden")), "environments: 150\n");
}

#[test]
fn the_other_namespaces_give_what_files_expect() {
    agon_testkit::slow!();
    let text = said(&bad("simulation"));
    assert_eq!(text, "actions: 1900 suns: 75\n");
}

#[test]
fn data_and_functions_stay_objects() {
    agon_testkit::slow!();
    let mut arena =
        Arena::new(new_game::<Amoebas>(&small(30), 1), &[&bad("remembers")], &patient());
    let first = arena.step();
    let blobs = [first[0].data(), first[0].child_data(), first[0].function()];
    let texts = blobs.map(|blob| blob.and_then(Blob::text).unwrap_or_default());
    assert_eq!(texts, ["#agon/object 0", "#agon/object 1", "#agon/object 2"]);
    arena.steps(100_000);
    assert_eq!(arena.faults, []);
    let data: Vec<_> =
        arena.game.position().amoebas.into_iter().filter_map(|amoeba| amoeba.data).collect();
    assert!(data.len() > 5, "{data:?}");
}

#[test]
fn plain_data_are_text_that_others_can_read() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let file = workshop.file(
        "plain.clj",
        "(ns plain)
         (def all [nil 1 -2.5 :home :a/b true \"a \\\"b\\\"\" [1 [2 :x]] {:a 1 :b [2]}
                   #{3} {} [nil]])
         (defn Evam [energy health species env data]
           (let [i (if data (inc (second data)) 0)]
             (when data (assert (= (first data) (all (second data)))))
             {:cmd :rest :data [(all (mod i 12)) (mod i 12)]}))",
    );
    let mut arena = Arena::new(new_game::<Amoebas>(&small(20), 1), &[&file], &patient());
    let mut texts = Vec::new();
    while texts.len() < 12 {
        let answer = arena.step().pop().expect("somebody acts");
        texts.push(answer.data().and_then(Blob::text).expect("it has data").to_owned());
    }
    assert_eq!(arena.faults, []);
    let expected = [
        "[nil 0]",
        "[1 1]",
        "[-2.5 2]",
        "[:home 3]",
        "[:a/b 4]",
        "[true 5]",
        "[\"a \\\"b\\\"\" 6]",
        "[[1 [2 :x]] 7]",
        "[{:a 1 :b [2]} 8]",
        "[#{3} 9]",
        "[{} 10]",
        "[[nil] 11]",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn data_of_a_position_set_up_by_hand_are_read_as_edn() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let file = workshop.file(
        "reads.clj",
        "(ns reads)
         (defn Evam [energy health species env data]
           (assert (= {:home [1 2]} data))
           (assert (= [:bot-1 \"as bytes\"] ((juxt :species :data) (:occupant (env [1 0])))))
           {:cmd :rest :data data})",
    );
    let rules = small(1);
    let mut position = new_game::<Amoebas>(&rules, 2).position();
    for (amoeba, (x, data)) in
        position.amoebas.iter_mut().zip([(3, "{:home [1 2]}"), (4, "as bytes")])
    {
        (amoeba.x, amoeba.y, amoeba.data) = (x, 3, Some(Blob::from(data)));
        (amoeba.species, amoeba.acted) = (x - 3, x == 4);
    }
    let game = Amoebas::from_position(&rules, Seed(1), position).unwrap();
    let mut arena = Arena::new(game, &[&file, "builtin:mindless"], &patient());
    arena.steps(100);
    let fine = arena.faults.is_empty();
    assert!(fine, "{:?}", arena.faults);
}

#[test]
fn constants_are_those_of_the_match() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let file = workshop.file(
        "constants.clj",
        "(ns constants (:use amoebas.defs amoebas.lib))
         (def twice (* 2 MaxAmoebaEnergy))
         (defn Evam [energy health species env data]
           (assert (= [14 60 7 7 1 9 25]
                      [twice WorldSize energy AttackEnergy ViewDistance (count Environment)
                       (total-fuel (Env-Sections dN) env)]))
           (assert (nil? (env [2 0])))
           {:cmd :rest})",
    );
    let rules = Rules {
        world_size: 60,
        view_distance: 1,
        max_amoeba_energy: 7,
        hit_energy: 7,
        max_cell_energy: 25,
        ..small(1)
    };
    let mut position = new_game::<Amoebas>(&rules, 1).position();
    position.fuel.fill(0);
    let here = (position.amoebas[0].y * 60 + position.amoebas[0].x) as usize;
    position.fuel[here] = 25;
    let mut arena = Arena::new(
        Amoebas::from_position(&rules, Seed(1), position).unwrap(),
        &[&file],
        &patient(),
    );
    arena.steps(100);
    assert_eq!(arena.faults, []);
}

#[test]
fn the_same_seed_gives_the_same_match() {
    agon_testkit::slow!();
    let play = || {
        let bots = [bad("defines"), bad("throws"), bad("remembers")];
        let specs: Vec<&str> = bots.iter().map(String::as_str).collect();
        let mut arena = Arena::new(new_game::<Amoebas>(&small(60), 3), &specs, &patient());
        let mut all = Vec::new();
        while !arena.game.is_over() {
            all.push((arena.step(), arena.game.state_hash()));
        }
        // Only the parts that depend on the machine differ.
        for fault in &mut arena.faults {
            let evidence = std::mem::take(&mut fault.evidence);
            fault.evidence =
                Evidence { cpu_us: None, wall_us: None, peak_memory: None, ..evidence };
        }
        (all, arena.faults)
    };
    let first = play();
    let again = play();
    assert!(first.0.iter().map(|(answers, _)| answers.len()).sum::<usize>() > 500);
    assert!(first.0 == again.0, "the answers differ");
    assert_eq!(first.1, again.1);
}

#[test]
fn a_file_that_does_not_load_is_told_with_its_line() {
    agon_testkit::slow!();
    let syntax = refused(&bad("syntax"));
    assert!(
        syntax.contains("syntax.clj:4:13).\nUnable to resolve symbol: Dirs in this context"),
        "{syntax}"
    );
    let workshop = Workshop::new();
    let exit = refused(&workshop.file("exit.clj", "(ns exit) (System/exit 0)"));
    // With its exit status, if it has ended in time.
    assert!(exit.contains("it calls System/exit while it is loaded"), "{exit}");
    let unbalanced = refused(&bad("unbalanced"));
    assert!(
        unbalanced.contains("unbalanced.clj:5:1).\nEOF while reading, starting at line 3"),
        "{unbalanced}"
    );
}

#[test]
fn a_file_may_begin_with_a_byte_order_mark() {
    agon_testkit::needs_clojure!();
    let workshop = Workshop::new();
    let file = workshop.file(
        "marked.clj",
        "\u{feff}(ns marked.deep) (defn Evam [e h s env d] {:cmd :move :dir 3})",
    );
    let mut arena = Arena::new(new_game::<Amoebas>(&small(1), 1), &[&file], &patient());
    assert_eq!(arena.step(), [Answer::step(Dir::E)]);
}

#[test]
fn which_function_plays_has_to_be_clear() {
    agon_testkit::slow!();
    let several = refused(&bad("several"));
    let end = "Name it behind the file, as in `several.clj?fn=hunter`, or call it `Evam`; there \
        are: hunter, grazer";
    assert!(several.ends_with(end), "{several}");
    let wrong = refused(&format!("{}?fn=huntr", bad("several")));
    assert!(
        wrong.ends_with("defines no `huntr`; its functions of five arguments are: hunter, grazer"),
        "{wrong}"
    );
    let factory = refused(&bad("factory"));
    assert!(factory.contains("define one, such as (def Evam (create-grazer ...))"), "{factory}");
    let specs = ["hunter", "grazer"].map(|name| format!("{}?fn={name}", bad("several")));
    let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
    let mut arena = Arena::new(new_game::<Amoebas>(&small(1), 2), &specs, &patient());
    let mut answers = Vec::new();
    while !arena.game.is_over() {
        let players: Vec<_> =
            arena.game.decisions().iter().map(|decision| decision.player.0).collect();
        answers.extend(players.into_iter().zip(arena.step()));
    }
    answers.sort_by_key(|(player, _)| *player);
    assert_eq!(answers, [(0, Answer::step(Dir::N)), (1, Answer::REST)]);
}

#[test]
fn two_versions_of_a_species_play_each_other() {
    agon_testkit::slow!();
    let specs = [
        script("clojure/old/fox.clj"),
        script("clojure/new/fox.clj"),
        bad("lonely"),
        bad("slow_to_load"),
    ];
    let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
    let mut arena = Arena::new(new_game::<Amoebas>(&small(2), 4), &specs, &patient());
    arena.steps(1000);
    assert_eq!(arena.faults, []);
    let position = arena.game.position();
    let data = |species| {
        let amoeba = position.amoebas.iter().find(|amoeba| amoeba.species == species).unwrap();
        amoeba.data.clone()
    };
    assert_eq!(data(0), Some(Blob::from("[:old nil]")));
    assert_eq!(data(1), Some(Blob::from("[:new nil]")));
    assert_eq!(data(2), None);
}

#[test]
fn what_is_missing_is_named_with_the_remedy() {
    let java =
        OpenError::NoJava { java: "java".into(), source: std::io::ErrorKind::NotFound.into() }
            .to_string();
    assert!(
        java.contains("`apt install clojure default-jre-headless`") && java.contains("AGON_JAVA"),
        "{java}"
    );
    let clojure = OpenError::NoClojure.to_string();
    assert!(
        clojure.contains("`apt install clojure`") && clojure.contains("AGON_CLOJURE"),
        "{clojure}"
    );
}

#[test]
fn a_tournament_file_goes_on_after_each_tournament() {
    agon_testkit::needs_clojure!();
    let workshop = Workshop::new();
    let path = workshop.file(
        "two.clj",
        "(ns two (:use amoebas.run amoebas.examples amoebas.util))
         (println \"first\")
         (println (nil? ((tournament {:red mindless \"b l\" mindless-divider} {:red [255 0 -3]}) 5
                         {:csv-stats true :directory \"out\" :graphics nil})))
         (T07 6 nil)
         (System/exit 3)",
    );
    let mut file = Tournaments::open(path.as_ref(), None, &small(1), &patient()).unwrap();
    assert_eq!(file.next_event(), Ok(Event::Say("first\n".to_owned())));
    let Ok(Event::Tournament(call)) = file.next_event() else { panic!("a tournament") };
    let species: Vec<_> =
        call.species.iter().map(|s| (&*s.name, &*s.printed, &*s.text, s.color)).collect();
    assert_eq!(species, [("red", ":red", ":red", Some([255, 0, 0])), ("b l", "b l", "b l", None)]);
    assert_eq!(
        (call.rounds, &*call.directory, call.flags.join(" ")),
        (5, "out", "csv-stats".to_owned())
    );
    let mut arena = Arena::with_bots(new_game::<Amoebas>(&small(5), 2), file.bots(&call));
    arena.steps(1000);
    assert_eq!((arena.faults.len(), arena.game.is_over()), (0, true));
    drop(arena);
    file.over();
    assert_eq!(file.next_event(), Ok(Event::Say("true\n".to_owned())));
    let Ok(Event::Tournament(call)) = file.next_event() else { panic!("another tournament") };
    let names: Vec<&str> = call.species.iter().map(|species| species.name.as_str()).collect();
    assert_eq!((names.len(), names[0], call.rounds), (6, "red", 6));
    assert_eq!(call.species[0].color, Some([255, 0, 0]));
    file.over();
    let end = End { call: Called::NotAsked, functions: Vec::new(), is_species: false };
    assert_eq!(file.next_event(), Ok(Event::End(end)), "it has ended its process");
}

/// Returns the event that follows a file's text and the call of one of its functions.
fn called(text: &str, function: Option<&str>) -> Event {
    let workshop = Workshop::new();
    let call = function.map(|function| Call {
        function: function.to_owned(),
        rounds: 7,
        flags: vec!["csv-stats".to_owned()],
        directory: Some("out".to_owned()),
    });
    let path = workshop.file("cup.clj", text);
    let mut file = Tournaments::open(path.as_ref(), call.as_ref(), &small(1), &patient()).unwrap();
    file.next_event().unwrap()
}

#[test]
fn a_function_of_a_tournament_file_is_called() {
    agon_testkit::slow!();
    let text = "(ns cup (:use amoebas.run amoebas.examples))
        (defn Final \"In one line.\" [n flags] ((tournament {'a mindless 3 mindless})
                                                (/ n 2) flags))
        (defn qualify [f] (tournament {:red f}))
        (def ^:private Secret (tournament {:red mindless}))
        (def Q02 (qualify mindless))
        (def Q01 (qualify mindless))
        (defn create-cup [n flags] nil)";
    let Event::Tournament(call) = called(text, Some("Final")) else { panic!("a tournament") };
    let texts: Vec<_> =
        call.species.iter().map(|species| (&*species.name, &*species.printed)).collect();
    assert_eq!(texts, [("a", "a"), ("3", "3")]);
    assert_eq!(
        (call.rounds, &*call.flags, &*call.directory),
        (3, &["csv-stats".to_owned()][..], "out")
    );
    for (function, names) in
        [("Q01", "red"), ("Secret", "red"), ("amoebas.examples/T04", "red"), ("T04", "red")]
    {
        let Event::Tournament(call) = called(text, Some(function)) else { panic!("{function}") };
        assert_eq!((call.rounds, &*call.species[0].name), (7, names), "{function}");
    }
    let end = |function, text: &str| match called(text, function) {
        Event::End(End { call, functions, is_species }) => (call, functions.join(" "), is_species),
        other => panic!("{other:?}"),
    };
    let known = "Q02 Q01".to_owned();
    assert_eq!(end(None, text), (Called::NotAsked, known.clone(), false));
    assert_eq!(end(Some("Fnal"), text), (Called::Unknown, known.clone(), false));
    assert_eq!(end(Some("no/such"), text), (Called::Unknown, known.clone(), false));
    assert_eq!(end(Some("qualify"), text), (Called::Unfit, known.clone(), false));
    assert_eq!(end(Some("create-cup"), text), (Called::Done, known, false));
    let only =
        "(ns only) (defn play [n flags]) (defn Evam [energy health species env data] {:cmd :rest})";
    assert_eq!(end(None, only), (Called::NotAsked, "play".to_owned(), true));
    assert_eq!(end(Some("Evam"), "(def Evam 1)"), (Called::Unfit, String::new(), false));
    assert_eq!(end(None, ""), (Called::NotAsked, String::new(), false));
}

#[test]
fn a_tournament_file_may_print_as_much_as_it_likes() {
    agon_testkit::needs_clojure!();
    let workshop = Workshop::new();
    let path = workshop.file(
        "loud.clj",
        "(print (apply str (repeat 73728 \\x)))
         (print (apply str (repeat 3000 \"\\ud83d\\ude00\")))
         (print (apply str (repeat 9000 \"\\u0001\")))
         (print \"\\ud83d\")
         (print \"\\ude00|\\ud83d|\")
         (flush)
         (throw (ex-info (apply str (repeat 100000 \\y)) {}))",
    );
    let mut file = Tournaments::open(path.as_ref(), None, &Rules::default(), &patient()).unwrap();
    let mut text = String::new();
    let error = loop {
        match file.next_event() {
            Ok(Event::Say(more)) => text.push_str(&more),
            Ok(other) => panic!("{other:?}"),
            Err(error) => break error,
        }
    };
    let expected =
        [&"x".repeat(73728), &"😀".repeat(3000), &"\u{1}".repeat(9000), "😀|?|"].concat();
    assert!(text == expected, "{} characters of {}", text.len(), expected.len());
    assert!(error.contains("yyy") && error.len() < 10_000, "{error}");
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_file() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let path = workshop.file("mark.clj", "\u{feff}(ns mark)\n(println \"marked\" (ns-name *ns*))");
    assert_eq!(said(&path), "marked mark\n");
    let bare = workshop.file("bare.clj", "\u{feff}(println \"no namespace\")");
    assert_eq!(said(&bare), "no namespace\n");
    let species = "\u{feff}(defn Evam [energy health species env data] {:cmd :rest})";
    open::<Amoebas>(&spec(&workshop.file("fox.clj", species)), &patient()).unwrap();
}

#[test]
fn what_no_tournament_takes_is_refused_with_words() {
    agon_testkit::slow!();
    for (call, words) in [
        ("((tournament {:red mindless}) :ten {})", "takes a number of rounds and flags, not :ten"),
        ("((tournament {:red mindless}) nil nil)", "takes a number of rounds and flags, not nil"),
    ] {
        let workshop = Workshop::new();
        let path = workshop
            .file("odd.clj", &format!("(ns odd (:use amoebas.run amoebas.examples)) {call}"));
        let mut file = Tournaments::open(path.as_ref(), None, &small(1), &patient()).unwrap();
        let error = file.next_event().unwrap_err();
        assert!(error.contains(words), "{error}");
    }
    let odd = "(ns odd (:use amoebas.run amoebas.examples))
        ((tournament {:red mindless, :blue mindless} {:red [1/2 300 -1], :blue [:x 1 2]}) -2.5 \
        {:directory nil})";
    let Event::Tournament(call) = called(odd, None) else { panic!("a tournament") };
    let colors: Vec<_> = call.species.iter().map(|species| species.color).collect();
    assert_eq!((call.rounds, &*call.directory, colors), (0, ".", vec![Some([0, 255, 0]), None]));
}

#[test]
fn the_plain_engine_plays_by_the_same_rules() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    // Two species whose decisions do not depend on the order of a round.
    let path = workshop.file(
        "plain.clj",
        "(ns plain (:use amoebas.defs amoebas.run) (:require [amoebas.simulation :as s]))
         (defn grows [energy health species env data]
           (if (< energy 60) {:cmd :rest :data :r} {:cmd :divide :dir 3 :child-data :c}))
         (defn wanders [energy health species env data] {:cmd :move :dir 5})
         (defn amoeba [species function]
           {:function function :species species :energy 100 :health 10 :data nil})
         (let [world (ref (s/create-world 100))
               population (ref {[3 3] (amoeba :grows grows) [99 99] (amoeba :wanders wanders)})]
           (dotimes [_ 8] (step-all-and-set world population))
           (println (step-all-and-set world population))
           (println (apply + @world)))",
    );
    let rules = Rules { rounds: 9, ..Rules::default() };
    let mut position = new_game::<Amoebas>(&rules, 2).position();
    for (amoeba, at) in position.amoebas.iter_mut().zip([3, 99]) {
        (amoeba.x, amoeba.y, amoeba.species) = (at, at, u32::from(at == 99));
    }
    let file = workshop.file(
        "both.clj",
        "(ns both)
         (defn grows [energy health species env data]
           (if (< energy 60) {:cmd :rest :data :r} {:cmd :divide :dir 3 :child-data :c}))
         (defn wanders [energy health species env data] {:cmd :move :dir 5})",
    );
    let specs = ["grows", "wanders"].map(|name| format!("{file}?fn={name}"));
    let game = Amoebas::from_position(&rules, Seed(1), position).unwrap();
    let mut arena = Arena::new(game, &[&specs[0], &specs[1]], &patient());
    arena.steps(100_000);
    let population = arena.game.population();
    let fuel = arena.game.fuel();
    let told = format!(
        "{{:size {{:grows {}, :wanders {}}}, :energy {{:grows {}, :wanders {}}}, :live-species \
         (:grows :wanders)}}\n{}\n",
        population.size[0],
        population.size[1],
        population.energy[0],
        population.energy[1],
        fuel.map(u64::from).sum::<u64>()
    );
    assert_eq!(said(&path), told);
}
