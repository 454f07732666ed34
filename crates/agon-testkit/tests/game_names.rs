//! Checks that what a game needs lives in its folder: no other source names a game, with few
//! exceptions.

use std::fs;
use std::path::{Path, PathBuf};

use super::architecture::sources;

/// Where the games are: each folder with a page.
const GAMES: &str = "crates/agon-games/src";

/// Where sources may not name games.
const FOLDERS: [&str; 3] = ["crates", "xtask", "fuzz"];

/// Folders of tests and examples, and what is built.
const LEFT_OUT: [&str; 4] = ["tests", "benches", "target", "examples"];

/// Files and folders that may name games, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/agon-games/src/lib.rs", "the list of games"),
    ("crates/agon-games/src/file/tests.rs", "one of Agon's own games as a file"),
    ("crates/agon-bots/src/battlesnake.rs", "the host of the game's own protocol"),
    ("crates/agon-bots/src/binfection.rs", "the host of the game's own protocol"),
    ("crates/agon-bots/src/cellhack.rs", "the host of the game's own protocol"),
    ("crates/agon-bots/src/cluster.rs", "the host of the game's own protocol"),
    ("crates/agon-bots/src/rezzo.rs", "the host of the game's own protocol"),
    ("crates/agon-bots/src/clojure/", "species in Clojure play amoebas alone"),
    ("crates/agon-bots/src/hosting.rs", "lists the hosts of own protocols"),
    ("crates/agon-bots/src/lib.rs", "declares the hosts of own protocols"),
    ("crates/agon-bots/src/native/child.rs", "the C function for a cell of cellhack"),
    ("crates/agon/src/cli", "examples in help texts, and flags for files of single games"),
    ("crates/agon/src/commands/classic/", "the classic command lines"),
    ("crates/agon/src/commands/mod.rs", "the classic command lines"),
    ("crates/agon/src/commands/play.rs", "the result file of cellhack, and what to type next"),
    ("crates/agon/src/commands/replay/export.rs", "result files of single games"),
    ("crates/agon-contest/src/check/answers.rs", "a hint on the own protocol of cluster"),
    ("crates/agon-contest/src/report/document.rs", "species of amoebas may share a JVM"),
    ("crates/agon-show/src/amoebas.rs", "the pictures that the original paints"),
    ("crates/agon-show/src/lib.rs", "declares these pictures"),
    ("crates/agon-show/src/result_file.rs", "result files of single games"),
    ("crates/agon-rating/src/", "a cluster is a word of statistics there"),
    ("crates/agon-console/src/serve_options.rs", "examples in help texts"),
    ("crates/agon-console/src/client_options.rs", "examples in help texts"),
    ("xtask/workloads/", "measured matches of single games"),
    ("xtask/src/bench/rows.rs", "measured figures of single games"),
    ("xtask/src/long/packages", "the matches that each package plays"),
    ("xtask/src/pages.rs", "the matches that the documentation shows"),
    ("xtask/src/soak.rs", "the matches that are played on a busy machine"),
    ("fuzz/src/lib.rs", "parsers of single games"),
];

#[test]
fn only_a_game_s_folder_names_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let games = games(&root.join(GAMES));
    assert!(games.len() >= 5, "{games:?}");
    let mut found: Vec<PathBuf> =
        FOLDERS.iter().flat_map(|folder| sources(&root.join(folder))).collect();
    found.retain(|file| {
        let below = file.strip_prefix(&root).expect("it is in the root");
        !below.iter().any(|part| LEFT_OUT.iter().any(|name| part == *name))
    });
    found.sort();
    assert!(found.len() > 500, "{} files", found.len());

    let mut names = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for file in found {
        let name = file.strip_prefix(&root).expect("it is in the root").to_string_lossy();
        if games.iter().any(|game| name.starts_with(&format!("{GAMES}/{game}/"))) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("sources are readable");
        let lines: Vec<usize> = lines_with(&games, &text);
        if lines.is_empty() {
            continue;
        }
        match EXCEPTIONS.iter().position(|(exception, _)| name.starts_with(exception)) {
            Some(at) => used[at] = true,
            None => names.push(format!("{name}: lines {lines:?}")),
        }
    }
    assert!(names.is_empty(), "these name a game outside of its folder:\n{}", names.join("\n"));
    let unused: Vec<_> =
        EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used).map(|(it, _)| it).collect();
    assert!(unused.is_empty(), "these are no exceptions any more: {unused:?}");
}

/// The names of the games.
fn games(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("folders are readable");
    let paths = entries.map(|entry| entry.expect("entries are readable").path());
    let games = paths.filter(|path| path.join("page.md").is_file());
    games.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

/// The numbers of the lines of code that name a game. Comments, documentation and the tests at the
/// end of a file do not count.
fn lines_with(games: &[String], text: &str) -> Vec<usize> {
    let code = text.lines().zip(1..);
    let code = code.take_while(|(line, _)| *line != "#[cfg(test)]");
    let code = code.filter(|(line, _)| !line.trim_start().starts_with("//"));
    code.filter(|(line, _)| words(line).any(|word| is_game(games, word)))
        .map(|(_, number)| number)
        .collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_game(games: &[String], word: &str) -> bool {
    games.iter().any(|game| word.eq_ignore_ascii_case(game))
}

#[test]
fn names_in_code_are_found_and_others_are_not() {
    let games = ["cluster".to_owned()];
    let text =
        "// cluster\nlet cluster = 1;\nlet clusters = Cluster::new();\n#[cfg(test)]\ncluster";
    assert_eq!(lines_with(&games, text), [2, 3]);
}
