//! A person in front of a browser.

use agon_testkit::browser::Browser;
use serde_json::{Value, json};

use crate::support::Server;

/// A browser on the pages of a server.
pub(crate) struct Visit<'a> {
    pub(crate) browser: Browser,
    server: &'a Server,
}

impl Visit<'_> {
    /// Opens a browser, in which nobody is signed in.
    pub(crate) fn begin(server: &Server) -> Visit<'_> {
        let visit = Visit { browser: Browser::start(), server };
        visit.browser.resize(1280, 900);
        visit
    }

    /// Opens a page.
    pub(crate) fn open(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.server.address));
    }

    /// Fills in a field by its selector, or chooses an option.
    ///
    /// Browsers want dates in the form of the person's country, so nothing is typed here.
    pub(crate) fn fill(&self, field: &str, value: &str) {
        let script = "const field = document.querySelector(arguments[0]);
            field.value = arguments[1];
            for (const kind of ['input', 'change']) {
                field.dispatchEvent(new Event(kind, { bubbles: true }));
            }
            return field.value === arguments[1];";
        let is_done = self.browser.run(script, json!([field, value]));
        assert_eq!(is_done, true, "{field} does not take {value:?}");
    }

    /// Presses a button or link, as soon as it is there.
    #[track_caller]
    pub(crate) fn press(&self, selector: &str) {
        self.browser.press(selector);
    }

    /// Waits until an element has a text, and returns the text of the element.
    #[track_caller]
    pub(crate) fn wait_for(&self, selector: &str, text: &str) -> String {
        let script = "const found = [...document.querySelectorAll(arguments[0])];
            return found.find((one) => one.innerText.includes(arguments[1]))?.innerText ?? null;";
        let what = format!("{text:?} in {selector}");
        let found = self.browser.until(&what, script, json!([selector, text]));
        found.as_str().unwrap().to_owned()
    }

    /// Waits until the page has an address that begins with a path, and returns its path.
    #[track_caller]
    pub(crate) fn wait_for_path(&self, start: &str) -> String {
        let script = "return document.readyState === 'complete'
            && location.pathname.startsWith(arguments[0]) ? location.pathname : null;";
        let path = self.browser.until(start, script, json!([start]));
        path.as_str().unwrap().to_owned()
    }

    /// Marks the page: the mark is gone if the page is loaded again.
    pub(crate) fn mark(&self) {
        self.browser.run("window.isMarked = true;", json!([]));
    }

    /// Returns whether the page is still the one that was marked.
    pub(crate) fn is_marked(&self) -> bool {
        self.browser.run("return window.isMarked === true", json!([])) == true
    }

    /// Waits until the viewer in a frame has played and verified its replay, and returns its state.
    #[track_caller]
    pub(crate) fn wait_for_viewer(&self, frame: &str) -> Value {
        let script = "const frame = document.querySelector(arguments[0]);
            frame?.scrollIntoView({ block: 'center' });
            const state = frame?.contentWindow.agon?.state();
            return state?.verified?.done && state.shown.step > 0 ? state : null;";
        let what = format!("a verified replay in {frame}");
        let state = self.browser.until(&what, script, json!([frame]));
        assert_eq!(state["verified"]["problem"], Value::Null, "{state}");
        state
    }

    /// Makes an account by a link; what comes next is the page after it.
    pub(crate) fn join(&self, link: &str, name: &str) {
        self.open(link);
        self.browser.type_into("#name", name);
        self.browser.type_into("#password", "battery staple");
        self.press("main button.primary");
        self.wait_for(".who", name);
    }

    /// Signs out.
    pub(crate) fn sign_out(&self) {
        self.press(".who form button");
        self.wait_for(".who", "Sign in");
    }

    /// Checks that nothing is wider than the window.
    #[track_caller]
    pub(crate) fn assert_fits(&self) {
        let script = "const page = document.documentElement;
            return [location.pathname, page.scrollWidth, innerWidth];";
        let seen = self.browser.run(script, json!([]));
        assert!(seen[1].as_u64() <= seen[2].as_u64(), "the page scrolls sideways: {seen}");
    }

    /// Checks that the console has no line.
    #[track_caller]
    pub(crate) fn assert_quiet(&self) {
        let log = self.browser.log();
        assert!(log.is_empty(), "the console has errors or warnings: {log:#?}");
    }
}
