//! The commands in README.md and in `docs/` are run and must print what the pages show.
//!
//! A comment `<!-- exit status 1 -->` above a block says how its first command ends. trycmd wants
//! to read that in the block, where it would puzzle people. So it gets copies of such pages.

use std::{fs, path::Path};

use tempfile::TempDir;

/// The start of the comment, and its end.
const STATUS: (&str, &str) = ("<!-- exit status ", " -->");

/// `transcripts.rs` runs the commands of this page, each path in a folder of its own.
const ELSEWHERE: &str = "docs/transcripts.md";

#[test]
fn pages_show_real_output() {
    agon_testkit::needs!("python3");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root).expect("the root of the workspace is there");
    let copies = TempDir::new().expect("there is room for copies");
    let cases = trycmd::TestCases::new();
    cases.case("README.md").case("docs/*.md").skip(ELSEWHERE);
    for entry in fs::read_dir("docs").expect("the pages are there") {
        let page = entry.expect("the folder can be read").path();
        if page.extension().is_none_or(|extension| extension != "md")
            || page == Path::new(ELSEWHERE)
        {
            continue;
        }
        let text = fs::read_to_string(&page).expect("pages are text");
        if text.contains(STATUS.0) {
            let name = page.file_name().expect("it is a file");
            fs::write(copies.path().join(name), with_statuses(&text)).expect("there is room");
            cases.skip(&page);
        }
    }
    cases.case(copies.path().join("*.md"));
    cases.run();
}

/// Writes statuses into their blocks, in the form of trycmd.
fn with_statuses(page: &str) -> String {
    let mut text = String::new();
    let mut status = None;
    for line in page.lines() {
        text += line;
        text += "\n";
        let comment = line.strip_prefix(STATUS.0).and_then(|rest| rest.strip_suffix(STATUS.1));
        if let Some(found) = comment {
            status = Some(found);
        } else if line.starts_with("$ ")
            && let Some(status) = status.take()
        {
            text += &format!("? {status}\n");
        }
    }
    assert_eq!(status, None, "a comment stands above no command");
    text
}
