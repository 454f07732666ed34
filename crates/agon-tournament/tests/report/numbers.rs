//! Reports on small tournaments, compared with counts by hand.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use agon_core::{FaultKind, Seed};
use agon_tournament::report::{Report, ReportError, ReportOptions};
use agon_tournament::{Entrant, Match, Plan, Record, Schedule, journal::SeatFault, plan::Out};
use serde_json::{Value, json};

/// Plays up to `limit` matches; `place` returns a player's place in a match.
fn play(
    plan: &Plan,
    limit: usize,
    place: impl Fn(&Match, Entrant) -> u32,
) -> (Schedule, Vec<Record>) {
    let mut schedule = plan.schedule();
    let mut records = Vec::new();
    while let Some(game) = schedule.missing().first().cloned()
        && records.len() < limit
    {
        let places: Vec<u32> = game.seats.iter().map(|&entrant| place(&game, entrant)).collect();
        let record = Record {
            id: game.id,
            key: String::new(),
            seats: game
                .seats
                .iter()
                .map(|entrant| plan.bots[entrant.index()].name.clone())
                .collect(),
            seed: game.seed,
            scores: places.iter().map(|&place| 10 - i64::from(place)).collect(),
            faults: vec![Vec::new(); places.len()],
            places,
            void: 0,
            ms: 100,
            replay: None,
            machine: None,
            forfeits: Vec::new(),
        };
        schedule.record(record.id, record.outcome()).unwrap();
        records.push(record);
    }
    (schedule, records)
}

fn json(plan: &Plan, (schedule, records): &(Schedule, Vec<Record>)) -> Value {
    let report = Report::new(plan, schedule, records, &ReportOptions::default()).unwrap();
    serde_json::from_str(&report.json()).unwrap()
}

/// Returns `keys` of each object of a list, as lists.
fn columns(list: &Value, keys: &[&str]) -> Vec<Value> {
    let row = |row: &Value| keys.iter().map(|&key| row[key].clone()).collect::<Value>();
    list.as_array().unwrap().iter().map(row).collect()
}

/// Plays three bots: ada wins everything, borg and cassius tie with each other.
fn three() -> (Plan, (Schedule, Vec<Record>)) {
    let plan = super::common::plan(3, "matches = 4", "kind = \"round-robin\"");
    let played = play(&plan, usize::MAX, |game, entrant| match entrant.0 {
        0 => 1,
        _ if game.seats.contains(&Entrant(0)) => 2,
        _ => 1,
    });
    (plan, played)
}

/// As [`three`], but ada forfeits all her matches from the third one on.
fn three_with_forfeits() -> (Plan, (Schedule, Vec<Record>)) {
    let (plan, (_, mut records)) = three();
    let mut schedule = plan.schedule();
    let mut of_ada = 0;
    for record in &mut records {
        if let Some(seat) = record.seats.iter().position(|name| name == "ada") {
            of_ada += 1;
            if of_ada > 2 {
                let game = schedule.find(record.id).unwrap();
                *record = Record::forfeit(game, String::new(), record.seats.clone(), vec![seat]);
            }
        }
        schedule.record(record.id, record.outcome()).unwrap();
    }
    (plan, (schedule, records))
}

#[test]
fn forfeits_give_points_and_no_ratings() {
    let (plan, played) = three_with_forfeits();
    let report = json(&plan, &played);
    let state = &report["state"];
    assert_eq!([&state["over"], &state["forfeited"]], [&json!(12), &json!(6)]);
    assert_eq!(state["mean_ms"], json!(100.0), "of those that were played");
    let keys = ["bot", "points", "matches", "wins", "ties", "losses", "forfeits"];
    let mut rows = columns(&report["standing"], &keys);
    rows.sort_by_key(|row| row[0].to_string());
    assert_eq!(rows[0], json!(["ada", 2.0, 8, 2, 0, 6, 6]));
    let of_others: f64 = rows[1..].iter().map(|row| row[1].as_f64().unwrap()).sum();
    assert_eq!(of_others, 10.0, "six forfeits, and four ties");
    // Ada has won all that she has played.
    let best = &report["ratings"][0];
    assert_eq!([&best["bot"], &best["matches"]], [&json!("ada"), &json!(2)]);
    let seats = columns(&report["seats"], &["matches"]);
    assert_eq!(seats, [json!([6]), json!([6])]);
    let forfeited = report["matches"].as_array().unwrap().iter();
    let forfeited = forfeited.filter(|line| line["forfeits"] != json!([]));
    assert_eq!(forfeited.count(), 6);
}

