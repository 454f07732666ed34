//! All rows of the table in `docs/performance.md`.
//!
//! To measure something new, add a row here.

use super::{Measure, Row};

/// Benchmarks that need more than one core.
pub(super) const ON_ALL_CORES: [&str; 1] = ["scaling"];

/// All rows, in order.
pub(super) const ROWS: &[Row] = &[
    wireworld(
        "rezzo: pure Wireworld, 512×512, AVX-512",
        50e9,
        "rezzo: pure Wireworld, 512x512/avx512",
    ),
    wireworld("rezzo: pure Wireworld, 512×512, AVX2", 35e9, "rezzo: pure Wireworld, 512x512/avx2"),
    wireworld(
        "rezzo: pure Wireworld, 512×512, portable",
        6e9,
        "rezzo: pure Wireworld, 512x512/portable",
    ),
    rules(
        "rezzo: pure Wireworld, 512 boards of 64×64 in bit lanes",
        "rezzo",
        100e9,
        "cells",
        "rezzo: pure Wireworld, 512 boards in bit lanes/avx512",
    ),
    without_avx512(
        800.0,
        rules(
            "rezzo: all rules, 320×320, 10 agents, in play",
            "rezzo",
            200e3,
            "generations",
            "rezzo: full rules, 320x320 with 10 agents, in play/agon",
        ),
    ),
    rules(
        "rezzo: all rules, 4096×4096",
        "rezzo",
        20e9,
        "cells",
        "rezzo: full rules, 4096x4096/avx512",
    ),
    rules(
        "cluster: random legal commands, side 12",
        "cluster",
        5e6,
        "moves",
        "cluster: random legal commands, side 12/agon",
    ),
    rules(
        "cluster: random placements, side 12",
        "cluster",
        10e6,
        "placements",
        "cluster: random placements, side 12/agon",
    ),
    without_avx512(
        75.0,
        rules(
            "cellhack: rules, 256×256, half full",
            "cellhack",
            100e6,
            "cell-turns",
            "cellhack: rules, 256x256 half full/agon",
        ),
    ),
    without_avx512(
        400.0,
        rate(
            "cellhack: native C cells through the sandboxed child, 256×256",
            "agon-bots",
            "cellhack",
            (20e6, "decisions"),
            "cellhack: native C cells through the sandboxed child/agon",
            true,
        ),
    ),
    rules(
        "amoebas: slightly brainy, world full",
        "amoebas",
        4e6,
        "amoeba-turns",
        "amoebas: slightly brainy, world full/agon",
    ),
    row(
        "amoebas in Clojure: speed-up over a plain engine in Clojure",
        ["agon-bots", "clojure"],
        5.0,
        Measure::Told { words: "arena / plain:" },
    ),
    without_avx512(
        16.0,
        rules(
            "binfection: 1000×1000, 100 000 cells, `spreader`",
            "binfection",
            20e6,
            "cell-turns",
            "binfection: 1000x1000, 100 000 cells/spreader",
        ),
    ),
    persistent(
        "binfection: speed-up of a persistent bot over the file protocol, 16 cells",
        [
            "binfection: file protocol against a persistent bot/persistent",
            "binfection: file protocol against a persistent bot/file protocol",
        ],
    ),
    persistent(
        "… 10 000 cells",
        [
            "binfection: file protocol against a persistent bot/persistent, 10 000 cells",
            "binfection: file protocol against a persistent bot/file protocol, 10 000 cells",
        ],
    ),
    persistent(
        "… 90 000 cells",
        [
            "binfection: file protocol against a persistent bot/persistent, 90 000 cells",
            "binfection: file protocol against a persistent bot/file protocol, 90 000 cells",
        ],
    ),
    rate(
        "replay: reading answers",
        "agon-match",
        "replay",
        (200e6, "bytes"),
        "amoebas 200x200, 1000 rounds/decode",
        false,
    ),
    row(
        "replay: writing, as a share of the time of a match of amoebas",
        ["agon-match", "replay"],
        3.0,
        Measure::Share {
            part: "amoebas 200x200, 1000 rounds/write",
            whole: "amoebas 200x200, 1000 rounds/match",
        },
    ),
    row(
        "replay: verifying, speed relative to the rules alone",
        ["agon-match", "replay"],
        0.9,
        Measure::Times {
            id: "amoebas 200x200, 1000 rounds/verify",
            base: "amoebas 200x200, 1000 rounds/rules alone",
        },
    ),
    above_a_pipe(
        "cluster in C, own protocol: overhead of a turn over a bare pipe",
        "round trip/C program, cluster",
    ),
    above_a_pipe(
        "rezzo in C, own protocol: overhead of a turn over a bare pipe",
        "round trip/C program, rezzo",
    ),
    above_a_pipe(
        "cluster in C, JSON Lines: overhead of a turn over a bare pipe",
        "round trip/jsonl: C program, cluster",
    ),
    above_a_pipe(
        "rezzo in C, JSON Lines: overhead of a turn over a bare pipe",
        "round trip/jsonl: C program, rezzo",
    ),
    row(
        "battlesnake in C, HTTP: overhead of a turn over a bare connection",
        ["agon-bots", "round_trip"],
        100.0,
        Measure::Above {
            id: "round trip/http: C server, battlesnake",
            base: "round trip/http: bare connection",
        },
    ),
    rate(
        "matches of two built-in bots, cluster",
        "agon-arena",
        "throughput",
        (3e3, "matches"),
        "matches/built-in",
        false,
    ),
    rate(
        "matches of two confined programs in C, cluster, with start-up",
        "agon-arena",
        "throughput",
        (100.0, "matches"),
        "matches/programs",
        false,
    ),
    row(
        "two matches on two cores: speed-up over one on one",
        ["agon-arena", "scaling"],
        1.9,
        Measure::Times { id: "matches side by side/two", base: "matches side by side/one" },
    ),
];

const fn row(
    what: &'static str,
    [package, bench]: [&'static str; 2],
    aim: f64,
    measure: Measure,
) -> Row {
    Row { what, package, bench, aim, aim_avx2: None, measure }
}

const fn rate(
    what: &'static str,
    package: &'static str,
    bench: &'static str,
    (aim, unit): (f64, &'static str),
    id: &'static str,
    reference: bool,
) -> Row {
    row(what, [package, bench], aim, Measure::Rate { unit, id, reference })
}

const fn rules(
    what: &'static str,
    bench: &'static str,
    aim: f64,
    unit: &'static str,
    id: &'static str,
) -> Row {
    rate(what, "agon-games", bench, (aim, unit), id, true)
}

/// Also measures a row without AVX-512, with the goal as the speed-up over the simple one.
const fn without_avx512(aim: f64, row: Row) -> Row {
    Row { aim_avx2: Some(aim), ..row }
}

const fn wireworld(what: &'static str, aim: f64, id: &'static str) -> Row {
    rules(what, "rezzo", aim, "cells", id)
}

const fn persistent(what: &'static str, [id, base]: [&'static str; 2]) -> Row {
    // The file protocol keeps its sandbox for a match; without that it was 50.
    row(what, ["agon-bots", "binfection"], 30.0, Measure::Times { id, base })
}

const fn above_a_pipe(what: &'static str, id: &'static str) -> Row {
    let measure = Measure::Above { id, base: "round trip/jsonl: bare pipe, 16 bytes" };
    row(what, ["agon-bots", "round_trip"], 10.0, measure)
}
