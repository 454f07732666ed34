//! The viewer in a browser: replays of all games, inputs, bad files, a match while it is played,
//! people who play.

mod carried;
mod host;
mod people;
mod site;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use agon_games::GameId;
use agon_match::replay::{Replay, Writer};
use agon_testkit::{browser::Browser, http};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::foreign::support::{blocks, edited, whole_file_of};
use crate::support::{TestDir, runs, signal, until};

const GAMES: [(&str, &str); 5] = [
    ("amoebas", "--set world_size=40 --set rounds=40"),
    ("binfection", "--set field_width=24 --set field_height=16 --set turns_limit=60"),
    ("cellhack", "--set width=40 --set height=40 --set turns=100"),
    ("cluster", "--set side=5"),
    ("rezzo", "--set width=48 --set height=48 --set max_ticks=300"),
];

// Keys as WebDriver names them.
const END: &str = "\u{E010}";
const HOME: &str = "\u{E011}";

/// Presses the button that saves a replay, and gives the bytes that it saves.
const SAVE: &str = "const made = [];
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => { made.push(blob); return make(blob); };
    document.getElementById('save').click();
    return made[0].arrayBuffer().then((bytes) => [...new Uint8Array(bytes)]);";

/// Plays a short match between built-in bots, and returns the replay.
fn replay(dir: &TestDir, game: &str) -> PathBuf {
    let sets = GAMES.iter().find(|(name, _)| *name == game).unwrap().1;
    dir.ok(&format!("play {game} --seed 7 --replay {game}.agon {sets}"));
    dir.path(&format!("{game}.agon"))
}

/// `agon` with a page that it serves; its output goes to files.
struct Served {
    child: Child,
    output: TempDir,
}

impl Served {
    fn start(dir: &TestDir, line: &str) -> Served {
        Served::of(&mut dir.agon(line))
    }

    fn of(command: &mut Command) -> Served {
        let output = TempDir::new().unwrap();
        let [out, err] = ["out", "err"].map(|name| File::create(output.path().join(name)).unwrap());
        Served { child: command.stdout(out).stderr(err).spawn().unwrap(), output }
    }

    /// Watches a replay.
    fn watch(dir: &TestDir, file: &str) -> Served {
        Served::start(dir, &format!("watch --web --no-open {file}"))
    }

    /// Plays a match, with a replay.
    fn play(dir: &TestDir, line: &str) -> Served {
        Served::start(dir, &format!("{line} --view web --no-open --replay match.agon"))
    }

    /// Returns what it said on a stream, `out` or `err`.
    fn said(&self, stream: &str) -> String {
        fs::read_to_string(self.output.path().join(stream)).unwrap()
    }

    /// Waits until it says something on standard error.
    #[track_caller]
    fn says(&self, words: &str) {
        self.wait(words, || self.said("err").contains(words).then_some(()));
    }

    /// Returns the address of the page, once it is told.
    #[track_caller]
    fn address(&self) -> String {
        self.wait("an address", || {
            let said = self.said("err") + &self.said("out");
            let (_, rest) = said.split_once(" at http:")?;
            Some(format!("http:{}", rest.split_once('\n')?.0))
        })
    }

    /// Waits until something is there; fails as soon as it has ended without it.
    #[track_caller]
    fn wait<T>(&self, what: &str, find: impl Fn() -> Option<T>) -> T {
        agon_testkit::eventually(what, || {
            let has_ended = !runs(&self.child.id().to_string());
            let found = find();
            assert!(found.is_some() || !has_ended, "it ended without {what}: {}", self.said("err"));
            found
        })
    }

    fn port(&self) -> u16 {
        self.address().split(':').nth(2).unwrap().split('/').next().unwrap().parse().unwrap()
    }

    /// Returns the program that serves the page: a child of this process.
    fn host(&self) -> Pid {
        let parent = format!("PPid:\t{}\n", self.child.id());
        let is_it = |number: &i32| {
            let status = fs::read_to_string(format!("/proc/{number}/status"));
            status.is_ok_and(|text| text.contains("agon-web-host\n") && text.contains(&parent))
        };
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Pid::from_raw(numbers.find(is_it).expect("it is there")).unwrap()
    }

