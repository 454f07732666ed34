//! What people do with the pages, in a browser.

use std::{fs, path::Path};

use agon_testkit::browser::Browser;
use serde_json::{Value, json};

use crate::support::{Client, Server, make_arena, python_bot};

/// Selects a row of the leaderboard that is the visitor's own.
const OWN_ROW: &str = "#live tr.own";

/// Reads how many matches the bot of this name has played, as far as the leaderboard shows it.
const MATCHES: &str = "const rows = [...document.querySelectorAll('.leaderboard tbody tr')];
    const row = rows.find((row) => row.querySelector('th').innerText.includes(arguments[0]));
    const matches = Number(row?.querySelector('td.less').innerText ?? 0);
    return matches > arguments[1] ? matches : null;";

/// Makes an invitation for many authors, and returns its link.
fn invitation(administrator: &mut Client) -> String {
    let fields = [("role", "author"), ("uses", "9"), ("days", "1"), ("note", "")];
    administrator.post("/admin/invitations", "/admin/people", &fields).find("/join/", 40)
}

/// Hands in what is in the editor or chosen, and waits until the bot can play.
fn hand_in(visit: &Visit<'_>, arena: &str, form: &str, name: &str) {
    visit.fill(&format!("{form} [name=name]"), name);
    visit.press(&format!("{form} button.primary"));
    let path = visit.wait_for_path(&format!("/arenas/{arena}/bots/"));
    assert!(path.ends_with("/versions/1"), "{path}");
    visit.mark();
    visit.wait_for("#live[data-live=false] .state", "It can play");
    assert!(visit.is_marked(), "the page follows its version by itself");
}

#[test]
fn a_course_comes_from_the_printed_link_to_a_live_leaderboard() {
    agon_testkit::slow!();
    let server = Server::with(&[]);
    let visit = Visit::begin(&server);
    visit.join(&server.link.clone().unwrap(), "root");
    make_an_arena(&visit);
    let link = invite(&visit);
    visit.assert_quiet();
    // Somebody watches the leaderboard all the time.
    let spectator = Visit::begin(&server);
    spectator.open("/arenas/autumn");
    spectator.mark();
    visit.sign_out();
    visit.join(&link, "ada");
    visit.press("main .card h3 a");
    visit.wait_for_path("/arenas/autumn");
    visit.press(".tabs a[href$='/hand-in']");
    try_a_bot(&visit);
    hand_in(&visit, "autumn", "form[data-editor]", "Fox");
    visit.open("/arenas/autumn");
    visit.mark();
    visit.wait_for(OWN_ROW, "Fox");
    let matches = visit.browser.until("a first match", MATCHES, json!(["Fox", 0]));
    visit.browser.until("one more match", MATCHES, json!(["Fox", matches]));
    assert!(visit.is_marked(), "the leaderboard follows the matches by itself");
    spectator.wait_for(".leaderboard", "Fox");
    assert!(spectator.is_marked(), "a new bot comes into the leaderboard by itself");
    visit.browser.picture("course");
    visit.assert_quiet();
    spectator.assert_quiet();
}

/// An administrator comes from the page after the first link to an arena with a deadline.
fn make_an_arena(visit: &Visit<'_>) {
    visit.wait_for_path("/admin");
    visit.press("header a[href='/admin/arenas']");
    visit.press("main a[href='/admin/arenas/new']");
    visit.wait_for_path("/admin/arenas/new");
    visit.browser.type_into("#title", "Autumn course");
    visit.browser.type_into("#slug", "autumn");
    visit.fill("#game", "cluster");
    visit.fill("#preset", "short");
    // The usual bosses think for minutes on a machine that does much else.
    let quick = "for (const box of document.querySelectorAll('[name=boss]'))
        if (box.checked && box.value !== 'cluster/random') box.click();";
    visit.browser.run(quick, json!([]));
    visit.fill("#deadline", "2999-12-31T18:00");
    visit.fill("#deadline_zone", "+01:00");
    visit.press("main button.primary");
    assert_eq!(visit.wait_for_path("/arenas/"), "/arenas/autumn");
    let shown = "return document.querySelector('.arena-head time').title";
    assert_eq!(visit.browser.run(shown, json!([])), "2999-12-31 18:00 UTC+01:00");
}

/// An organiser makes an invitation, and copies its link.
fn invite(visit: &Visit<'_>) -> String {
    visit.open("/admin/people");
    visit.fill("#invite-uses", "30");
    visit.press("form[action='/admin/invitations'] button");
    let script = "return document.querySelector('input[value*=\"/join/\"]')?.value ?? null";
    let link = visit.browser.until("the link", script, json!([]));
    let (_, code) = link.as_str().unwrap().rsplit_once("/join/").unwrap();
    format!("/join/{code}")
}

