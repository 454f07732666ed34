//! `agon tournament report`: on folders of tournaments that were not played, and with a replay that
//! was.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use agon_core::FaultKind;
use agon_tournament::{
    Plan, Record,
    journal::{self, Header, SeatFault},
};
use assert_cmd::Command;

/// A tournament of three bots in which the one with the smallest number wins; `limit` matches are
/// over.
fn cup(folder: &Path, limit: usize) -> PathBuf {
    let file = folder.join("cup.toml");
    let bots = "bots = [\"ann=./ann\", \"bob=./bob\", \"cat=./cat\"]";
    let text =
        format!("game = \"cluster\"\nmatches = 2\n{bots}\n[format]\nkind = \"round-robin\"\n");
    fs::write(&file, text).unwrap();
    let plan = Plan::load(&file).unwrap();
    let cup = folder.join("cup-results");
    fs::create_dir_all(cup.join("replays")).unwrap();
    plan.save(&cup.join(Plan::SAVED), &[], &plan.digest()).unwrap();
    let records: Vec<Record> = plan
        .schedule()
        .missing()
        .into_iter()
        .take(limit)
        .map(|game| {
            let best = game.seats.iter().min().unwrap();
            let places: Vec<u32> =
                game.seats.iter().map(|entrant| 1 + u32::from(entrant != best)).collect();
            let fault = SeatFault {
                step: Some(4),
                stderr: "Traceback:\n  <b>it slept</b>".to_owned(),
                ..SeatFault::new(FaultKind::Timeout, 2, "no answer within 100 ms")
            };
            let faults = game
                .seats
                .iter()
                .map(|entrant| if entrant.0 == 2 { vec![fault.clone()] } else { vec![] });
            Record {
                id: game.id,
                key: "0".repeat(64),
                seats: game
                    .seats
                    .iter()
                    .map(|entrant| plan.bots[entrant.index()].name.clone())
                    .collect(),
                seed: game.seed,
                scores: places.iter().map(|&place| 20 - i64::from(place)).collect(),
                faults: faults.collect(),
                places,
                void: 0,
                ms: 1500,
                replay: Some(format!("{}.agon", game.id)),
                machine: None,
                forfeits: Vec::new(),
            }
        })
        .collect();
    // Of most matches the replay was deleted.
    fs::write(cup.join("replays").join("r0.g0.p0.m1.agon"), "a replay").unwrap();
    fs::write(cup.join("journal.jsonl"), journal::write(&Header::new(&plan.digest()), &records))
        .unwrap();
    cup
}

fn agon() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("agon"))
}

#[track_caller]
fn out(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn report(cup: &Path) -> Command {
    let mut command = agon();
    command.args(["tournament", "report"]).arg(cup);
    command
}

#[test]
fn a_table_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let cup = cup(folder.path(), usize::MAX);
    let text = out(&mut report(&cup));
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
    assert_eq!(out(report(Path::new("cup.toml")).current_dir(&folder)), text);
    assert_eq!(out(agon().args(["tournament", "report"]).current_dir(&cup)), text);
}

#[test]
fn a_tournament_that_runs_is_told_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let cup = cup(folder.path(), 4);
    let journal = cup.join("journal.jsonl");
    // The last line is being written.
    let mut bytes = fs::read(&journal).unwrap();
    bytes.truncate(bytes.len() - 30);
    fs::write(&journal, bytes).unwrap();
    let text = out(&mut report(&cup));
    assert!(text.starts_with("cluster, round robin · 3 matches over · 3 to come"), "{text}");
    fs::remove_file(&journal).unwrap();
    let text = out(&mut report(&cup));
    assert!(text.starts_with("cluster, round robin · 0 matches over · 6 to come"), "{text}");
}

