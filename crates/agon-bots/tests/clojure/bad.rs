//! Tests of species that throw, loop, hoard memory, exit, print or answer nonsense.

use super::*;

#[test]
fn an_exception_costs_its_decision() {
    agon_testkit::slow!();
    for (name, detail) in [
        ("throws", "clojure.lang.ExceptionInfo: hungry, at throws/Evam (throws.clj:7)"),
        ("overflows", "java.lang.StackOverflowError, at overflows/deep (overflows.clj:3)"),
    ] {
        let arena = beside_a_good_one(name, 30, Clock::cpu(AGES), false);
        let fault = &arena.faults[0];
        assert_eq!((&*fault.detail, fault.count), (detail, 1));
        assert!(fault.evidence.unit.is_some());
        for fault in &arena.faults {
            assert_eq!((fault.kind, fault.player.0), (FaultKind::Exception, 0), "{fault:?}");
        }
        assert!(name == "throws" || arena.faults.len() == 30, "one a round");
    }
}

#[test]
fn the_fourth_loop_or_lack_of_memory_puts_the_species_out() {
    agon_testkit::slow!();
    let soon = Clock::cpu(Duration::from_millis(50));
    for (name, clock, kind, start) in [
        ("loops", soon, FaultKind::Timeout, "no answer: "),
        ("hog", Clock::cpu(AGES), FaultKind::Memory, "java.lang.OutOfMemoryError"),
    ] {
        let arena = beside_a_good_one(name, 30, clock, false);
        let kinds: Vec<_> = arena.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, [kind; 4]);
        let first = &arena.faults[0];
        assert!(first.detail.starts_with(start), "{}", first.detail);
        if name == "loops" {
            assert!(first.detail.contains(", at loops/Evam (loops.clj:"), "{}", first.detail);
            assert_eq!(first.evidence.stderr_tail, "thinking\n");
        }
        let last = &arena.faults[3].detail;
        assert!(last.ends_with("it stays out from now on"), "{last}");
    }
}

#[test]
fn a_thread_that_cannot_be_stopped_is_given_up() {
    agon_testkit::slow!();
    let arena = beside_a_good_one("stubborn", 30, Clock::cpu(Duration::from_millis(50)), false);
    let fault = arena.expect(FaultKind::Timeout);
    assert!(fault.detail.ends_with("and it stays out from now on"), "{}", fault.detail);
}

