//! Tests of species in separate JVMs: what they see of each other, and how they are protected.

use std::{collections::BTreeSet, time::Instant};

use agon_bots::{BatchPart, Level, Progress, SandboxOptions};
use agon_core::{Fault, runs_by_player};
use agon_games::any::{AnswersMut, AnyAnswers};

use super::*;

/// Returns options as for a real match: each species sees its own folder.
fn confined(clock: Clock) -> HostOptions {
    let sandbox = SandboxOptions { level: Level::Default, ..SandboxOptions::default() };
    HostOptions { sandbox, ..options(clock) }
}

/// Makes a world with species at (3, 3), (4, 3) and so on.
fn side_by_side(rounds: u32, species: u32) -> AnyGame {
    let rules = lasting(rounds);
    let mut position = new_position(&rules, species as usize);
    for (amoeba, x) in position.amoebas.iter_mut().zip(3..) {
        (amoeba.x, amoeba.y, amoeba.species) = (x, 3, x - 3);
    }
    game_at(&rules, position)
}

#[test]
fn plain_values_cross_and_everything_else_is_opaque() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let shows = workshop.file(
        "shows.clj",
        "(ns shows)
         (def things [{:a [1 'b \"c\\n\"] :d #{nil}} (atom 1) (atom 2)])
         (defn Evam [energy health species env data]
           {:cmd :rest :data (if (= data (things 0)) (things 1) (things 0))})",
    );
    let looks = workshop.file(
        "looks.clj",
        "(ns looks)
         (def seen (atom #{}))
         (defn message [f & args] (try (apply f args) (catch Exception e (.getMessage e))))
         (defn Evam [energy health species env data]
           (let [o (:occupant (env [-1 0])), d (:data o), f (:function o)]
             (assert (= :bot-0 (:species o)))
             (when d
               (swap! seen conj d)
               (assert (or (= d {:a [1 'b \"c\\n\"] :d #{nil}})
                           (and (= d (:data (:occupant (env -1 0)))) (= (hash d) (hash d))
                                (not= d f)
                                (.contains (message d) \"cannot be called here\"))) (pr-str d)))
             (assert (= f (:function (:occupant (env [-1 0])))))
             (assert (.contains (message f energy health species env data)
                                \"which lives in a JVM of its own\"))
             (assert (< (count @seen) 3) (pr-str @seen))
             (if (= 30 (count (:steps data)))
               {:cmd :divide :dir 4 :function f}
               {:cmd :rest :data {:steps (conj (:steps data []) 1) :theirs d}})))",
    );
    let mut arena = Arena::new(side_by_side(33, 2), &[&shows, &looks], &patient());
    arena.steps(1000);
    let fault = &arena.faults[0];
    assert_eq!((fault.kind, fault.player.0), (FaultKind::Garbage, 1), "{:?}", arena.faults);
    assert_eq!(
        fault.detail,
        ":function is that of another species, which lives in a JVM of its own"
    );
}

#[test]
fn equal_texts_stand_for_equal_values() {
    agon_testkit::slow!();
    assert_eq!(said(&bad("fuzz")), "as many as there have to be\n");
}

/// Two species carry data that print alike, in one JVM and in two.
#[test]
fn data_that_print_alike_are_not_mistaken_for_each_other() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let species = |name: &str, data: &str| {
        let text = format!(
            "(ns {name})
             (def mine {data})
             (defn Evam [energy health species env data]
               (assert (or (nil? data) (= data mine)) (pr-str data))
               {{:cmd :rest :data mine}})"
        );
        workshop.file(&format!("{name}.clj"), &text)
    };
    let files = [
        species("forger", "{(keyword \"caste :scout :dir 3 :steps\") 12}"),
        species("scout", "{:caste :scout :dir 3 :steps 12}"),
        species("half", "[\"\\ud800\"]"),
        species("mark", "[\"?\"]"),
        species("symbolic", "[(symbol \"1\") (symbol \"nil\")]"),
        species("number", "[1 nil]"),
    ];
    let specs: Vec<&str> = files.iter().map(String::as_str).collect();
    for share_jvm in [true, false] {
        let options = HostOptions { share_jvm, ..patient() };
        let mut arena = Arena::new(side_by_side(6, 6), &specs, &options);
        arena.steps(1000);
        assert_eq!(arena.faults, [], "shared: {share_jvm}");
        assert!(arena.into_bots().iter().all(|bot| bot.shares_process() == share_jvm));
    }
}

/// Both wait for the reply of their JVM, and the second one takes it before anybody waits.
#[test]
fn in_one_jvm_nobody_waits_for_a_reply_that_another_has_taken() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let sleeper = |name| species(&workshop, name, "(Thread/sleep 500) {:cmd :rest}");
    // Without an answer it would take more than five times this.
    let options = HostOptions { share_jvm: true, ..options(Clock::cpu(AGES / 4)) };
    // Far enough apart to be asked in the same step.
    let rules = lasting(1);
    let apart = 5;
    let mut position = new_position(&rules, 2);
    for amoeba in &mut position.amoebas {
        (amoeba.x, amoeba.y) = (apart * amoeba.species, 0);
    }
    let arena =
        Arena::new(game_at(&rules, position), &[&sleeper("first"), &sleeper("second")], &options);
    let game = arena.game.clone();
    let mut bots = arena.into_bots();
    let mut faults = Vec::new();
    let decisions = game.decisions();
    let runs: Vec<_> = runs_by_player(decisions).collect();
    assert_eq!(runs.len(), 2);
    let part = |at: usize| {
        let (player, range) = runs[at].clone();
        BatchPart { game: &game, step: 0, player, decisions: &decisions[range] }
    };
    let mut answers = [0, 1].map(|_| AnyAnswers::of::<Amoebas>(vec![Answer::default()]));
    bots.iter_mut().enumerate().for_each(|(at, bot)| bot.prepare(part(at), &mut faults));
    bots.iter_mut().enumerate().for_each(|(at, bot)| bot.ask(part(at), &mut faults));
    let Progress::Waits(wait) = bots[0].collect(part(0), answers[0].as_mut(), &mut faults) else {
        panic!("nobody answers that soon");
    };
    bots[1].finish(part(1), answers[1].as_mut(), &mut faults);
    let start = Instant::now();
    wait.wait();
    assert!(start.elapsed() < AGES);
    let progress = bots[0].collect(part(0), answers[0].as_mut(), &mut faults);
    assert!(matches!(progress, Progress::Done), "{progress:?}");
    let rest = [0, 1].map(|_| AnyAnswers::of::<Amoebas>(vec![Answer::REST]));
    assert_eq!((answers, faults), (rest, vec![]));
}

/// Whoever waits for a reply sleeps until something comes, in each turn.
#[test]
fn nobody_looks_again_and_again_for_a_reply() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let slow = species(&workshop, "slow", "(Thread/sleep 30) {:cmd :rest}");
    let game = new_game::<Amoebas>(&lasting(20), 2);
    let arena = Arena::new(game, &[&slow, "builtin:random"], &options(Clock::cpu(AGES)));
    let mut game = arena.game.clone();
    let mut bot = arena.into_bots().remove(0);
    let mut turns = 0;
    let mut waits = 0;
    for step in 0.. {
        let decisions = game.decisions().to_vec();
        if decisions.is_empty() {
            break;
        }
        let mut answers = AnyAnswers::of::<Amoebas>(vec![Answer::default(); decisions.len()]);
        let mut faults = Vec::new();
        for (player, range) in runs_by_player(&decisions).filter(|(player, _)| player.0 == 0) {
            let part =
                BatchPart { game: &game, step, player, decisions: &decisions[range.clone()] };
            bot.prepare(part, &mut faults);
            bot.ask(part, &mut faults);
            turns += 1;
            let mut own = answers.part_mut(range);
            while let Progress::Waits(wait) = bot.collect(part, own.reborrow(), &mut faults) {
                waits += 1;
                wait.wait();
            }
        }
        assert_eq!(faults, []);
        game.step(&answers);
    }
    // The reply may come in pieces.
    assert!(turns >= 20 && waits <= 3 * turns, "{waits} waits in {turns} turns");
}

#[test]
fn the_folders_of_others_are_closed() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let folder = |name: &str| {
        std::fs::create_dir(workshop.path(name)).unwrap();
        workshop.path(name)
    };
    let own = folder("own");
    let others = folder("others");
    let secret = others.join("secret.txt");
    std::fs::write(&secret, "a plan").unwrap();
    std::fs::write(own.join("note.txt"), "mine").unwrap();
    let text = format!(
        "(ns reads)
         (defn Evam [energy health species env data]
           {{:cmd :rest :data (mapv #(try (slurp %) (catch Exception _ :closed)) [{:?} {:?}])}})",
        own.join("note.txt"),
        secret
    );
    std::fs::write(own.join("reads.clj"), text).unwrap();
    std::fs::write(others.join("other.clj"), "(ns other) (defn Evam [e h s env d] {:cmd :rest})")
        .unwrap();
    let specs =
        [own.join("reads.clj"), others.join("other.clj")].map(|path| path.display().to_string());
    let mut arena =
        Arena::new(side_by_side(1, 2), &[&specs[0], &specs[1]], &confined(Clock::cpu(AGES)));
    arena.steps(100);
    assert_eq!(arena.faults, []);
    let amoebas = position(&arena.game).amoebas;
    let reader = amoebas.iter().find(|amoeba| amoeba.species == 0).unwrap();
    assert_eq!(reader.data, Some(Blob::from("[\"mine\" :closed]")));
}

/// A species sees the folder that its namespace is found from, unless another bot is there.
#[test]
fn a_namespace_opens_no_folder_of_others() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    for folder in ["bots", "bots/fox", "bots/hen"] {
        std::fs::create_dir(workshop.path(folder)).unwrap();
    }
    let note = workshop.path("bots/hen/note.txt");
    std::fs::write(&note, "a plan").unwrap();
    let reads = format!(
        "(ns fox.core)
         (defn Evam [energy health species env data]
           {{:cmd :rest :data (try (slurp {note:?}) (catch Exception _ :closed))}})"
    );
    let fox = workshop.file("bots/fox/core.clj", &reads);
    let hen =
        workshop.file("bots/hen/core.clj", "(ns hen.core) (defn Evam [e h s env d] {:cmd :rest})");
    let seen = |specs: &[&str]| {
        let game = side_by_side(1, u32::try_from(specs.len()).unwrap());
        let mut arena = Arena::new(game, specs, &confined(Clock::cpu(AGES)));
        arena.steps(100);
        assert_eq!(arena.faults, []);
        let amoebas = position(&arena.game).amoebas;
        let fox = amoebas.into_iter().find(|amoeba| amoeba.species == 0).unwrap();
        fox.data
    };
    assert_eq!(seen(&[&fox]), Some(Blob::from("\"a plan\"")));
    assert_eq!(seen(&[&fox, &hen]), Some(Blob::from(":closed")));
}

/// Also in the sandbox, where it must have the same name.
#[test]
fn a_jvm_starts_from_an_archive_of_classes() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let file = workshop.file(
        "maps.clj",
        "(ns maps (:import (java.nio.file Files Paths)))
         (def maps (String. (Files/readAllBytes
                             (Paths/get \"/proc/self/maps\" (make-array String 0)))))
         (defn Evam [energy health species env data]
           {:cmd :rest :data (boolean (re-find #\"/clojure-[0-9a-f]+/[0-9a-f]+\\.jsa\" maps))})",
    );
    let game = new_game::<Amoebas>(&lasting(1), 1);
    let mut arena = Arena::new(game, &[&file], &confined(Clock::cpu(AGES)));
    let answers = arena.answers::<Amoebas>();
    assert_eq!(answers[0].data(), Some(&Blob::from("true")), "{:?}", arena.faults);
}

/// Actions of a species that are meant to make others lose, and after which it plays on.
const LASTING: [(&str, &str); 11] = [
    ("floods", "(dotimes [_ 100] (println (apply str (repeat 1000 \"x\"))))"),
    (
        "hooks",
        "(.addShutdownHook (Runtime/getRuntime) (Thread. #(while true)))
         (Thread/setDefaultUncaughtExceptionHandler
           (reify Thread$UncaughtExceptionHandler (uncaughtException [_ _ _] (System/exit 1))))",
    ),
    ("lib", "(alter-var-root #'amoebas.lib/empty-neighbors (constantly (fn [_] [0 1 2])))"),
    ("litters", "(dotimes [_ 200] (byte-array 1000000))"),
    (
        "loaders",
        "(.setContextClassLoader (Thread/currentThread) nil)
         (alter-var-root #'clojure.core/*data-readers* (constantly nil))
         (alter-var-root #'clojure.core/load (constantly (fn [& _] nil)))",
    ),
    (
        "properties",
        "(System/setProperty \"user.dir\" \"/\") (System/setOut nil) (System/setErr nil)
         (System/setIn nil) (System/setProperty \"line.separator\" \"]\")
         (java.util.Locale/setDefault (java.util.Locale. \"tr\" \"TR\"))",
    ),
    ("redefines", "(intern (create-ns 'victim) 'Evam (fn [& _] (throw (Error.))))"),
    ("removes", "(remove-ns 'amoebas.lib) (remove-ns 'victim)"),
    (
        "seeds",
        "(alter-var-root #'clojure.core/rand-int (constantly (fn [n] 0))) (agon.chance/seed! \
        0)",
    ),
    ("tables", "(dotimes [i 9] (agon.objects/drop! i))"),
    ("unmaps", "(ns-unmap 'amoebas.lib 'Neighbors) (ns-unmap 'clojure.core 'assoc)"),
];

/// More such actions, which may put the species itself out.
const ATTACKS: [(&str, &str); 17] = [
    ("core", "(alter-var-root #'clojure.core/assoc (constantly (fn [& _] {})))"),
    ("host", "(alter-var-root #'agon.decide/decide! (constantly (fn [& _] (throw (Error.)))))"),
    ("interrupts", "(doseq [^Thread t (keys (Thread/getAllStackTraces))] (.interrupt t))"),
    ("stops", "(doseq [^Thread t (keys (Thread/getAllStackTraces))] (.stop t))"),
    (
        "locks",
        "(doseq [x [clojure.lang.RT String Object @#'agon.objects/tables (find-ns 'clojure.core)]]
           (doto (Thread. #(locking x (Thread/sleep 1000000000))) (.setDaemon true) (.start)))",
    ),
    (
        "deadlocks",
        "(doseq [[a b] [[clojure.lang.RT String] [String clojure.lang.RT]]]
           (doto (Thread. #(locking a (Thread/sleep 10) (locking b (Thread/sleep 1000000000)))) \
           (.start)))",
    ),
    ("burns", "(dotimes [_ 20] (doto (Thread. #(while true)) (.setDaemon true) (.start)))"),
    ("hoards", "(def held (atom [])) (swap! held into (repeatedly 40 #(byte-array 1000000)))"),
    ("exits", "(System/exit 0)"),
    ("halts", "(.halt (Runtime/getRuntime) 0)"),
    (
        "pipes",
        "(doseq [fd [1 2 3 4]] (spit (str \"/proc/self/fd/\" fd) \"[\\\"done\\\",7,8]\\n\" :append \
         true))",
    ),
    (
        "printers",
        "(defmethod print-method Object [x out] (loop [] (recur)))
         (defmethod print-method clojure.lang.Keyword [x out] (throw (Error.)))",
    ),
    (
        "namespaces",
        "(alter-var-root #'*ns* (constantly nil)) (alter-var-root #'*out* (constantly \
        nil))",
    ),
    ("agents", "(dotimes [_ 20] (send-off (agent 0) (fn [_] (while true)))) (shutdown-agents)"),
    ("futures", "(dotimes [_ 200] (future (Thread/sleep 1000000000)))"),
    (
        "kills",
        "(.forEach (java.lang.ProcessHandle/allProcesses)
           (reify java.util.function.Consumer
             (accept [_ p] (.destroyForcibly ^java.lang.ProcessHandle p))))",
    ),
    ("strikes", "(java.util.Arrays/fill ^longs (:strikes @agon.seats/state) Long/MAX_VALUE)"),
];

/// Uses things that others could have damaged, and draws random numbers.
const VICTIM: &str = "(ns victim (:use amoebas.lib amoebas.defs)
                             (:require [clojure.string :as string]))
    (def counted (atom 0))
    (defn Evam [energy health species env data]
      (swap! counted inc)
      (assert (= {:a 1 :b 2} (assoc {:a 1} :b 2)))
      (assert (= [8 8] [(count Neighbors) (count Dirs)]))
      (assert (= \"A,B\" (string/upper-case (string/join \",\" [\"a\" \"b\"]))))
      (assert (= 5 @(future (inc 4))))
      (assert (or (nil? data) (= :mine (:whose data))) (pr-str data))
      (let [free (empty-neighbors env)]
        (assert (every? #(nil? (:occupant (env (Neighbors %)))) free))
        (if (and (seq free) (< MinDivideEnergy energy))
          {:cmd :divide :dir (rand-nth free) :data {:whose :mine}
           :child-data {:whose :mine :n (rand-int 9)}}
          {:cmd :rest :data {:whose :mine :energy energy}})))";

/// Always rests.
struct Rests;

impl Bot for Rests {
    fn collect(
        &mut self,
        _: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        _: &mut Vec<Fault>,
    ) -> Progress {
        answers.of_game::<Amoebas>().fill(Answer::REST);
        Progress::Done
    }
}

/// Returns the answers of the victim, which is the first bot, in a match, and what others carry.
fn deeds(arena: &mut Arena) -> (Vec<Vec<Answer>>, BTreeSet<String>) {
    let mut all = Vec::new();
    let mut others = BTreeSet::new();
    while !arena.game.is_over() {
        let victims: Vec<bool> =
            arena.game.decisions().iter().map(|decision| decision.player.0 == 0).collect();
        let answers = arena.answers::<Amoebas>().into_iter().zip(victims);
        let (own, rest): (Vec<_>, Vec<_>) = answers.partition(|(_, is_victim)| *is_victim);
        all.push(own.into_iter().map(|(answer, _)| answer).collect());
        let texts = rest.iter().filter_map(|(answer, _)| answer.data()?.text());
        others.extend(texts.map(str::to_owned));
    }
    (all, others)
}

/// Each attack is tried with the usual options. Most attackers try two, one after another.
///
/// An attacker that is out rests. So the victim must do exactly the same as among bots that rest.
#[test]
fn no_species_can_make_another_one_lose() {
    agon_testkit::slow!();
    let clock = Clock::cpu(Duration::from_millis(150));
    let workshop = Workshop::new();
    let options = confined(clock);
    let write = |name: &str, text: &str| {
        std::fs::create_dir(workshop.path(name)).unwrap();
        workshop.file(&format!("{name}/{name}.clj"), text)
    };
    let victim = write("victim", VICTIM);
    let peace = {
        let mut bots = vec![open(GameId::Amoebas.kind(), &spec(&victim), &options).unwrap()];
        bots.extend(ATTACKS.map(|_| Box::new(Rests) as Box<dyn Bot>));
        let mut arena = Arena::with_bots(new_game::<Amoebas>(&lasting(10), bots.len()), bots);
        let (peace, _) = deeds(&mut arena);
        assert_eq!(arena.faults, []);
        peace
    };
    assert!(peace.iter().map(Vec::len).sum::<usize>() > 30, "the victim has something to lose");

    let mut pairs = Vec::new();
    let mut specs = vec![victim];
    for (at, (name, attack)) in ATTACKS.into_iter().enumerate() {
        let (first_name, first) = LASTING.get(at).copied().unwrap_or(("nothing", "nil"));
        let pair = format!("{first_name} and {name}");
        let text = format!(
            "(ns attacker (:require agon.host amoebas.lib))
             (def asked (atom 0))
             (defn Evam [energy health species env data]
               (swap! asked inc)
               (when (and (< 1 @asked) (not= 3 @asked)) (try {first} (catch Throwable _)))
               (when (< 3 @asked) {attack})
               {{:cmd :rest :data (str \"{pair} \" @asked)}})"
        );
        specs.push(write(name, &text));
        pairs.push(pair);
    }
    let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
    // As in a real match, their JVMs start side by side.
    let mut arena = Arena::new(new_game::<Amoebas>(&lasting(10), specs.len()), &specs, &options);
    let (war, carried) = deeds(&mut arena);
    for pair in pairs {
        let third = format!("{pair} 3");
        let is_there = carried.iter().any(|text| text.contains(&third));
        assert!(is_there, "the first attack of {pair} prevents the second: {:#?}", arena.faults);
    }
    let faults: Vec<_> = arena.faults.iter().filter(|fault| fault.player.0 == 0).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let others = &arena.faults;
    assert!(war == peace, "the victim does something else: {others:#?}");
}
