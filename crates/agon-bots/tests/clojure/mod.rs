//! Tests of species in Clojure: their views, their rights, and species that misbehave.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod apart;
mod bad;
mod jvm;
mod tournament;

use std::{path::PathBuf, time::Duration};

use agon_bots::clojure::{Event, Tournaments};
use agon_bots::{Bot, Clock, HostOptions, open};
use agon_core::{Blob, Evidence, FaultKind, Game, Seed};
use agon_games::amoebas::{Amoebas, Answer, Dir, Position, Rules};
use agon_games::{GameId, any::AnyGame};

use crate::common::{AGES, Arena, Workshop, assert_gone, new_game, script, spec, within};

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

/// Returns the settings of a match with so many rounds.
///
/// The world has its usual size: for another one each JVM starts twice, which takes seconds.
fn lasting(rounds: u32) -> Rules {
    Rules { rounds, ..Rules::default() }
}

/// Writes a species whose function does this, and returns its path.
fn species(workshop: &Workshop, name: &str, body: &str) -> String {
    let text = format!("(ns {name})\n(defn Evam [energy health species env data]\n  {body})");
    workshop.file(&format!("{name}.clj"), text)
}

/// Makes a match at this point.
fn game_at(rules: &Rules, position: Position) -> AnyGame {
    AnyGame::of(Amoebas::from_position(rules, Seed(1), position).unwrap())
}

/// Returns a new match of so many species, to be changed.
fn new_position(rules: &Rules, species: usize) -> Position {
    position(&new_game::<Amoebas>(rules, species))
}

fn position(game: &AnyGame) -> Position {
    game.of_game::<Amoebas>().position()
}

/// Plays a whole match of these bots.
fn play(rounds: u32, bots: &[&str], options: &HostOptions) -> Arena {
    let game = new_game::<Amoebas>(&lasting(rounds), bots.len());
    let mut arena = Arena::new(game, bots, options);
    arena.steps(100_000);
    assert!(arena.game.is_over());
    arena
}

/// Plays a match of one of the bad species and a good one, which survives. Where each has a JVM of
/// its own, the good one needs none.
#[track_caller]
fn beside_a_good_one(name: &str, rounds: u32, clock: Clock, share_jvm: bool) -> Arena {
    let options = HostOptions { share_jvm, ..options(clock) };
    let good = if share_jvm { bad("defines") } else { "builtin:mindless-divider".to_owned() };
    let arena = play(rounds, &[&bad(name), &good], &options);
    let population = arena.game.of_game::<Amoebas>().population();
    assert!(population.size[1] > 5, "the good one lives: {population:?}");
    arena
}

/// Returns the message of a species that cannot be opened.
#[track_caller]
fn refused(text: &str) -> String {
    open(GameId::Amoebas.kind(), &spec(text), &patient()).err().expect("it is refused").to_string()
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
    let game = new_game::<Amoebas>(&lasting(30), 1);
    let mut arena = Arena::new(game, &[&bad("remembers")], &patient());
    let first = arena.answers::<Amoebas>();
    let blobs = [first[0].data(), first[0].child_data(), first[0].function()];
    let texts = blobs.map(|blob| blob.and_then(Blob::text).unwrap_or_default());
    assert_eq!(texts, ["#agon/object 0", "#agon/object 1", "#agon/object 2"]);
    arena.steps(100_000);
    assert_eq!(arena.faults, []);
    let data: Vec<_> =
        position(&arena.game).amoebas.into_iter().filter_map(|amoeba| amoeba.data).collect();
    assert!(data.len() > 5, "{data:?}");
}

