//! Seasons: begin, deadline, freeze; arenas that organisers make.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::hand_in::{hand_in, wait_until_done};
use crate::support::{
    Api, Client, LIVELY, Server, arena_form, code as problem, make_arena, organise, play_out,
    python_bot, python_zip, wait_until,
};

#[test]
fn an_organiser_makes_an_arena_with_a_deadline() {
    let (server, mut root) = Server::with_root(&[]);
    let more = |deadline| {
        let deadline = [("deadline", deadline), ("past", "yes"), ("deadline_zone", "+01:00")];
        let rest = [("settings", "run_length = 4"), ("players", "2"), ("per_day", "3")];
        [deadline, rest].concat()
    };
    make_arena(&mut root, "autumn", &more("2001-01-01T12:00"));
    let rules = server.client().get("/arenas/autumn/rules");
    assert!(rules.has("2001-01-01 12:00 UTC+01:00") && rules.has("run_length"), "{}", rules.text());
    let mut ada = server.author(&mut root, "ada");
    let page = "/arenas/autumn/hand-in";
    assert!(ada.get(page).has("deadline has passed"));
    let code = "raise SystemExit(1)\n";
    let fields = [("way", "editor"), ("language", "python"), ("code", code)];
    let reply = ada.upload(page, page, &fields, &[]);
    assert!(reply.status == 422 && reply.has("deadline has passed"), "{}", reply.text());
    // The organiser gives more time.
    let later = arena_form("autumn", &more("2999-01-01T12:00"));
    let reply = root.post("/admin/arenas/autumn", "/admin/arenas/autumn", &later);
    assert!(reply.path.starts_with("/arenas/autumn"), "{}", reply.text());
    // Three a day.
    for number in 1..=3 {
        hand_in(&mut ada, "autumn", "python", &format!("{code}# {number}\n"));
    }
    let reply = ada.upload(page, page, &fields, &[]);
    assert!(reply.status == 422 && reply.has("within a day"), "{}", reply.text());
    let grades = root.get("/admin/arenas/autumn/grades.csv");
    assert!(grades.has("\u{feff}rank,author,bot,version"), "{}", grades.text());
    assert!(grades.has(",best_rank,worst_rank,state,name\n"), "{}", grades.text());
    server.author(&mut root, "idle");
    let grades = root.get("/admin/arenas/autumn/grades.csv");
    assert!(grades.has("\n,idle,,,") && grades.has(",,,,no bot,idle\n"), "{}", grades.text());
    an_author_gets_more_time_than_others(&server, &mut root, &mut ada);
}

fn an_author_gets_more_time_than_others(server: &Server, root: &mut Client, ada: &mut Client) {
    let deadline = [("deadline", "2001-01-01T12:00"), ("past", "yes")];
    let freeze = [("freeze", "2999-01-01T12:00")];
    make_arena(root, "spring", &[&deadline[..], &freeze].concat());
    let mut bob = server.author(root, "bob");
    let page = "/admin/arenas/spring";
    let action = "/admin/arenas/spring/extensions";
    assert_eq!(root.post(&format!("{page}/pause"), page, &[]).status, 200);
    let mut extend = |name: &str, until: &str| {
        root.post(action, page, &[("name", name), ("until", until), ("until_zone", "+01:00")])
    };
    assert_eq!(extend("nobody", "2998-01-01T12:00").status, 422);
    assert_eq!(extend("ada", "tomorrow").status, 422);
    assert!(extend("ada", "2000-01-01T12:00").has("not later"));
    assert!(extend("ada", "2999-06-01T12:00").has("after the freeze"));
    let shown = extend("ada", "2998-01-01T12:00");
    assert!(shown.status == 200 && shown.has("2998-01-01 11:00"), "{}", shown.text());
    let hand_in_page = "/arenas/spring/hand-in";
    assert!(ada.get(hand_in_page).has("Your deadline"));
    assert!(bob.get(hand_in_page).has("deadline has passed"));
    // Only people who can hand in see the tab.
    let tab = format!("<a href=\"{hand_in_page}\">Hand in</a>");
    wait_until("the tab", || ada.get("/arenas/spring").has(&tab));
    assert!(!bob.get("/arenas/spring").has(&tab));
    assert!(ada.post(action, hand_in_page, &[("name", "bob")]).status == 403);
    let code = python_bot("cluster");
    hand_in(ada, "spring", "python", &code);
    let bot = "/arenas/spring/bots/ada";
    assert_eq!(ada.post(&format!("{bot}/pause"), bot, &[]).status, 200);
    let shown = ada.get(hand_in_page);
    assert!(shown.has("your bot is paused. Its author paused it."), "{}", shown.text());
    // It is taken back.
    assert_eq!(extend("ada", "").status, 200);
    assert!(ada.get(hand_in_page).has("deadline has passed"));
    let log = root.get("/admin/log");
    assert!(log.has("until 2998-01-01 11:00 UTC"), "{}", log.text());
}