/// An author changes the bot of the starter kit, and plays a trial match without leaving the page.
fn try_a_bot(visit: &Visit<'_>) {
    let path = visit.wait_for_path("/arenas/autumn/hand-in");
    visit.browser.run("document.querySelector('#code').setSelectionRange(0, 0)", json!([]));
    let from_start = "\u{E009}\u{E011}\u{E000}";
    visit.browser.type_into("#code", &format!("{from_start}# My own bot.\n"));
    visit.mark();
    visit.press("[data-try]");
    visit.wait_for("#try-result #live[data-live=false] .state", "Your bot made no fault");
    visit.wait_for_viewer("#try-result iframe");
    assert!(visit.is_marked() && visit.wait_for_path("/") == path, "the editor stays");
    let code = visit.browser.run("return document.querySelector('#code').value", json!([]));
    let code = code.as_str().unwrap();
    assert!(code.starts_with("# My own bot.\n") && code.contains("import"), "{code}");
    visit.browser.picture("trial");
}

#[test]
fn authors_hand_in_c_clojure_and_webassembly() {
    agon_testkit::slow!();
    let (server, mut root) = Server::with_root(&[]);
    // The random bots of the other games grow without limit: long matches would take minutes.
    for (game, boss, settings) in [
        ("cluster", "cluster/random", "side = 5"),
        ("amoebas", "amoebas/random", "world_size = 20\nrounds = 10"),
        ("cellhack", "cellhack/random", "width = 20\nheight = 20\nturns = 20"),
    ] {
        make_arena(&mut root, game, &[("game", game), ("boss", boss), ("settings", settings)]);
    }
    let link = invitation(&mut root);
    let visit = Visit::begin(&server);
    visit.join(&link, "dennis");
    hand_in_from_the_editor(&visit, "cluster", "C", "Unix");
    visit.sign_out();
    visit.join(&link, "rich");
    hand_in_from_the_editor(&visit, "amoebas", "Clojure", "Persistent");
    visit.sign_out();
    visit.join(&link, "lin");
    visit.open("/arenas/cellhack/hand-in");
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agon-wasm/tests/modules/moss.wasm");
    let module = fs::canonicalize(module).unwrap();
    visit.browser.type_into("#upload-files", module.to_str().unwrap());
    hand_in(&visit, "cellhack", "form[data-drop]", "Moss");
    for (arena, name) in [("cluster", "Unix"), ("amoebas", "Persistent"), ("cellhack", "Moss")] {
        visit.open(&format!("/arenas/{arena}"));
        visit.browser.until(&format!("a match of {name}"), MATCHES, json!([name, 0]));
    }
    visit.assert_quiet();
}

/// Chooses a language, and hands in its starter kit.
fn hand_in_from_the_editor(visit: &Visit<'_>, arena: &str, language: &str, name: &str) {
    visit.open(&format!("/arenas/{arena}/hand-in"));
    let address = format!(".switch a[href='?language={}#editor']", language.to_lowercase());
    visit.press(&address);
    visit.wait_for(".switch [aria-current]", language);
    hand_in(visit, arena, "form[data-editor]", name);
}

#[test]
fn a_spectator_with_a_small_screen_sees_verified_matches() {
    agon_testkit::slow!();
    let server = Server::cluster();
    // Names may be long.
    let mut ada = server.author(&mut server.administrator(), "Ada-Augusta-King-of-Lovelace");
    crate::hand_in::hand_in(&mut ada, "cluster", "python", &python_bot("cluster"));
    let visit = Visit::begin(&server);
    visit.browser.resize(390, 844);
    visit.open("/arenas/cluster");
    visit.browser.until("a match of hers", MATCHES, json!(["Ada", 0]));
    visit.open("/");
    visit.assert_fits();
    visit.press(".card h3 a");
    visit.wait_for_path("/arenas/cluster");
    visit.assert_fits();
    visit.browser.resize(500, 844);
    let cut = "return [...document.querySelectorAll(':is(.leaderboard, .seats) .name')].filter(
        (name) => name.innerText.length < 10 && name.scrollWidth > name.clientWidth).length;";
    assert_eq!(visit.browser.run(cut, json!([])), 0, "short names have room");
    visit.browser.picture("500");
    visit.browser.resize(390, 844);
    visit.press(".tabs a[href$='/rules']");
    visit.wait_for_path("/arenas/cluster/rules");
    visit.assert_fits();
    visit.press("main a[href='/games/cluster']");
    visit.wait_for("main", "PLACE column color");
    visit.assert_fits();
    visit.open("/arenas/cluster");
    for tab in ["matrix", "matches"] {
        visit.press(&format!(".tabs a[href$='/{tab}']"));
        visit.wait_for_path(&format!("/arenas/cluster/{tab}"));
        visit.assert_fits();
    }
    visit.press("main a[href*='/cluster/matches/']");
    visit.wait_for_path("/arenas/cluster/matches/");
    visit.wait_for_viewer(".viewer iframe");
    let focused = visit.browser.run("return document.activeElement.tagName", json!([]));
    assert_eq!(focused, "BODY", "the keyboard belongs to the page");
    let proof = "return document.querySelector('.viewer iframe').contentDocument
        .getElementById('proof').innerText.trim();";
    let proof = visit.browser.run(proof, json!([]));
    assert!(proof.as_str().unwrap().contains("verified"), "{proof}");
    visit.assert_fits();
    visit.browser.resize(500, 844);
    assert_eq!(visit.browser.run(cut, json!([])), 0, "short names have room beside results");
    visit.browser.resize(390, 844);
    visit.browser.picture("narrow");
    visit.assert_quiet();
}

