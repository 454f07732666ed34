//! Limits of requests: crawlers hinder nobody.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{sync::Arc, thread};

use agon_match::pin;

use crate::hand_in::{hand_in, wait_until_done};
use crate::support::{
    Client, LIVELY, PATIENCE, Reply, Server, header, json, python_bot, wait_for, wait_until,
};

/// How many crawlers come from one address.
const CRAWLERS: usize = 50;

/// How long they come at least.
const LONG: Duration = Duration::from_secs(6);

/// The limit of requests in a minute.
const LIMIT: u64 = 200;

fn from(client: &mut Client, address: &str, path: &str) -> std::io::Result<Reply> {
    client.request("GET", path, &format!("X-Forwarded-For: {address}\r\n"), &[])
}

/// What the crawlers got.
#[derive(Debug, Default)]
struct Crawl {
    is_over: AtomicBool,
    pages: AtomicU64,
    refusals: AtomicU64,
}

fn crawl(crawl: &Crawl, mut client: Client) {
    // The crawlers are on this machine, but not on the core of the matches.
    if let Some(core) = pin::cores().ok().and_then(|cores| cores.first().copied()) {
        let _ = pin::stay_on(&[core]);
    }
    let paths =
        ["/", "/arenas/cluster", "/arenas/cluster/matrix", "/arenas/cluster/matches?page=2"];
    for path in paths.iter().cycle() {
        if crawl.is_over.load(Ordering::Relaxed) {
            return;
        }
        let Ok(reply) = from(&mut client, "203.0.113.5", path) else { continue };
        match reply.status {
            200 => drop(crawl.pages.fetch_add(1, Ordering::Relaxed)),
            429 => {
                let wait = header(&reply.head, "retry-after").and_then(|text| text.parse().ok());
                assert!(wait.is_some_and(|wait: u64| (1..=60).contains(&wait)), "{}", reply.head);
                crawl.refusals.fetch_add(1, Ordering::Relaxed);
            }
            status => panic!("{path}: {status} {}", reply.text()),
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn crawlers_hinder_neither_matches_nor_others() {
    let limit = LIMIT.to_string();
    let flags = ["--trusted-proxy", "127.0.0.1", "--requests-per-minute", &limit];
    let server = Server::with(&[&flags[..], &LIVELY, &["--pace", "0"]].concat());
    let mut ada = server.author(&mut server.administrator(), "ada");
    // Requests of its page count, too.
    let path = hand_in(&mut ada, "cluster", "python", &python_bot("cluster"));
    let ready = "SELECT count(*) FROM versions WHERE state = 'ready' AND source IS NOT NULL";
    let database = server.database();
    wait_until("the bot", || database.number(ready) == 1);
    assert!(wait_until_done(&mut ada, &path).has("It can play"));
    let (began, all) = (Instant::now(), Arc::new(Crawl::default()));
    let crawlers: Vec<_> = (0..CRAWLERS)
        .map(|_| {
            let (all, client) = (Arc::clone(&all), server.client());
            thread::spawn(move || crawl(&all, client))
        })
        .collect();
    let played = "SELECT count(*) FROM seats JOIN versions ON versions.id = seats.version
        WHERE source IS NOT NULL AND place IS NOT NULL";
    let before = database.number(played);
    let has_played = || database.number(played) > before + 5;
    let mut times = Vec::new();
    while began.elapsed() < LONG || !has_played() {
        assert!(began.elapsed() < PATIENCE, "matches go on");
        let asked = Instant::now();
        let reply = from(&mut server.client(), "198.51.100.7", "/arenas/cluster").unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text());
        times.push(asked.elapsed());
        thread::sleep(Duration::from_millis(200));
    }
    all.is_over.store(true, Ordering::Relaxed);
    crawlers.into_iter().for_each(|crawler| crawler.join().unwrap());
    let took = began.elapsed();
    let [pages, refusals] = [&all.pages, &all.refusals].map(|count| count.load(Ordering::Relaxed));
    times.sort_unstable();
    let median = times[times.len() / 2];
    println!("{pages} pages, {refusals} refusals in {took:?}; another address: {median:?}");
    let most = LIMIT + (took.as_secs() + 1) * LIMIT / 60 + 2;
    assert!(pages <= most && refusals > pages, "{pages} of {most} pages, {refusals} refusals");
    assert!(median < Duration::from_millis(500), "{times:?}");
    // The matches did not suffer.
    assert_eq!(database.number(&played.replace("count(*)", "sum(seats.faults)")), 0);
    let lost = "SELECT count(*) FROM matches WHERE state = 'given_up'";
    assert_eq!(database.number(lost), 0);
    let figures = server.metrics().text();
    assert!(!figures.contains("state=\"void\""), "no match was void: {figures}");
}

#[test]
fn people_behind_one_address_have_limits_of_their_own() {
    let (server, mut root, ada) = Server::with_ada();
    let mut people = [ada, server.author(&mut root, "bob")];
    let server = server.restart(&["--requests-per-minute", "30"], |_| ());
    let mut visitor = server.client();
    let status = |client: &mut Client, path: &str| client.get(path).status;
    for _ in 0..30 {
        assert_eq!(status(&mut visitor, "/arenas/cluster"), 200);
    }
    // One more comes back every two seconds.
    let mut later = (0..30).map(|_| visitor.get("/arenas/cluster"));
    let refused = later.find(|reply| reply.status == 429).expect("there is a limit");
    assert!(refused.has("sign in"), "{}", refused.text());
    assert!(header(&refused.head, "retry-after").is_some(), "{}", refused.head);
    for person in &mut people {
        for _ in 0..6 {
            assert_eq!(status(person, "/arenas/cluster/matrix"), 200);
        }
        assert_eq!(status(person, "/arenas/cluster/matrix"), 429, "a lower limit");
        assert_eq!(status(person, "/arenas/cluster"), 200);
    }
    // Files and events do not count; nor do programs that watch the server.
    for path in ["/robots.txt", "/healthz", "/readyz"] {
        assert_eq!(status(&mut visitor, path), 200);
    }
    let robots = visitor.get("/robots.txt").text();
    assert!(robots.contains("Disallow: /arenas/*/matrix\n"), "{robots}");
}

#[test]
fn expensive_pages_can_be_for_members() {
    let (server, mut root) =
        Server::with_root(&[&LIVELY[..], &["--members-only-expensive"]].concat());
    let page = wait_for("a match", || {
        let page = server.client().get("/arenas/cluster/matches/1");
        page.has("to watch this match").then_some(page)
    });
    assert!(!page.has("replay.agon"), "{}", page.text());
    for path in ["matrix", "matches", "matches/1/replay.agon"] {
        let path = format!("/arenas/cluster/{path}");
        assert!(server.client().get(&path).path.starts_with("/sign-in"), "{path}");
        let reply = root.get(&path);
        assert!(reply.status == 200 && reply.path == path, "{path}: {}", reply.path);
    }
    assert_eq!(server.client().get("/arenas/cluster").status, 200);
    assert!(root.get("/arenas/cluster/matches/1").has("replay.agon"));
    an_arena_can_ask_for_the_whole_sandbox(&mut root);
}

/// An arena whose matches are played only where bots can be confined fully.
fn an_arena_can_ask_for_the_whole_sandbox(root: &mut Client) {
    let page = "/admin/arenas/cluster";
    let strict = |root: &mut Client| {
        let arena = json(&root.get("/api/v1/arenas/cluster"));
        arena["limits"]["strict_sandbox"].as_bool().unwrap()
    };
    assert!(!strict(root));
    let form = [("title", "Cluster"), ("boss", "cluster/random"), ("strict", "yes")];
    let reply = root.post(page, page, &form);
    if reply.status != 200 {
        // A machine that cannot do it says so, and keeps the settings.
        assert!(reply.has("This machine cannot confine bots fully: "), "{}", reply.text());
        assert!(!strict(root));
        return;
    }
    assert!(strict(root));
    assert!(root.get("/arenas/cluster/rules").has("only where bots can be confined fully"));
    assert!(root.get(page).has("name=\"strict\" value=\"yes\" checked"));
    let reply = root.post(page, page, &form[..2]);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(!strict(root));
}