#[test]
fn what_clojure_takes_for_false_is_no_function_and_stays_itself() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let file = species(
        &workshop,
        "falsy",
        "(cond (nil? data) {:cmd :divide :dir 2 :function false :data :parent :child-data false}
               (= :parent data) {:cmd :rest :data data}
               data {:cmd :rest :data false}
               :else {:cmd :rest :data (Boolean. false)})",
    );
    let arena = play(4, &[&file], &patient());
    assert_eq!(arena.faults, []);
    let position = position(&arena.game);
    let data = position.amoebas.iter().filter_map(|amoeba| amoeba.data.as_ref()?.text());
    let mut data: Vec<_> = data.collect();
    data.sort_unstable();
    // Only the value `false` counts as false, not every object of its class.
    assert_eq!(data, ["#agon/object 1", ":parent"]);
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
    let mut arena = Arena::new(new_game::<Amoebas>(&lasting(20), 1), &[&file], &patient());
    let mut texts = Vec::new();
    while texts.len() < 12 {
        let answer = arena.answers::<Amoebas>().pop().expect("somebody acts");
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
    let file = species(
        &workshop,
        "reads",
        "(assert (= {:home [1 2]} data))
         (assert (= [:bot-1 \"as bytes\"] ((juxt :species :data) (:occupant (env [1 0])))))
         {:cmd :rest :data data}",
    );
    let rules = lasting(1);
    let mut position = new_position(&rules, 2);
    for (amoeba, (x, data)) in
        position.amoebas.iter_mut().zip([(3, "{:home [1 2]}"), (4, "as bytes")])
    {
        (amoeba.x, amoeba.y, amoeba.data) = (x, 3, Some(Blob::from(data)));
        (amoeba.species, amoeba.acted) = (x - 3, x == 4);
    }
    let game = game_at(&rules, position);
    let mut arena = Arena::new(game, &[&file, "builtin:mindless"], &patient());
    arena.steps(100);
    assert_eq!(arena.faults, []);
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
        ..lasting(1)
    };
    let mut position = new_position(&rules, 1);
    position.fuel.fill(0);
    let here = (position.amoebas[0].y * 60 + position.amoebas[0].x) as usize;
    position.fuel[here] = 25;
    let mut arena = Arena::new(game_at(&rules, position), &[&file], &patient());
    arena.steps(100);
    assert_eq!(arena.faults, []);
}

#[test]
fn the_same_seed_gives_the_same_match() {
    agon_testkit::slow!();
    let play = || {
        let bots = [bad("defines"), bad("throws"), bad("remembers")];
        let specs: Vec<&str> = bots.iter().map(String::as_str).collect();
        let mut arena = Arena::new(new_game::<Amoebas>(&lasting(60), 3), &specs, &patient());
        let mut all = Vec::new();
        while !arena.game.is_over() {
            all.push((arena.answers::<Amoebas>(), arena.game.state_hash()));
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
fn a_species_that_ends_itself_while_it_is_loaded_stops_no_match() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let exit = workshop.file("exit.clj", "(ns exit) (System/exit 0)");
    let options = HostOptions { loaded_before: true, ..patient() };
    let arena = play(2, &[&exit, "builtin:mindless"], &options);
    let faults: Vec<_> = arena.faults.iter().map(|fault| (fault.player.0, fault.kind)).collect();
    assert_eq!(faults, [(0, FaultKind::Start)]);
    assert!(arena.faults[0].detail.contains("calls System/exit"), "{:?}", arena.faults[0]);
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
    let mut arena = Arena::new(new_game::<Amoebas>(&lasting(1), 2), &specs, &patient());
    let mut answers = Vec::new();
    while !arena.game.is_over() {
        let players: Vec<_> =
            arena.game.decisions().iter().map(|decision| decision.player.0).collect();
        answers.extend(players.into_iter().zip(arena.answers::<Amoebas>()));
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
    let arena = play(2, &specs, &patient());
    assert_eq!(arena.faults, []);
    let position = position(&arena.game);
    let data = |species| {
        let amoeba = position.amoebas.iter().find(|amoeba| amoeba.species == species).unwrap();
        amoeba.data.clone()
    };
    assert_eq!(data(0), Some(Blob::from("[:old nil]")));
    assert_eq!(data(1), Some(Blob::from("[:new nil]")));
    assert_eq!(data(2), None);
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
    let mut position = new_position(&rules, 2);
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
    let game = game_at(&rules, position);
    let mut arena = Arena::new(game, &[&specs[0], &specs[1]], &patient());
    arena.steps(100_000);
    let game = arena.game.of_game::<Amoebas>();
    let population = game.population();
    let fuel = game.fuel();
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
