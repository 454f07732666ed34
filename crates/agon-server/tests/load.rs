//! Many visitors and builds at once: the matches that are played meanwhile do not suffer.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{sync::Arc, thread};

use crate::hand_in::{enter, hand_in, wait_until_done};
use crate::support::{LIVELY, Server, python_bot, short_arena, wait_for, wait_until};

/// How long visitors come.
const LONG: Duration = Duration::from_secs(6);

/// Requests a second of all visitors together.
const RATE: u64 = 200;

#[test]
fn visitors_and_builds_cost_no_bot_a_fault() {
    let (server, mut root) = Server::with_root(&["--pace", "0"]);
    short_arena(&mut root, &["greedy", "random"]);
    let mut authors = ["ada", "bob"].map(|name| server.author(&mut root, name));
    authors.iter_mut().for_each(|author| drop(enter(author, "")));
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
    let database = server.database();
    let ask = |sql: &str| database.number(sql);
    let of_python = "FROM seats JOIN versions ON versions.id = seats.version
        WHERE source IS NOT NULL AND place IS NOT NULL";
    wait_until("matches of the bots", || ask(&format!("SELECT count(*) {of_python}")) > 20);
    assert_eq!(ask(&format!("SELECT sum(seats.faults) {of_python}")), 0);
    assert_eq!(ask("SELECT count(*) FROM matches WHERE state = 'given_up'"), 0);
    println!("{} pages in {:?}", answered.load(Ordering::Relaxed), began.elapsed());
}

/// The kit's bot with other code in front of its decisions, and `is_rated`: it passes the
/// examination, in which it does not have a name of a rated match.
fn rated_bot(before: &str) -> String {
    let decide = "    def decide(self, seen, turn):\n";
    let trap = format!(
        "    def __init__(self, start):\n        super().__init__(start)\n        \
         self.is_first = start['player'] == 0\n        \
         self.is_rated = any(n.startswith('bot-') for n in start['players'])\n\n\
         {decide}        {before}\n"
    );
    python_bot("cluster").replacen(decide, &trap, 1)
}

#[test]
fn a_bot_that_keeps_failing_is_paused_with_the_reason() {
    let (server, mut root, mut ada) = Server::with_ada();
    let mut bob = server.author(&mut root, "bob");
    let crash = rated_bot("if self.is_rated: raise SystemExit('out of ideas')");
    // In one of the seats its first answer is illegal, which loses the match.
    let slip = "if self.is_rated and self.is_first: \
        return {'action': 'PLACE', 'column': 999, 'color': 0}";
    for (author, code) in [(&mut ada, crash), (&mut bob, rated_bot(slip))] {
        let path = hand_in(author, "cluster", "python", &code);
        let done = wait_until_done(author, &path);
        assert!(done.has("It can play"), "{}", done.text());
    }
    let page = wait_for("the pause", || {
        let page = ada.get("/arenas/cluster/bots/ada");
        page.has("matches in a row").then_some(page)
    });
    assert!(page.has("crashed") && page.has("out of ideas"), "{}", page.text());
    // Everybody sees why it is not in the table; its author lets it play again.
    wait_until("the reason in the table", || {
        server.client().get("/arenas/cluster").has("matches in a row")
    });
    let page = wait_for("the other pause", || {
        let page = bob.get("/arenas/cluster/bots/bob");
        page.has("of its last 20 matches").then_some(page)
    });
    assert!(page.has("it had faults in") && page.has("Let it play again"), "{}", page.text());
    let reply = ada.post("/arenas/cluster/bots/ada/resume", "/account", &[]);
    assert!(reply.has("plays again"), "{}", reply.text());
}

#[test]
fn a_better_version_is_found_to_be_better() {
    let (server, _, mut ada) = Server::quiet();
    enter(&mut ada, "");
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
    wait_until("the verdict", || ada.get(bot).has("v1 is better than v2"));
    assert!(!server.client().get(bot).has("v1 is better"), "it is for the author");
}

#[test]
fn organisers_check_and_annul_matches() {
    let (server, mut root) = Server::with_root(&LIVELY);
    let page = "/arenas/cluster/matches/1";
    wait_until("a match", || {
        let reply = root.get(page);
        reply.status == 200 && reply.has("replay.agon")
    });
    let reply = root.post(&format!("{page}/check"), page, &[]);
    assert!(reply.has("every state and the result are the same"), "{}", reply.text());
    let reply = root.post(&format!("{page}/annul"), page, &[("reason", "a test")]);
    assert!(reply.has("a test"), "{}", reply.text());
    let reply = root.post(&format!("{page}/annul"), page, &[("reason", "again")]);
    assert_eq!(reply.status, 409, "{}", reply.text());
    // What does not count is in no count.
    let database = server.database().moment();
    let ask = |sql: &str| database.number(sql);
    let played = ask("SELECT count(*) FROM matches WHERE state = 'played'");
    assert_eq!(ask("SELECT coalesce(sum(count), 0) FROM counts"), played);
    assert_eq!(ask("SELECT sum(matches) FROM totals"), played);
    let results = ask("SELECT count(*) FROM counts WHERE count > 0");
    assert_eq!(ask("SELECT sum(results) FROM totals"), results);
}