#[test]
fn programs_get_json_and_csv() {
    let folder = tempfile::tempdir().unwrap();
    let cup = cup(folder.path(), usize::MAX);
    let json: serde_json::Value = serde_json::from_str(&out(report(&cup).arg("--json"))).unwrap();
    assert_eq!(json["standing"][0]["bot"], "ann");
    let replays: Vec<&serde_json::Value> =
        json["matches"].as_array().unwrap().iter().map(|line| &line["replay"]).collect();
    assert_eq!(
        replays.iter().filter(|replay| replay.is_string()).count(),
        1,
        "those that are there"
    );
    let csv = out(report(&cup).args(["--csv", "standing"]));
    assert!(csv.starts_with("place,bot,points,matches,wins,ties,losses,"), "{csv}");
    assert!(csv.contains("\n1,ann,4,4,4,0,0,1,"), "{csv}");
    let wrong = report(&cup).args(["--csv", "standings"]).assert().failure().code(2);
    assert!(
        String::from_utf8_lossy(&wrong.get_output().stderr)
            .contains("standing, head-to-head, matches, faults")
    );
}

#[test]
fn a_page_links_to_replays_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let cup = cup(folder.path(), usize::MAX);
    let links = |file: &Path| {
        assert_eq!(out(report(&cup).arg("--html").arg(file)), "");
        let html = fs::read_to_string(file).unwrap();
        let parts =
            html.split("href=\"").skip(1).map(|part| part.split('"').next().unwrap().to_owned());
        let mut links: Vec<String> = parts.filter(|link| !link.starts_with('#')).collect();
        links.dedup();
        links
    };
    assert_eq!(links(&cup.join("report.html")), ["replays/r0.g0.p0.m1.agon"]);
    assert_eq!(links(&folder.path().join("report.html")), ["cup-results/replays/r0.g0.p0.m1.agon"]);
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(links(&elsewhere.path().join("report.html")).is_empty());
    let file = elsewhere.path().join("no/report.html");
    let failed = report(&cup).arg("--html").arg(&file).assert().failure().code(2);
    assert!(String::from_utf8_lossy(&failed.get_output().stderr).contains("cannot write"));
}

#[test]
fn a_site_has_all_that_its_page_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    let cup = cup(folder.path(), usize::MAX);
    let site = folder.path().join("site");
    out(report(&cup).arg("--site").arg(&site));
    // Again, over the first one.
    out(report(&cup).arg("--site").arg(&site));
    let html = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(
        html.contains("href=\"viewer/index.html?replay=..%2Freplays%2Fr0.g0.p0.m1.agon\""),
        "{html}"
    );
    for file in
        ["viewer/index.html", "viewer/agon.js", "viewer/agon.wasm", "replays/r0.g0.p0.m1.agon"]
    {
        assert!(site.join(file).is_file(), "{file}");
    }
    for file in ["report.json", "standing.csv", "head-to-head.csv", "matches.csv", "faults.csv"] {
        assert!(site.join(file).is_file() && html.contains(&format!("href=\"{file}\"")), "{file}");
    }
    let failed = report(&cup).arg("--site").arg(&cup).assert().failure().code(2);
    assert!(String::from_utf8_lossy(&failed.get_output().stderr).contains("holds other things"));
    assert!(cup.join("journal.jsonl").is_file());
}

#[test]
fn what_is_no_tournament_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = |path: &Path| {
        let failed = report(path).assert().failure().code(2);
        String::from_utf8_lossy(&failed.get_output().stderr).into_owned()
    };
    assert!(told(folder.path()).contains("is no folder of a tournament"));
    let cup = cup(folder.path(), 3);
    let journal = cup.join("journal.jsonl");
    let bytes = fs::read(&journal).unwrap();
    let text = String::from_utf8(bytes).unwrap().replacen("\"ms\":1500", "\"ms\":1501", 1);
    fs::write(&journal, text).unwrap();
    assert!(told(&cup).contains("journal.jsonl:2: this line is damaged"), "{}", told(&cup));
    fs::write(&journal, journal::write(&Header::new("another"), &[])).unwrap();
    assert!(told(&cup).contains("belongs to another plan"));
}