#[test]
fn after_the_deadline_the_page_says_so_and_the_arena_can_be_finished() {
    agon_testkit::slow!();
    let (server, _, mut ada) = Server::with_ada();
    let late = Visit::begin(&server);
    sign_in(&late, "ada", "battery staple");
    late.open("/arenas/cluster/hand-in");
    late.fill("#code", "# My last idea.");
    let visit = Visit::begin(&server);
    times_are_those_of_the_readers_zone_with_summer_time(&visit);
    visit.open("/admin/arenas/cluster");
    visit.fill("#deadline", "2001-01-01T12:00");
    visit.press("main form.wide button.primary");
    visit.wait_for(".notice", "This deadline is in the past");
    // The browser notes the status of the refusal.
    drop(visit.browser.log());
    visit.press("#past");
    visit.press("main form.wide button.primary");
    visit.wait_for(".notice", "The change is made");
    assert!(ada.get("/arenas/cluster/hand-in").has("The deadline has passed"));
    late.press("form[data-editor] button.primary");
    late.wait_for("[data-drafts] h2", "What you did not hand in");
    let draft = "return document.querySelector('#draft').value";
    assert_eq!(late.browser.run(draft, json!([])), "# My last idea.");
    late.sign_out();
    let kept = "return sessionStorage.length";
    assert_eq!(late.browser.run(kept, json!([])), 0, "others may use the same computer");
    visit.sign_out();
    sign_in(&visit, "ada", "battery staple");
    visit.open("/arenas/cluster/hand-in");
    visit.wait_for(".notice.warning", "The deadline has passed");
    visit.sign_out();
    sign_in(&visit, "root", "correct horse");
    visit.open("/admin/arenas/cluster");
    visit.browser.run("window.confirm = () => true", json!([]));
    visit.press("form[action$='/finish'] button");
    visit.wait_for(".badge", "over");
    visit.open("/arenas/cluster");
    visit.wait_for(".arena-head", "over");
    visit.assert_quiet();
}

fn times_are_those_of_the_readers_zone_with_summer_time(visit: &Visit<'_>) {
    let zone = json!({ "timezoneId": "Europe/Berlin" });
    visit.browser.devtools("Emulation.setTimezoneOverride", zone);
    sign_in(visit, "root", "correct horse");
    visit.open("/admin/arenas/cluster");
    let chosen = "return document.querySelector('#deadline_zone').value";
    for (deadline, zone) in [("2999-01-31T18:00", "+01:00"), ("2998-07-31T18:00", "+02:00")] {
        visit.fill("#deadline", deadline);
        assert_eq!(visit.browser.run(chosen, json!([])), zone, "{deadline}");
    }
    visit.press("main form.wide button.primary");
    visit.wait_for(".notice", "The change is made");
    let shown = "const time = document.querySelector('.arena-head time');
        return [time.textContent.includes('GMT+2') || time.textContent.includes('CEST'),
            time.title, time.dateTime];";
    let expected = json!([true, "2998-07-31 18:00 UTC+02:00", "2998-07-31T16:00:00Z"]);
    assert_eq!(visit.browser.run(shown, json!([])), expected);
    // Nobody with a small screen has to look for the buttons of the list of people.
    visit.browser.resize(390, 844);
    visit.open("/admin/people");
    let cut = "return [...document.querySelectorAll('main button')].filter(
        (button) => button.getBoundingClientRect().right > innerWidth).length;";
    assert_eq!(visit.browser.run(cut, json!([])), 0);
    // The form gives back what was typed.
    visit.open("/admin/arenas/cluster");
    let field = "return document.querySelector('#deadline').value";
    assert_eq!(visit.browser.run(field, json!([])), "2998-07-31T18:00");
    visit.browser.resize(1280, 900);
}