    fn signal_host(&self, signal: Signal) {
        kill_process(self.host(), signal).unwrap();
    }

    /// Waits for its end; gives the exit code, `None` for a signal, and what it said on standard
    /// error.
    #[track_caller]
    fn end(&mut self) -> (Option<i32>, String) {
        let mut status = None;
        until("an end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        (status.unwrap().code(), self.said("err"))
    }

    /// Ctrl-C; gives the exit code.
    #[track_caller]
    fn interrupt(mut self) -> Option<i32> {
        signal(&self.child, Signal::INT);
        self.end().0
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn verified(state: &Value) -> bool {
    state["verified"]["done"] == true
}

/// Returns whether the page shows that the replay is proven.
fn proof(browser: &Browser) -> Value {
    browser.run("return document.getElementById('proof').className", json!([]))
}

/// All games, from a server of static files.
#[test]
fn every_game_is_shown_and_verified() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let files = GAMES.map(|(game, _)| replay(&dir, game));
    dir.ok(&format!("web export site {}", GAMES.map(|(game, _)| format!("{game}.agon")).join(" ")));
    let page = format!("http://127.0.0.1:{}/some/where/", http::serve(&dir.path("site")));
    let browser = Browser::start();
    browser.open(&page);
    let links = "return window.agon.ready.then(() => [...document.querySelectorAll('#replays \
        a')].map((a) => a.href))";
    let links = browser.run(links, json!([]));
    let links = links.as_array().unwrap();
    assert_eq!(links.len(), GAMES.len(), "{links:?}");
    browser.picture("list");
    for (((game, _), file), link) in GAMES.iter().zip(&files).zip(links) {
        let steps = Replay::open_file(file).unwrap().steps();
        browser.open(link.as_str().unwrap());
        let state = browser.wait("verified", verified);
        let expected = json!({ "steps": steps, "done": true, "problem": null });
        assert_eq!(state["verified"], expected, "{game}");
        assert_eq!(proof(&browser), "good");
        assert_eq!(state["shown"]["steps"], steps, "{game}");
        let title = browser.run("return document.title", json!([]));
        assert!(title.as_str().unwrap().contains(game), "{title}");
        play(&browser, steps);
        browser.picture(game);
        assert_eq!(browser.message(), None, "{game}");
        assert_eq!(browser.log(), Vec::<String>::new(), "{game}");
    }
}

/// Plays, pauses, seeks, looks at a cell.
fn play(browser: &Browser, steps: u64) {
    let at = |step: u64| move |state: &Value| state["shown"]["step"] == step;
    let playing = |wanted: bool| move |state: &Value| state["shown"]["playing"] == wanted;
    let state = browser.run("return window.agon.state()", json!([]));
    if state["shown"]["playing"] == true {
        browser.keys(" ");
        browser.wait("paused", playing(false));
    }
    browser.keys(END);
    browser.wait("at the end", at(steps));
    browser.keys(HOME);
    browser.wait("at the start", at(0));
    browser.keys(" ");
    browser.wait("playing", playing(true));
    browser.wait("moving", |state| state["shown"]["step"].as_u64() > Some(0));
    browser.keys(" ");
    browser.wait("paused", playing(false));
    browser.click(335, 330);
    browser.wait("a cell is selected", |state| state["shown"]["selected"].is_u64());
}

#[test]
fn a_page_opens_at_a_turn_and_saves_the_replay() {
    agon_testkit::needs!("chromedriver");
    let dir = TestDir::new();
    let file = replay(&dir, "cluster");
    let served = Served::watch(&dir, "cluster.agon");
    let browser = Browser::start();
    browser.open(&served.address());
    let opened = browser.wait("shown", |state| state["shown"]["steps"].is_u64());
    assert!(opened["shown"]["playing"] == true, "it opens playing: {opened}");
    let events = |state: &Value| state["shown"]["events"].as_array().map_or(0, Vec::len);
    let state = browser.wait("events", |state| events(state) > 3);
    let event = &state["shown"]["events"][2];
    let at = |index: usize| event["at"][index].as_i64().unwrap() as i32;
    // The canvas is below the head of the page.
    let top = "return document.getElementById('view').getBoundingClientRect().top";
    let top = browser.run(top, json!([])).as_f64().unwrap() as i32;
    browser.click(at(0), at(1) + top);
    browser.wait("the event", |state| {
        state["shown"]["step"] == event["step"] && state["shown"]["playing"] == false
    });

    browser.open(&format!("{}&turn=5", served.address()));
    let state = browser.wait("turn 5", |state| state["shown"]["turn"] == 5);
    assert_eq!(state["shown"]["playing"], false);
    browser.picture("turn");
    browser.open(&format!("{}&turn=5&play", served.address()));
    browser.wait("it plays on", |state| state["shown"]["turn"].as_u64() > Some(5));
    browser.open(&format!("{}&turn=nonsense", served.address()));
    browser.wait("the start", |state| state["shown"]["playing"] == true);

    let saved: Vec<u8> = serde_json::from_value(browser.run(SAVE, json!([]))).unwrap();
    assert!(saved == fs::read(&file).unwrap(), "the replay was saved as it is");
    assert_eq!(browser.message(), None);
    assert_eq!(served.interrupt(), Some(130));
}

#[test]
fn bad_files_are_told() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let good = replay(&dir, "binfection");
    let bytes = fs::read(&good).unwrap();
    for (name, bytes) in [
        ("cut.agon", bytes[..bytes.len() * 2 / 3].to_vec()),
        ("differs.agon", differing(&good)),
        ("other.agon", of_other_rules(&bytes)),
        ("text.agon", b"no replay".to_vec()),
    ] {
        dir.write(name, bytes);
    }
    let served = Served::watch(&dir, "binfection.agon");
    let browser = Browser::start();
    browser.open(&served.address());
    let whole = browser.wait("verified", verified);

    let choose = |name: &str, message: &str| {
        browser.type_into("#file", dir.path(name).to_str().unwrap());
        browser.wait_for_message(message);
    };
    choose("text.agon", "text.agon: this is no replay of Agon");
    choose("other.agon", "played under rules version 99 of binfection");
    // What was shown stays.
    let state = browser.wait("still there", verified);
    assert_eq!(state["verified"], whole["verified"]);

    choose("cut.agon", "damaged at byte");
    let state =
        browser.wait("as far as it goes", |state| verified(state) && !state["damage"].is_null());
    assert_eq!(state["verified"]["steps"], state["shown"]["steps"]);
    assert!(state["shown"]["steps"].as_u64() < whole["shown"]["steps"].as_u64(), "{state}");
    assert_eq!(proof(&browser), "bad");
    browser.picture("damaged");

    choose("differs.agon", "Not proven: step 3: the state's hash is");
    let state = browser.wait("a difference", verified);
    assert_eq!(state["verified"]["steps"], 3);
    browser.picture("differs");

    // A file dropped on the page.
    let script = "const [path] = arguments;
        return fetch(path).then((response) => response.arrayBuffer()).then((bytes) => {
            const dropped = new DataTransfer();
            dropped.items.add(new File([bytes], 'dropped.agon'));
            for (const kind of ['dragover', 'drop']) {
                document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: dropped, bubbles: \
                true, cancelable: true }));
            }
        })";
    browser.run(script, json!(["replays/binfection.agon"]));
    let state = browser.wait("the dropped file", |state| {
        verified(state) && state["verified"]["problem"].is_null()
    });
    assert_eq!(state["verified"], whole["verified"]);
    assert_eq!(browser.message(), None);

    // Addresses that lead nowhere.
    let page = served.address().split('?').next().unwrap().to_owned();
    browser.open(&format!("{page}?replay=replays/none.agon"));
    browser.wait_for_message("replays/none.agon cannot be fetched: 404");
    browser.open(&format!("{page}?live=https://example.org/"));
    browser.wait_for_message("on its own server only");
    assert_eq!(served.interrupt(), Some(130));
}

