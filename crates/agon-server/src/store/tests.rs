//! What is read quickly equals what is added up from single rows: with SQLite, and with PostgreSQL
//! if the variable for it is there.

use std::collections::BTreeMap;

use agon_console::serve_options::DatabaseOptions;
use agon_core::{Evidence, Fault, FaultKind, Player, Purpose, Rng, Seed};
use agon_ladder::ledger::{Entry, MAX_ENTRY, Table, pack};
use agon_ladder::{CountedResults, VersionId};
use agon_testkit::postgres::VARIABLE;
use tempfile::TempDir;

use super::counts::{self, Count, Totals};
use super::match_filter::{Against, MatchFilter};
use super::matches::{self, Match, MatchState, Outcome, plan};
use super::{Store, Stored, fresh_id, ledger};
use crate::database::{Place, Statement, statement};
use crate::{arena_handle::Trends, metrics::Metrics, ranking::Ranked};

/// The arena of these tests.
pub(crate) const ARENA: i64 = 7;

/// Opens a new database.
pub(crate) async fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let database = match std::env::var(VARIABLE) {
        Ok(server) => Some(make(&server).await),
        Err(_) => None,
    };
    let options = DatabaseOptions { database, database_ca: None };
    let place = Place::of(folder.path(), &options).unwrap();
    let database = place.open(folder.path()).await.unwrap();
    let store = Store::new(database, Metrics::new().write_seconds.clone());
    let sql = "INSERT INTO arenas (id, slug, title, settings, created)
        VALUES ($1, 'a', 'A', '{}', 0)";
    store.write(vec![statement(sql, (ARENA,))]).await.unwrap();
    (folder, store)
}

/// Makes a database of PostgreSQL, and returns its address.
async fn make(server: &str) -> String {
    let address = format!("{server}/postgres");
    let (client, connection) =
        tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let name = format!("s{:x}", fresh_id());
    client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
    format!("{server}/{name}")
}

/// Draws two or three of a few versions, in order of their ids, and their places.
fn draw(rng: &mut Rng, versions: i64) -> (Vec<i64>, Vec<u32>) {
    let mut players: Vec<i64> = (1..=versions).map(|number| number * 3).collect();
    rng.shuffle(&mut players);
    players.truncate(2 + rng.index(2));
    players.sort_unstable();
    let places = players.iter().map(|_| 1 + rng.index(2) as u32).collect();
    (players, places)
}

/// Returns all counted results.
async fn counts_of(store: &Store) -> Stored<Vec<Count>> {
    let sql = "SELECT players, places, count FROM counts WHERE arena = $1 AND count > 0
        ORDER BY players, places";
    store.all(sql, (ARENA,)).await
}

/// Adds the counts up one by one.
fn sums(counts: &[Count]) -> Totals {
    let matches = counts.iter().map(|count| count.count).sum();
    Totals { matches, results: counts.len() as u64 }
}

#[tokio::test]
async fn totals_and_pairs_are_the_sums_of_the_counts_also_after_annulling() {
    let (_folder, store) = store().await;
    assert_eq!(store.totals(ARENA).await.unwrap(), Totals::default());
    let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
    let mut there: Vec<(Vec<i64>, Vec<u32>)> = Vec::new();
    for round in 0..6 {
        let mut statements: Vec<Statement> = Vec::new();
        for _ in 0..20 {
            // Half of the matches of later rounds are taken out again.
            let (result, by) = match round > 2 && !there.is_empty() && rng.chance(1, 2) {
                true => (there.swap_remove(rng.index(there.len())), -1),
                false => (draw(&mut rng, 5), 1),
            };
            statements.extend(counts::count(ARENA, &result.0, &result.1, by));
            if by > 0 {
                there.push(result);
            }
        }
        store.write(statements).await.unwrap();
        let counts = counts_of(&store).await.unwrap();
        assert_eq!(store.totals(ARENA).await.unwrap(), sums(&counts), "round {round}");
        assert_eq!(sums(&counts).matches, there.len() as u64);
        check_pairs(&store, &counts).await;
    }
    assert_eq!(store.totals(ARENA + 1).await.unwrap(), Totals::default());
    // The last match is taken out, too.
    let out = there.iter().flat_map(|(players, places)| counts::count(ARENA, players, places, -1));
    store.write(out.collect()).await.unwrap();
    assert_eq!(store.totals(ARENA).await.unwrap(), Totals::default());
}

