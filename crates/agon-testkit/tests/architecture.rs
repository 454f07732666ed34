//! Checks that crates depend only on those above them in this list, which is the one of
//! ARCHITECTURE.md, and that matches need no pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

use super::dependencies;

/// From the bottom up; a crate may use the ones before it.
const LAYERS: &[&str] = &[
    "agon-core",
    "agon-files",
    "agon-rating",
    "agon-games",
    "agon-match",
    "agon-view",
    "agon-web",
    "agon-sandbox",
    "agon-bots",
    "agon-arena",
    "agon-remote",
    "agon-contest",
    "agon-ladder",
    "agon-console",
    "agon-show",
    "agon-wasm",
    "agon-window-host",
    "agon-web-host",
    "agon-nats",
    "agon-server",
    "agon-client",
    "agon",
];

/// Crates with what takes long to build: no other crate may need them.
const HEAVY: [&str; 6] =
    ["agon-wasm", "agon-window-host", "agon-web-host", "agon-nats", "agon-server", "agon-client"];

/// Crates whose tests and examples use a crate above: the referee is tested with real bots.
const TESTED_WITH: [(&str, &str); 2] = [("agon-match", "agon-bots"), ("agon-match", "agon-view")];

/// The crate for tests: it uses only games, and others use it only for tests.
const TESTKIT: &str = "agon-testkit";

#[test]
fn dependencies_point_down() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let level: BTreeMap<&str, usize> =
        LAYERS.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let mut seen = 0;
    for package in &metadata.packages {
        let name = package.name.as_str();
        for dependency in package.dependencies.iter().filter(|d| d.path.is_some()) {
            let needed = dependency.name.as_str();
            // A crate's own tests may want more features of it.
            let is_tested_with = needed == name || TESTED_WITH.contains(&(name, needed));
            if is_tested_with && dependency.kind == DependencyKind::Development {
                continue;
            }
            let allowed = match (level.get(name), level.get(needed)) {
                (Some(own), Some(other)) => other < own,
                (Some(_), None) => {
                    needed == TESTKIT && dependency.kind == DependencyKind::Development
                }
                (None, Some(_)) if name == TESTKIT => ["agon-core", "agon-games"].contains(&needed),
                (None, _) => true,
            };
            assert!(
                !HEAVY.contains(&needed),
                "{name} must not depend on {needed}: a first match would take minutes to build"
            );
            assert!(allowed, "{name} must not depend on {needed} ({:?})", dependency.kind);
        }
        seen += usize::from(level.contains_key(name));
    }
    assert_eq!(seen, LAYERS.len(), "every layer is a crate of the workspace");
}

#[test]
fn only_crates_that_need_it_may_use_unsafe_code() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    for package in &metadata.packages {
        let manifest =
            std::fs::read_to_string(&package.manifest_path).expect("manifests are readable");
        let inherits = manifest.contains("[lints]\nworkspace = true");
        let exempt = matches!(
            package.name.as_str(),
            "agon-bots" | "agon-games" | "agon-sandbox" | "agon-web"
        ) && manifest.contains("unsafe_code = \"deny\"");
        assert!(inherits || exempt, "{} must take the workspace's lints", package.name);
    }
}

/// Crates that run and judge matches where nobody looks on.
const HEADLESS: [&str; 4] = ["agon-arena", "agon-contest", "agon-ladder", "agon-remote"];

/// Crates that make or show pictures.
const PICTURES: [&str; 10] = [
    "agon-show",
    "agon-view",
    "agon-web",
    "crossterm",
    "gif",
    "noto-sans-mono-bitmap",
    "png",
    "ratatui-core",
    "tiny-skia",
    "winit",
];

/// Dependencies of headless crates on pictures that may stay, and why.
const SEEN: &[(&str, &str, &str)] =
    &[("agon-contest", "agon-view", "the page of results has the colours of the viewer")];

#[test]
fn matches_without_a_viewer_need_no_pictures() {
    let metadata = dependencies::metadata();
    let package = |name: &str| -> &Package {
        let found = metadata.packages.iter().find(|package| package.name.as_str() == name);
        found.unwrap_or_else(|| panic!("there is no crate {name}"))
    };
    let names: BTreeMap<_, _> =
        metadata.packages.iter().map(|package| (&package.id, package.name.as_str())).collect();
    let resolve = metadata.resolve.as_ref().expect("cargo resolves");
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let mut open: Vec<_> = HEADLESS.iter().map(|name| &package(name).id).collect();
    let mut known: BTreeSet<_> = open.iter().copied().collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        let needed = nodes[id].deps.iter().filter(|dependency| {
            dependency.dep_kinds.iter().any(|info| info.kind == DependencyKind::Normal)
        });
        for dependency in needed.map(|dependency| &dependency.pkg) {
            if PICTURES.contains(&names[dependency]) {
                found.insert((names[id], names[dependency]));
            } else if known.insert(dependency) {
                open.push(dependency);
            }
        }
    }
    assert!(known.len() > 50, "{} packages", known.len());
    for name in PICTURES {
        package(name);
    }
    let listed: BTreeSet<_> = SEEN.iter().map(|(name, needed, _)| (*name, *needed)).collect();
    let new: Vec<_> = found.difference(&listed).collect();
    assert!(new.is_empty(), "crates below {HEADLESS:?} that need pictures: {new:?}");
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "the list can forget what needs no pictures: {gone:?}");
}

/// Crates whose files people name on the command line.
const WRITERS: [&str; 6] =
    ["agon", "agon-arena", "agon-console", "agon-contest", "agon-show", "agon-web"];

#[test]
fn outputs_are_opened_in_one_place() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let mut seen = 0;
    for package in
        metadata.packages.iter().filter(|package| WRITERS.contains(&package.name.as_str()))
    {
        let folder = package.manifest_path.parent().expect("a manifest is in a folder").join("src");
        for file in sources(folder.as_std_path()) {
            let text = std::fs::read_to_string(&file).expect("sources are readable");
            let own = text.split("#[cfg(test)]").next().unwrap_or_default();
            let own = own.replace("WholeFile::create(", "");
            for call in ["File::create(", "fs::write(", "fs::copy("] {
                assert!(!own.contains(call), "{}: {call} replaces agon-files", file.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} sources");
}

/// All Rust files below a folder, but none in folders of builds.
pub(super) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("folders are readable");
    let paths = entries.map(|entry| entry.expect("entries are readable").path());
    let below = |path: PathBuf| match path.is_dir() {
        true if path.ends_with("target") => Vec::new(),
        true => sources(&path),
        false => vec![path],
    };
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs");
    paths.flat_map(below).filter(is_rust).collect()
}