fn sign_in(visit: &Visit<'_>, name: &str, password: &str) {
    visit.open("/sign-in");
    visit.browser.type_into("#name", name);
    visit.browser.type_into("#password", password);
    visit.press("main button.primary");
    visit.wait_for(".who", name);
}

#[test]
fn everything_works_without_javascript() {
    agon_testkit::slow!();
    let server = Server::cluster();
    let link = invitation(&mut server.administrator());
    let visit = Visit::begin(&server);
    visit.browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    visit.join(&link, "ada");
    visit.open("/arenas/cluster/hand-in");
    let scripted = "return document.documentElement.classList.contains('scripted')";
    assert_eq!(visit.browser.run(scripted, json!([])), false, "the page's script does not run");
    visit.press("[data-try]");
    visit.wait_for_path("/arenas/cluster/tries/");
    reload_until(&visit, "Your bot made no fault");
    visit.press("main p a[href*='hand-in?try=']");
    visit.wait_for_path("/arenas/cluster/hand-in");
    visit.fill("form[data-editor] [name=name]", "Fox");
    visit.press("form[data-editor] button.primary");
    visit.wait_for_path("/arenas/cluster/bots/");
    reload_until(&visit, "It can play");
    visit.open("/arenas/cluster");
    visit.wait_for(OWN_ROW, "Fox");
}

/// Follows the link of a page that changes, until the page says something.
fn reload_until(visit: &Visit<'_>, text: &str) {
    let script = "const live = document.getElementById('live');
        if (live?.innerText.includes(arguments[0])) return true;
        live?.querySelector('.reload a')?.click();
        return false;";
    visit.browser.until(text, script, json!([text]));
}

/// A browser on the pages of a server.
struct Visit<'a> {
    browser: Browser,
    server: &'a Server,
}

impl Visit<'_> {
    /// Opens a browser, in which nobody is signed in.
    fn begin(server: &Server) -> Visit<'_> {
        let visit = Visit { browser: Browser::start(), server };
        visit.browser.resize(1280, 900);
        visit
    }

    /// Opens a page.
    fn open(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.server.address));
    }

    /// Fills in a field by its selector, or chooses an option.
    ///
    /// Browsers want dates in the form of the person's country, so nothing is typed here.
    fn fill(&self, field: &str, value: &str) {
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
    fn press(&self, selector: &str) {
        self.browser.press(selector);
    }

    /// Waits until an element has a text, and returns the text of the element.
    #[track_caller]
    fn wait_for(&self, selector: &str, text: &str) -> String {
        let script = "const found = [...document.querySelectorAll(arguments[0])];
            return found.find((one) => one.innerText.includes(arguments[1]))?.innerText ?? null;";
        let what = format!("{text:?} in {selector}");
        let found = self.browser.until(&what, script, json!([selector, text]));
        found.as_str().unwrap().to_owned()
    }

    /// Waits until the page has an address that begins with a path, and returns its path.
    #[track_caller]
    fn wait_for_path(&self, start: &str) -> String {
        let script = "return document.readyState === 'complete'
            && location.pathname.startsWith(arguments[0]) ? location.pathname : null;";
        let path = self.browser.until(start, script, json!([start]));
        path.as_str().unwrap().to_owned()
    }

    /// Marks the page: the mark is gone if the page is loaded again.
    fn mark(&self) {
        self.browser.run("window.isMarked = true;", json!([]));
    }

    /// Returns whether the page is still the one that was marked.
    fn is_marked(&self) -> bool {
        self.browser.run("return window.isMarked === true", json!([])) == true
    }

    /// Waits until the viewer in a frame has played and verified its replay, and returns its state.
    #[track_caller]
    fn wait_for_viewer(&self, frame: &str) -> Value {
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
    fn join(&self, link: &str, name: &str) {
        self.open(link);
        self.browser.type_into("#name", name);
        self.browser.type_into("#password", "battery staple");
        self.press("main button.primary");
        self.wait_for(".who", name);
    }

    /// Signs out.
    fn sign_out(&self) {
        self.press(".who form button");
        self.wait_for(".who", "Sign in");
    }

    /// Checks that nothing is wider than the window.
    #[track_caller]
    fn assert_fits(&self) {
        let script = "const page = document.documentElement;
            return [location.pathname, page.scrollWidth, innerWidth];";
        let seen = self.browser.run(script, json!([]));
        assert!(seen[1].as_u64() <= seen[2].as_u64(), "the page scrolls sideways: {seen}");
    }

    /// Checks that the console has no line.
    #[track_caller]
    fn assert_quiet(&self) {
        let log = self.browser.log();
        assert!(log.is_empty(), "the console has errors or warnings: {log:#?}");
    }
}