/// Compares the pairs of all versions with the counts.
async fn check_pairs(store: &Store, counts: &[Count]) {
    let mut plain: BTreeMap<(i64, i64), [u64; 3]> = BTreeMap::new();
    for Count { players, places, count } in counts {
        for (&one, place) in players.iter().zip(places) {
            for (&other, behind) in players.iter().zip(places).filter(|(other, _)| **other != one) {
                let kind = 1 + place.cmp(behind) as isize;
                plain.entry((one, other)).or_default()[kind as usize] += count;
            }
        }
    }
    let versions = [3, 6, 9, 12, 15];
    for one in versions {
        let own = |other| plain.get(&(one, other)).copied();
        let mut most: Vec<(i64, [u64; 3])> =
            versions.into_iter().filter_map(|other| Some((other, own(other)?))).collect();
        most.sort_by_key(|(_, results)| std::cmp::Reverse(results.iter().sum::<u64>()));
        let met = |all: Vec<(i64, [u64; 3])>| -> Vec<_> {
            all.into_iter().filter(|(_, results)| *results != [0; 3]).collect()
        };
        assert_eq!(met(store.most_met(one, 10).await.unwrap()), most);
        let first = store.most_met(one, 2).await.unwrap();
        assert_eq!(met(first), most.iter().copied().take(2).collect::<Vec<_>>());
        let among = store.pairs_among(one, &versions).await.unwrap();
        for (other, found) in versions.into_iter().zip(among) {
            assert_eq!(found.filter(|results| *results != [0; 3]), own(other));
        }
    }
}

#[tokio::test]
async fn streamed_counts_give_the_same_table_to_the_last_bit() {
    let (_folder, store) = store().await;
    let mut rng = Seed::plain(2).stream(Purpose::Sample, 0);
    // Several parts, and one that is not full.
    for _ in 0..50 {
        let (players, places) =
            (0..100).map(|_| draw(&mut rng, 60)).unzip::<_, _, Vec<_>, Vec<_>>();
        let sql = "INSERT INTO counts (arena, players, places, count) VALUES ($1, $2, $3, 1)
            ON CONFLICT (arena, players, places) DO UPDATE SET count = counts.count + 1";
        let row = |(players, places): (&Vec<i64>, &Vec<u32>)| {
            let (players, places) =
                (counts::bytes_of_ids(players), counts::bytes_of_places(places));
            statement(sql, (ARENA, players, places))
        };
        store.write(players.iter().zip(&places).map(row).collect()).await.unwrap();
    }
    let entry = |number| Entry::GivenUp { arena: 7, number };
    let log = [entry(1), entry(2)].iter().map(ledger::append).collect();
    store.write(log).await.unwrap();
    let counts = counts_of(&store).await.unwrap();
    assert!(counts.len() > 4_000 && counts.len() % 2_000 != 0, "{}", counts.len());
    let (size, results) = store.counted_results(ARENA).await.unwrap();
    assert_eq!(size, 2);
    let table = Table::of(1, size, results).unwrap();
    let mut collected = CountedResults::default();
    for Count { players, places, count } in &counts {
        let players: Vec<VersionId> =
            players.iter().map(|id| VersionId(id.cast_unsigned())).collect();
        collected.add(&players, places, *count).unwrap();
    }
    assert_eq!(table.text(), Table::of(1, size, collected).unwrap().text());
    // A table of no match has a size, too: that of the log.
    let (size, results) = store.counted_results(ARENA + 1).await.unwrap();
    assert_eq!((size, Table::of(1, 2, results).unwrap().table.rows.len()), (2, 0));
}

