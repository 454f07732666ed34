//! A tournament from its plan to its table, with interruptions and torn journals on the way.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::{fs, path::Path};

use agon_core::{Purpose, Seed};
use agon_tournament::{Journal, Match, Plan, Record, Schedule, journal::SyncPolicy};

fn plan(format: &str) -> Plan {
    let bots: Vec<String> =
        (2..13).map(|width| format!("\"builtin:searcher?width={width}\"")).collect();
    let more = match format {
        "groups" => "within = \"pairs\"",
        "ladder" => "wave = 4\nlimit = 150",
        _ => "",
    };
    let text = format!(
        "game = \"cluster\"\nseed = 9\nbots = [{}]\n[format]\nkind = \"{format}\"\n{more}\n",
        bots.join(",")
    );
    Plan::parse(&text, Path::new("plan.toml")).unwrap()
}

fn record(plan: &Plan, game: &Match) -> Record {
    let outcome = crate::common::made_up(game);
    Record {
        id: game.id,
        key: String::new(),
        seats: game.seats.iter().map(|e| plan.bots[e.index()].name.clone()).collect(),
        seed: game.seed,
        places: outcome.places,
        scores: outcome.scores,
        faults: vec![Vec::new(); game.seats.len()],
        void: 0,
        ms: 1,
        replay: None,
        machine: None,
        forfeits: Vec::new(),
    }
}

/// Plays some matches, in any order, and writes them down.
fn play_some(plan: &Plan, path: &Path, order: u64, most: usize) -> Schedule {
    let (mut journal, contents) = Journal::open(path, &plan.digest(), SyncPolicy::Never).unwrap();
    let mut schedule = plan.resume(&contents.records).unwrap();
    let mut rng = Seed::plain(order).stream(Purpose::Order, 0);
    for _ in 0..most {
        let missing = schedule.missing();
        let Some(game) = rng.pick(&missing) else { break };
        let record = record(plan, game);
        journal.append(&record).unwrap();
        schedule.record(record.id, record.outcome()).unwrap();
    }
    schedule
}

#[test]
fn accidents_change_nothing() {
    for format in [
        "round-robin",
        "gauntlet",
        "swiss",
        "elimination",
        "double-elimination",
        "groups",
        "ladder",
    ] {
        let plan = plan(format);
        let folder = tempfile::tempdir().unwrap();
        let quiet = play_some(&plan, &folder.path().join("quiet.jsonl"), 0, usize::MAX);
        let path = folder.path().join("journal.jsonl");
        let mut rng = Seed::plain(4).stream(Purpose::Order, 0);
        let mut runs = 0;
        while !play_some(&plan, &path, runs, 1 + rng.index(12)).is_finished() {
            // What was written last may be torn.
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() - rng.index(150)]).unwrap();
            runs += 1;
        }
        assert!(runs >= 2, "{format}: {runs}");
        let again = play_some(&plan, &path, 0, 0);
        assert_eq!(again.standing(), quiet.standing(), "{format}");
        assert_eq!(again.history(), quiet.history(), "{format}");
    }
}

#[test]
fn journals_that_do_not_follow_from_the_plan_are_refused() {
    let plan = plan("swiss");
    let schedule = plan.schedule();
    let first = record(&plan, &schedule.missing()[0]);
    let error = |record: Record| plan.resume(&[record]).unwrap_err().to_string();
    let message = error(Record { id: "r7.g0.p0.m0".parse().unwrap(), ..first.clone() });
    assert!(
        message.contains("match r7.g0.p0.m0 does not follow from the results before it"),
        "{message}"
    );
    let message = error(Record { seed: Seed(1), ..first.clone() });
    assert!(
        message.contains("was played by searcher?width=2, searcher?width=7 on seed 1, but"),
        "{message}"
    );
    let message = error(Record { places: vec![1, 2, 3], ..first.clone() });
    assert!(message.contains("has 2 seats, but the result is one of 3 places"), "{message}");
    assert!(plan.resume(&[first]).is_ok());
}
