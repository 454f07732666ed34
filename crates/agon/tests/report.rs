//! `agon tournament report`: on folders of tournaments that were not played, and with a replay that
//! was.

use std::{fs, path::Path};

use agon_contest::journal::{self, Header, SeatFault};
use agon_contest::{Match, Plan, Record};
use agon_core::FaultKind;
use serde_json::Value;

use crate::support::{Done, TestDir};

/// A tournament of three bots in which the one with the smallest number wins; `limit` matches are
/// over.
fn cup(limit: usize) -> TestDir {
    let dir = TestDir::new();
    let bots = "bots = [\"ann=./ann\", \"bob=./bob\", \"cat=./cat\"]";
    let text =
        format!("game = \"cluster\"\nmatches = 2\n{bots}\n[format]\nkind = \"round-robin\"\n");
    let plan = Plan::load(&dir.write("cup.toml", text)).unwrap();
    let record = |game: Match| {
        let best = game.seats.iter().min().unwrap();
        let places: Vec<u32> =
            game.seats.iter().map(|entrant| 1 + u32::from(entrant != best)).collect();
        let fault = SeatFault {
            step: Some(4),
            stderr: "Traceback:\n  <b>it slept</b>".to_owned(),
            ..SeatFault::new(FaultKind::Timeout, 2, "no answer within 100 ms")
        };
        let seats = game.seats.iter();
        Record {
            id: game.id,
            key: "0".repeat(64),
            seats: seats.clone().map(|bot| plan.bots[bot.index()].name.clone()).collect(),
            seed: game.seed,
            scores: places.iter().map(|&place| 20 - i64::from(place)).collect(),
            faults: seats
                .map(|bot| if bot.0 == 2 { vec![fault.clone()] } else { vec![] })
                .collect(),
            places,
            void: 0,
            ms: 1500,
            replay: Some(format!("{}.agon", game.id)),
            machine: None,
            forfeits: Vec::new(),
        }
    };
    let records: Vec<Record> =
        plan.schedule().missing().into_iter().take(limit).map(record).collect();
    // Of most matches the replay was deleted.
    dir.write("cup-results/replays/r0.g0.p0.m1.agon", "a replay");
    plan.save(&dir.path("cup-results").join(Plan::SAVED), &[], &plan.digest()).unwrap();
    dir.write("cup-results/journal.jsonl", journal::write(&Header::new(&plan.digest()), &records));
    dir
}

const REPORT: &str = "tournament report cup-results";

#[test]
fn a_table_is_printed() {
    let dir = cup(usize::MAX);
    let text = dir.ok(REPORT).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "cluster, round robin · 6 matches over · finished · seed 0");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[2])[..6], ["bot", "points", "Elo", "95", "%", "interval"]);
    assert!(lines[3].contains(" at least ") && lines[5].contains(" at most "), "{text}");
    assert_eq!(words(lines[3])[..3], ["1", "ann", "4"]);
    assert_eq!(words(lines[5])[..3], ["3", "cat", "0"]);
    assert!(lines[5].contains(" 8  0 of 4 points"), "{}", lines[5]);
    assert!(text.contains("warning: No bot has 10 matches yet"), "{text}");
    assert!(text.contains("cat did not answer in time, 8 times in 4 matches"), "{text}");
    // The plan beside the folder names it, too.
    assert_eq!(dir.ok("tournament report cup.toml").out, text);
    let mut inside = dir.agon("tournament report");
    assert_eq!(Done::of(inside.current_dir(dir.path("cup-results"))).out, text);
}

#[test]
fn a_tournament_that_runs_is_told_so_far() {
    let dir = cup(4);
    // The last line is being written.
    let mut bytes = dir.bytes("cup-results/journal.jsonl");
    bytes.truncate(bytes.len() - 30);
    let journal = dir.write("cup-results/journal.jsonl", bytes);
    dir.ok(REPORT).says("cluster, round robin · 3 matches over · 3 to come");
    fs::remove_file(journal).unwrap();
    dir.ok(REPORT).says("cluster, round robin · 0 matches over · 6 to come");
}

#[test]
fn programs_get_json_and_csv() {
    let dir = cup(usize::MAX);
    let json: Value = serde_json::from_str(&dir.ok(&format!("{REPORT} --json")).out).unwrap();
    assert_eq!(json["standing"][0]["bot"], "ann");
    let matches = json["matches"].as_array().unwrap();
    let replays = matches.iter().filter(|line| line["replay"].is_string());
    assert_eq!(replays.count(), 1, "those that are there");
    let csv = dir.ok(&format!("{REPORT} --csv standing")).out;
    assert!(csv.starts_with("place,bot,points,matches,wins,ties,losses,"), "{csv}");
    assert!(csv.contains("\n1,ann,4,4,4,0,0,1,"), "{csv}");
    dir.refuses(&format!("{REPORT} --csv standings"), ["standing, head-to-head, matches, faults"]);
}

#[test]
fn a_page_links_to_replays_beside_it() {
    let dir = cup(usize::MAX);
    let links = |file: &Path| {
        assert_eq!(dir.ok(&format!("{REPORT} --html {}", file.display())).out, "");
        let html = fs::read_to_string(file).unwrap();
        let parts =
            html.split("href=\"").skip(1).map(|part| part.split('"').next().unwrap().to_owned());
        let mut links: Vec<String> = parts.filter(|link| !link.starts_with('#')).collect();
        links.dedup();
        links
    };
    assert_eq!(links(&dir.path("cup-results/report.html")), ["replays/r0.g0.p0.m1.agon"]);
    assert_eq!(links(&dir.path("report.html")), ["cup-results/replays/r0.g0.p0.m1.agon"]);
    let elsewhere = TestDir::new();
    assert!(links(&elsewhere.path("report.html")).is_empty());
    let file = elsewhere.path("no/report.html");
    dir.refuses(&format!("{REPORT} --html {}", file.display()), ["cannot write"]);
}

#[test]
fn a_site_has_all_that_its_page_leads_to() {
    let dir = cup(usize::MAX);
    dir.ok(&format!("{REPORT} --site site"));
    // Again, over the first one.
    dir.ok(&format!("{REPORT} --site site"));
    let html = dir.read("site/index.html");
    let link = "href=\"viewer/index.html?replay=..%2Freplays%2Fr0.g0.p0.m1.agon\"";
    assert!(html.contains(link), "{html}");
    let viewer = ["viewer/index.html", "viewer/agon.js", "viewer/agon.wasm"];
    for file in viewer.into_iter().chain(["replays/r0.g0.p0.m1.agon"]) {
        assert!(dir.path("site").join(file).is_file(), "{file}");
    }
    for file in ["report.json", "standing.csv", "head-to-head.csv", "matches.csv", "faults.csv"] {
        assert!(dir.path("site").join(file).is_file(), "{file}");
        assert!(html.contains(&format!("href=\"{file}\"")), "{file}");
    }
    dir.refuses(&format!("{REPORT} --site cup-results"), ["holds other things"]);
    assert!(dir.path("cup-results/journal.jsonl").is_file());
}

#[test]
fn a_journal_that_is_damaged_or_of_another_plan_is_refused() {
    let dir = cup(3);
    let text = dir.read("cup-results/journal.jsonl").replacen("\"ms\":1500", "\"ms\":1501", 1);
    dir.write("cup-results/journal.jsonl", text);
    dir.refuses(REPORT, ["journal.jsonl:2: this line is damaged"]);
    dir.write("cup-results/journal.jsonl", journal::write(&Header::new("another"), &[]));
    dir.refuses(REPORT, ["belongs to another plan"]);
}
