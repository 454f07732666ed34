//! The site of the documentation: every page opens without an error, and each game's match plays.
//!
//! The program `agon-site`, which is built beside `agon`, writes it.

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use agon_testkit::{browser::Browser, http};
use serde_json::{Value, json};

use crate::support::{Done, TestDir, root, until};

/// Returns the pages below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { pages(&path) } else { vec![path] };
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "html");
    paths.flat_map(below).filter(is_page).collect()
}

#[test]
fn every_page_opens_and_every_match_plays() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let site = dir.path("site");
    write(&site);
    let address = format!("http://127.0.0.1:{}/some/where", http::serve(&site));
    let pages = pages(&site);
    assert!(pages.len() > 30, "{pages:?}");
    let names = pages.iter().map(|page| page.strip_prefix(&site).unwrap().display().to_string());
    // `toc.html` is no page, but stands in a frame of the others where there are no scripts.
    let names = names.filter(|page| page != "toc.html");
    let (games, others): (Vec<_>, Vec<_>) = names.partition(|page| page.starts_with("games/"));
    let browser = Browser::start();
    let mut wrong = Vec::new();
    let mut note = |page: &str, seen: &Value| {
        assert!(seen[0] != "" && seen[1].as_u64().unwrap() > 40, "{page}: {seen}");
        let log = browser.log();
        if !log.is_empty() {
            wrong.push(format!("{page}: {log:?}"));
        }
    };
    // Nearly all pages are looked at in frames of the first one: that takes half the time.
    browser.open(&format!("{address}/index.html"));
    for page in &others {
        let script = "const frame = document.createElement('iframe');
            [frame.width, frame.height, frame.src] = [1000, 700, arguments[0]];
            const loaded = new Promise((done) => { frame.onload = done; });
            document.body.append(frame);
            return loaded.then(() => {
                const page = frame.contentDocument;
                const seen = [page.title, page.body.innerText.length];
                frame.remove();
                return seen;
            });";
        note(page, &browser.run(script, json!([format!("{address}/{page}")])));
    }
    for page in &games {
        browser.open(&format!("{address}/{page}"));
        let script = "return [document.title, document.body.innerText.length]";
        let seen = browser.run(script, json!([]));
        play(&browser, page);
        choose_languages(&browser, page);
        note(page, &seen);
    }
    assert!(wrong.is_empty(), "the console has errors or warnings: {wrong:#?}");
    assert_eq!(games.len(), agon_games::GameId::OWN.len());
}

/// Writes the site to a new folder.
fn write(site: &Path) {
    let agon = Path::new(env!("CARGO_BIN_EXE_agon"));
    let program = agon.with_file_name("agon-site");
    let how = "`cargo build -p xtask --features site` makes it";
    assert!(program.is_file(), "{how}: {}", program.display());
    let done = Done::of(Command::new(program).arg(agon).arg(root()).arg(site));
    assert_eq!(done.code, Some(0), "{}", done.err);
}

/// Links and keys choose the language of the first bot.
fn choose_languages(browser: &Browser, page: &str) {
    let chosen = || {
        let script = "return document.querySelector('.tabs [aria-selected=true]').textContent";
        browser.run(script, json!([]))
    };
    let names = "return [...document.querySelectorAll('.tabs [role=tab]')].map(t => t.textContent)";
    let names = browser.run(names, json!([]));
    let last = names.as_array().unwrap().len() - 1;
    assert!(last >= 2, "{page}: {names}");
    let follow = "const tabs = document.querySelectorAll('.tabs > section h3');
        location.hash = '#' + tabs[arguments[0]].id";
    browser.run(follow, json!([last]));
    until(&format!("a tab that the link opens in {page}"), || chosen() == names[last]);
    browser.run("document.querySelector('.tabs [aria-selected=true]').focus()", json!([]));
    // The arrow to the right, as WebDriver writes it: after the last comes the first.
    browser.keys("\u{e014}");
    assert_eq!(chosen(), names[0], "{page}");
}

/// Waits until the match in a game's page has been played and verified.
fn play(browser: &Browser, page: &str) {
    let script = "const match = document.querySelector('iframe.match');
        match.scrollIntoView();
        const state = match.contentWindow.agon?.state();
        return state?.verified.done && state.shown.step > 0 && state";
    let state = browser.until(page, script, json!([]));
    assert_eq!(state["verified"]["problem"], Value::Null, "{page}");
}
