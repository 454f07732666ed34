//! Reports on small tournaments, compared with counts by hand, and the tables for other programs.

use std::collections::BTreeMap;

use agon_contest::report::{Csv, Report, ReportOptions};
use agon_contest::{Entrant, Match, Outcome, Plan, Record, journal::SeatFault, plan::Out};
use agon_core::{FaultKind, Seed};
use serde_json::{Value, json};

use super::common::{Cup, World, plan, strength};

/// Plays up to `limit` matches; `place` returns a player's place in a match.
fn play(plan: Plan, limit: usize, place: impl Fn(&Match, Entrant) -> u32) -> Cup {
    Cup::with(plan, limit, |plan, game| {
        let places: Vec<u32> = game.seats.iter().map(|&entrant| place(game, entrant)).collect();
        let scores = places.iter().map(|&place| 10 - i64::from(place)).collect();
        let outcome = Outcome::new(places, scores);
        Record { ms: 100, ..Record::new(game, plan.names(game), outcome) }
    })
}

/// Returns `keys` of each object of a list, as lists.
fn columns(list: &Value, keys: &[&str]) -> Vec<Value> {
    let row = |row: &Value| keys.iter().map(|&key| row[key].clone()).collect::<Value>();
    list.as_array().unwrap().iter().map(row).collect()
}

/// Returns the first warning of a report.
fn warning(report: &Value) -> &str {
    report["warnings"][0].as_str().unwrap()
}

/// Plays three bots: ada wins everything, borg and cassius tie with each other.
fn three() -> Cup {
    let plan = plan(3, "matches = 4", "kind = \"round-robin\"");
    play(plan, usize::MAX, |game, entrant| match entrant.0 {
        0 => 1,
        _ if game.seats.contains(&Entrant(0)) => 2,
        _ => 1,
    })
}

#[test]
fn forfeits_give_points_and_no_ratings() {
    let mut cup = three();
    cup.schedule = cup.plan.schedule();
    let mut of_ada = 0;
    for record in &mut cup.records {
        // Ada forfeits all her matches from the third one on.
        if let Some(seat) = record.seats.iter().position(|name| name == "ada") {
            of_ada += 1;
            if of_ada > 2 {
                let game = cup.schedule.find(record.id).unwrap();
                *record = Record::forfeit(game, String::new(), record.seats.clone(), vec![seat]);
            }
        }
        cup.schedule.record(record.id, record.outcome()).unwrap();
    }
    let report = cup.json();
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
    assert_eq!(columns(&report["seats"], &["matches"]), [json!([6]), json!([6])]);
    let forfeited = report["matches"].as_array().unwrap().iter();
    assert_eq!(forfeited.filter(|line| line["forfeits"] != json!([])).count(), 6);
}

#[test]
fn a_small_tournament_is_told_right() {
    let report = three().json();
    assert_eq!(report["report"], "agon-tournament-report");
    assert_eq!(report["tournament"]["game"], "cluster");
    assert_eq!(report["tournament"]["format"]["kind"], "round-robin");
    let state =
        ["finished", "over", "open", "ms", "mean_ms"].map(|key| report["state"][key].clone());
    assert_eq!(Value::from(state.to_vec()), json!([true, 12, 0, 1200, 100.0]));
    let keys = ["place", "bot", "points", "matches", "wins", "ties", "losses", "mean_place"];
    assert_eq!(
        columns(&report["standing"], &keys),
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
    assert_eq!(report["ratings"][1]["elo"], report["ratings"][2]["elo"], "both did the same");
    // Each bot had each seat equally often.
    let seats = columns(&report["seats"], &["players", "seat", "matches", "score"]);
    assert_eq!(seats, [json!([2, 1, 12, 0.5]), json!([2, 2, 12, 0.5])]);
    assert_eq!(report["matches"].as_array().unwrap().len(), 12);
    assert_eq!(report["circles"], json!([]));
    let told = "ada: has lost neither to the bots it is measured against nor";
    assert!(warning(&report).starts_with(told), "{report}");
    // The last point of time is now.
    let progress = &report["progress"];
    assert_eq!(progress["matches"], (1..=12).collect::<Value>());
    let lines = progress["lines"].as_array().unwrap();
    for (line, rating) in lines.iter().zip(report["ratings"].as_array().unwrap()) {
        assert_eq!(line["bot"], rating["bot"]);
        for key in ["elo", "low", "high"] {
            assert_eq!(line[key].as_array().unwrap().last(), Some(&rating[key]));
        }
    }
}

#[test]
fn disqualified_bots_stand_last_and_leave_their_places() {
    let mut cup = three();
    cup.plan.bots[0].about.out = Some(Out::Disqualified("a copy".to_owned()));
    cup.plan.bots[1].about.out = Some(Out::Withdrawn("ill".to_owned()));
    let report = cup.json();
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
        columns(&report["bots"], &["name", "disqualified", "withdrawn"])[..2],
        [json!(["ada", "a copy", null]), json!(["borg", null, "ill"])]
    );
}