#[tokio::test]
async fn counts_are_in_order_of_ids() {
    let (_folder, store) = store().await;
    let results: [(&[i64], &[u32]); 4] = [
        (&[9, 10], &[2, 1]),
        (&[9, 1 << 52], &[1, 2]),
        (&[10, 300], &[1, 1]),
        (&[1, 2, 3], &[1, 3, 2]),
    ];
    let all = results.iter().rev().flat_map(|(ids, places)| counts::count(ARENA, ids, places, 1));
    store.write(all.collect()).await.unwrap();
    let found = counts_of(&store).await.unwrap();
    let found: Vec<(&[i64], &[u32])> =
        found.iter().map(|count| (&*count.players, &*count.places)).collect();
    assert_eq!(found, [results[3], results[0], results[1], results[2]]);
    let sql = "UPDATE counts SET players = $1 WHERE places = $2";
    let damage = ([0; 17].as_slice(), [1, 1].as_slice());
    store.write(vec![statement(sql, damage).once()]).await.unwrap();
    for error in [counts_of(&store).await.err(), store.counted_results(ARENA).await.err()]
        .map(Option::unwrap)
    {
        assert!(error.to_string().contains("restore it from a backup"), "{error}");
    }
}

/// Plays matches between version 1 and others: the ratings of version 1 by match.
async fn play(store: &Store, numbers: impl Iterator<Item = u64>) -> Vec<(u64, f64)> {
    let mut statements = Vec::new();
    let mut ratings = Vec::new();
    for number in numbers {
        let rating = 1_500.0 + number as f64 / 8.0;
        statements.extend(plan(ARENA, number, 1, &[1, 2], 0));
        let sql = "UPDATE matches SET state = 'played', played = $2 WHERE number = $1";
        statements.push(statement(sql, (number, number * 10)));
        let sql = "UPDATE seats SET rating = $2 WHERE number = $1";
        statements.push(statement(sql, (number, rating)));
        ratings.push((number, rating));
    }
    store.write(statements).await.unwrap();
    ratings
}

#[tokio::test]
async fn ratings_are_spread_over_all_matches() {
    let (_folder, store) = store().await;
    assert!(store.ratings_of(1, 0, 10).await.unwrap().is_empty());
    assert!(store.ratings_of(1, 99, 10).await.unwrap().is_empty());
    let mut rng = Seed::plain(3).stream(Purpose::Sample, 0);
    let mut number = 5;
    let numbers: Vec<u64> = (0..300)
        .map(|at| {
            // Many at first, and few later.
            number += if at < 200 { 1 } else { 1 + rng.below(60) };
            number
        })
        .collect();
    let all = play(&store, numbers.iter().copied()).await;
    // One that is not over has no rating, and is no point.
    store.write(plan(ARENA, 100_000, 1, &[1, 2], 0)).await.unwrap();
    let times = |points: &[(u64, f64)]| -> Vec<(i64, f64)> {
        points.iter().map(|&(number, rating)| (number as i64 * 10, rating)).collect()
    };
    assert_eq!(store.ratings_of(1, 300, 300).await.unwrap(), times(&all));
    for most in [1, 7, 40, 299] {
        let (first, last) = (all[0].0, all[299].0);
        let mut points = vec![all[0]];
        for step in 1..=most {
            let place = first + (last - first) * step / most;
            let is_next =
                |(number, _): &&(u64, f64)| *number >= place && *number > points.last().unwrap().0;
            points.extend(all.iter().find(is_next).copied());
        }
        let found = store.ratings_of(1, 300, most as u32).await.unwrap();
        assert_eq!(found, times(&points), "{most}");
        assert_eq!(found.last(), times(&all[299..]).first(), "the last one is there");
    }
}

