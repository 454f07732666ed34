//! The server is killed again and again while it works: nothing that it acknowledged is lost, and
//! no match is lost or counted twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::{path::Path, sync::Arc, time::Duration};

use agon_arena::BlobStore;
use agon_games::GameId;
use agon_match::replay::{Replay, Verdict};

use crate::support::{Client, Database, Server, short_arena, wait_until};

/// How often it is killed. `AGON_KILLS` names another number: the long job has a hundred.
const KILLS: usize = 6;

/// A bot that ends at once: so its examination is short.
const BOT: &str = "raise SystemExit(1)\n";

#[test]
fn nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let kills = std::env::var("AGON_KILLS").ok().and_then(|text| text.parse().ok());
    let kills: usize = kills.unwrap_or(KILLS);
    let mut server = Server::start(folder.path(), &["--pace", "0"]);
    let mut root = server.administrator();
    short_arena(&mut root, &["greedy", "random"]);
    let ada = server.author(&mut root, "ada");
    let mut acknowledged: Vec<u32> = Vec::new();
    for round in 0..kills {
        let is_over = Arc::new(AtomicBool::new(false));
        let uploads = upload(&is_over, ada.clone(), round);
        let visits = visit(&is_over, server.client());
        // Another moment each time, while all are busy.
        thread::sleep(Duration::from_millis(400 + 137 * (round as u64 % 7)));
        server = server.kill_and_start();
        is_over.store(true, Ordering::Relaxed);
        acknowledged.extend(uploads.join().unwrap());
        visits.join().unwrap();
        check(folder.path(), &acknowledged);
    }
    assert!(acknowledged.len() >= kills, "there were hand-ins: {acknowledged:?}");
    // Matches go on, and versions are built.
    let count = |sql: &str| Database::of(folder.path()).number(sql);
    let more = "SELECT count(*) FROM matches WHERE state = 'played'";
    let played = count(more);
    wait_until("more matches", || count(more) > played + 10);
    let refused = "SELECT count(*) FROM versions WHERE state = 'refused'";
    let before = count(refused);
    let all = acknowledged.len() as u64;
    wait_until("builds", || count(refused) >= all.min(before + 3));
    assert!(server.stop());
    check(folder.path(), &acknowledged);
    let left = "SELECT count(*) FROM matches WHERE state = 'planned'";
    println!("{} hand-ins, {} matches", acknowledged.len(), count(more));
    println!("{} planned matches are left after a good end", count(left));
}

/// Hands in versions until it is over; returns the numbers of those that were acknowledged.
pub(crate) fn upload(
    is_over: &Arc<AtomicBool>,
    mut client: Client,
    round: usize,
) -> JoinHandle<Vec<u32>> {
    let is_over = Arc::clone(is_over);
    thread::spawn(move || {
        let page = "/arenas/cluster/hand-in";
        let mut acknowledged = Vec::new();
        let mut number = 0;
        while !is_over.load(Ordering::Relaxed) {
            number += 1;
            let Ok(form) = client.try_get(page) else { continue };
            if form.status != 200 {
                continue;
            }
            let code = format!("{BOT}# {round} {number}\n");
            let fields = [("way", "editor"), ("language", "python"), ("code", code.as_str())];
            // Not followed: the redirect itself is the acknowledgement.
            let Ok(reply) = client.try_upload_only(page, &form.csrf(), &fields) else { continue };
            if let Some((_, version)) = reply.rsplit_once("/versions/") {
                acknowledged.push(version.parse().unwrap());
            }
            thread::sleep(Duration::from_millis(20));
        }
        acknowledged
    })
}

/// Looks at pages until it is over.
pub(crate) fn visit(is_over: &Arc<AtomicBool>, mut client: Client) -> JoinHandle<()> {
    let is_over = Arc::clone(is_over);
    thread::spawn(move || {
        while !is_over.load(Ordering::Relaxed) {
            for page in ["/", "/arenas/cluster", "/arenas/cluster/matches"] {
                if let Ok(reply) = client.try_get(page) {
                    assert!(reply.status == 200 || reply.status == 503, "{}", reply.text());
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
    })
}

/// Checks that the database is whole, and has what was acknowledged.
pub(crate) fn check(data: &Path, acknowledged: &[u32]) {
    check_with(data, Database::of(data), acknowledged);
}

/// Does the same with a database that is somewhere else.
pub(crate) fn check_with(data: &Path, database: Database, acknowledged: &[u32]) {
    database.check();
    let database = database.moment();
    let blobs = BlobStore::open(&data.join("blobs")).unwrap();
    for version in acknowledged {
        let source = database.text(&format!(
            "SELECT source FROM versions JOIN bots ON bots.id = versions.bot
            WHERE slug = 'ada' AND number = {version}"
        ));
        let source = source.unwrap();
        blobs.get(source.parse().unwrap()).unwrap();
    }
    let ask = |sql: &str| database.number(sql);
    let played = ask("SELECT count(*) FROM matches WHERE state = 'played'");
    // Each match counts once, wherever it is counted.
    assert_eq!(ask("SELECT coalesce(sum(count), 0) FROM counts"), played);
    assert_eq!(ask("SELECT coalesce(sum(wins + ties + losses), 0) FROM pairs"), 2 * played);
    assert_eq!(ask("SELECT sum(matches) FROM versions"), 2 * played);
    assert_eq!(ask("SELECT sum(wins + ties + losses) FROM versions"), 2 * played);
    // Numbers have no gaps, and each match has its seats.
    assert_eq!(ask("SELECT coalesce(max(number), 0) - count(*) FROM matches"), 0);
    assert_eq!(ask("SELECT count(*) FROM seats"), 2 * ask("SELECT count(*) FROM matches"));
    assert_eq!(
        ask("SELECT count(*) FROM seats JOIN matches USING (arena, number)
            WHERE (state = 'played') <> (place IS NOT NULL)"),
        0
    );
    // Every replay is there; some are played again.
    let sql = "SELECT number, replay FROM matches WHERE state = 'played' ORDER BY number DESC";
    for (place, row) in database.rows(sql).iter().enumerate() {
        let [Some(number), Some(digest)] = row.as_slice() else { panic!("{row:?}") };
        let digest = digest.parse().unwrap();
        assert!(blobs.has(digest), "match {number} has its replay");
        if place < 20 {
            let replay = Replay::open(blobs.get(digest).unwrap()).unwrap();
            let verdict = replay.verify(GameId::Cluster.kind());
            assert!(matches!(verdict, Verdict::Proven { .. }), "match {number}: {verdict:?}");
        }
    }
}
