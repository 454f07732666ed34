//! Many visitors and builds at once: the matches that are played meanwhile do not suffer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    hand_in::{hand_in, wait_until_done},
    support::{Database, Server, python_bot, wait_for},
};

/// How long visitors come.
const LONG: Duration = Duration::from_secs(8);

/// Requests a second of all visitors together.
const RATE: u64 = 200;

#[test]
fn visitors_and_builds_cost_no_bot_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster", "--pace", "0"]);
    let mut root = server.administrator();
    let form = [
        ("title", "Cluster"),
        ("per_day", "10000"),
        ("boss", "cluster/greedy"),
        ("boss", "cluster/random"),
    ];
    root.post("/admin/arenas/cluster", "/admin/arenas/cluster", &form);
    let mut authors: Vec<_> =
        ["ada", "bob"].map(|name| server.author(&mut root, name)).into_iter().collect();
    for author in &mut authors {
        let path = hand_in(author, "cluster", "python", &python_bot("cluster"));
        assert!(wait_until_done(author, &path).has("It can play"));
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let answered = Arc::new(AtomicU64::new(0));
    let visitors: Vec<_> = (0..8)
        .map(|number| {
            let (is_over, answered) = (Arc::clone(&is_over), Arc::clone(&answered));
            let mut client = server.client();
            thread::spawn(move || {
                let pages =
                    ["/", "/arenas/cluster", "/arenas/cluster/matches", "/arenas/cluster/bots/ada"];
                let every = Duration::from_micros(8_000_000 / RATE);
                let mut next = Instant::now() + every * number / 8;
                while !is_over.load(Ordering::Relaxed) {
                    thread::sleep(next.saturating_duration_since(Instant::now()));
                    next += every;
                    let page = pages[answered.load(Ordering::Relaxed) as usize % pages.len()];
                    assert_eq!(client.get(page).status, 200, "{page}");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let began = Instant::now();
    // Builds all the while.
    while began.elapsed() < LONG {
        let path = hand_in(&mut authors[0], "cluster", "c", "#error no bot\n");
        assert!(wait_until_done(&mut authors[0], &path).has("failed"));
    }
    is_over.store(true, Ordering::Relaxed);
    visitors.into_iter().for_each(|visitor| visitor.join().unwrap());
    let database = Database::of(folder.path());
    let ask = |sql: &str| database.number(sql);
    let of_python = "FROM seats JOIN versions ON versions.id = seats.version
        WHERE source IS NOT NULL AND place IS NOT NULL";
    wait_for("matches of the bots", || {
        (ask(&format!("SELECT count(*) {of_python}")) > 20).then_some(())
    });
    assert_eq!(ask(&format!("SELECT sum(seats.faults) {of_python}")), 0);
    assert_eq!(ask("SELECT count(*) FROM matches WHERE state = 'given_up'"), 0);
    println!("{} pages in {:?}", answered.load(Ordering::Relaxed), began.elapsed());
}

#[test]
fn a_bot_that_keeps_failing_is_paused_with_the_reason() {
    let server = Server::cluster();
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    // It passes the examination, in which it does not have a name of a rated match.
    let decide = "    def decide(self, seen, turn):\n";
    let trap = format!(
        "    def __init__(self, start):\n        super().__init__(start)\n        \
         self.rated = any(n.startswith('bot-') for n in start['players'])\n\n{decide}        \
         if self.rated: raise SystemExit('out of ideas')\n"
    );
    let code = python_bot("cluster").replacen(decide, &trap, 1);
    let path = hand_in(&mut ada, "cluster", "python", &code);
    let done = wait_until_done(&mut ada, &path);
    assert!(done.has("It can play"), "{}", done.text());
    let page = wait_for("the pause", || {
        let page = ada.get("/arenas/cluster/bots/ada");
        page.has("matches in a row").then_some(page)
    });
    assert!(page.has("crashed") && page.has("out of ideas"), "{}", page.text());
    // Everybody sees why it is not in the table; its author lets it play again.
    wait_for("the reason in the table", || {
        server.client().get("/arenas/cluster").has("matches in a row").then_some(())
    });
    let reply = ada.post("/arenas/cluster/bots/ada/resume", "/account", &[]);
    assert!(reply.has("plays again"), "{}", reply.text());
}

#[test]
fn a_bot_with_faults_in_half_of_its_matches_is_paused_with_the_reason() {
    let server = Server::cluster();
    let mut ada = server.author(&mut server.administrator(), "ada");
    // In one of the seats its first answer of a rated match is illegal, which loses the match.
    let decide = "    def decide(self, seen, turn):\n";
    let slip = format!(
        "    def __init__(self, start):\n        super().__init__(start)\n        \
         self.slips = start['player'] == 0 and any(n.startswith('bot-') for n in \
         start['players'])\n\n{decide}        \
         if self.slips:\n            return {{'action': 'PLACE', 'column': 999, 'color': 0}}\n"
    );
    let code = python_bot("cluster").replacen(decide, &slip, 1);
    let path = hand_in(&mut ada, "cluster", "python", &code);
    assert!(wait_until_done(&mut ada, &path).has("It can play"));
    let page = wait_for("the pause", || {
        let page = ada.get("/arenas/cluster/bots/ada");
        page.has("of its last 20 matches").then_some(page)
    });
    assert!(page.has("it had faults in") && page.has("Let it play again"), "{}", page.text());
}

#[test]
fn a_better_version_is_found_to_be_better() {
    let server = Server::cluster();
    let mut root = server.administrator();
    let form = [("title", "Cluster"), ("boss", "cluster/random")];
    root.post("/admin/arenas/cluster", "/admin/arenas/cluster", &form);
    let mut ada = server.author(&mut root, "ada");
    let path = hand_in(&mut ada, "cluster", "python", &python_bot("cluster"));
    let done = wait_until_done(&mut ada, &path);
    assert!(done.has("It can play"), "{}", done.text());
    // It turns the board in every move, and never gets a run.
    let decide = "    def decide(self, seen, turn):\n";
    let worse = format!("{decide}        return {{\"action\": \"ROTATE\", \"cycles\": 1}}\n");
    let code = python_bot("cluster").replacen(decide, &worse, 1);
    let path = hand_in(&mut ada, "cluster", "python", &code);
    let done = wait_until_done(&mut ada, &path);
    assert!(done.has("It can play"), "{}", done.text());
    let bot = "/arenas/cluster/bots/ada";
    let reply = ada.post(&format!("{bot}/compare"), bot, &[("a", "1"), ("b", "2")]);
    assert!(reply.has("being played"), "{}", reply.text());
    let again = ada.post(&format!("{bot}/compare"), bot, &[("a", "1"), ("b", "2")]);
    assert!(again.status == 409 || ada.get(bot).has("is better"), "{}", again.text());
    wait_for("the verdict", || ada.get(bot).has("v1 is better than v2").then_some(()));
    assert!(!server.client().get(bot).has("v1 is better"), "it is for the author");
}

#[test]
fn organisers_check_and_annul_matches() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let page = "/arenas/cluster/matches/1";
    wait_for("a match", || {
        let reply = root.get(page);
        (reply.status == 200 && reply.has("replay.agon")).then_some(())
    });
    let reply = root.post(&format!("{page}/check"), page, &[]);
    assert!(reply.has("every state and the result are the same"), "{}", reply.text());
    let reply = root.post(&format!("{page}/annul"), page, &[("reason", "a test")]);
    assert!(reply.has("a test"), "{}", reply.text());
    let reply = root.post(&format!("{page}/annul"), page, &[("reason", "again")]);
    assert_eq!(reply.status, 409, "{}", reply.text());
    // What does not count is in no count.
    let database = Database::of(folder.path()).moment();
    let ask = |sql: &str| database.number(sql);
    let played = ask("SELECT count(*) FROM matches WHERE state = 'played'");
    assert_eq!(ask("SELECT coalesce(sum(count), 0) FROM counts"), played);
    assert_eq!(ask("SELECT sum(matches) FROM totals"), played);
    let results = ask("SELECT count(*) FROM counts WHERE count > 0");
    assert_eq!(ask("SELECT sum(results) FROM totals"), results);
}
