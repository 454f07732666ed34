//! What bots write is for their authors; and a full disk, on which nothing that was acknowledged
//! may get lost.

use std::{path::Path, process::Command, time::Duration};

use agon_core::Player;
use agon_match::replay::Replay;

use crate::hand_in::{enter, hand_in, send_code, wait_until_done};
use crate::support::{Client, Server, talkative, wait_for, wait_until};

#[test]
fn a_replay_has_the_stderr_of_its_own_bot_alone() {
    let (server, mut root, mut ada) = Server::quiet();
    let mut bob = server.author(&mut root, "bob");
    for (author, word) in [(&mut ada, "plan of ada"), (&mut bob, "plan of bob")] {
        let path = hand_in(author, "cluster", "python", &talkative(word));
        assert!(wait_until_done(author, &path).has("It can play"));
    }
    // Nobody else plays. The page knows the bots a moment later.
    let page = wait_for("a match of both", || {
        let first = "SELECT min(number) FROM matches WHERE state = 'played'";
        let page = format!("/arenas/cluster/matches/{}", server.database().text(first)?);
        let shown = server.client().get(&page);
        ["/bots/ada", "/bots/bob", "replay.agon"].iter().all(|it| shown.has(it)).then_some(page)
    });
    let words = |client: &mut Client| -> Vec<String> {
        let reply = client.get(&format!("{page}/replay.agon"));
        let replay = Replay::open(reply.body).unwrap();
        assert!(replay.verify(agon_games::GameId::Cluster.kind()).is_proven());
        let diagnosis = replay.diagnosis().unwrap().unwrap_or_default();
        let bots = [0, 1].into_iter().filter_map(|number| diagnosis.of(Player(number)));
        bots.flat_map(|bot| bot.stderr.turns()).map(|turn| turn.text.clone()).collect()
    };
    assert!(words(&mut server.client()).is_empty(), "visitors see nothing");
    for (author, own, other) in
        [(&mut ada, "plan of ada", "plan of bob"), (&mut bob, "plan of bob", "plan of ada")]
    {
        let seen = words(author).concat();
        assert!(seen.contains(own) && !seen.contains(other), "{seen}");
        let shown = author.get(&page);
        assert!(shown.has(own) && !shown.has(other), "{}", shown.text());
    }
    let seen = words(&mut root).concat();
    assert!(seen.contains("plan of ada") && seen.contains("plan of bob"), "organisers see both");
    assert!(!server.client().get(&page).has("plan of"), "nor does the page show it to others");
}

/// A file system in memory with this size; `None` if this machine does not let us mount one.
pub(crate) struct Small(pub(crate) std::path::PathBuf);

impl Small {
    pub(crate) fn mount(place: &Path, megabytes: u32) -> Option<Small> {
        std::fs::create_dir_all(place).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(place)
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then(|| Small(place.to_owned()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["--lazy"]).arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let Some(small) = Small::mount(&folder.path().join("small"), 48) else {
        // Only root may mount something, and not everywhere.
        return;
    };
    let data = small.0.join("ladder");
    // With the usual pace: otherwise replays fill the disk again.
    let server = Server::start(&data, &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    enter(&mut ada, "");
    // Fill the disk to the last byte.
    let rest = small.0.join("rest");
    let _ = std::fs::write(&rest, vec![1; 48 << 20]);
    // First it may notice that results cannot be written.
    wait_until("the server to notice", || {
        let reply = server.client().get("/readyz");
        reply.status == 503 && reply.has("the disk is full")
    });
    assert_eq!(server.client().get("/healthz").status, 200, "the process lives");
    let page = root.get("/admin");
    assert!(page.has(" left, it accepts and plays nothing."), "{}", page.text());
    let code = format!("raise SystemExit(1)\n# {}\n", "x".repeat(100_000));
    let reply = send_code(&mut ada, &code, &[]);
    assert!(matches!(reply.status, 503 | 507), "{}: {}", reply.status, reply.text());
    assert_eq!(server.client().get("/arenas/cluster").status, 200, "others can still look");
    // It even starts again, and shows pages.
    let server = server.kill_and_start();
    let reply = server.client().get("/readyz");
    assert!(reply.status == 503 && reply.has("the disk is full"), "{}", reply.text());
    assert_eq!(server.client().get("/arenas/cluster").status, 200);
    let reply = send_code(&mut ada, &code, &[]);
    assert_eq!(reply.status, 507, "{}", reply.text());
    // There is room again: results that waited are written, and hand-ins are taken.
    std::fs::remove_file(&rest).unwrap();
    wait_until("the server to recover", || {
        std::thread::sleep(Duration::from_millis(200));
        server.client().get("/readyz").status == 200
    });
    let again = hand_in(&mut ada, "cluster", "python", &code);
    assert!(again.ends_with("/versions/2"), "nothing was entered before: {again}");
    assert!(wait_until_done(&mut ada, &again).has("failed"));
    assert!(server.stop());
}
