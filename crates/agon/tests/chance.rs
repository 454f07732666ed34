//! No bot finds out the seed of its match, and seeds that nobody chose are too many to try.

use agon_testkit::needs;
use serde_json::Value;

use crate::support::{Done, TestDir};

/// Prints all seeds that fit the number in its first message, as the streams of older versions
/// could be computed back, and leaves.
const SPY: &str = r#"
import json, sys

ONES = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15

def unmix(x):
    x ^= x >> 31 ^ x >> 62
    x = x * pow(0x94D049BB133111EB, -1, 1 << 64) & ONES
    x ^= x >> 27 ^ x >> 54
    x = x * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & ONES
    return x ^ x >> 30 ^ x >> 60

def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & ONES
    x = (x ^ x >> 27) * 0x94D049BB133111EB & ONES
    return x ^ x >> 31

def seed_of(first, player):
    word = first * pow(9, -1, 1 << 64) & ONES
    word = (word >> 7 | word << 57) & ONES
    word = word * pow(5, -1, 1 << 64) & ONES
    key = unmix(word) - 2 * STEP & ONES
    return unmix(unmix(key - mix(ONES) & ONES) ^ (1 << 32 | player)) ^ 0xA607

start = json.loads(sys.stdin.readline())
with open(sys.argv[1], "w") as file:
    for low in range(1 << 11):
        print(seed_of(start["seed"] << 11 | low, start["player"]), file=file)
"#;

#[test]
fn no_program_computes_the_seed_of_its_match() {
    needs!("python3");
    let dir = TestDir::new();
    dir.write("spy.py", SPY);
    let flags = "--turns 2 --sandbox off --seed 20261128";
    for game in ["cellhack", "cluster", "amoebas", "binfection", "rezzo"] {
        dir.run(&format!("play {game} 'jsonl:python3 spy.py found' builtin:random {flags}"));
        let found = dir.read("found");
        assert_eq!(found.lines().count(), 2048, "{game}");
        assert!(!found.lines().any(|seed| seed == "20261128"), "{game}: the spy knows the seed");
    }
}

const PLAN: &str = "game = \"cluster\"\nbots = [\"builtin:greedy\", \"builtin:random\"]\n\
                    [settings]\nside = 3\n[format]\nkind = \"round-robin\"\n";

/// The seeds in what a command prints with `--json`.
fn seeds(done: &Done) -> Vec<Value> {
    let lines = done.lines().into_iter();
    let seed = |line: Value| match line.get("tournament") {
        Some(tournament) => tournament["seed"].clone(),
        None => line["data"]["seed"].clone(),
    };
    lines.map(seed).filter(|seed| !seed.is_null()).collect()
}

#[test]
fn seeds_that_nobody_chose_are_too_many_to_try() {
    let dir = TestDir::new();
    dir.write("cup.toml", PLAN);
    let tune = "tune --game cluster builtin:searcher --param width=1..9 --set side=3 --matches 4 \
                --verify 0 --json";
    let compare =
        "compare --game cluster builtin:greedy builtin:random --set side=3 --max 2 --json";
    // In their folders some would continue.
    for (line, again) in [
        ("play cluster --set side=3 --json", ""),
        ("check cluster builtin:greedy --games 1 --json", ""),
        (compare, ""),
        (tune, "--out again"),
        ("tournament cup.toml --json", "--out another"),
    ] {
        let [one, other] = ["", again].map(|more| {
            let done = dir.run(&format!("{line} {more}"));
            let seed = seeds(&done).remove(0);
            let number: u64 = seed.as_str().unwrap_or_default().parse().unwrap_or_default();
            assert!((1 << 32..1 << 53).contains(&number), "{line}: {seed}");
            seed
        });
        assert_ne!(one, other, "{line}");
    }
}

#[test]
fn runs_without_a_seed_continue_with_theirs() {
    let dir = TestDir::new();
    dir.write("cup.toml", PLAN);
    let drawn = seeds(&dir.ok("tournament cup.toml --json"));
    for line in [
        "tournament cup.toml --json",
        "tournament resume cup-results --json",
        "tournament report cup-results --json",
        "tournament cup.toml --fresh --json",
        "tournament cup.toml --out other --reuse cup-results --json",
    ] {
        let done = dir.ok(line);
        assert_eq!(seeds(done.hides("has changed")), drawn, "{line}");
    }
    // What the plan says counts.
    dir.write("cup.toml", format!("seed = 5\n{PLAN}"));
    let done = dir.ok("tournament cup.toml --json");
    assert_eq!(seeds(done.says("the plan has changed")), ["5"]);

    let compare = "compare --game cluster builtin:greedy builtin:searcher?width=1 --set side=3";
    let [two, four] = ["2", "4"]
        .map(|most| seeds(&dir.run(&format!("{compare} --out duel --json --max {most}"))));
    assert_eq!(two[..2], four[..2], "the seed of all, and the first one");
}
