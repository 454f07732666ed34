//! The site of the documentation: every page opens without an error, and each game's match plays.
//!
//! The program `agon-site`, which is built beside `agon`, writes it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use agon_testkit::{browser::Browser, http};

/// The longest wait for the viewer in a page.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pages of a site, as paths from its folder.
fn pages(site: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![site.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                found.push(path.strip_prefix(site).unwrap().to_owned());
            }
        }
    }
    // It is no page, but stands in a frame of the others where there are no scripts.
    found.retain(|page| page != Path::new("toc.html"));
    found.sort();
    found
}

#[test]
fn every_page_opens_and_every_match_plays() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let site = folder.path().join("site");
    write(&site);
    let port = http::serve(&site);
    let browser = Browser::start();
    let mut matches = 0;
    let mut wrong = Vec::new();
    let pages = pages(&site);
    assert!(pages.len() > 30, "{pages:?}");
    for page in &pages {
        let page = page.display().to_string();
        browser.open(&format!("http://127.0.0.1:{port}/some/where/{page}"));
        let script = "return [document.title, document.body.innerText.length]";
        let seen = browser.run(script, json!([]));
        assert!(seen[0] != "" && seen[1].as_u64().unwrap() > 40, "{page}: {seen}");
        if page.starts_with("games/") {
            play(&browser, &page);
            choose_languages(&browser, &page);
            matches += 1;
        }
        let log = browser.log();
        if !log.is_empty() {
            wrong.push(format!("{page}: {log:?}"));
        }
    }
    assert!(wrong.is_empty(), "the console has errors or warnings: {wrong:#?}");
    assert_eq!(matches, agon_games::GameId::ALL.len());
}

/// Writes the site to a new folder.
fn write(site: &Path) {
    let agon = Path::new(env!("CARGO_BIN_EXE_agon"));
    let program = agon.with_file_name("agon-site");
    assert!(
        program.is_file(),
        "`cargo build -p xtask --features site` makes {}",
        program.display()
    );
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = Command::new(program).arg(agon).arg(repository).arg(site).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
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
    assert!(last >= 4, "{page}: {names}");
    let follow = "const tabs = document.querySelectorAll('.tabs > section h3');
        location.hash = '#' + tabs[arguments[0]].id";
    browser.run(follow, json!([last]));
    let end = Instant::now() + PATIENCE;
    while chosen() != names[last] {
        assert!(Instant::now() < end, "{page}: the link opens no tab");
        thread::sleep(Duration::from_millis(20));
    }
    browser.run("document.querySelector('.tabs [aria-selected=true]').focus()", json!([]));
    // The arrow to the right, as WebDriver writes it: after the last comes the first.
    browser.keys("\u{e014}");
    assert_eq!(chosen(), names[0], "{page}");
}

/// Waits until the match in a game's page has been played and verified.
fn play(browser: &Browser, page: &str) {
    let script = "const match = document.querySelector('iframe.match');
        match.scrollIntoView();
        return match.contentWindow.agon?.state() ?? null";
    let end = Instant::now() + PATIENCE;
    loop {
        let state = browser.run(script, json!([]));
        if state["verified"]["done"] == true && state["shown"]["step"].as_u64() > Some(0) {
            assert_eq!(state["verified"]["problem"], Value::Null, "{page}");
            return;
        }
        assert!(Instant::now() < end, "{page}: {state}");
        thread::sleep(Duration::from_millis(50));
    }
}
