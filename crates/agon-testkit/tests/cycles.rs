//! Checks that no files of a crate import each other in a cycle, with few exceptions.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{Metadata, MetadataCommand, TargetKind};

use super::{imports::Imports, source_tree::SourceTree};

/// Cycles that may stay: their files or folders, and why.
const CYCLES: &[(&[&str], &str)] = &[
    (
        &["crates/agon/src/commands/classic/amoebas/"],
        "a file of tournaments plays each as the command line plays one",
    ),
    (
        &["crates/agon-experiment/src/tournament/"],
        "a tournament is the source of the matches that it plays",
    ),
    (&["crates/agon-games/src/batch/"], "records and the headers made of them name each other"),
    (
        &[
            "crates/agon-games/src/kit/bots.rs",
            "crates/agon-games/src/kit/game.rs",
            "crates/agon-games/src/kit/small_game.rs",
        ],
        "a small game has bots of the whole game that the kit makes of it",
    ),
    (
        &[
            "crates/agon-games/src/binfection/holdings.rs",
            "crates/agon-games/src/binfection/position.rs",
            "crates/agon-games/src/binfection/standing.rs",
            "crates/agon-games/src/binfection/state.rs",
            "crates/agon-games/src/binfection/view.rs",
        ],
        "a state implements `Game`, which names the view and the position that are made of it",
    ),
    (
        &[
            "crates/agon-games/src/cellhack/board.rs",
            "crates/agon-games/src/cellhack/listing.rs",
            "crates/agon-games/src/cellhack/order.rs",
            "crates/agon-games/src/cellhack/position.rs",
            "crates/agon-games/src/cellhack/state.rs",
            "crates/agon-games/src/cellhack/transfer.rs",
            "crates/agon-games/src/cellhack/turn.rs",
            "crates/agon-games/src/cellhack/view.rs",
            "crates/agon-games/src/cellhack/wishes.rs",
        ],
        "a state implements `Game`, which names the view and the position that are made of it",
    ),
    (
        &[
            "crates/agon-games/src/rezzo/changes.rs",
            "crates/agon-games/src/rezzo/hash.rs",
            "crates/agon-games/src/rezzo/world.rs",
        ],
        "a world, the changes of a tick and the hash of both name each other",
    ),
];

#[test]
fn files_import_each_other_in_no_cycle() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let mut new = Vec::new();
    let mut allowed = BTreeSet::new();
    for (files, root) in roots(&metadata) {
        let imports = SourceTree::read(&files, &root).imports();
        let imports = imports.unwrap_or_else(|unknown| panic!("unknown paths: {unknown:#?}"));
        for cycle in cycles(&imports) {
            let is_within = |places: &[&str]| {
                cycle.iter().all(|file| places.iter().any(|place| file.starts_with(place)))
            };
            match CYCLES.iter().position(|(places, _)| is_within(places)) {
                Some(entry) => {
                    allowed.insert(entry);
                }
                None => new.push(report(&imports, &cycle)),
            }
        }
    }
    assert!(new.is_empty(), "{} cycles of imports:\n{}", new.len(), new.join("\n"));
    for (index, (places, reason)) in CYCLES.iter().enumerate() {
        assert!(allowed.contains(&index), "{places:?} have no cycle any more ({reason})");
    }
}

/// Sources and root file of each library and program.
fn roots(metadata: &Metadata) -> Vec<(BTreeMap<String, String>, String)> {
    let name = |path: &Path| {
        let path = path.strip_prefix(&metadata.workspace_root).expect("it is in the workspace");
        path.to_str().expect("names are UTF-8").to_owned()
    };
    let mut roots = Vec::new();
    for package in &metadata.packages {
        let folder = package.manifest_path.with_file_name("src");
        let read = |path: PathBuf| (name(&path), fs::read_to_string(&path).expect("it is text"));
        let files: BTreeMap<_, _> = sources(folder.as_std_path()).into_iter().map(read).collect();
        for target in &package.targets {
            let is_built = [TargetKind::Lib, TargetKind::CDyLib, TargetKind::Bin]
                .iter()
                .any(|kind| target.kind.contains(kind));
            if is_built && target.src_path.starts_with(&folder) {
                roots.push((files.clone(), name(target.src_path.as_std_path())));
            }
        }
    }
    assert!(roots.len() > 30, "{} libraries and programs", roots.len());
    roots
}