#[tokio::test]
async fn lists_have_the_matches_that_fit() {
    let (_folder, store) = store().await;
    let mut rng = Seed::plain(4).stream(Purpose::Sample, 0);
    let mut all: Vec<(u64, [i64; 2], [u64; 2])> = Vec::new();
    let mut statements = Vec::new();
    for number in 1..=200 {
        let one = 1 + rng.below(4) as i64;
        let versions = [one, one % 4 + 1];
        let faults = [0, 1].map(|_| rng.below(8).saturating_sub(5));
        statements.extend(plan(ARENA, number, 1, &versions, 0));
        for (seat, faults) in faults.into_iter().enumerate() {
            let sql = "UPDATE seats SET faults = $3 WHERE number = $1 AND seat = $2";
            statements.push(statement(sql, (number, seat, faults)));
        }
        all.push((number, versions, faults));
    }
    statements.push(statement("UPDATE matches SET state = 'played'", ()));
    // One that is not over is in no list.
    statements.extend(plan(ARENA, 201, 1, &[1, 2], 0));
    store.write(statements).await.unwrap();
    for (version, against) in
        [(None, None), (Some(1), None), (Some(1), Some(2)), (Some(2), Some(1)), (Some(1), Some(3))]
    {
        for with_faults in [false, true] {
            let fits = |(_, versions, faults): &&(u64, [i64; 2], [u64; 2])| {
                let has = |wanted: Option<i64>| wanted.is_none_or(|id| versions.contains(&id));
                let own = |at: usize| version.is_none_or(|id| versions[at] == id);
                let is_faulty = (0..2).any(|at| own(at) && faults[at] > 0);
                has(version) && has(against) && (is_faulty || !with_faults)
            };
            let fitting = all.iter().rev().filter(fits).map(|(number, ..)| *number);
            let fitting: Vec<u64> = fitting.filter(|&number| number < 150).take(20).collect();
            let versions = version.map(|id| vec![id]);
            let against = against.map(Against::Version);
            let filter = MatchFilter { versions, against, with_faults };
            let found = store.matches(ARENA, &filter, 150, 20).await.unwrap();
            let found = found.iter().map(|seated| (seated.of.number, seated.seats.len()));
            let fitting: Vec<(u64, usize)> = fitting.into_iter().map(|of| (of, 2)).collect();
            assert_eq!(found.collect::<Vec<_>>(), fitting, "{filter:?}");
        }
    }
}

#[tokio::test]
async fn trends_are_kept_until_a_version_plays_again() {
    let (_folder, store) = store().await;
    play(&store, 1..=50).await;
    let trends = Trends::default();
    let row = |version, matches| Ranked { version, matches, ..Ranked::default() };
    let (one, other) = (row(1, 50), row(3, 0));
    let before = trends.of(&store, &[&other, &one]).await.unwrap();
    assert!(before[0].is_empty());
    assert_eq!((before[1].len(), before[1][39]), (40, 1_500.0 + 50.0 / 8.0));
    play(&store, 51..=52).await;
    assert_eq!(trends.of(&store, &[&one]).await.unwrap()[0], before[1]);
    let after = trends.of(&store, &[&row(1, 52)]).await.unwrap();
    assert_eq!(after[0][..38], before[1][2..]);
    assert_eq!(after[0][39], 1_500.0 + 52.0 / 8.0);
}