#[test]
fn disqualified_bots_stand_last_and_leave_their_places() {
    let (mut plan, played) = three();
    plan.bots[0].about.out = Some(Out::Disqualified("a copy".to_owned()));
    plan.bots[1].about.out = Some(Out::Withdrawn("ill".to_owned()));
    plan.bots[1].about.author = Some("Ann".to_owned());
    let report = json(&plan, &played);
    assert_eq!(
        columns(&report["standing"], &["place", "bot", "disqualified"]),
        [
            json!([1, "borg", false]),
            json!([1, "cassius-the-second", false]),
            json!([3, "ada", true])
        ]
    );
    let reason = |at: usize| report["standing"][at]["reason"].as_str().unwrap();
    assert!(reason(2).starts_with("disqualified: a copy; "), "{}", reason(2));
    assert!(reason(0).starts_with("withdrawn: ill; "), "{}", reason(0));
    assert_eq!(
        columns(&report["bots"], &["name", "author", "disqualified", "withdrawn"])[..2],
        [json!(["ada", null, "a copy", null]), json!(["borg", "Ann", null, "ill"])]
    );
}

#[test]
fn a_small_tournament_is_told_right() {
    let (plan, played) = three();
    let report = json(&plan, &played);
    assert_eq!(report["report"], "agon-tournament-report");
    assert_eq!(report["tournament"]["game"], "cluster");
    assert_eq!(report["tournament"]["format"]["kind"], "round-robin");
    let state = &report["state"];
    assert_eq!(
        (&state["finished"], &state["over"], &state["open"]),
        (&json!(true), &json!(12), &json!(0))
    );
    assert_eq!((&state["ms"], &state["mean_ms"]), (&json!(1200), &json!(100.0)));
    assert_eq!(
        columns(
            &report["standing"],
            &["place", "bot", "points", "matches", "wins", "ties", "losses", "mean_place"]
        ),
        [
            json!([1, "ada", 8.0, 8, 8, 0, 0, 1.0]),
            json!([2, "borg", 2.0, 8, 0, 4, 4, 1.75]),
            json!([2, "cassius-the-second", 2.0, 8, 0, 4, 4, 1.75]),
        ]
    );
    assert_eq!(
        columns(&report["head_to_head"], &["bot", "opponent", "wins", "ties", "losses", "score"]),
        [
            json!(["ada", "borg", 4, 0, 0, 1.0]),
            json!(["ada", "cassius-the-second", 4, 0, 0, 1.0]),
            json!(["borg", "cassius-the-second", 0, 4, 0, 0.5]),
        ]
    );
    let ratings = columns(&report["ratings"], &["bot", "rank", "footing", "score"]);
    assert_eq!(ratings[0], json!(["ada", 1, "open-above", 1.0]));
    let one = report["ratings"][1]["elo"].as_f64().unwrap();
    let other = report["ratings"][2]["elo"].as_f64().unwrap();
    assert_eq!(one, other, "both did the same");
    // Each bot had each seat equally often.
    let seats = columns(&report["seats"], &["players", "seat", "matches", "score"]);
    assert_eq!(seats, [json!([2, 1, 12, 0.5]), json!([2, 2, 12, 0.5])]);
    assert_eq!(report["matches"].as_array().unwrap().len(), 12);
    assert_eq!(report["circles"], json!([]));
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with("ada: has lost neither to the bots it is measured against nor"),
        "{report}"
    );
}

#[test]
fn the_last_point_of_time_is_now() {
    let (plan, played) = three();
    let report = json(&plan, &played);
    let progress = &report["progress"];
    assert_eq!(progress["matches"], (1..=12).collect::<Value>());
    for (line, rating) in
        progress["lines"].as_array().unwrap().iter().zip(report["ratings"].as_array().unwrap())
    {
        assert_eq!(line["bot"], rating["bot"]);
        for key in ["elo", "low", "high"] {
            assert_eq!(line[key].as_array().unwrap().last(), Some(&rating[key]));
        }
    }
}