#[test]
fn no_author_changes_a_table_or_a_field_after_the_freeze() {
    let (server, mut root) = Server::with_root(&[]);
    make_arena(&mut root, "autumn", &[]);
    let mut ada = server.author(&mut root, "ada");
    let code = python_bot("cluster");
    for code in [&code, &format!("{code}# a change\n")] {
        let version = hand_in(&mut ada, "autumn", "python", code);
        wait_until_done(&mut ada, &version);
    }
    let page = "/arenas/autumn/bots/ada";
    let mut change = |action: &str, field: (&str, &str)| {
        let reply = ada.post(&format!("{page}/{action}"), page, &[field]);
        (reply.status, reply.text())
    };
    let changes = [
        ("pause", ("a", "")),
        ("resume", ("a", "")),
        ("activate", ("version", "1")),
        ("rename", ("name", "Fox")),
    ];
    for (action, field) in changes {
        assert_eq!(change(action, field).0, 200, "{action}");
        // Grades have what is known of a bot that does not play.
        if action == "pause" {
            wait_until("the grades", || {
                let grades = root.get("/admin/arenas/autumn/grades.csv");
                let words = [",ada,ada,2,", ",paused: its author paused it,ada\n"];
                words.iter().all(|words| grades.has(words))
            });
            assert!(root.get(page).has("Pause it as an organiser"));
            let version = root.get(&format!("{page}/versions/2"));
            assert!(version.has("It can play, but the bot is paused."), "{}", version.text());
        }
    }
    // After the deadline, nobody chooses another version.
    let late = [("deadline", "2001-01-01T12:00"), ("past", "yes"), ("freeze", "2999-01-01T12:00")];
    root.post("/admin/arenas/autumn", "/admin/arenas/autumn", &arena_form("autumn", &late));
    let shown = root.get(page);
    let has = |action: &str| shown.has(&format!("{page}/{action}\""));
    assert!(has("rename") && !has("activate"), "{}", shown.text());
    let over = [("deadline", "2001-01-01T12:00"), ("past", "yes"), ("freeze", "2001-01-02T12:00")];
    let frozen = arena_form("autumn", &over);
    let reply = root.post("/admin/arenas/autumn", "/admin/arenas/autumn", &frozen);
    assert!(reply.path.starts_with("/arenas/autumn"), "{}", reply.text());
    for (action, field) in changes {
        let (status, text) = change(action, field);
        assert!(status == 409 && text.contains("The season is over"), "{action}: {text}");
    }
    let shown = ada.get(page);
    assert!(shown.has("The season is over. The tables"), "{}", shown.text());
    for action in ["activate", "compare", "rename", "pause", "resume"] {
        assert!(!shown.has(&format!("{page}/{action}\"")), "{action}: {}", shown.text());
    }
    assert!(root.get(page).has(&format!("{page}/rename\"")), "a name may be offensive");
    let mut api = Api::login(server.client(), "ada", "battery staple", &["read", "submit"]);
    let bodies = [
        ("pause", json!({})),
        ("resume", json!({})),
        ("activate", json!({"version": 1})),
        ("rename", json!({"name": "Fox"})),
        ("compare", json!({"a": 1, "b": 2})),
    ];
    for (action, body) in bodies {
        let refused = api.post(&format!("{page}/{action}"), &body);
        assert_eq!((refused.status, problem(&refused).as_str()), (409, "conflict"), "{action}");
    }
    let refused = api.hand_in("autumn", "", "", &python_zip("cluster", ""));
    assert_eq!((refused.status, problem(&refused).as_str()), (409, "closed"));
    // Organisers can still exclude a bot, with a reason.
    let reason = [("reason", "copied")];
    assert_eq!(root.post(&format!("{page}/disqualify"), page, &reason).status, 200);
}

