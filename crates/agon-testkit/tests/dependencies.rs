//! Checks the dependencies of the programs: licences, unwanted crates, versions, and the crates
//! that a first match has to build.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};

/// Licences under which code may be part of what is given away under MIT or Apache-2.0.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// More licences for what only chores use, such as writing the site of the documentation. Nobody
/// else gets their programs. Both ask to name the authors, and MPL-2.0 to share changes of the
/// files themselves, of which there are none; a page of the site names them.
const LICENCES_OF_CHORES: &[&str] = &["CC-BY-4.0", "MPL-2.0"];

/// The package of the chores.
const CHORES: &str = "xtask";

/// Crates that must not come in, with the reason.
const BANNED: &[(&str, &str)] = &[
    ("async-std", "it is no longer developed"),
    ("atty", "it is no longer developed; std::io::IsTerminal does it"),
    ("bincode", "it is no longer developed; messages are postcard"),
    ("chrono", "nothing here needs a calendar"),
    ("failure", "it is no longer developed; errors are thiserror's"),
    ("native-tls", "rustls speaks TLS here"),
    ("openssl-sys", "it needs a library that is not everywhere"),
    ("paste", "it is no longer developed"),
    ("serde_yaml", "it is no longer developed"),
    ("users", "it is no longer developed"),
];

/// Crates that are there in several versions, and why that cannot be helped now.
const TWICE: &[(&str, &str)] = &[
    ("base64", "that of signed_note and tlog_tiles, and ours, which is ureq's"),
    ("bit-set", "fancy-regex's, which jsonschema uses, and proptest's"),
    ("bit-vec", "of bit-set"),
    ("block-buffer", "of digest"),
    ("const-oid", "of digest, and of ed25519-dalek, which signed_note uses"),
    ("constant_time_eq", "blake3's and zip's"),
    ("cpufeatures", "sha2's, which wasmtime uses, and blake3's"),
    ("crypto-common", "digest's, which sha2 uses, and cipher's, which des uses"),
    (
        "darling",
        "derive_builder's, which mdBook's templates use, and instability's, which ratatui uses",
    ),
    ("darling_core", "of darling"),
    ("darling_macro", "of darling"),
    ("digest", "of sha2"),
    ("embedded-io", "postcard names both"),
    ("fallible-iterator", "tokio-postgres's and rusqlite's"),
    ("getrandom", "ahash's, which jsonschema uses, and tempfile's"),
    ("hashbrown", "gimli's and indexmap's"),
    ("html5ever", "mdBook's and ours"),
    ("itertools", "criterion's and ratatui's"),
    ("libloading", "x11rb's and ours"),
    ("linux-raw-sys", "of rustix"),
    ("markup5ever", "of html5ever"),
    ("miniz_oxide", "png's and flate2's"),
    ("phf", "of web_atoms"),
    ("phf_codegen", "of phf"),
    ("phf_generator", "of phf"),
    ("phf_shared", "of phf"),
    ("rand", "of async-nats, whose next version is expected to have the newer one"),
    ("rand_core", "of chacha20, which proptest uses, and of ed25519-dalek, which signed_note uses"),
    ("rustix", "winit's and ours"),
    ("sha2", "cranelift's and mdBook's"),
    ("shlex", "ours and cc's"),
    ("string_cache", "of web_atoms"),
    ("string_cache_codegen", "of string_cache"),
    ("syn", "procedural macros move from one to the other"),
    ("synstructure", "of x509-parser, which rcgen could use, and of yoke's macros; one is built"),
    ("thiserror", "calloop's, which winit uses, and ours"),
    ("thiserror-impl", "of thiserror"),
    ("web_atoms", "of markup5ever"),
];

/// What takes long to build and is not needed by a match: it belongs into programs of their own.
const NOT_IN_A_FIRST_MATCH: &[&str] = &[
    "axum",
    "hyper",
    "libsqlite3-sys",
    "rustls",
    "tokio",
    "ureq",
    "wasmtime",
    "winit",
    "x11rb-protocol",
];

/// All packages that are built for Linux on this kind of machine, tests included.
pub(crate) fn metadata() -> Metadata {
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut command = MetadataCommand::new();
    let chores = ["--features", "xtask/package,xtask/site,xtask/workloads"];
    let options = [["--locked", "--filter-platform", &platform].as_slice(), &chores].concat();
    command.other_options(options.into_iter().map(str::to_owned).collect::<Vec<_>>());
    command.exec().expect("cargo metadata runs")
}

fn built(metadata: &Metadata) -> impl Iterator<Item = &Package> {
    let resolve = metadata.resolve.as_ref().expect("cargo resolves");
    let ids: BTreeSet<&PackageId> = resolve.nodes.iter().map(|node| &node.id).collect();
    metadata.packages.iter().filter(move |package| ids.contains(&package.id))
}

/// Whether one of the choices of a licence expression (SPDX) consists of allowed licences.
fn is_allowed(expression: &str) -> bool {
    is_among(expression, &|licence| LICENCES.contains(&licence))
}