/// In a shared JVM the hog keeps the contents of its vars. The next victim has to learn the reason.
#[test]
fn who_shares_memory_with_a_hog_is_told_so() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let hog = workshop.file(
        "keeps.clj",
        "(ns keeps)
         (def kept (atom []))
         (defn Evam [energy health species env data]
           (swap! kept into (repeatedly 20 #(byte-array 1000000)))
           {:cmd :rest})",
    );
    let modest = species(&workshop, "modest", "(byte-array 1000000) {:cmd :rest}");
    let options = HostOptions { share_jvm: true, ..patient() };
    let arena = play(100, &[&hog, &modest], &options);
    let facts: Vec<_> = arena.faults.iter().map(|fault| (fault.kind, fault.player.0)).collect();
    assert_eq!(facts, [(FaultKind::Memory, 0), (FaultKind::Memory, 1)], "{:#?}", arena.faults);
    let because =
        "; :bot-0 was put out because of memory before, and all species share a JVM; 1 of 1";
    assert!(arena.faults[1].detail.contains(because), "{:#?}", arena.faults);
}

/// The load of the hoarder's amoeba fills the memory, so others and the arena's own code lack it.
#[test]
fn a_hoarder_is_put_out_and_exits_end_nobody_else() {
    agon_testkit::slow!();
    for share_jvm in [false, true] {
        for (name, kind) in [("hoarder", FaultKind::Memory), ("exits", FaultKind::Crash)] {
            let arena = beside_a_good_one(name, 100, Clock::cpu(AGES), share_jvm);
            for fault in &arena.faults {
                assert_eq!((fault.kind, fault.player.0), (kind, 0), "{fault:?}");
            }
            let detail = &arena.faults.last().unwrap().detail;
            assert!(name != "exits" || share_jvm || arena.faults.len() == 1, "{:?}", arena.faults);
            let exit = "it called System/exit, at exits/Evam (exits.clj:4); 1 of 1";
            assert!(name != "exits" || share_jvm || detail.starts_with(exit), "{detail}");
            let out = "it stays out from now on";
            assert!(name == "exits" || share_jvm || detail.ends_with(out), "{detail}");
        }
    }
}

/// Threads of a species print while another species is asked, one of them without flushing.
#[test]
fn in_one_jvm_prints_of_threads_are_evidence_of_who_started_them() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let chats = workshop.file(
        "chats.clj",
        "(ns chats)
         (def begun (delay (doto (Thread. #(while true (println \"chat\") (Thread/sleep 1)))
                             (.setDaemon true) (.start))
                           (future (while true (print \"talk\") (Thread/sleep 1)))))
         (defn Evam [energy health species env data] @begun {:cmd :rest})",
    );
    let waits = species(
        &workshop,
        "waits",
        "(println \"waiting\") (Thread/sleep 20) (throw (IllegalStateException. \"tired\"))",
    );
    let options = HostOptions { share_jvm: true, ..patient() };
    let arena = play(5, &[&chats, &waits], &options);
    assert!(arena.faults.len() > 1);
    for fault in &arena.faults {
        assert_eq!(
            (fault.player.0, fault.evidence.stderr_tail.replace("waiting\n", "")),
            (1, String::new())
        );
    }
    let chat: u64 =
        arena.turns.iter().filter(|turn| turn.1 == 0).map(|turn| turn.2.stderr.total()).sum();
    assert!(chat > 0, "who chats has said so itself");
}

/// The CPU time of its threads counts even while nobody asks it, and they end with it.
#[test]
fn busy_threads_are_charged() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let group = workshop.path("group");
    let file = workshop.file(
        "busy.clj",
        format!(
            "(ns busy)
             (spit {group:?} (str (.pid (java.lang.ProcessHandle/current)) \"\\n\"))
             (def begun (delay (dotimes [_ 10]
                                 (doto (Thread. #(while true)) (.setDaemon true) (.start)))))
             (defn Evam [energy health species env data] @begun (Thread/sleep 30) {{:cmd :rest}})"
        ),
    );
    let options = options(Clock::cpu(Duration::from_millis(20)));
    let arena = play(300, &[&file], &options);
    let kinds: Vec<_> = arena.faults.iter().map(|fault| fault.kind).collect();
    assert_eq!(kinds, [FaultKind::Timeout; 4], "{:#?}", arena.faults);
    let last = &arena.faults[3].detail;
    assert!(
        last.contains(" it has started") && last.ends_with("it stays out from now on"),
        "{last}"
    );
    assert_gone(&workshop.group());
}

#[test]
fn prints_go_to_the_log() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let throws_later = species(
        &workshop,
        "talks",
        "(println \"I am\" species \"\\u001b[2J\")
         (if data (throw (IllegalStateException.)) {:cmd :rest :data :said})",
    );
    let arena = play(2, &[&bad("prints"), &throws_later], &patient());
    let amoebas = position(&arena.game).amoebas;
    let first = amoebas.iter().find(|amoeba| amoeba.species == 0).unwrap();
    assert_eq!(first.data, Some(Blob::from(":printed")));
    let fault = arena.only_fault();
    assert_eq!((fault.kind, fault.player.0), (FaultKind::Exception, 1));
    let line = "I am :bot-1 \\u001b[2J\n";
    assert_eq!(
        fault.evidence.stderr_tail,
        [line, line].concat(),
        "its own talk, and nobody else's"
    );
}

#[test]
fn wrong_answers_are_told() {
    agon_testkit::slow!();
    let mut arena = Arena::new(new_game::<Amoebas>(&lasting(30), 1), &[&bad("wrong")], &patient());
    let mut answers = Vec::new();
    while answers.len() < 14 {
        answers.extend(arena.answers::<Amoebas>());
    }
    let details: Vec<&str> = arena.faults.iter().map(|fault| &*fault.detail).collect();
    assert!(arena.faults.iter().all(|fault| fault.kind == FaultKind::Garbage));
    let of_cmd = |cmd: &str, answer: &str| {
        format!("{cmd} is no :cmd (:rest, :move, :hit, :divide); it returned {answer}")
    };
    let of_dir = |dir: &str, answer: &str| {
        format!(
            ":dir {dir} is none of the numbers 0 to 7; it returned {{:cmd {answer}, :dir {dir}}}"
        )
    };
    let expected = [
        "nil is no answer; it returned nil".to_owned(),
        of_cmd("nil", "5"),
        of_cmd("nil", "[]"),
        of_cmd("nil", "{}"),
        of_cmd("\"rest\"", "{:cmd \"rest\"}"),
        of_cmd(":eat", "{:cmd :eat}"),
        ":dir is missing; it returned {:cmd :move}".to_owned(),
        of_dir("9", ":move"),
        of_dir("-1", ":hit"),
        of_dir("7/2", ":divide"),
        of_dir("2.0", ":move"),
        of_dir("\"3\"", ":move"),
        ":function 5 is no function".to_owned(),
    ];
    assert_eq!(details, expected);
    assert_eq!(answers[..13], vec![Answer::FAULT; 13]);
    let data = Some(Blob::from("[:turn 13]"));
    assert_eq!(answers[13], Answer::step(Dir::E).with_data(data));
}