/// What an author tried at the moment of the freeze.
struct Tried {
    action: &'static str,
    began: Instant,
    is_accepted: bool,
}

/// Changes a bot again and again, until everything is refused.
fn change_until_refused(mut api: Api, bot: &str, zip: &[u8]) -> Vec<Tried> {
    let page = format!("/arenas/autumn/bots/{bot}");
    let mut all: Vec<Tried> = Vec::new();
    let is_over = |all: &[Tried]| {
        let last = all.iter().rev().take(4);
        all.len() > 4 && last.into_iter().all(|tried| !tried.is_accepted)
    };
    for action in ["pause", "resume", "activate", "hand-in"].into_iter().cycle() {
        let began = Instant::now();
        let reply = match action {
            "hand-in" => api.hand_in("autumn", "", "", zip),
            "activate" => api.post(&format!("{page}/activate"), &json!({"version": 1})),
            _ => api.post(&format!("{page}/{action}"), &json!({})),
        };
        let is_accepted = reply.status < 300;
        assert!(is_accepted || reply.status == 409, "{action}: {}", reply.text());
        all.push(Tried { action, began, is_accepted });
        if is_over(&all) {
            break;
        }
    }
    all
}

#[test]
fn what_is_accepted_at_the_moment_of_the_freeze_is_before_it() {
    let (server, mut root) = Server::with_root(&[]);
    make_arena(&mut root, "autumn", &[("per_day", "10000")]);
    let zip = python_zip("cluster", "");
    let names = ["ada", "bob"];
    let authors = names.map(|name| {
        let mut author = server.author(&mut root, name);
        let version = hand_in(&mut author, "autumn", "python", &python_bot("cluster"));
        assert!(wait_until_done(&mut author, &version).has("It can play"));
        (name, Api::login(server.client(), name, "battery staple", &["read", "submit"]))
    });
    let (tried, done) = std::thread::scope(|scope| {
        let threads = authors.map(|(name, api)| {
            let zip = &zip;
            scope.spawn(move || (name, change_until_refused(api, name, zip)))
        });
        std::thread::sleep(Duration::from_secs(1));
        organise(&mut root, "autumn", "finish");
        let done = Instant::now();
        (threads.map(|thread| thread.join().unwrap()), done)
    });
    let database = server.database();
    let freeze = database.number("SELECT id FROM audit WHERE action = 'arena.finish'");
    for (name, tried) in &tried {
        let late = tried.iter().find(|tried| tried.is_accepted && tried.began > done);
        assert!(late.is_none(), "{name}: {}", late.unwrap().action);
        assert!(tried.iter().filter(|tried| tried.is_accepted).count() > 4, "{name}");
        // What the log says is what was accepted, and all of it is before the freeze.
        for action in ["pause", "resume", "activate"] {
            let accepted = tried.iter().filter(|one| one.is_accepted && one.action == action);
            let logged = |also: &str| {
                database.number(&format!(
                    "SELECT count(*) FROM audit WHERE action = 'bot.{action}'
                     AND (subject = '{name}' OR subject = '{name} v1') {also}"
                ))
            };
            assert_eq!(logged(""), accepted.count() as u64, "{name}: {action}");
            assert_eq!(logged(&format!("AND id > {freeze}")), 0, "{name}: {action}");
        }
        let stops = tried
            .iter()
            .rfind(|one| one.is_accepted && one.action != "hand-in" && one.action != "activate");
        let state = Api::new(server.client(), None).found(&format!("/arenas/autumn/bots/{name}"));
        let expected = if stops.unwrap().action == "pause" { "paused" } else { "playing" };
        assert_eq!(state["state"], expected, "{name}");
    }
    // A version came in time if it began to come before.
    let late = "SELECT count(*) FROM versions WHERE created >
        (SELECT at FROM audit WHERE action = 'arena.finish')";
    assert_eq!(database.number(late), 0);
}

