//! Seeds that nobody chose are too many to try, and runs continue with theirs.

use serde_json::Value;

use crate::support::{Done, TestDir};

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
