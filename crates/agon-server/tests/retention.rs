//! Old replays and logs are removed, if the operator wants it.

use agon_arena::BlobStore;

use crate::support::{Database, Server, wait_for};

#[test]
fn old_replays_and_logs_are_removed_and_pages_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--arena", "cluster", "--pace", "0"]);
    wait_for("matches", || {
        let played = "SELECT count(*) FROM matches WHERE state = 'played'";
        (Database::of(data).number(played) > 8).then_some(())
    });
    // Otherwise the server would wait until it has nothing to play.
    let mut root = server.administrator();
    let reply = root.post("/admin/arenas/cluster/pause", "/admin/arenas/cluster", &[]);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(server.stop());
    // Time passes: the first six matches are old, and a thousand others came after them.
    let database = Database::of(data);
    database.batch(
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
                FROM numbers, (SELECT max(played) AS played FROM matches) AS newest;
            -- Two matches name the same replay, and only one is old.
            UPDATE matches SET replay = (SELECT replay FROM matches WHERE number = 7)
                WHERE number = 2;
            COMMIT;",
    );
    let replay = |number: u32| -> String {
        database.text(&format!("SELECT replay FROM matches WHERE number = {number}")).unwrap()
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
    wait_for("the logs to go", || (database.number(logs) == 7).then_some(()));
    let metrics = server.metrics();
    assert!(metrics.has("agon_replays_removed_total 5\n"), "{}", metrics.text());
    assert!(server.stop());
}

#[test]
fn the_newest_replays_stay_however_old() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--arena", "cluster", "--keep-replays", "1"]);
    let played = "SELECT count(*) FROM matches WHERE state = 'played'";
    let count = || Database::of(data).number(played);
    wait_for("matches", || (count() > 5).then_some(()));
    assert!(server.stop());
    Database::of(data).execute("UPDATE matches SET played = 1000000000000");
    let server = Server::start(data, &["--keep-replays", "1"]);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let removed = "SELECT count(*) FROM matches WHERE replay_removed IS NOT NULL";
    assert_eq!(Database::of(data).number(removed), 0);
    assert!(server.stop());
}
