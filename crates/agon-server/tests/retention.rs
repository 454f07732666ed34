//! Old replays and logs are removed, if the operator wants it.

use std::path::Path;

use agon_arena::BlobStore;
use rusqlite::Connection;

use crate::support::{Server, wait_for};

fn connect(data: &Path) -> Connection {
    let connection = Connection::open(data.join("agon.db")).unwrap();
    connection.busy_timeout(std::time::Duration::from_secs(60)).unwrap();
    connection
}

#[test]
fn old_replays_and_logs_are_removed_and_pages_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--arena", "cluster", "--pace", "0"]);
    wait_for("matches", || {
        let played = "SELECT count(*) FROM matches WHERE state = 'played'";
        let count: i64 = connect(data).query_row(played, [], |row| row.get(0)).unwrap();
        (count > 8).then_some(())
    });
    assert!(server.stop());
    // Time passes: the first six matches are old, and a thousand others came after them.
    let connection = connect(data);
    connection
        .execute_batch(
            "BEGIN;
            DELETE FROM seats WHERE number IN
                (SELECT number FROM matches WHERE state <> 'played');
            DELETE FROM matches WHERE state <> 'played';
            UPDATE matches SET played = 1000000000000 WHERE number <= 6;
            UPDATE seats SET stderr = 'old words', cost = NULL;
            WITH RECURSIVE numbers (n) AS
                (SELECT 10000 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10999)
            INSERT INTO matches (arena, number, state, seed, planned, played)
                SELECT (SELECT id FROM arenas), n, 'given_up', n, played, played
                FROM numbers, (SELECT max(played) AS played FROM matches);
            -- Two matches name the same replay, and only one is old.
            UPDATE matches SET replay = (SELECT replay FROM matches WHERE number = 7)
                WHERE number = 2;
            COMMIT;",
        )
        .unwrap();
    let replay = |number: u32| -> String {
        let sql = "SELECT replay FROM matches WHERE number = ?1";
        connection.query_row(sql, [number], |row| row.get(0)).unwrap()
    };
    let digests: Vec<String> = (1..=7).map(replay).collect();
    let blobs = BlobStore::open(&data.join("blobs")).unwrap();
    let has = |number: usize| blobs.has(digests[number - 1].parse().unwrap());
    // Nothing is removed unless somebody wants it.
    let server = Server::start(data, &[]);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!((1..=7).all(has));
    assert!(server.stop());
    let server = Server::start(data, &["--keep-replays", "30", "--keep-logs", "30"]);
    let mut visitor = server.client();
    wait_for("the replays to go", || (!has(6)).then_some(()));
    assert!([1, 3, 4, 5].into_iter().all(|number| !has(number)));
    assert!(has(2) && has(7), "a match that is not old names this one");
    let page = visitor.get("/arenas/cluster/matches/1");
    assert!(page.has("removed the replay") && page.has(&digests[0]), "{}", page.text());
    assert!(!page.has("replay.agon"), "{}", page.text());
    assert_eq!(visitor.get("/arenas/cluster/matches/1/replay.agon").status, 404);
    let page = visitor.get("/arenas/cluster/matches/7");
    assert!(page.has("replay.agon"), "{}", page.text());
    assert_eq!(visitor.get("/arenas/cluster/matches/7/replay.agon").status, 200);
    let logs = "SELECT number FROM seats WHERE stderr IS NOT NULL ORDER BY number LIMIT 1";
    wait_for("the logs to go", || {
        let first: i64 = connection.query_row(logs, [], |row| row.get(0)).unwrap();
        (first == 7).then_some(())
    });
    let metrics = visitor.get("/metrics");
    assert!(metrics.has("agon_replays_removed_total 5\n"), "{}", metrics.text());
    assert!(server.stop());
}

#[test]
fn the_newest_replays_stay_however_old() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--arena", "cluster", "--keep-replays", "1"]);
    let played = "SELECT count(*) FROM matches WHERE state = 'played'";
    let count = || -> i64 { connect(data).query_row(played, [], |row| row.get(0)).unwrap() };
    wait_for("matches", || (count() > 5).then_some(()));
    assert!(server.stop());
    connect(data).execute("UPDATE matches SET played = 1000000000000", []).unwrap();
    let server = Server::start(data, &["--keep-replays", "1"]);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let removed = "SELECT count(*) FROM matches WHERE replay_removed IS NOT NULL";
    let removed: i64 = connect(data).query_row(removed, [], |row| row.get(0)).unwrap();
    assert_eq!(removed, 0);
    assert!(server.stop());
}
