//! Old replays and logs are removed, if the operator wants it.

use agon_arena::BlobStore;

use crate::support::{LIVELY, Server, organise, wait_until};

#[test]
fn old_replays_and_logs_are_removed_and_pages_say_so() {
    let (server, mut root) = Server::with_root(&LIVELY);
    let database = server.database();
    let played = "SELECT count(*) FROM matches WHERE state = 'played'";
    wait_until("matches", || database.number(played) > 8);
    // Otherwise the server would wait until it has nothing to play.
    organise(&mut root, "cluster", "pause");
    // The newest replays stay, however old.
    let old = "UPDATE matches SET played = 1000000000000";
    let server = server.restart(&["--keep-replays", "1"], |_| {
        database.execute(old);
    });
    std::thread::sleep(std::time::Duration::from_secs(2));
    let removed = "SELECT count(*) FROM matches WHERE replay_removed IS NOT NULL";
    assert_eq!(database.number(removed), 0);
    // Time passes: the first six matches are old, and a thousand others came after them.
    let passes = "BEGIN;
        DELETE FROM seats WHERE number IN (SELECT number FROM matches WHERE state <> 'played');
        DELETE FROM matches WHERE state <> 'played';
        UPDATE matches SET played = planned WHERE number > 6;
        UPDATE seats SET stderr = 'old words', cost = NULL;
        WITH RECURSIVE numbers (n) AS
            (SELECT 10000 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10999)
        INSERT INTO matches (arena, number, state, seed, planned, played)
            SELECT (SELECT id FROM arenas), n, 'given_up', n, played, played
            FROM numbers, (SELECT max(played) AS played FROM matches) AS newest;
        -- Two matches name the same replay, and only one is old.
        UPDATE matches SET replay = (SELECT replay FROM matches WHERE number = 7)
            WHERE number = 2;
        COMMIT;";
    let server = server.restart(&[], |_| database.batch(passes));
    let replay = |number: u32| -> String {
        database.text(&format!("SELECT replay FROM matches WHERE number = {number}")).unwrap()
    };
    let digests: Vec<String> = (1..=7).map(replay).collect();
    let blobs = BlobStore::open(&server.data().join("blobs")).unwrap();
    let has = |number: usize| blobs.has(digests[number - 1].parse().unwrap());
    // Nothing is removed unless somebody wants it.
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!((1..=7).all(has));
    let server = server.restart(&["--keep-replays", "30", "--keep-logs", "30"], |_| ());
    let mut visitor = server.client();
    wait_until("the replays to go", || !has(6));
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
    wait_until("the logs to go", || database.number(logs) == 7);
    let metrics = server.metrics();
    assert!(metrics.has("agon_replays_removed_total 5\n"), "{}", metrics.text());
}