#[test]
fn a_change_of_a_bot_is_shown_at_once_and_forms_lead_back() {
    let (_server, mut root) = Server::with_root(&LIVELY);
    let page = "/admin/arenas/cluster";
    for (name, words) in [("", "Nobody has this name"), ("nobody", "Nobody has this name")] {
        let form = [("name", name), ("until", ""), ("until_zone", "")];
        let reply = root.post(&format!("{page}/extensions"), page, &form);
        assert!(reply.status == 422 && reply.has(words), "{name}: {}", reply.text());
        assert!(reply.has(&format!("href=\"{page}\">Back to the form")), "{}", reply.text());
    }
    let page = "/arenas/cluster/bots/builtin-random";
    wait_until("the boss", || root.get(page).has(">plays<"));
    for (action, field, words) in [
        ("rename", ("name", ""), "1 to 40 characters"),
        ("rename", ("name", "Greedy"), "Another bot of this arena has the name"),
        ("compare", ("a", "0"), "two different versions"),
        ("disqualify", ("reason", " "), "The reason is missing"),
    ] {
        let form = [field, ("b", "0")];
        let reply = root.post(&format!("{page}/{action}"), page, &form);
        assert!(reply.status == 422 && reply.has(words), "{action}: {}", reply.text());
        assert!(reply.has(&format!("href=\"{page}\">Back to the form")), "{}", reply.text());
    }
    // A bot may get its own name in another way of writing.
    assert_eq!(root.post(&format!("{page}/rename"), page, &[("name", "RANDOM")]).status, 200);
    let version = root.get(page).text();
    let (_, version) = version.split_once(&format!("{page}/versions/")).unwrap();
    let version = format!("{page}/versions/{}", version.split('"').next().unwrap());
    assert!(root.get(&version).has(">plays<"));
    for _ in 0..3 {
        let paused = root.post(&format!("{page}/pause"), page, &[]);
        let is_shown = paused.has("This bot is paused.") && paused.has("/resume\"");
        assert!(is_shown && !paused.has(">plays<") && !paused.has("/pause\""), "{}", paused.text());
        assert!(!root.get(&version).has(">plays<"));
        let plays = root.post(&format!("{page}/resume"), page, &[]);
        assert!(plays.has(">plays<") && plays.has("/pause\""), "{}", plays.text());
    }
    let out = root.post(&format!("{page}/disqualify"), page, &[("reason", "copied")]);
    assert!(out.has("This bot is disqualified.") && out.has("Reason: copied"), "{}", out.text());
    assert!(!out.has(">plays<") && !root.get(&version).has(">plays<"), "{}", out.text());
    assert!(root.get(&version).has("An organiser disqualified it."));
}

#[test]
fn the_chart_of_a_bot_ends_at_its_rating() {
    let (server, mut root) = Server::with_root(&[&LIVELY[..], &["--pace", "0"]].concat());
    // Two ratings are there, and the next match of the other one changes both.
    let page = "/arenas/cluster/bots/builtin-random";
    wait_until("matches", || root.get(page).has("Rating from"));
    play_out(&server, &mut root, "cluster");
    // The board follows a moment later.
    std::thread::sleep(Duration::from_secs(2));
    let text = root.get(page).text();
    let (_, rating) = text.split_once("<span class=\"rating\"").unwrap();
    let (_, rating) = rating.split_once("<b>").unwrap();
    let rating = rating.split('<').next().unwrap();
    assert!(text.contains(&format!(" to {rating} on ")), "{rating}: {text}");
}
