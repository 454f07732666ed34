//! People who play in a page.

use std::thread;
use std::time::{Duration, Instant};

use agon_core::Player;
use agon_games::GameId;
use agon_games::binfection::{Binfection, Direction};
use agon_games::cluster::{Answer, Cluster};
use agon_games::rezzo::Rezzo;
use agon_match::replay::Replay;
use agon_testkit::{browser::Browser, http};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::Served;
use crate::support::TestDir;

const RETURN: &str = "\u{E006}";
const ARROW_UP: &str = "\u{E013}";
const ARROW_RIGHT: &str = "\u{E014}";
const ARROW_DOWN: &str = "\u{E015}";

/// Starts a match that is recorded, and opens its page.
fn open(line: &str) -> (TestDir, Served, Browser) {
    let dir = TestDir::new();
    let served = Served::play(&dir, line);
    let browser = Browser::start();
    browser.open(&served.address());
    (dir, served, browser)
}

/// Returns the replay of the match.
fn recorded(dir: &TestDir) -> Replay {
    Replay::open_file(dir.path("match.agon")).unwrap()
}

/// The page's state, once a question waits that is another than `known`.
#[track_caller]
fn asked(browser: &Browser, known: Option<u64>) -> Value {
    browser.wait("a question", |state| {
        state["question"]["question"].as_u64().is_some_and(|number| Some(number) != known)
            && state["shown"]["choices"] != json!([])
    })
}

fn number(state: &Value) -> u64 {
    state["question"]["question"].as_u64().unwrap()
}

/// Waits until the match is over, or another question waits.
#[track_caller]
fn answered(browser: &Browser, known: u64) -> Value {
    browser.wait("an answer", |state| {
        state["shown"]["live"] == false
            || state["question"]["question"].as_u64().is_some_and(|now| now != known)
    })
}

fn offer<'a>(state: &'a Value, key: &str) -> Option<&'a Value> {
    state["shown"]["choices"].as_array().unwrap().iter().find(|offer| offer["key"] == key)
}

/// Clicks on a button, once there is one for `key`.
#[track_caller]
fn press(browser: &Browser, key: &str) {
    let state =
        browser.wait(key, |state| offer(state, key).is_some_and(|offer| offer["at"].is_array()));
    let at = &offer(&state, key).unwrap()["at"];
    let corner = "const box = document.getElementById('view').getBoundingClientRect(); return \
        [box.left, box.top]";
    let corner = browser.run(corner, json!([]));
    let along = |axis: usize| {
        corner[axis].as_f64().unwrap().round() as i32 + at[axis].as_i64().unwrap() as i32
    };
    browser.click(along(0), along(1));
}

/// What the page says in its head.
fn head(browser: &Browser) -> String {
    let text = browser.run("return document.getElementById('source').innerText", json!([]));
    text.as_str().unwrap().to_owned()
}

fn post(port: u16, body: &str, header: Option<(&str, &str)>) -> u16 {
    let mut headers = Vec::from_iter(header);
    if !headers.iter().any(|(name, _)| *name == "Content-Type") {
        headers.push(("Content-Type", "application/json"));
    }
    http::request(port, "POST", "/live/answer", &headers, body).0
}

