//! A headless Chromium, driven over WebDriver.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::request;

/// The time that a page may take for anything, on a machine that has much else to do.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// Errors of the driver after which nothing was clicked.
const NOTHING_CLICKED: [&str; 4] = [
    "no such element",
    "stale element reference",
    "element click intercepted",
    "element not interactable",
];

/// A browser with one window. Dropping it ends it.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts one, with a profile of its own.
    pub fn start() -> Browser {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is there: `cargo xtask setup` installs it");
        let stdout = driver.stdout.take().expect("it is a pipe");
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
        });
        // It must not wait for somebody who reads on.
        thread::spawn(move || lines.for_each(drop));
        let profile = TempDir::new().expect("there is room for a profile");
        let data = format!("--user-data-dir={}", profile.path().display());
        let flags = "--window-size=1000,760 --headless --no-sandbox --disable-gpu --disable-quic \
                     --disable-dev-shm-usage --no-first-run --disable-background-networking \
                     --disable-component-update --disable-sync --no-proxy-server \
                     --allow-file-access-from-files=false";
        let args: Vec<&str> = [data.as_str()].into_iter().chain(flags.split(' ')).collect();
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
        let session = opened["sessionId"].as_str().expect("a session has a name");
        browser.session = format!("/session/{session}");
        browser
    }

    /// Opens an address.
    pub fn open(&self, address: &str) {
        self.command("url", json!({ "url": address }));
    }

    /// Returns what a script returns; it may use `arguments`.
    pub fn run(&self, script: &str, arguments: Value) -> Value {
        self.command("execute/sync", json!({ "script": script, "args": arguments }))
    }

    /// Tries something until it works.
    #[track_caller]
    fn poll<T>(&self, what: &str, mut attempt: impl FnMut() -> Result<T, String>) -> T {
        let start = Instant::now();
        loop {
            let waited = start.elapsed();
            match attempt() {
                Ok(value) => return value,
                Err(error) => assert!(waited < PATIENCE, "{what}: {error}; {}", self.text()),
            }
            let pause = waited / 8;
            thread::sleep(pause.clamp(Duration::from_millis(20), Duration::from_millis(100)));
        }
    }

    /// Runs a script again and again until it returns something else than null or false, and
    /// returns that. A script may fail, too: the browser may be on its way to another page.
    #[track_caller]
    pub fn until(&self, what: &str, script: &str, arguments: Value) -> Value {
        let body = json!({ "script": script, "args": arguments }).to_string();
        let path = format!("{}/execute/sync", self.session);
        self.poll(what, || match self.try_send("POST", &path, &body) {
            Ok(value) if !value.is_null() && value != false => Ok(value),
            other => Err(format!("{other:?}")),
        })
    }

    /// Returns the address of the page and its text, for errors.
    fn text(&self) -> String {
        let script = "return location.href + '\\n' + document.body.innerText";
        let body = json!({ "script": script, "args": [] }).to_string();
        let text = self.try_send("POST", &format!("{}/execute/sync", self.session), &body);
        text.map_or_else(|error| error, |text| text.as_str().unwrap_or_default().to_owned())
    }

    /// Returns the state of the viewer in the page, once it is as wanted.
    #[track_caller]
    pub fn wait(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.poll(what, || {
            let state = self.run("return window.agon?.state() ?? null", json!([]));
            if !state.is_null() && wanted(&state) { Ok(state) } else { Err(state.to_string()) }
        })
    }

    /// Waits until the viewer shows a message with this text.
    #[track_caller]
    pub fn wait_for_message(&self, text: &str) {
        self.poll(text, || match self.message() {
            Some(message) if message.contains(text) => Ok(()),
            other => Err(format!("the page says {other:?}")),
        });
    }

    /// Returns the message of the viewer, if it shows one.
    pub fn message(&self) -> Option<String> {
        let script = "const m = document.getElementById('message'); return m && !m.hidden ? \
            m.innerText : null";
        self.run(script, json!([])).as_str().map(str::to_owned)
    }

    /// Types keys: characters, and the private ones of WebDriver.
    pub fn keys(&self, keys: &str) {
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
    pub fn click(&self, x: i32, y: i32) {
        self.click_with(0, x, y);
    }

    /// Clicks with a button: 0 left, 2 right.
    pub fn click_with(&self, button: u32, x: i32, y: i32) {
        let press = |kind: &str| json!({ "type": kind, "button": button });
        let way = json!({ "type": "pointerMove", "x": x, "y": y, "duration": 0 });
        let actions = [way, press("pointerDown"), press("pointerUp")];
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": actions });
        self.command("actions", json!({ "actions": [mouse] }));
    }

    /// Types text into a field of the page, after what is in it; into one for files, their paths.
    pub fn type_into(&self, field: &str, text: &str) {
        let element = self.element(field);
        self.command(&format!("element/{element}/value"), json!({ "text": text }));
    }

    /// Clicks on an element of the page, as people do, as soon as it is there and visible. Another
    /// element may take its place meanwhile.
    #[track_caller]
    pub fn press(&self, selector: &str) {
        self.poll(selector, || {
            let pressed = self.try_press(selector);
            if let Err(error) = &pressed {
                let is_nothing_clicked = NOTHING_CLICKED.iter().any(|words| error.contains(words));
                assert!(is_nothing_clicked, "{selector}: {error}");
            }
            pressed
        });
    }

    fn try_press(&self, selector: &str) -> Result<Value, String> {
        let wanted = json!({ "using": "css selector", "value": selector }).to_string();
        let found = self.try_send("POST", &format!("{}/element", self.session), &wanted)?;
        let path = format!("{}/element/{}/click", self.session, name_of(&found));
        self.try_send("POST", &path, "{}")
    }

    /// Returns the driver's name of an element.
    fn element(&self, selector: &str) -> String {
        let wanted = json!({ "using": "css selector", "value": selector });
        name_of(&self.command("element", wanted))
    }

    /// Sends a command of the DevTools protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.command("goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    /// Makes the page as wide and as high as a screen, in pixels.
    pub fn resize(&self, width: u32, height: u32) {
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600
        });
        self.devtools("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Returns the errors and warnings in the console since it was asked last.
    pub fn log(&self) -> Vec<String> {
        let entries = self.command("se/log", json!({ "type": "browser" }));
        let entries = entries.as_array().expect("a log is a list");
        let message = |entry: &Value| entry["message"].as_str().unwrap_or_default().to_owned();
        entries.iter().map(message).collect()
    }

    /// Writes a picture of the window into the folder that `AGON_SCREENSHOTS` names, if it does.
    pub fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("AGON_SCREENSHOTS") else { return };
        let text = self.send("GET", &format!("{}/screenshot", self.session), Value::Null);
        let file = std::path::Path::new(&folder).join(format!("{name}.png"));
        let picture = STANDARD.decode(text.as_str().expect("a picture is text"));
        let picture = picture.expect("a picture is in base64");
        std::fs::write(file, picture).expect("the folder of pictures is writable");
    }

    #[track_caller]
    fn command(&self, name: &str, body: Value) -> Value {
        self.send("POST", &format!("{}/{name}", self.session), body)
    }

    #[track_caller]
    fn send(&self, method: &str, path: &str, body: Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.try_send(method, path, &body).unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    /// Sends a request to the driver, and returns the value or the error in its answer.
    fn try_send(&self, method: &str, path: &str, body: &str) -> Result<Value, String> {
        let headers = [("Content-Type", "application/json")];
        let (status, text) = request(self.port, method, path, &headers, body);
        let mut answer: Value = serde_json::from_str(&text).expect("the driver answers JSON");
        if status == 200 { Ok(answer["value"].take()) } else { Err(text) }
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

/// Returns the driver's name of an element that was found.
fn name_of(found: &Value) -> String {
    let names = found.as_object().and_then(|found| found.values().next());
    names.and_then(Value::as_str).expect("an element has a name").to_owned()
}
