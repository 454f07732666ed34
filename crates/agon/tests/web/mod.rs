//! The viewer in a browser: replays of all games, inputs, bad files, a match while it is played,
//! people who play.

mod host;
mod people;
mod site;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use agon_match::replay::{Replay, Writer};
use agon_testkit::{browser::Browser, http};
use serde_json::{Value, json};
use tempfile::TempDir;

const GAMES: [(&str, &[&str]); 5] = [
    ("amoebas", &["world_size=40", "rounds=40"]),
    ("binfection", &["field_width=24", "field_height=16", "turns_limit=60"]),
    ("cellhack", &["width=40", "height=40", "turns=100"]),
    ("cluster", &["side=5"]),
    ("rezzo", &["width=48", "height=48", "max_ticks=300"]),
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

fn agon(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).env("NO_COLOR", "1").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

fn done(args: &[&str]) {
    let output = agon(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Plays a short match between built-in bots.
fn replay(folder: &TempDir, game: &str) -> PathBuf {
    let file = folder.path().join(format!("{game}.agon"));
    let sets = GAMES.iter().find(|(name, _)| *name == game).unwrap().1;
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> = ["play", game, "--seed", "7", "--replay", file.to_str().unwrap()]
        .into_iter()
        .chain(sets)
        .collect();
    done(&args);
    file
}

/// A server's child process and its address.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    /// Starts `agon`, which says the address on the stream `of` gives.
    fn start<R: Read + Send + 'static>(
        args: &[&str],
        of: impl Fn(&mut Child) -> Option<R>,
    ) -> Served {
        let mut child = agon(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(of(&mut child).unwrap()).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once(" at http:")?.1.to_owned()));
        // It must not wait for somebody who reads on.
        std::thread::spawn(move || lines.for_each(drop));
        Served { child, address: format!("http:{}", address.expect("it says where")) }
    }

    fn port(&self) -> u16 {
        self.address.split(':').nth(2).unwrap().split('/').next().unwrap().parse().unwrap()
    }

    /// Sends a signal to the program that serves the page.
    fn signal_host(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let args = [&format!("-{signal}"), "-P", &pid, "-f", "agon-web-host"];
        assert!(Command::new("pkill").args(args).status().unwrap().success());
    }

    /// Ctrl-C; gives the exit code.
    fn interrupt(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn verified(state: &Value) -> bool {
    state["verified"]["done"] == true
}

fn proof(browser: &Browser) -> Value {
    browser.run(
        "const p = document.getElementById('proof'); return [p.className, p.innerText.trim()]",
        json!([]),
    )
}

/// All games, from a server of static files.
#[test]
fn every_game_is_shown_and_verified() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let files: Vec<PathBuf> = GAMES.iter().map(|(game, _)| replay(&folder, game)).collect();
    let site = folder.path().join("site");
    let mut args = vec!["web", "export", site.to_str().unwrap()];
    args.extend(files.iter().map(|file| file.to_str().unwrap()));
    done(&args);
    let page = format!("http://127.0.0.1:{}/some/where/", http::serve(&site));
    let browser = Browser::start();
    browser.open(&page);
    let links = "return window.agon.ready.then(() => [...document.querySelectorAll('#replays \
        a')].map((a) => a.href))";
    let links = browser.run(links, json!([]));
    assert_eq!(links.as_array().unwrap().len(), GAMES.len(), "{links}");
    browser.picture("list");
    for ((game, _), link) in GAMES.iter().zip(links.as_array().unwrap()) {
        let steps = Replay::open_file(folder.path().join(format!("{game}.agon"))).unwrap().steps();
        browser.open(link.as_str().unwrap());
        let state = browser.wait("verified", verified);
        assert_eq!(
            state["verified"],
            json!({ "steps": steps, "done": true, "problem": null }),
            "{game}"
        );
        assert_eq!(proof(&browser)[0], "good");
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
    let moved = browser.wait("moving", |state| state["shown"]["step"].as_u64().unwrap() > 0);
    assert_ne!(moved["shown"]["step"], 0);
    browser.keys(" ");
    browser.wait("paused", playing(false));
    browser.click(335, 330);
    browser.wait("a cell is selected", |state| state["shown"]["selected"].is_u64());
}

#[test]
fn a_chart_leads_through_the_match() {
    agon_testkit::needs!("chromedriver");
    let folder = TempDir::new().unwrap();
    let file = replay(&folder, "amoebas");
    let served =
        Served::start(&["watch", "--web", file.to_str().unwrap()], |child| child.stdout.take());
    let browser = Browser::start();
    browser.open(&served.address);
    browser.wait("shown", |state| state["shown"]["steps"].as_u64().is_some_and(|steps| steps > 0));
    browser.keys("c");
    let state = browser.wait("a chart", |state| state["shown"]["chart"]["complete"] == true);
    // Rounds may be fewer than the rules allow.
    assert_eq!(state["shown"]["chart"]["series"], "population");
    assert!(state["shown"]["chart"]["turns"].as_u64().unwrap() > 5, "{state}");
    browser.click(560, 520);
    let state = browser.wait("a later turn", |state| state["shown"]["turn"].as_u64().unwrap() > 2);
    assert_eq!(state["shown"]["selected"], Value::Null);
    browser.picture("chart");
    assert_eq!(browser.log(), Vec::<String>::new());
    assert_eq!(served.interrupt(), Some(130));
}

#[test]
fn a_page_opens_at_a_turn_and_saves_the_replay() {
    agon_testkit::needs!("chromedriver");
    let folder = TempDir::new().unwrap();
    let file = replay(&folder, "cluster");
    let served =
        Served::start(&["watch", "--web", file.to_str().unwrap()], |child| child.stdout.take());
    let browser = Browser::start();
    browser.open(&served.address);
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

    browser.open(&format!("{}&turn=5", served.address));
    let state = browser.wait("turn 5", |state| state["shown"]["turn"] == 5);
    assert_eq!(state["shown"]["playing"], false);
    browser.picture("turn");
    browser.open(&format!("{}&turn=5&play", served.address));
    browser.wait("it plays on", |state| state["shown"]["turn"].as_u64() > Some(5));
    browser.open(&format!("{}&turn=nonsense", served.address));
    browser.wait("the start", |state| state["shown"]["playing"] == true);

    let saved = browser.run(SAVE, json!([]));
    let bytes: Vec<u8> = serde_json::from_value(saved).unwrap();
    assert!(bytes == fs::read(&file).unwrap(), "the replay was saved as it is");
    assert_eq!(browser.message(), None);
    assert_eq!(served.interrupt(), Some(130));
}

#[test]
fn bad_files_are_told() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let good = replay(&folder, "binfection");
    let bytes = fs::read(&good).unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let cut = name("cut.agon");
    let differs = name("differs.agon");
    fs::write(&cut, &bytes[..bytes.len() * 2 / 3]).unwrap();
    fs::write(&differs, differing(&good)).unwrap();
    fs::write(name("other.agon"), of_other_rules()).unwrap();
    fs::write(name("text.agon"), "no replay").unwrap();

    let served =
        Served::start(&["watch", "--web", good.to_str().unwrap()], |child| child.stdout.take());
    let browser = Browser::start();
    browser.open(&served.address);
    let whole = browser.wait("verified", verified);

    browser.choose("#file", &name("text.agon"));
    browser.wait_for_message("text.agon: this is no replay of Agon");
    browser.choose("#file", &name("other.agon"));
    browser.wait_for_message("played under rules version 99 of cluster");
    // What was shown stays.
    let state = browser.wait("still there", verified);
    assert_eq!(state["verified"], whole["verified"]);

    browser.choose("#file", &cut);
    browser.wait_for_message("damaged at byte");
    let state =
        browser.wait("as far as it goes", |state| verified(state) && !state["damage"].is_null());
    assert_eq!(state["verified"]["steps"], state["shown"]["steps"]);
    assert!(state["shown"]["steps"].as_u64() < whole["shown"]["steps"].as_u64(), "{state}");
    assert_eq!(proof(&browser)[0], "bad");
    browser.picture("damaged");

    browser.choose("#file", &differs);
    browser.wait_for_message("Not proven: step 3: the state's hash is");
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
    let page = served.address.split('?').next().unwrap().to_owned();
    browser.open(&format!("{page}?replay=replays/none.agon"));
    browser.wait_for_message("replays/none.agon cannot be fetched: 404");
    browser.open(&format!("{page}?live=https://example.org/"));
    browser.wait_for_message("on its own server only");
    assert_eq!(served.interrupt(), Some(130));
}

/// The replay with another state after step 3 than the rules make.
fn differing(file: &Path) -> Vec<u8> {
    use agon_games::binfection::Binfection;
    let replay = Replay::open_file(file).unwrap();
    let mut cursor = replay.cursor::<Binfection>().unwrap();
    let mut writer = Writer::new(Vec::new(), cursor.game(), &replay.header().players).unwrap();
    for step in 0..8 {
        let answers = cursor.frame().unwrap().given.to_vec();
        let before = cursor.game().clone();
        cursor.advance().unwrap();
        writer.step(&answers, if step == 3 { &before } else { cursor.game() }).unwrap();
    }
    writer.finish(cursor.game(), agon_match::replay::End::Limit, &[]).unwrap()
}

/// A replay of rules that nobody has written yet: nothing but a header (`docs/replay-format.md`).
fn of_other_rules() -> Vec<u8> {
    let header = json!({
        "game": "cluster", "rules_version": 99, "agon": "9.0.0", "rules": {}, "seed": 1,
        "players": [], "start": null, "state_hash": "0x0000000000000000"
    });
    let header = header.to_string();
    let length = [header.len() as u8 & 0x7F | 0x80, (header.len() >> 7) as u8];
    let payload = [&length[..], &length, header.as_bytes()].concat();
    let sum = blake3::hash(&[&9u64.to_le_bytes()[..], &[1], &payload].concat());
    let head = [
        &b"\x8FAGON\r\n\x1A\x01\x01"[..],
        &(payload.len() as u32).to_le_bytes(),
        &sum.as_bytes()[..8],
    ];
    [&head.concat()[..], &payload].concat()
}

#[test]
fn a_match_is_followed_while_it_is_played() {
    agon_testkit::slow!();
    // The test is one of the bots, so that the match goes on when it wants.
    let bot = TcpListener::bind("127.0.0.1:0").unwrap();
    let spec = format!("connect:127.0.0.1:{}", bot.local_addr().unwrap().port());
    let args = [
        "play",
        "binfection",
        &spec,
        "builtin:random",
        "--no-clock",
        "--seed",
        "3",
        "--view",
        "web",
        "--no-open",
    ];
    let sets = ["--set", "turns_limit=20", "--set", "field_width=24", "--set", "field_height=16"];
    let served = Served::start(&[&args[..], &sets].concat(), |child| child.stderr.take());
    let (mut answers, _) = bot.accept().unwrap();
    let questions = BufReader::new(answers.try_clone().unwrap()).lines().map(Result::unwrap);
    let browser = Browser::start();
    browser.open(&served.address);
    browser.wait("begun", |state| state["shown"]["live"] == true && state["shown"]["steps"] == 0);
    let mut step = 0;
    for line in questions {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["type"] == "end" {
            break;
        }
        if message["type"] == "decide" {
            writeln!(
                answers,
                "{}",
                json!({ "step": message["step"], "answers": [{ "moves": [] }] })
            )
            .unwrap();
            step += 1;
            let state = browser.wait("a step", |state| state["shown"]["steps"] == step);
            assert_eq!(
                state["verified"],
                json!({ "steps": step, "done": state["verified"]["done"], "problem": null })
            );
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
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let file = replay(&folder, "cluster");
    let served =
        Served::start(&["watch", "--web", file.to_str().unwrap()], |child| child.stdout.take());
    let get = |path: &str, headers: &[(&str, &str)]| {
        http::request(served.port(), "GET", path, headers, "").0
    };
    for path in
        ["/", "/index.html", "/agon.css", "/agon.js", "/icon.svg", "/agon.wasm", "/replays.json"]
    {
        assert_eq!(get(path, &[]), 200, "{path}");
    }
    assert_eq!(get("/", &[("Host", "evil.example")]), 421);
    assert_eq!(get("/", &[("Origin", "http://evil.example")]), 403);
    assert_eq!(get("/replays/cluster.agon", &[]), 200);
    assert_eq!(get("/replays/../Cargo.toml", &[]), 404);
    assert_eq!(http::request(served.port(), "POST", "/", &[], "").0, 405);
    assert_eq!(served.interrupt(), Some(130));
}

#[test]
fn a_page_opened_as_a_file_says_what_to_do() {
    agon_testkit::needs!("chromedriver");
    let folder = TempDir::new().unwrap();
    done(&["web", "export", folder.path().to_str().unwrap()]);
    let browser = Browser::start();
    browser.open(&format!("file://{}/index.html", folder.path().display()));
    let text = browser.run("return document.body.innerText", json!([]));
    assert!(text.as_str().unwrap().contains("agon watch --web"), "{text}");
    browser.picture("file");
}