#[test]
fn circles_are_named() {
    let plan = plan(3, "matches = 20", "kind = \"round-robin\"");
    // Each beats the next one.
    let beats = |one: Entrant, other: Entrant| other.0 == (one.0 + 1) % 3;
    let cup = play(plan, usize::MAX, |game, entrant| {
        1 + u32::from(game.seats.iter().any(|&other| beats(other, entrant)))
    });
    let report = cup.json();
    assert_eq!(
        columns(&report["circles"], &["bots", "scores"]),
        [json!([["ada", "borg", "cassius-the-second"], [1.0, 1.0, 1.0]])]
    );
    let told = warning(&report);
    assert!(told.contains("cyclic") && told.contains("ada, borg and cassius-the-second"), "{told}");
}

#[test]
fn groups_that_never_met_are_not_compared() {
    // The first round of four: two pairs.
    let plan = plan(4, "matches = 2", "kind = \"swiss\"\nrounds = 2");
    let report = play(plan, 4, |game, entrant| 1 + u32::from(entrant == game.seats[0])).json();
    assert_eq!(report["verdict"], Value::Null);
    assert!(warning(&report).starts_with("The bots form 2 groups that never met"), "{report}");
    let groups = columns(&report["ratings"], &["group"]);
    assert_eq!(groups, [json!([0]), json!([0]), json!([1]), json!([1])]);
    let rows = &report["superiority"]["rows"];
    assert_eq!((&rows[0][0], &rows[0][2], &rows[3][1]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(rows[0][1].as_f64().unwrap() + rows[1][0].as_f64().unwrap(), 1.0);
    assert_eq!(report["state"]["finished"], false);
}

#[test]
fn before_the_first_match_there_is_little_to_tell() {
    let report = play(plan(4, "matches = 2", "kind = \"swiss\""), 0, |_, _| 1).json();
    assert_eq!((&report["state"]["open"], &report["state"]["more"]), (&json!(4), &json!(true)));
    assert_eq!(report["verdict"], Value::Null);
    assert_eq!(report["standing"].as_array().unwrap().len(), 4);
    assert!(warning(&report).ends_with("no matches, so no rating."));
}

#[test]
fn faults_are_of_bots_and_void_matches_of_nobody() {
    let mut cup = three();
    cup.records.sort_by_key(|record| record.id);
    let mut of = |bot: &str, at: usize, faults| {
        let mut own =
            cup.records.iter_mut().filter(|record| record.seats.iter().any(|it| it == bot));
        let record = own.nth(at).unwrap();
        let seat = record.seats.iter().position(|name| name == bot).unwrap();
        record.faults[seat] = faults;
        record.replay = Some(format!("{}.agon", record.id));
        record.id.to_string()
    };
    let first = of("borg", 1, vec![SeatFault::new(FaultKind::Timeout, 3, "late")]);
    let later = SeatFault::new(FaultKind::Timeout, 2, "later");
    let second = of("borg", 5, vec![later, SeatFault::new(FaultKind::Crash, 1, "boom")]);
    cup.records[0].void = 2;
    let report = cup.json();
    let [one, other] = [&first, &second].map(|id| format!("{id}.agon"));
    assert_eq!(
        columns(
            &report["faults"],
            &["bot", "kind", "count", "matches", "text", "examples", "replays"]
        ),
        [
            json!(["borg", "timeout", 5, 2, "late", [first, second], [one, other]]),
            json!(["borg", "crash", 1, 1, "boom", [second], [other]]),
        ]
    );
    let faults = columns(&report["standing"], &["bot", "faults"]);
    assert_eq!(faults, [json!(["ada", 0]), json!(["borg", 6]), json!(["cassius-the-second", 0])]);
    let state = &report["state"];
    assert_eq!((&state["void"], &state["void_matches"]), (&json!(2), &json!(1)));
    // A bot that fails in most matches is named.
    for record in &mut cup.records {
        if let Some(seat) = record.seats.iter().position(|name| name == "borg") {
            record.faults[seat] = vec![SeatFault::new(FaultKind::Start, 1, "no such file")];
        }
    }
    let told = json!(
        "borg: faults in at least half of the matches; the place may say more about them than \
         about play."
    );
    let report = cup.json();
    assert!(report["warnings"].as_array().unwrap().contains(&told), "{report}");
}

#[test]
fn the_first_seat_shows_its_worth() {
    let plan = plan(4, "matches = 10", "kind = \"round-robin\"");
    let cup = play(plan, usize::MAX, |game, entrant| 1 + u32::from(entrant != game.seats[0]));
    let seats = columns(&cup.json()["seats"], &["seat", "score", "low", "high"]);
    // 30 equal seeds do not prove that every other seed is equal.
    assert_eq!(seats, [json!([1, 1.0, 0.8944, 1.0]), json!([2, 0.0, 0.0, 0.1056])]);
}

#[test]
fn strengths_are_found_again() {
    let world = World { span: 400.0, seat: 0.0, grain: 0.1, faults: false };
    let whole = plan(8, "matches = 40", "kind = \"round-robin\"");
    let best = (0..8).max_by_key(|&at| strength(&world, 8, at) as i64).unwrap();
    let mut within = 0;
    let mut first = 0;
    for seed in 0..10 {
        let cup = Cup::played(Plan { seed: Seed(seed), ..whole.clone() }, usize::MAX, &world);
        let options = ReportOptions { points: 0 };
        let report = Report::new(&cup.plan, &cup.schedule, &cup.records, &options).unwrap();
        let name = &cup.plan.bots[best].name;
        first += u32::from(report.ratings[0].bot == name);
        // Equal ratings are named together.
        let highest = report.ratings[0].elo;
        let mut highest = report.ratings.iter().filter(|rating| rating.elo == highest);
        let is_highest = highest.any(|rating| rating.bot == name);
        let verdict = report.verdict.as_ref().unwrap();
        assert_eq!(verdict.contains(name), is_highest, "{verdict}");
        for rating in &report.ratings {
            let bot = cup.plan.bots.iter().position(|bot| bot.name == rating.bot).unwrap();
            let truth = strength(&world, 8, bot);
            within += u32::from((rating.low..=rating.high).contains(&truth));
        }
    }
    // About 76 of 80 intervals with 95 % are right.
    assert!((71..=80).contains(&within), "{within}");
    // The second is 57 points behind, and each plays some hundred matches.
    assert!((8..=10).contains(&first), "{first}");
}

#[test]
fn the_same_results_make_the_same_report() {
    let mut cup = Cup::new(plan(9, "matches = 2", "kind = \"swiss\""));
    let before = cup.report().json();
    assert_eq!(before, cup.report().json());
    cup.records.reverse();
    assert_eq!(before, cup.report().json(), "in whatever order they came");
}

#[test]
fn strangers_are_refused() {
    let Cup { plan, schedule, mut records } = three();
    let error = |records: &[Record]| {
        let report = Report::new(&plan, &schedule, records, &ReportOptions::default());
        report.unwrap_err().to_string()
    };
    records[3].seats[0] = "nobody".to_owned();
    let stranger = error(&records);
    assert!(stranger.starts_with(&format!("match {} in the journal", records[3].id)), "{stranger}");
    assert!(stranger.contains("`nobody`, which the plan does not have"), "{stranger}");
    records[3].seats[0] = records[3].seats[1].clone();
    records[3].seed = Seed(1);
    assert!(error(&records).contains("cannot be rated"), "{}", error(&records));
}

/// A tournament with a name of each unusual kind: with what CSV quotes, and a formula.
fn quoted() -> Cup {
    let mut plan = plan(6, "matches = 4", "kind = \"round-robin\"");
    plan.bots[0].name = "=1+2".to_owned();
    plan.bots[1].name = "a, \"b\"\nc".to_owned();
    Cup::new(plan)
}

fn table(cup: &Cup, table: Csv) -> String {
    let mut bytes = Vec::new();
    cup.report().csv(table, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn names_are_no_formulas() {
    let cup = quoted();
    for csv in Csv::ALL {
        let text = table(&cup, csv);
        assert_eq!(text.contains("'=1+2"), csv != Csv::Faults, "{text}");
        assert!(!text.replace("'=1+2", "").contains("=1+2"), "{text}");
        assert_eq!(csv.to_string().parse(), Ok(csv), "tables have names");
    }
    let error = "ratings".parse::<Csv>().unwrap_err();
    assert!(error.contains("standing, head-to-head, matches, faults"), "{error}");
}

#[test]
fn tables_read_back() {
    let mut cup = quoted();
    cup.records.sort_by_key(|record| record.id);
    // Maps from names of columns.
    let read = |csv: Csv| -> Vec<BTreeMap<String, String>> {
        let text = table(&cup, csv);
        csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
    };
    let standing = read(Csv::Standing);
    assert_eq!(standing.len(), 6);
    assert!(standing.iter().any(|row| row["bot"] == cup.plan.bots[1].name));
    let points: f64 = standing.iter().map(|row| row["points"].parse::<f64>().unwrap()).sum();
    assert_eq!(points, cup.records.len() as f64);
    assert!(standing.iter().all(|row| row["elo"].parse::<f64>().is_ok()
        && ["firm", "open-above", "open-below"].contains(&&*row["footing"])));

    let pairs = read(Csv::HeadToHead);
    assert_eq!(pairs.len(), 30);
    let of = |bot: &str, opponent: &str| {
        let row = pairs.iter().find(|row| row["bot"] == bot && row["opponent"] == opponent);
        ["wins", "ties", "losses"].map(|key| row.unwrap()[key].parse::<u32>().unwrap())
    };
    let [wins, ties, losses] = of("felix", "dora");
    assert_eq!((of("dora", "felix"), wins + ties + losses), ([losses, ties, wins], 4));

    let matches = read(Csv::Matches);
    assert_eq!(matches.len(), 2 * cup.records.len());
    for (lines, record) in matches.chunks(2).zip(&cup.records) {
        for (seat, line) in lines.iter().enumerate() {
            assert_eq!(line["match"], record.id.to_string());
            assert_eq!(line["bot"].trim_start_matches('\''), record.seats[seat]);
            assert_eq!(line["seat"], (seat + 1).to_string());
            assert_eq!(line["score"], record.scores[seat].to_string());
            assert_eq!(line["round"], record.id.pairing.round.to_string());
        }
    }

    let faults = read(Csv::Faults);
    let count: u64 = faults.iter().map(|row| row["count"].parse::<u64>().unwrap()).sum();
    let all = cup.records.iter().flat_map(|record| record.faults.iter().flatten());
    assert_eq!(count, all.map(|fault| fault.count).sum::<u64>());
    assert!(count > 0);
}