#[test]
fn circles_are_named() {
    let plan = super::common::plan(3, "matches = 20", "kind = \"round-robin\"");
    // Each beats the next one.
    let beats = |one: Entrant, other: Entrant| other.0 == (one.0 + 1) % 3;
    let played = play(&plan, usize::MAX, |game, entrant| {
        1 + u32::from(game.seats.iter().any(|&other| beats(other, entrant)))
    });
    let report = json(&plan, &played);
    assert_eq!(report["circles"].as_array().unwrap().len(), 1);
    assert_eq!(report["circles"][0]["bots"], json!(["ada", "borg", "cassius-the-second"]));
    assert_eq!(report["circles"][0]["scores"], json!([1.0, 1.0, 1.0]));
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("cyclic") && warning.contains("ada, borg and cassius-the-second"),
        "{warning}"
    );
}

#[test]
fn groups_that_never_met_are_not_compared() {
    // The first round of four: two pairs.
    let plan = super::common::plan(4, "matches = 2", "kind = \"swiss\"\nrounds = 2");
    let played = play(&plan, 4, |game, entrant| 1 + u32::from(entrant == game.seats[0]));
    let report = json(&plan, &played);
    assert_eq!(report["verdict"], Value::Null);
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("The bots form 2 groups that never met"), "{report}");
    let groups: Vec<u64> = report["ratings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["group"].as_u64().unwrap())
        .collect();
    assert_eq!(groups, [0, 0, 1, 1]);
    let rows = &report["superiority"]["rows"];
    assert_eq!((&rows[0][0], &rows[0][2], &rows[3][1]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(rows[0][1].as_f64().unwrap() + rows[1][0].as_f64().unwrap(), 1.0);
    assert_eq!(report["state"]["finished"], false);
}

#[test]
fn before_the_first_match_there_is_little_to_tell() {
    let plan = super::common::plan(4, "matches = 2", "kind = \"swiss\"");
    let report = json(&plan, &play(&plan, 0, |_, _| 1));
    assert_eq!(report["state"]["open"], 4);
    assert_eq!(report["state"]["more"], true);
    assert_eq!(report["verdict"], Value::Null);
    assert_eq!(report["standing"].as_array().unwrap().len(), 4);
    assert!(report["warnings"][0].as_str().unwrap().ends_with("no matches, so no rating."));
}

#[test]
fn faults_are_of_bots_and_void_matches_of_nobody() {
    let (plan, (schedule, mut records)) = three();
    let fault = |kind, count, text: &str| SeatFault::new(kind, count, text);
    let of = |records: &mut Vec<Record>, bot: &str, at: usize, faults| {
        let record = records
            .iter_mut()
            .filter(|record| record.seats.iter().any(|name| name == bot))
            .nth(at)
            .unwrap();
        let seat = record.seats.iter().position(|name| name == bot).unwrap();
        record.faults[seat] = faults;
        record.replay = Some(format!("{}.agon", record.id));
        record.id.to_string()
    };
    let first = of(&mut records, "borg", 1, vec![fault(FaultKind::Timeout, 3, "late")]);
    let second = of(
        &mut records,
        "borg",
        5,
        vec![fault(FaultKind::Timeout, 2, "later"), fault(FaultKind::Crash, 1, "boom")],
    );
    records[0].void = 2;
    let report = json(&plan, &(schedule, records));
    assert_eq!(
        columns(
            &report["faults"],
            &["bot", "kind", "count", "matches", "text", "examples", "replays"]
        ),
        [
            json!([
                "borg",
                "timeout",
                5,
                2,
                "late",
                [first, second],
                [format!("{first}.agon"), format!("{second}.agon")]
            ]),
            json!(["borg", "crash", 1, 1, "boom", [second], [format!("{second}.agon")]]),
        ]
    );
    let faults = columns(&report["standing"], &["bot", "faults"]);
    assert_eq!(faults, [json!(["ada", 0]), json!(["borg", 6]), json!(["cassius-the-second", 0])]);
    assert_eq!(
        (&report["state"]["void"], &report["state"]["void_matches"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn a_bot_that_fails_in_most_matches_is_named() {
    let (plan, (schedule, mut records)) = three();
    for record in &mut records {
        let seat = record.seats.iter().position(|name| name == "borg");
        if let Some(seat) = seat {
            record.faults[seat] = vec![SeatFault::new(FaultKind::Start, 1, "no such file")];
        }
    }
    let report = json(&plan, &(schedule, records));
    let warnings: Vec<&str> =
        report["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    assert!(
        warnings.contains(
            &"borg: faults in at least half of the matches; the place may say more about them than \
              about play."
        ),
        "{warnings:?}"
    );
}

#[test]
fn the_first_seat_shows_its_worth() {
    let plan = super::common::plan(4, "matches = 10", "kind = \"round-robin\"");
    let played = play(&plan, usize::MAX, |game, entrant| 1 + u32::from(entrant != game.seats[0]));
    let report = json(&plan, &played);
    let seats = columns(&report["seats"], &["seat", "score", "low", "high"]);
    // 30 equal seeds do not prove that every other seed is equal.
    assert_eq!(seats, [json!([1, 1.0, 0.8944, 1.0]), json!([2, 0.0, 0.0, 0.1056])]);
}

#[test]
fn strengths_are_found_again() {
    let world = super::common::World { span: 400.0, seat: 0.0, grain: 0.1, faults: false };
    let mut plan = super::common::plan(8, "matches = 40", "kind = \"round-robin\"");
    let best = (0..8).max_by_key(|&at| super::common::strength(&world, 8, at) as i64).unwrap();
    let mut within = 0;
    let mut first = 0;
    for seed in 0..10 {
        plan.seed = Seed(seed);
        let (schedule, records) = super::common::play(&plan, usize::MAX, &world);
        let report = Report::new(&plan, &schedule, &records, &ReportOptions { points: 0 }).unwrap();
        let name = &plan.bots[best].name;
        first += u32::from(report.ratings[0].bot == name);
        // Equal ratings are named together.
        let highest = report.ratings[0].elo;
        let mut highest = report.ratings.iter().filter(|rating| rating.elo == highest);
        let is_highest = highest.any(|rating| rating.bot == name);
        let verdict = report.verdict.as_ref().unwrap();
        assert_eq!(verdict.contains(name), is_highest, "{verdict}");
        for rating in &report.ratings {
            let bot = plan.bots.iter().position(|bot| bot.name == rating.bot).unwrap();
            within += u32::from(
                (rating.low..=rating.high).contains(&super::common::strength(&world, 8, bot)),
            );
        }
    }
    // About 76 of 80 intervals with 95 % are right.
    assert!((71..=80).contains(&within), "{within}");
    // The second is 57 points behind, and each plays some hundred matches.
    assert!((8..=10).contains(&first), "{first}");
}

#[test]
fn the_same_results_make_the_same_report() {
    let plan = super::common::plan(9, "matches = 2", "kind = \"swiss\"");
    let (schedule, records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    let make = |records: &[Record]| {
        Report::new(&plan, &schedule, records, &ReportOptions::default()).unwrap().json()
    };
    assert_eq!(make(&records), make(&records));
    let backwards: Vec<Record> = records.iter().rev().cloned().collect();
    assert_eq!(make(&records), make(&backwards), "in whatever order they came");
}

#[test]
fn strangers_are_refused() {
    let (plan, (schedule, mut records)) = three();
    records[3].seats[0] = "nobody".to_owned();
    let error = Report::new(&plan, &schedule, &records, &ReportOptions::default()).unwrap_err();
    assert_eq!(error, ReportError::Bot { id: records[3].id, name: "nobody".to_owned() });
    assert!(error.to_string().contains("`nobody`, which the plan does not have"));
    records[3].seats[0] = records[3].seats[1].clone();
    records[3].seed = Seed(1);
    let error = Report::new(&plan, &schedule, &records, &ReportOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be rated"), "{error}");
}
