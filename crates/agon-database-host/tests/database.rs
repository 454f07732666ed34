//! Databases hold what the journal says, also after the plan or the file has changed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{fs, path::Path, time::Instant};

use agon_tournament::{DatabaseError, Plan};
use rusqlite::Connection;

use crate::made_up::{PLAN, open, plan, records};

/// Asks somebody else's connection.
fn numbers(path: &Path, query: &str) -> Vec<i64> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_database_says_what_the_journal_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let plan = plan("");
    let mut schedule = plan.schedule();
    let records = records(&plan, &mut schedule, usize::MAX);
    // It is open while others read.
    let _database = open(&path, &plan, &records).unwrap();
    assert_eq!(numbers(&path, "SELECT count(*) FROM match"), [24]);
    assert_eq!(numbers(&path, "SELECT count(*) FROM seat"), [48]);
    assert_eq!(
        numbers(&path, "SELECT faults FROM standing ORDER BY faults DESC").iter().sum::<i64>(),
        15
    );
    // Points as in the table of the format.
    let mut standing = schedule.standing();
    standing.sort_by_key(|row| row.entrant);
    let expected: Vec<i64> = standing.iter().map(|row| i64::from(row.half_points)).collect();
    assert_eq!(
        numbers(&path, "SELECT CAST(2 * points AS INTEGER) FROM standing ORDER BY bot"),
        expected
    );
    // Seen from both sides.
    let unequal = "SELECT count(*) FROM head_to_head a JOIN head_to_head b ON a.bot = b.opponent \
                   AND b.bot = a.opponent WHERE a.wins <> b.losses OR a.ties <> b.ties OR \
                   a.matches <> 4";
    assert_eq!(numbers(&path, unequal), [0]);
    assert_eq!(numbers(&path, "SELECT count(*) FROM head_to_head"), [12]);
    let connection = Connection::open(&path).unwrap();
    let seed: String =
        connection.query_row("SELECT seed FROM match", [], |row| row.get(0)).unwrap();
    assert_eq!(seed, records[0].seed.to_string());
}

#[test]
fn the_queries_of_the_page_can_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan("");
    let records = records(&plan, &mut plan.schedule(), usize::MAX);
    let path = folder.path().join("results.sqlite");
    drop(open(&path, &plan, &records).unwrap());
    let connection = Connection::open(&path).unwrap();
    let page = include_str!("../../../docs/tournaments.md");
    let queries: Vec<&str> =
        page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(queries.len() >= 5);
    for query in queries {
        let mut statement =
            connection.prepare(query).unwrap_or_else(|error| panic!("{query}: {error}"));
        let mut rows = statement.query([]).unwrap();
        let mut count = 0;
        while rows.next().unwrap().is_some() {
            count += 1;
        }
        assert!(count >= 2, "{query}");
    }
}

#[test]
fn a_database_catches_up_and_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let plan_ = plan("");
    let records_ = records(&plan_, &mut plan_.schedule(), usize::MAX);
    let mut database = open(&path, &plan_, &records_[..5]).unwrap();
    database.append(&records_[5..7]).unwrap();
    drop(database);
    let marked = || numbers(&path, "SELECT count(*) FROM match WHERE void = 99")[0] == 1;
    let database = open(&path, &plan_, &records_).unwrap();
    assert_eq!(database.matches(), 24);
    Connection::open(&path)
        .unwrap()
        .execute("UPDATE match SET void = 99 WHERE match = 1", [])
        .unwrap();
    drop(database);
    drop(open(&path, &plan_, &records_).unwrap());
    assert!(marked(), "it was taken up, not made anew");
    // A line of the journal was deleted.
    let shorter = open(&path, &plan_, &records_[..23]).unwrap();
    assert_eq!((shorter.matches(), marked()), (23, false));
    drop(shorter);
    // The plan has changed.
    let other = plan("seed = 5\n");
    let other_records = records(&other, &mut other.schedule(), 3);
    assert_eq!(open(&path, &other, &other_records).unwrap().matches(), 3);
}

#[test]
fn a_database_that_was_only_begun_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    // What there is when the arena is killed at the first moment.
    let begun = Connection::open(&path).unwrap();
    begun.pragma_update(None, "journal_mode", "wal").unwrap();
    drop(begun);
    assert!(fs::metadata(&path).unwrap().len() > 0);
    let plan_ = plan("");
    let records_ = records(&plan_, &mut plan_.schedule(), 5);
    assert_eq!(open(&path, &plan_, &records_).unwrap().matches(), 5);
}

#[test]
fn other_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    fs::write(&path, "my thesis").unwrap();
    let error = open(&path, &plan(""), &[]).unwrap_err();
    assert!(matches!(error, DatabaseError::Foreign { .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "my thesis");
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE thesis (page)").unwrap();
    let error = open(&path, &plan(""), &[]).unwrap_err().to_string();
    assert!(error.ends_with("is no database of a tournament; move it away"), "{error}");
}

#[test]
fn bots_of_other_plans_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan("");
    let mut records = records(&plan, &mut plan.schedule(), 2);
    records[1].seats[0] = "nobody".to_owned();
    let mut database = open(&folder.path().join("results.sqlite"), &plan, &records[..1]).unwrap();
    let error = database.append(&records[1..]).unwrap_err().to_string();
    assert!(error.contains("is one of the bot `nobody`, which the plan does not have"), "{error}");
    assert_eq!(database.matches(), 1);
}

/// Prints how long a large tournament takes.
#[test]
fn a_hundred_thousand_matches_are_imported() {
    agon_testkit::slow!();
    const MATCHES: usize = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let plan = plan("");
    let ladder = PLAN.replace("round-robin", "ladder\"\nwave = 1000\nlimit = 200000 # \"");
    let ladder = Plan::parse(&ladder, Path::new("plan.toml")).unwrap();
    let start = Instant::now();
    let records = records(&plan, &mut ladder.schedule(), MATCHES);
    eprintln!("scheduling {MATCHES} matches: {:?}", start.elapsed());
    let start = Instant::now();
    drop(open(&path, &plan, &records).unwrap());
    eprintln!("importing them: {:?}", start.elapsed());
    let start = Instant::now();
    let _database = open(&path, &plan, &records).unwrap();
    eprintln!("opening the database again: {:?}", start.elapsed());
    let start = Instant::now();
    assert_eq!(numbers(&path, "SELECT sum(matches) FROM standing"), [2 * MATCHES as i64]);
    eprintln!("the table: {:?}", start.elapsed());
}