#[tokio::test]
async fn planned_matches_come_with_their_seats() {
    let (_folder, store) = store().await;
    play(&store, 1..=5).await;
    store.write(plan(ARENA, 6, 9, &[2, 1], 0)).await.unwrap();
    store.write(plan(ARENA, 8, 9, &[1, 2], 0)).await.unwrap();
    let planned = store.planned_matches(ARENA).await.unwrap();
    let shown = planned.iter().map(|seated| {
        let versions: Vec<i64> = seated.seats.iter().map(|seat| seat.version).collect();
        (seated.of.number, versions)
    });
    assert_eq!(shown.collect::<Vec<_>>(), [(6, vec![2, 1]), (8, vec![1, 2])]);
    assert!(store.planned_matches(ARENA + 1).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_version_is_erased_from_its_matches_in_parts() {
    let (_folder, store) = store().await;
    let last = 1_203;
    play(&store, 1..=last).await;
    let fault = |player: usize| Fault {
        player: Player::from_index(player),
        step: 3,
        kind: FaultKind::Timeout,
        detail: "it wrote a word of its author".to_owned(),
        evidence: Evidence::default(),
        count: 1,
    };
    let outcome = Outcome { faults: vec![fault(0), fault(1)], ..Outcome::default() };
    let outcome = super::to_json(&outcome);
    let digest = |number: u64| agon_match::spec::Digest::of(&number.to_le_bytes()).to_string();
    let mut all = Vec::new();
    for number in 1..=last {
        let sql = "UPDATE matches SET replay = $2, outcome = $3 WHERE number = $1";
        let values = (number, digest(number), outcome.as_str());
        all.push(statement(sql, values));
    }
    let logs = "UPDATE seats SET stderr = 'words', cost = '[1]', faults = 1";
    all.push(statement(logs, ()));
    // Version 2 has matches without version 1.
    all.extend(plan(ARENA, last + 5, 1, &[2, 3], 0));
    store.write(all).await.unwrap();
    let mut ends = Vec::new();
    let mut after = 0;
    while let Some(end) = store.erase_part(1, after, 77).await.unwrap() {
        ends.push(end);
        after = end;
    }
    assert_eq!(ends, [500, 1_000, last]);
    assert_eq!(store.erase_part(3, last + 5, 77).await.unwrap(), None);
    let count = async |sql| store.count(sql, ()).await.unwrap();
    let left = "SELECT count(*) FROM seats WHERE stderr IS NOT NULL AND cost IS NOT NULL";
    assert_eq!(count(left).await, last, "those of version 2 stay");
    let gone = "SELECT count(*) FROM matches WHERE replay_erased = 1 AND replay_removed = 77";
    assert_eq!((count(gone).await, count("SELECT count(*) FROM doomed").await), (last, last));
    let sql = "SELECT outcome FROM matches WHERE outcome IS NOT NULL";
    for outcome in store.all::<Outcome>(sql, ()).await.unwrap() {
        let players: Vec<usize> = outcome.faults.iter().map(|fault| fault.player.index()).collect();
        assert_eq!(players, [1]);
    }
    // The same once more changes nothing.
    assert_eq!(store.erase_part(1, 0, 99).await.unwrap(), Some(500));
    assert_eq!(count(gone).await, last);
}

#[tokio::test]
async fn a_damaged_entry_of_the_log_is_an_error_that_names_it() {
    let (_folder, store) = store().await;
    let entry = |number| Entry::GivenUp { arena: 7, number };
    let entries: Vec<Entry> = (0..4).map(entry).collect();
    store.write(entries.iter().map(ledger::append).collect()).await.unwrap();
    let texts: Vec<String> = entries.iter().map(Entry::text).collect();
    assert_eq!(store.log_entries(0, 9).await.unwrap(), texts);
    assert_eq!(store.log_entries(1, 2).await.unwrap(), texts[1..3]);
    for damaged in [b"no entry".to_vec(), pack(&"x".repeat(MAX_ENTRY + 1))] {
        let sql = "UPDATE log SET entry = $1 WHERE number = 2";
        store.write(vec![statement(sql, (damaged.as_slice(),))]).await.unwrap();
        assert_eq!(store.log_entries(0, 2).await.unwrap(), texts[..2]);
        let error = store.log_entries(0, 9).await.unwrap_err().to_string();
        assert!(error.contains("entry 2 of the public log is damaged"), "{error}");
        assert!(error.ends_with("restore the database from a backup"), "{error}");
    }
}

/// Plans a match, ends it, and reads it again.
async fn end(store: &Store, number: u64, state_hash: u64) {
    let ended = Match {
        arena: ARENA,
        number,
        state: MatchState::Played,
        seed: u64::MAX,
        played: Some(1),
        ms: Some(2),
        turns: Some(3),
        outcome: Some(Outcome::default()),
        state_hash: Some(state_hash),
        ..Match::default()
    };
    let mut statements = plan(ARENA, number, u64::MAX, &[1, 2], 0);
    statements.extend(ended.end());
    store.write(statements).await.unwrap();
    let found = store.seated_match(ARENA, number).await.unwrap().unwrap().of;
    assert_eq!(found.state_hash, Some(state_hash));
}

#[tokio::test]
async fn hashes_of_states_have_64_bits_and_survive_an_annulment() {
    let (_folder, store) = store().await;
    for number in 1..=3 {
        end(&store, number, u64::MAX - number).await;
    }
    let all = store.matches(ARENA, &MatchFilter::default(), 100, 100).await.unwrap();
    // Who annuls a match changes nothing but that.
    let of = &all[0].of;
    let annul = matches::annul(ARENA, of.number, &of.outcome.clone().unwrap());
    store.write(vec![annul]).await.unwrap();
    let found = store.seated_match(ARENA, of.number).await.unwrap().unwrap().of;
    assert_eq!(found.state, MatchState::Annulled);
    assert_eq!(found.state_hash, of.state_hash);
}