/// The replay with another state after step 3 than the rules make.
fn differing(file: &Path) -> Vec<u8> {
    let replay = Replay::open_file(file).unwrap();
    let mut cursor = replay.cursor(GameId::Binfection.kind()).unwrap();
    let mut writer = Writer::new(Vec::new(), cursor.game(), &replay.header().players).unwrap();
    for step in 0..8 {
        let answers = cursor.frame().unwrap().given.clone();
        let before = cursor.game().clone();
        cursor.advance().unwrap();
        writer.step(&answers, if step == 3 { &before } else { cursor.game() }).unwrap();
    }
    writer.finish(cursor.game(), agon_match::replay::End::Limit, &[]).unwrap()
}

/// The replay, as if it was played by rules that nobody has written yet.
fn of_other_rules(bytes: &[u8]) -> Vec<u8> {
    let mut blocks = blocks(bytes);
    blocks[0] = edited(&blocks[0], |text| {
        let mut header: Value = serde_json::from_str(&text).unwrap();
        header["rules_version"] = 99.into();
        header.to_string()
    });
    whole_file_of(&blocks)
}

#[test]
fn a_match_is_followed_while_it_is_played() {
    agon_testkit::slow!();
    // The test is one of the bots, so that the match goes on when it wants.
    let bot = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = bot.local_addr().unwrap();
    let sets = "--set turns_limit=20 --set field_width=24 --set field_height=16 --seed 3";
    let line = format!("play binfection connect:{address} builtin:random --no-clock {sets}");
    let dir = TestDir::new();
    let served = Served::play(&dir, &line);
    let (mut answers, _) = bot.accept().unwrap();
    let questions = BufReader::new(answers.try_clone().unwrap()).lines().map(Result::unwrap);
    let browser = Browser::start();
    browser.open(&served.address());
    browser.wait("begun", |state| state["shown"]["live"] == true && state["shown"]["steps"] == 0);
    let mut step = 0;
    for line in questions {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["type"] == "end" {
            break;
        }
        if message["type"] == "decide" {
            let answer = json!({ "step": message["step"], "answers": [{ "moves": [] }] });
            writeln!(answers, "{answer}").unwrap();
            step += 1;
            let state = browser.wait("a step", |state| state["shown"]["steps"] == step);
            let verified = &state["verified"];
            assert_eq!((&verified["steps"], &verified["problem"]), (&step.into(), &Value::Null));
        }
    }
    let state = browser.wait("over", |state| state["shown"]["live"] == false);
    assert_eq!(state["verified"], json!({ "steps": step, "done": true, "problem": null }));
    assert_eq!(step, 20);
    // The page shows turns at a speed that people can follow, so its end comes a little later.
    let has_winner = |state: &Value| {
        state["shown"]["banner"].as_str().is_some_and(|banner| banner.contains(" wins"))
    };
    browser.wait("a winner", has_winner);
    browser.picture("live");
    let saved: Vec<u8> = serde_json::from_value(browser.run(SAVE, json!([]))).unwrap();
    assert_eq!(Replay::open(saved).unwrap().steps(), 20);
    assert_eq!(browser.log(), Vec::<String>::new());
    assert_eq!(served.interrupt(), Some(0));
}