fn is_among(expression: &str, is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let plain = |text: &str| is_allowed(text.trim());
    // Old manifests write a slash for OR; a choice in parentheses is part of an AND.
    match expression.trim().strip_prefix('(').and_then(|rest| rest.split_once(") AND ")) {
        Some((choice, rest)) => is_among(choice, is_allowed) && is_among(rest, is_allowed),
        None => expression
            .replace('/', " OR ")
            .split(" OR ")
            .any(|choice| choice.split(" AND ").all(plain)),
    }
}

#[test]
fn licences_allow_what_ours_do() {
    let metadata = metadata();
    let given_away = used_beside_chores(&metadata);
    let is_fine = |package: &&Package| {
        let also = if given_away.contains(&package.id) { &[] } else { LICENCES_OF_CHORES };
        let is_allowed = |licence: &str| LICENCES.contains(&licence) || also.contains(&licence);
        package.license.as_deref().is_some_and(|expression| is_among(expression, &is_allowed))
    };
    let refused: Vec<_> = built(&metadata)
        .filter(|package| !is_fine(package))
        .map(|package| format!("{} {}: {:?}", package.name, package.version, package.license))
        .collect();
    assert!(refused.is_empty(), "licences that ours do not allow: {refused:#?}");
}

/// Returns these packages with all that they need by dependencies of these kinds.
fn needed<'a>(
    metadata: &'a Metadata,
    packages: impl IntoIterator<Item = &'a Package>,
    is_followed: impl Fn(DependencyKind) -> bool,
) -> BTreeSet<&'a PackageId> {
    let resolve = metadata.resolve.as_ref().expect("cargo resolves");
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let mut open: Vec<_> = packages.into_iter().map(|package| &package.id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            let dependencies = nodes[id].deps.iter();
            let followed = dependencies.filter(|dependency| {
                dependency.dep_kinds.iter().any(|info| is_followed(info.kind))
            });
            open.extend(followed.map(|dependency| &dependency.pkg));
        }
    }
    seen
}

/// The packages that another part of the project uses than the chores.
fn used_beside_chores(metadata: &Metadata) -> BTreeSet<&PackageId> {
    let members = metadata.workspace_packages().into_iter();
    needed(metadata, members.filter(|member| member.name.as_str() != CHORES), |_| true)
}

#[test]
fn chores_have_licences_of_their_own_and_the_rest_has_not() {
    let metadata = metadata();
    let used = used_beside_chores(&metadata);
    let is_used = |name: &str| {
        built(&metadata).any(|package| package.name.as_str() == name && used.contains(&package.id))
    };
    assert!(is_used("agon") && is_used("serde") && !is_used(CHORES) && !is_used("mdbook-driver"));
}

#[test]
fn licence_expressions_are_understood() {
    for good in [
        "MIT",
        "Apache-2.0 / MIT",
        "GPL-3.0 OR MIT",
        "(GPL-3.0 OR MIT) AND Unicode-3.0",
        "MIT AND ISC",
    ] {
        assert!(is_allowed(good), "{good}");
    }
    for bad in
        ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "", "Apache-2.0 WITH other"]
    {
        assert!(!is_allowed(bad), "{bad}");
    }
}

#[test]
fn nothing_banned_is_built() {
    let metadata = metadata();
    for package in built(&metadata) {
        if let Some((name, reason)) = BANNED.iter().find(|(name, _)| package.name.as_str() == *name)
        {
            panic!("{name} is not wanted: {reason}");
        }
    }
}

#[test]
fn no_crate_is_built_in_two_versions_without_a_reason() {
    let metadata = metadata();
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in built(&metadata) {
        versions.entry(package.name.as_str()).or_default().insert(package.version.to_string());
    }
    versions.retain(|_, versions| versions.len() > 1);
    let known: BTreeSet<&str> = TWICE.iter().map(|(name, _)| *name).collect();
    let new: Vec<_> = versions.iter().filter(|(name, _)| !known.contains(*name)).collect();
    assert!(
        new.is_empty(),
        "crates in several versions (`cargo tree -i NAME@VERSION` tells why): {new:#?}"
    );
    let gone: Vec<_> = known.iter().filter(|name| !versions.contains_key(*name)).collect();
    assert!(
        gone.is_empty(),
        "there is one version only, so that the list can forget them: {gone:?}"
    );
}

#[test]
fn a_first_match_builds_no_window_server_or_database() {
    let metadata = metadata();
    let agon = built(&metadata).filter(|package| package.name.as_str() == "agon");
    let seen = needed(&metadata, agon, |kind| kind != DependencyKind::Development);
    assert!(seen.len() > 50, "{} packages", seen.len());
    for package in metadata.packages.iter().filter(|package| seen.contains(&package.id)) {
        let name = package.name.as_str();
        let is_slow = NOT_IN_A_FIRST_MATCH.contains(&name);
        assert!(!is_slow, "`agon` needs {name}: it takes long to build");
    }
}
