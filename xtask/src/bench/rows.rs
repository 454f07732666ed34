//! The rows of the table.

use super::row::{Measure, Row};

/// Benchmarks that need more than one core.
pub(crate) const ON_ALL_CORES: [&str; 1] = ["scaling"];

/// All rows, in order.
pub(crate) const ROWS: &[Row] = &[
    rate(
        "replay: answers read, in bytes",
        "agon-replay",
        "replay",
        (200e6, "bytes"),
        "amoebas 200x200, 1000 rounds/decode",
        None,
    ),
    Row {
        what: "replay: writing, of the time of a match of amoebas",
        package: "agon-replay",
        bench: "replay",
        aim: 3.0,
        measure: Measure::Share {
            part: "amoebas 200x200, 1000 rounds/write",
            whole: "amoebas 200x200, 1000 rounds/match",
        },
    },
    Row {
        what: "replay: verifying, times as fast as the rules alone",
        package: "agon-replay",
        bench: "replay",
        aim: 0.9,
        measure: Measure::Times {
            id: "amoebas 200x200, 1000 rounds/verify",
            base: "amoebas 200x200, 1000 rounds/rules alone",
        },
    },
    above_a_pipe("cluster in C, own protocol: a turn above a bare pipe", "round trip/C program, cluster"),
    above_a_pipe("rezzo in C, own protocol: a turn above a bare pipe", "round trip/C program, rezzo"),
    above_a_pipe(
        "cluster in C, JSON Lines: a turn above a bare pipe",
        "round trip/jsonl: C program, cluster",
    ),
    above_a_pipe("rezzo in C, JSON Lines: a turn above a bare pipe", "round trip/jsonl: C program, rezzo"),
    Row {
        what: "amoebas in Clojure: times a plain engine in Clojure",
        package: "agon-bots",
        bench: "clojure",
        aim: 5.0,
        measure: Measure::Told { words: "arena / plain:" },
    },
    Row {
        what: "two matches on two cores: times one on one",
        package: "agon-runner",
        bench: "scaling",
        aim: 1.9,
        measure: Measure::Times { id: "matches side by side/two", base: "matches side by side/one" },
    },
];

const fn rate(
    what: &'static str,
    package: &'static str,
    bench: &'static str,
    (aim, unit): (f64, &'static str),
    id: &'static str,
    reference: Option<&'static str>,
) -> Row {
    Row { what, package, bench, aim, measure: Measure::Rate { unit, id, reference } }
}

const fn above_a_pipe(what: &'static str, id: &'static str) -> Row {
    let measure = Measure::Above { id, base: "round trip/jsonl: bare pipe, 16 bytes" };
    Row { what, package: "agon-bots", bench: "round_trip", aim: 10.0, measure }
}