#[test]
fn a_person_plays_cluster_with_the_mouse() {
    agon_testkit::slow!();
    let (dir, served, browser) =
        open("play cluster rosa=human builtin:random --seed 3 --set side=3");
    let mut state = asked(&browser, None);
    assert_eq!(state["question"]["player"], 0);
    assert_eq!(state["question"]["left_ms"], Value::Null);
    assert_eq!(head(&browser), "live · rosa is asked");
    browser.picture("person");

    // A pellet by its button, a column on the board, and once more to drop it.
    let key = if offer(&state, "2").is_some() { "2" } else { "1" };
    press(&browser, key);
    browser.wait("the pellet is chosen", |state| offer(state, key).unwrap()["chosen"] == true);
    browser.click(250, 330);
    let drop = |state: &Value| {
        offer(state, "Return").map(|offer| offer["label"].as_str().unwrap().to_owned())
    };
    let label = drop(&browser.wait("a column is picked", |state| drop(state).is_some())).unwrap();
    let column: u16 = label.rsplit(' ').next().unwrap().parse().unwrap();
    browser.click(250, 330);
    browser.wait("the match goes on", |state| state["shown"]["steps"].as_u64().unwrap() > 0);

    // The rest as it comes.
    while state["shown"]["live"] == true {
        let known = number(&state);
        browser.keys("1");
        browser.keys(RETURN);
        if offer(&state, "Return").is_none() {
            // All columns are full, or none is chosen.
            browser.keys("r1");
        }
        state = answered(&browser, known);
        if state["shown"]["live"] == true {
            state = asked(&browser, Some(known));
        }
    }
    assert_eq!(state["question"], Value::Null);
    let state = browser.wait("verified", |state| state["verified"]["done"] == true);
    assert_eq!(state["verified"]["problem"], Value::Null);
    assert_eq!(head(&browser), "the match is over");
    browser.picture("person-over");
    assert_eq!(browser.log(), Vec::<String>::new());
    assert_eq!(served.interrupt(), Some(0));

    let replay = recorded(&dir);
    assert_eq!(replay.header().players[0].kind, "human");
    assert_eq!(replay.steps(), state["verified"]["steps"].as_u64().unwrap());
    let mut cursor = replay.cursor(GameId::Cluster.kind()).unwrap();
    let given = cursor.frame().unwrap().given.as_slice::<Cluster>().unwrap();
    let Answer::Place { column: dropped, color } = given[0] else { panic!("a rotation") };
    assert_eq!(dropped, column);
    assert!(cursor.game().of_game::<Cluster>().hand().contains(&color));
}

/// Each match has the next seed, and the page finds it at the same address.
#[test]
fn a_page_asks_for_a_rematch() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let line = "play cluster human builtin:random --seed 3 --set side=2 --set bag=3";
    let served = Served::start(&dir, &format!("{line} --view web --no-open"));
    let browser = Browser::start();
    browser.open(&served.address());
    for _ in 0..2 {
        let mut state = asked(&browser, None);
        assert_eq!(state["shown"]["steps"], 0);
        let shown = "return !document.getElementById('rematch').hidden";
        assert_eq!(browser.run(shown, json!([])), false);
        while state["shown"]["live"] == true {
            browser.keys("1");
            browser.keys(RETURN);
            browser.keys("r1");
            state = answered(&browser, state["question"]["question"].as_u64().unwrap_or(0));
        }
        browser.until("an offer of a rematch", shown, json!([]));
        browser.run("document.getElementById('rematch').click()", json!([]));
    }
    let state = asked(&browser, None);
    assert_eq!((&state["shown"]["steps"], &state["shown"]["live"]), (&json!(0), &json!(true)));
    assert_eq!(served.interrupt(), Some(130));
}

fn give_label(state: &Value) -> String {
    offer(state, "Return").map_or("", |offer| offer["label"].as_str().unwrap()).to_owned()
}

#[test]
fn orders_are_taken_back_and_a_page_may_be_loaded_anew() {
    agon_testkit::slow!();
    let sets = "--set field_width=12 --set field_height=8 --seed 3";
    let (dir, served, browser) = open(&format!("play binfection human builtin:random {sets}"));
    let state = asked(&browser, None);
    let first = number(&state);
    let none = give_label(&state);
    assert!(none.starts_with("give orders (0 of "), "{none}");

    // Orders are begun, taken back and given anew; meanwhile the page is loaded again.
    let is_ordered =
        |is: bool| browser.wait("ordered, or not", |state| (give_label(state) != none) == is);
    press(&browser, "*");
    browser.keys(ARROW_UP);
    is_ordered(true);
    press(&browser, "Backspace");
    is_ordered(false);
    browser.keys("*");
    browser.keys(ARROW_UP);
    is_ordered(true);
    browser.open(&served.address());
    let state = asked(&browser, None);
    assert_eq!((number(&state), give_label(&state)), (first, none.clone()));
    press(&browser, "*");
    browser.keys(ARROW_DOWN);
    assert_eq!(is_ordered(true)["shown"]["steps"], 0);
    browser.picture("orders");
    press(&browser, "Return");
    let state = asked(&browser, Some(first));
    assert_eq!(state["shown"]["steps"], 1);

    // Another page is quicker: this one sees that it is answered.
    let second = number(&state);
    browser.keys("*");
    let quicker = json!({ "question": second, "acts": ["confirm"] }).to_string();
    let port = served.port();
    assert_eq!([204, 409].map(|_| post(port, &quicker, None)), [204, 409]);
    let state = asked(&browser, Some(second));
    assert_eq!(state["shown"]["steps"], 2);
    assert_eq!(give_label(&state).split_once(" of ").unwrap().0, "give orders (0");
    assert_eq!(browser.log(), Vec::<String>::new());
    // The match is stopped while a question waits.
    assert_eq!(served.interrupt(), Some(130));

    let replay = recorded(&dir);
    assert_eq!(replay.steps(), 2);
    let mut cursor = replay.cursor(GameId::Binfection.kind()).unwrap();
    let mut decisions = cursor.game().decisions().iter();
    let index = decisions.position(|decision| decision.player == Player(0)).unwrap();
    let mut moves = || {
        let given = cursor.frame().unwrap().given.as_slice::<Binfection>().unwrap();
        let moves = given[index].moves.clone();
        cursor.advance().unwrap();
        moves
    };
    let given = moves();
    let are_down = given.iter().all(|one| one.direction == Direction::Down);
    assert!(!given.is_empty() && are_down, "{given:?}");
    assert_eq!(moves(), []);
}