/// All Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("folders are readable");
    let paths = entries.map(|entry| entry.expect("entries are readable").path());
    paths
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// Groups of files that import each other, directly or not.
fn cycles(imports: &Imports) -> BTreeSet<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (file.as_str(), reached(imports, file))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|files| files.contains(to));
    let files = reached.keys().filter(|file| reaches(file, file));
    let cycle = |file: &&str| reached[file].iter().copied().filter(|f| reaches(f, file)).collect();
    files.map(cycle).collect()
}

/// The files that a file imports, directly or not.
fn reached<'a>(imports: &'a Imports, from: &'a str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        let next = imports.get(file).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.map(String::as_str).filter(|file| seen.insert(*file)));
    }
    seen
}

fn report(imports: &Imports, cycle: &BTreeSet<&str>) -> String {
    let mut lines = vec![format!("{} files:", cycle.len())];
    for from in cycle {
        for (to, names) in imports[*from].iter().filter(|(to, _)| cycle.contains(to.as_str())) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines.push(format!("  {from} -> {to}: {}", names.join(", ")));
        }
    }
    lines.join("\n")
}

/// The cycles of a crate of these files.
fn made_up(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let imports = SourceTree::read(&files.collect(), "src/lib.rs").imports().unwrap();
    let cycles = cycles(&imports);
    cycles.iter().map(|files| files.iter().map(|file| (*file).to_owned()).collect()).collect()
}

#[test]
fn a_cycle_is_found() {
    let found = made_up(&[
        ("src/lib.rs", "mod a; mod b; mod c; mod d;"),
        ("src/a.rs", "use crate::b::B; struct A(B);"),
        ("src/b.rs", "pub struct B; fn f() { vec![crate::c::f()]; }"),
        ("src/c.rs", "pub fn f() -> u8 { super::a::A::new() }"),
        ("src/d.rs", "use crate::{a::A, b::B, c};"),
    ]);
    assert_eq!(found, [["src/a.rs", "src/b.rs", "src/c.rs"]]);
}

#[test]
fn reexports_lead_to_the_file_that_defines() {
    let parts = "mod one; mod two; pub use one::*; pub(crate) use self::two::Two as Second;";
    let found = made_up(&[
        ("src/lib.rs", "mod parts; mod three; pub use parts::{One, Second}; pub use three::Three;"),
        ("src/parts/mod.rs", parts),
        ("src/parts/one.rs", "use crate::Three; pub struct One(super::Second);"),
        ("src/parts/two.rs", "pub(super) enum Two { A }"),
        ("src/three.rs", "use crate::One; pub struct Three(Box<One>);"),
    ]);
    assert_eq!(found, [["src/parts/one.rs", "src/three.rs"]]);
}

#[test]
fn a_parent_that_uses_a_child_imports_it() {
    let child = ("src/child.rs", "pub fn child() { super::parent() }");
    let parent = "mod child; pub use child::child; fn parent()";
    let calls = format!("{parent} {{ child() }}");
    let hands_on = format!("{parent} {{}}");
    assert_eq!(made_up(&[child, ("src/lib.rs", &calls)]), [["src/child.rs", "src/lib.rs"]]);
    assert!(made_up(&[child, ("src/lib.rs", &hands_on)]).is_empty());
}

#[test]
fn tests_comments_and_strings_import_nothing() {
    let found = made_up(&[
        ("src/lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"),
        ("src/a.rs", "use super::b; pub fn a() { b::b() }"),
        (
            "src/b.rs",
            "/// See [`crate::a::a`].\npub fn b() -> &'static str { \"crate::a::a\" }
            #[cfg(test)] use crate::a::a; #[cfg(all(test, unix))] mod tests { use super::a::a; }
            struct B; impl B { #[cfg(test)] #[must_use] fn f() { crate::a::a() } }",
        ),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_path_that_leads_nowhere_is_reported() {
    let files =
        [("src/lib.rs", "mod a { pub struct A; } use a::A; use crate::a::B; use other::C;")];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let unknown = SourceTree::read(&files, "src/lib.rs").imports().unwrap_err();
    assert_eq!(unknown, ["src/lib.rs: crate::a::B"]);
}