#[test]
fn the_server_answers_only_to_its_own_page() {
    let dir = TestDir::new();
    replay(&dir, "cluster");
    let served = Served::watch(&dir, "cluster.agon");
    let port = served.port();
    let get =
        |path: &str, headers: &[(&str, &str)]| http::request(port, "GET", path, headers, "").0;
    for path in
        ["/", "/index.html", "/agon.css", "/agon.js", "/worker.js", "/agon.wasm", "/replays.json"]
    {
        assert_eq!(get(path, &[]), 200, "{path}");
    }
    assert_eq!(get("/", &[("Host", "evil.example")]), 421);
    assert_eq!(get("/", &[("Origin", "http://evil.example")]), 403);
    assert_eq!(get("/replays/cluster.agon", &[]), 200);
    assert_eq!(get("/replays/../Cargo.toml", &[]), 404);
    assert_eq!(http::request(port, "POST", "/", &[], "").0, 405);
    assert_eq!(served.interrupt(), Some(130));
}

#[test]
fn a_page_opened_as_a_file_says_what_to_do() {
    agon_testkit::needs!("chromedriver");
    let dir = TestDir::new();
    dir.ok("web export site");
    let browser = Browser::start();
    browser.open(&format!("file://{}/index.html", dir.path("site").display()));
    let text = browser.run("return document.body.innerText", json!([]));
    assert!(text.as_str().unwrap().contains("agon watch --web"), "{text}");
    browser.picture("file");
}