/// Orders of a round hold for all of its batches: nobody is asked in between.
#[test]
fn orders_hold_for_a_whole_turn() {
    agon_testkit::slow!();
    let sets = "--set world_size=30 --set rounds=9 --seed 3";
    let (dir, served, browser) = open(&format!("play amoebas human builtin:mindless {sets}"));
    let mut state = asked(&browser, None);
    for turn in 1..4 {
        let known = number(&state);
        browser.keys("*d");
        browser.keys(ARROW_DOWN);
        press(&browser, "Return");
        state = asked(&browser, Some(known));
        let found = (state["shown"]["turn"].as_u64(), number(&state));
        assert_eq!(found, (Some(turn), known + 1));
    }
    browser.picture("amoebas-person");
    assert_eq!(browser.log(), Vec::<String>::new());
    assert_eq!(served.interrupt(), Some(130));
    assert!(recorded(&dir).steps() >= 6);
}

#[test]
fn only_orders_for_the_question_that_waits_are_taken() {
    let dir = TestDir::new();
    let served = Served::play(&dir, "play cluster human human --seed 3");
    let port = served.port();
    // What follows in the stream is not awaited: the question waits as soon as the first orders are
    // refused as none.
    let orders =
        |question: u64, acts: Value| json!({ "question": question, "acts": acts }).to_string();
    let empty = orders(1, json!([]));
    let mut statuses = std::iter::repeat_with(|| post(port, &empty, None));
    assert_eq!(statuses.find(|&status| status != 409), Some(400));

    let good = orders(1, json!([{ "type": "1" }, { "go": "left" }, "confirm"]));
    for (name, value, status) in [
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Host", "evil.example", 421),
        ("Content-Type", "text/plain", 415),
    ] {
        assert_eq!(post(port, &good, Some((name, value))), status, "{name}: {value}");
    }
    let long = orders(1, vec![json!("undo"); 10].into()).replace("undo", &" ".repeat(110_000));
    for (status, body) in [
        (409, orders(0, json!(["confirm"]))),
        (409, orders(2, json!(["confirm"]))),
        (400, String::new()),
        (400, "garbage".to_owned()),
        (400, "[]".to_owned()),
        (400, "{}".to_owned()),
        (400, orders(1, json!(["jump"]))),
        (400, r#"{"question": 1, "acts": ["confirm"], "more": 1}"#.to_owned()),
        (400, orders(1, json!([]))),
        (400, orders(1, json!([{ "pick": 4_000_000_000_u32 }, "confirm"]))),
        (400, orders(1, json!([{ "type": "1" }]))),
        (400, orders(1, json!([{ "type": "1" }, { "go": "left" }, "confirm", "undo"]))),
        (413, long),
    ] {
        assert_eq!(post(port, &body, None), status, "{}", &body[..body.len().min(80)]);
    }
    for (method, path, status) in [
        ("PUT", "/live/answer", 405),
        ("POST", "/live", 405),
        ("POST", "/", 405),
        ("GET", "/live/answer", 404),
    ] {
        assert_eq!(http::request(port, method, path, &[], "").0, status, "{method} {path}");
    }
    let own = format!("http://127.0.0.1:{port}");
    for status in [204, 409] {
        assert_eq!(post(port, &good, Some(("Origin", &*own))), status);
    }
    assert_eq!(served.interrupt(), Some(130));
}

#[test]
fn time_goes_on_for_whoever_plays_so() {
    agon_testkit::slow!();
    let (dir, served, browser) = open("rezzo human builtin:random -t 400 -r 3");
    let state = browser.wait("a question", |state| state["question"]["left_ms"].is_u64());
    assert!(state["question"]["left_ms"].as_u64().unwrap() <= 400, "{state}");
    assert_eq!(head(&browser), "live · human plays");
    // Whoever presses a key before the question comes means the next one.
    for _ in 0..6 {
        let step = browser.wait("a tick", |_| true)["shown"]["step"].as_u64();
        browser.keys(ARROW_RIGHT);
        browser.wait("the next tick", |state| state["shown"]["step"].as_u64() > step);
    }
    // A person sees what its agent sees, of 13×13 cells, and can look into no other.
    browser.picture("rezzo");
    browser.click_with(2, 335, 330);
    let state = browser.wait("a place", |state| state["shown"]["selected"].is_u64());
    assert!(state["shown"]["selected"].as_u64().unwrap() < 169, "{state}");
    assert_eq!(served.interrupt(), Some(130));
    let replay = recorded(&dir);
    let mut cursor = replay.cursor(GameId::Rezzo.kind()).unwrap();
    let turns = (0..replay.steps()).filter(|_| {
        let given = cursor.frame().unwrap().given.as_slice::<Rezzo>().unwrap();
        let turned = given[0] == agon_games::rezzo::Answer::TurnRight;
        cursor.advance().unwrap();
        turned
    });
    assert!(turns.count() > 0);
}

#[test]
fn the_arena_may_go_away_and_come_back() {
    agon_testkit::slow!();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = format!("play cluster human human --port {port}");
    let (dir, served, browser) = open(&line);
    asked(&browser, None);
    drop(served);
    browser.wait_for_message("The connection to the arena is lost");
    // Another match at the same address.
    let served = Served::play(&dir, &format!("{line} --set side=3"));
    browser.wait("the connection", |_| browser.message().is_none());
    assert_eq!(number(&asked(&browser, None)), 1);
    drop(served);
    browser.wait_for_message("the match is over, or lost");
}

#[test]
fn a_silent_connection_is_noticed() {
    agon_testkit::slow!();
    let (_dir, served, browser) = open("play cluster human human");
    asked(&browser, None);
    // Nobody orders anything for longer than a page would wait for a silent arena.
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(browser.message(), None);
    // Nothing ends, and nothing comes any more: like a cable that is pulled.
    served.signal_host(Signal::STOP);
    let stopped = Instant::now();
    browser.wait_for_message("The arena has not been heard of");
    assert!(stopped.elapsed() < Duration::from_secs(6), "{:?}", stopped.elapsed());
    served.signal_host(Signal::CONT);
    browser.wait("the arena's next word", |_| browser.message().is_none());
    assert_eq!(number(&asked(&browser, None)), 1, "the page still asks the same question");
    assert_eq!(served.interrupt(), Some(130));
}

#[test]
fn a_page_says_how_much_time_is_left() {
    agon_testkit::needs!("chromedriver");
    let sets = "--set field_width=12 --set field_height=8 --human-time 3";
    let (dir, served, browser) = open(&format!("play binfection human builtin:random {sets}"));
    let state = asked(&browser, None);
    assert!(state["question"]["left_ms"].as_u64().unwrap() <= 3000, "{state}");
    browser.wait("a time", |_| head(&browser).ends_with(" left"));
    // Nobody answers.
    let later = asked(&browser, Some(number(&state)));
    assert!(later["shown"]["steps"].as_u64() > state["shown"]["steps"].as_u64(), "{later}");
    assert_eq!(served.interrupt(), Some(130));
    let faults = recorded(&dir).faults().unwrap();
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.player == Player(0)));
}
