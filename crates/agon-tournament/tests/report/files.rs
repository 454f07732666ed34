//! Tables for other programs can be read back, and JSON follows its schema.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

#[path = "../../examples/report-schema.rs"]
#[allow(dead_code, unreachable_pub)]
mod schema;

use std::collections::BTreeMap;

use agon_tournament::report::{Csv, Report, ReportOptions};
use agon_tournament::{Plan, Record, Schedule};

fn played() -> (Plan, Schedule, Vec<Record>) {
    let mut plan = super::common::plan(6, "matches = 4", "kind = \"round-robin\"");
    plan.bots[1].name = "a, \"b\"\nc".to_owned();
    let (schedule, records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    (plan, schedule, records)
}

/// Reads a table as maps from names of columns.
fn read(table: Csv) -> Vec<BTreeMap<String, String>> {
    let (plan, schedule, records) = played();
    let report = Report::new(&plan, &schedule, &records, &ReportOptions::default()).unwrap();
    let mut bytes = Vec::new();
    report.csv(table, &mut bytes).unwrap();
    csv::Reader::from_reader(&bytes[..]).deserialize().map(Result::unwrap).collect()
}

#[test]
fn names_are_no_formulas() {
    let (mut plan, ..) = played();
    plan.bots[0].name = "=1+2".to_owned();
    let (schedule, records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    let report = Report::new(&plan, &schedule, &records, &ReportOptions::default()).unwrap();
    for table in Csv::ALL {
        let mut bytes = Vec::new();
        report.csv(table, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text.contains("'=1+2"), table != Csv::Faults, "{text}");
        assert!(!text.replace("'=1+2", "").contains("=1+2"), "{text}");
    }
}

#[test]
fn tables_read_back() {
    let (plan, _, mut records) = played();
    records.sort_by_key(|record| record.id);
    let standing = read(Csv::Standing);
    assert_eq!(standing.len(), 6);
    assert!(standing.iter().any(|row| row["bot"] == plan.bots[1].name));
    let points: f64 = standing.iter().map(|row| row["points"].parse::<f64>().unwrap()).sum();
    assert_eq!(points, records.len() as f64);
    assert!(standing.iter().all(|row| row["elo"].parse::<f64>().is_ok()
        && ["firm", "open-above", "open-below"].contains(&&*row["footing"])));

    let pairs = read(Csv::HeadToHead);
    assert_eq!(pairs.len(), 30);
    let of = |bot: &str, opponent: &str| {
        let row =
            pairs.iter().find(|row| row["bot"] == bot && row["opponent"] == opponent).unwrap();
        ["wins", "ties", "losses"].map(|key| row[key].parse::<u32>().unwrap())
    };
    let [wins, ties, losses] = of("ada", "dora");
    assert_eq!((of("dora", "ada"), wins + ties + losses), ([losses, ties, wins], 4));

    let matches = read(Csv::Matches);
    assert_eq!(matches.len(), 2 * records.len());
    for (lines, record) in matches.chunks(2).zip(&records) {
        for (seat, line) in lines.iter().enumerate() {
            assert_eq!(line["match"], record.id.to_string());
            assert_eq!(
                (&line["bot"], &line["seat"]),
                (&record.seats[seat], &(seat + 1).to_string())
            );
            assert_eq!(line["score"], record.scores[seat].to_string());
            assert_eq!(line["round"], record.id.pairing.round.to_string());
        }
    }

    let faults = read(Csv::Faults);
    let count: u64 = faults.iter().map(|row| row["count"].parse::<u64>().unwrap()).sum();
    let all = records.iter().flat_map(|record| record.faults.iter().flatten());
    assert_eq!(count, all.map(|fault| fault.count).sum::<u64>());
    assert!(count > 0);
}

#[test]
fn tables_have_names() {
    for table in Csv::ALL {
        assert_eq!(table.to_string().parse(), Ok(table));
    }
    let error = "ratings".parse::<Csv>().unwrap_err().to_string();
    assert!(error.contains("standing, head-to-head, matches, faults"), "{error}");
}

#[test]
fn json_is_as_the_schema_says() {
    let text = std::fs::read_to_string(schema::path()).unwrap();
    assert_eq!(text, schema::text(), "run `cargo xtask generate`");
    let schema = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for limit in [0, 3, usize::MAX] {
        let plan = super::common::plan(6, "matches = 4", "kind = \"swiss\"");
        let (schedule, records) = super::common::play(&plan, limit, &super::common::WORLD);
        let report = Report::new(&plan, &schedule, &records, &ReportOptions::default()).unwrap();
        let mut json = serde_json::from_str(&report.json()).unwrap();
        let problems: Vec<String> =
            validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}");
        json["state"]["over"] = "many".into();
        assert!(!validator.is_valid(&json));
    }
}
