//! A headless Chromium, driven over WebDriver.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::http::request;

/// How long a page may take for anything, on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one window.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts one, with a profile of its own.
    pub(crate) fn start() -> Browser {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is there: `cargo xtask setup` installs it");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            line.unwrap()
                .split_once("started successfully on port ")?
                .1
                .trim_end_matches('.')
                .parse()
                .ok()
        });
        // It must not wait for somebody who reads on.
        thread::spawn(move || lines.for_each(drop));
        let profile = TempDir::new().unwrap();
        let data = format!("--user-data-dir={}", profile.path().display());
        let mut args = vec![data.as_str(), "--window-size=1000,760"];
        args.extend(
            "--headless --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage"
                .split(' '),
        );
        args.extend(
            "--no-first-run --disable-background-networking --disable-component-update".split(' '),
        );
        args.extend(
            "--disable-sync --no-proxy-server --allow-file-access-from-files=false".split(' '),
        );
        let options = json!({ "args": args });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" }
        } } });
        let mut browser = Browser {
            driver,
            port: port.expect("it says its port"),
            session: String::new(),
            _profile: profile,
        };
        let opened = browser.send("POST", "/session", wanted);
        browser.session = format!("/session/{}", opened["sessionId"].as_str().unwrap());
        browser
    }

    /// Opens an address.
    pub(crate) fn open(&self, address: &str) {
        self.command("url", json!({ "url": address }));
    }

    /// What a script gives; it may use `arguments`.
    pub(crate) fn run(&self, script: &str, arguments: Value) -> Value {
        self.command("execute/sync", json!({ "script": script, "args": arguments }))
    }

    /// The page's state, once it is as wanted.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let state = self.run("return window.agon?.state() ?? null", json!([]));
            if !state.is_null() && wanted(&state) {
                return state;
            }
            assert!(Instant::now() < end, "{what}: {state}; the page says {:?}", self.message());
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// The page's message, once there is one with this text.
    #[track_caller]
    pub(crate) fn wait_for_message(&self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.message().is_some_and(|message| message.contains(text)) {
            assert!(Instant::now() < end, "no {text:?}; the page says {:?}", self.message());
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// What the page says in its message, if it shows one.
    pub(crate) fn message(&self) -> Option<String> {
        let script = "const m = document.getElementById('message'); return m && !m.hidden ? \
            m.innerText : null";
        self.run(script, json!([])).as_str().map(str::to_owned)
    }

    /// Types keys: characters, and the private ones of WebDriver.
    pub(crate) fn keys(&self, keys: &str) {
        let press = |key: char| {
            ["keyDown", "keyUp"].map(|what| json!({ "type": what, "value": key.to_string() }))
        };
        let actions: Vec<Value> = keys.chars().flat_map(press).collect();
        self.command(
            "actions",
            json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }),
        );
    }

    /// Clicks on a point of the window.
    pub(crate) fn click(&self, x: i32, y: i32) {
        self.click_with(0, x, y);
    }

    /// Clicks with a button: 0 left, 2 right.
    pub(crate) fn click_with(&self, button: u32, x: i32, y: i32) {
        let press = |kind: &str| json!({ "type": kind, "button": button });
        let way = json!({ "type": "pointerMove", "x": x, "y": y, "duration": 0 });
        let actions = [way, press("pointerDown"), press("pointerUp")];
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": actions });
        self.command("actions", json!({ "actions": [mouse] }));
    }

    /// Chooses a file of this machine where the page asks for one.
    pub(crate) fn choose(&self, file: &str) {
        let found = self.command("element", json!({ "using": "css selector", "value": "#file" }));
        let element = found.as_object().unwrap().values().next().unwrap().as_str().unwrap();
        self.command(&format!("element/{element}/value"), json!({ "text": file }));
    }

    /// What the browser has logged as errors and warnings since it was asked last.
    pub(crate) fn log(&self) -> Vec<String> {
        let entries = self.command("se/log", json!({ "type": "browser" }));
        entries
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Keeps a picture of the window for whoever wants to look: where `AGON_SCREENSHOTS` names a
    /// folder.
    pub(crate) fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("AGON_SCREENSHOTS") else { return };
        let text = self.send("GET", &format!("{}/screenshot", self.session), Value::Null);
        let file = std::path::Path::new(&folder).join(format!("{name}.png"));
        std::fs::write(file, base64(text.as_str().unwrap())).unwrap();
    }

    fn command(&self, name: &str, body: Value) -> Value {
        self.send("POST", &format!("{}/{name}", self.session), body)
    }

    fn send(&self, method: &str, path: &str, body: Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, text) =
            request(self.port, method, path, &[("Content-Type", "application/json")], &body);
        let mut answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(status, 200, "{path} {body}: {text}");
        answer["value"].take()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; the driver then has no children.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            request(self.port, "DELETE", &self.session, &[], "");
        }));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|&byte| byte != b'=').map(value).collect();
    let bits = |chunk: &[u8]| {
        chunk.iter().fold(0u32, |bits, &digit| bits << 6 | u32::from(digit))
            << (6 * (4 - chunk.len()))
    };
    digits.chunks(4).flat_map(|chunk| bits(chunk).to_be_bytes()[1..chunk.len()].to_vec()).collect()
}
