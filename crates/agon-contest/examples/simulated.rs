//! Writes reports of simulated tournaments between bots with known strengths.
//!
//! Usage: `simulated FOLDER [NAME]`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a tool for whoever works at the page"
)]

#[path = "../tests/report/common/mod.rs"]
mod common;

use std::{env, fs, path::Path, time::Instant};

const CASES: [(&str, usize, &str, &str, usize); 9] = [
    ("four", 4, "matches = 20", "kind = \"round-robin\"", usize::MAX),
    ("twelve", 12, "matches = 10", "kind = \"round-robin\"", usize::MAX),
    ("twelve-running", 12, "matches = 4", "kind = \"round-robin\"", 90),
    ("beginning", 6, "matches = 2", "kind = \"swiss\"", 4),
    ("nothing", 4, "matches = 2", "kind = \"elimination\"", 0),
    ("sixty-four", 64, "matches = 4", "kind = \"swiss\"\nrounds = 9", usize::MAX),
    (
        "groups",
        20,
        "game = \"cellhack\"\nmatches = 6",
        "kind = \"groups\"\nsize = 4\nadvance = 2",
        usize::MAX,
    ),
    ("thousand", 1000, "matches = 2", "kind = \"ladder\"\nwave = 500\nlimit = 100000", usize::MAX),
    (
        "ten-thousand",
        10_000,
        "matches = 2",
        "kind = \"ladder\"\nchoose = \"random\"\nwave = 5000\nlimit = 1000000",
        usize::MAX,
    ),
];

/// Slow cases, which run only if they are named.
const LARGE: [&str; 2] = ["thousand", "ten-thousand"];

fn main() {
    let folder = env::args().nth(1).expect("give a folder");
    let only = env::args().nth(2);
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).unwrap();
    for (name, bots, more, format, limit) in CASES {
        if only.as_ref().is_some_and(|only| only != name)
            || (only.is_none() && LARGE.contains(&name))
        {
            continue;
        }
        let plan = common::plan(bots, more, format);
        let cup = common::Cup::played(plan, limit, &common::WORLD);
        let begin = Instant::now();
        let report = cup.report();
        let made = begin.elapsed();
        let begin = Instant::now();
        let page = report.html(&common::links());
        let html = begin.elapsed();
        let begin = Instant::now();
        let json = report.json();
        fs::write(folder.join(format!("{name}.html")), &page.html).unwrap();
        fs::write(folder.join(format!("{name}.json")), &json).unwrap();
        println!(
            "{name}: {} matches; report {made:.2?}; page {html:.2?}, {} KB; JSON {:.2?}, {} KB",
            cup.records.len(),
            page.html.len() / 1000,
            begin.elapsed(),
            json.len() / 1000
        );
    }
}
