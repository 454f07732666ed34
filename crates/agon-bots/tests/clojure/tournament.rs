//! Clojure files that play tournaments while they are evaluated, as `agon amoebas` runs them.

use agon_bots::clojure::{Call, Called, End};

use super::*;

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
    let mut file = Tournaments::open(path.as_ref(), None, &lasting(1), &patient()).unwrap();
    assert_eq!(file.next_event(), Ok(Event::Say("first\n".to_owned())));
    let Ok(Event::Tournament(call)) = file.next_event() else { panic!("a tournament") };
    let species: Vec<_> =
        call.species.iter().map(|s| (&*s.name, &*s.printed, &*s.text, s.color)).collect();
    assert_eq!(species, [("red", ":red", ":red", Some([255, 0, 0])), ("b l", "b l", "b l", None)]);
    assert_eq!(
        (call.rounds, &*call.directory, call.flags.join(" ")),
        (5, "out", "csv-stats".to_owned())
    );
    let mut arena = Arena::with_bots(new_game::<Amoebas>(&lasting(5), 2), file.bots(&call));
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
    let mut file =
        Tournaments::open(path.as_ref(), call.as_ref(), &lasting(1), &patient()).unwrap();
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
    let fox = workshop.file("fox.clj", species);
    assert_eq!(play(1, &[&fox], &patient()).faults, []);
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
            .file("odd.clj", format!("(ns odd (:use amoebas.run amoebas.examples)) {call}"));
        let mut file = Tournaments::open(path.as_ref(), None, &lasting(1), &patient()).unwrap();
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
