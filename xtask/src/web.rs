//! `cargo xtask web`: builds the viewer for browsers, `crates/agon-web` as WebAssembly.
//!
//! The result is committed in `crates/agon-web/web`.

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use anyhow::{Context, Result, anyhow, bail, ensure};
use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};

use crate::run::{cargo, files_below, has, read, root, step, text_of};
use crate::setup::{Target, Toolchain};

/// WebAssembly without a system.
const TARGET: Target = Target {
    triple: "wasm32-unknown-unknown",
    linker: Some("wasm-ld"),
    libraries: "std,panic_abort",
};

/// The folder of the page.
const BUNDLE: &str = "crates/agon-web/web";

/// The file with the digest of the sources of `agon.wasm`.
const MANIFEST: &str = "bundle.toml";

/// Builds `agon.wasm`, unless it is built from the current sources.
pub(crate) fn build() -> Result<()> {
    if check().is_ok() {
        eprintln!("{BUNDLE} is up to date");
        return Ok(());
    }
    // The sources from before the build, even if somebody edits meanwhile.
    let sources = of_sources()?;
    if !has("clang") {
        bail!("clang is needed for the C code of zstd; `cargo xtask setup` installs it");
    }
    let toolchain = Toolchain::find(TARGET)?;
    let target = root().join("target").join("web");
    let mut build = cargo(&["rustc", "--package", "agon-web", "--lib", "--crate-type", "cdylib"]);
    build.args(["--features", "viewer", "--profile", "web"]).arg("--target-dir").arg(&target);
    toolchain.apply(&mut build, TARGET, &[])?;
    step(&mut build)?;
    let built = target.join(TARGET.triple).join("web").join("agon_web.wasm");
    let wasm = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    fs::write(file("agon.wasm"), &wasm)?;
    let manifest = format!(
        "# Written by `cargo xtask web`: what agon.wasm was built from, and what it is.\n\
         sources = \"{sources}\"\nwasm = \"{}\"\ngames = \"{}\"\n",
        of_bytes(&wasm),
        games()?
    );
    fs::write(file(MANIFEST), manifest)?;
    eprintln!("{BUNDLE}/agon.wasm has {} kB", wasm.len() / 1000);
    Ok(())
}

/// Returns the names of all games.
fn games() -> Result<String> {
    let name = |file: PathBuf| Some(file.parent()?.file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = crate::test::games()?.into_iter().filter_map(name).collect();
    Ok(names.join(" "))
}

/// Ends a conflict of a merge: builds from the merged sources, whatever both sides had built.
pub(crate) fn resolve() -> Result<()> {
    let files = ["agon.wasm", MANIFEST].map(|name| format!("{BUNDLE}/{name}"));
    let mut conflicts = Command::new("git");
    conflicts.args(["diff", "--name-only", "--diff-filter=U"]);
    let conflicts = text_of(conflicts.current_dir(root()))?;
    let foreign: Vec<&str> =
        conflicts.lines().filter(|path| !files.iter().any(|file| file == path)).collect();
    ensure!(
        foreign.is_empty(),
        "first resolve the conflicts in the sources: {}",
        foreign.join(", ")
    );
    // Git leaves markers in one of them, and one side's version of the other.
    fs::write(file(MANIFEST), "")?;
    build()?;
    step(Command::new("git").arg("add").args(&files))
}

/// Checks that `agon.wasm` was built from the current sources.
///
/// The page's other files are not built.
pub(crate) fn check() -> Result<()> {
    let manifest = fs::read_to_string(file(MANIFEST)).unwrap_or_default();
    let manifest: toml::Table = manifest.parse().context("bundle.toml cannot be read")?;
    let says =
        |key: &str, digest: &str| manifest.get(key).and_then(toml::Value::as_str) == Some(digest);
    if !says("sources", &of_sources()?) {
        bail!(
            "{BUNDLE}/agon.wasm is not built from the sources as they are; run `cargo xtask web` \
             and commit it"
        );
    }
    let wasm =
        fs::read(file("agon.wasm")).with_context(|| format!("cannot read {BUNDLE}/agon.wasm"))?;
    if !says("wasm", &of_bytes(&wasm)) {
        bail!(
            "{BUNDLE}/agon.wasm is not what bundle.toml says; remove bundle.toml and run `cargo \
             xtask web`"
        );
    }
    Ok(())
}

fn file(name: &str) -> PathBuf {
    root().join(BUNDLE).join(name)
}

/// The crates that `agon.wasm` is made of.
const CRATES: [&str; 5] = ["agon-core", "agon-games", "agon-match", "agon-view", "agon-web"];

/// Tables of a manifest that affect the library; others are about tests, benchmarks and packages.
const TABLES: [&str; 4] = ["dependencies", "features", "lib", "target"];

/// Returns the digest of the sources of `agon.wasm`.
///
/// It covers the manifests' parts about libraries, and the files in `src` by path, without
/// comments, documentation and tests.
pub(crate) fn of_sources() -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut add = |path: &Path, contents: &[u8]| -> Result<()> {
        let path = path.strip_prefix(root())?.to_string_lossy().replace('\\', "/");
        for part in [path.as_bytes(), contents] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Ok(())
    };
    for name in CRATES {
        let folder = root().join("crates").join(name);
        let manifest = folder.join("Cargo.toml");
        add(&manifest, libraries(&manifest)?.as_bytes())?;
        let src = folder.join("src");
        module(&src.join("lib.rs"), &src, &mut add)?;
        let mut others = files_below(&src)?;
        others.retain(|file| file.extension().is_none_or(|end| end != "rs"));
        for file in others {
            add(&file, &fs::read(&file).with_context(|| file.display().to_string())?)?;
        }
    }
    Ok(text(&hasher.finalize()))
}

/// Adds a module and the modules within it, whose files are in `folder`.
fn module(
    file: &Path,
    folder: &Path,
    add: &mut impl FnMut(&Path, &[u8]) -> Result<()>,
) -> Result<()> {
    let Source { tokens, modules } =
        read_source(&read(file)?).map_err(|error| anyhow!("{}: {error}", file.display()))?;
    add(file, tokens.as_bytes())?;
    for name in modules {
        let inner = folder.join(&name);
        let beside = inner.with_extension("rs");
        let found = [beside, inner.join("mod.rs")].into_iter().find(|path| path.is_file());
        let found =
            found.with_context(|| format!("{}: module {name} has no file", file.display()))?;
        module(&found, &inner, add)?;
    }
    Ok(())
}

/// Returns the part of a manifest about libraries.
fn libraries(manifest: &Path) -> Result<String> {
    let mut table: toml::Table =
        read(manifest)?.parse().with_context(|| manifest.display().to_string())?;
    table.retain(|name, _| TABLES.contains(&name));
    Ok(toml::to_string(&table)?)
}

/// Returns the digest of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    text(&blake3::hash(bytes))
}

/// Returns half of the hash, which is enough against mistakes.
fn text(hash: &blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}

/// A file without comments, documentation and tests.
#[derive(Debug, Default, PartialEq, Eq)]
struct Source {
    /// Its tokens, separated by spaces.
    tokens: String,
    /// The modules with code in other files, in their order.
    modules: Vec<String>,
}

/// Reads a file.
fn read_source(code: &str) -> Result<Source, LexError> {
    let mut source = Source::default();
    source.add(code.parse()?);
    Ok(source)
}

impl Source {
    fn add(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match attribute(&tokens[at..]) {
                Some((length, group)) if is_named(group, "doc") => at += length,
                Some((length, group))
                    if group.stream().to_string().replace(' ', "") == "cfg(test)" =>
                {
                    at += length;
                    at += item(&tokens[at..]);
                }
                _ => {
                    self.note_module(&tokens[at..]);
                    self.push(token);
                    at += 1;
                }
            }
        }
    }

    fn push(&mut self, token: &TokenTree) {
        let TokenTree::Group(group) = token else {
            self.tokens += &token.to_string();
            self.tokens.push(' ');
            return;
        };
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("( ", ") "),
            Delimiter::Brace => ("{ ", "} "),
            Delimiter::Bracket => ("[ ", "] "),
            Delimiter::None => ("", ""),
        };
        self.tokens += open;
        self.add(group.stream());
        self.tokens += close;
    }

    /// Notes a module if these tokens start with `mod name;`.
    fn note_module(&mut self, tokens: &[TokenTree]) {
        if let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(end), ..] = tokens
            && word == "mod"
            && end.as_char() == ';'
        {
            self.modules.push(name.to_string());
        }
    }
}

/// Returns the attribute at the start: its number of tokens, and its bracketed contents.
fn attribute(tokens: &[TokenTree]) -> Option<(usize, &Group)> {
    let is =
        |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(p) if p.as_char() == sign);
    match tokens {
        [hash, TokenTree::Group(group), ..]
            if is(hash, '#') && group.delimiter() == Delimiter::Bracket =>
        {
            Some((2, group))
        }
        [hash, inner, TokenTree::Group(group), ..] if is(hash, '#') && is(inner, '!') => {
            Some((3, group))
        }
        _ => None,
    }
}

fn is_named(group: &Group, name: &str) -> bool {
    matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(word)) if word == name)
}

/// Returns the number of tokens of the item at the start, up to its body or semicolon.
fn item(tokens: &[TokenTree]) -> usize {
    let mut at = 0;
    while let Some((length, _)) = attribute(&tokens[at..]) {
        at += length;
    }
    let imports =
        tokens[at..].iter().take(4).any(|token| matches!(token, TokenTree::Ident(w) if w == "use"));
    let is_end = |token: &TokenTree| match token {
        TokenTree::Punct(sign) => sign.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !imports,
        _ => false,
    };
    tokens[at..].iter().position(is_end).map_or(tokens.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_crates_are_made_of_is_among_them() {
        for name in CRATES {
            let manifest =
                fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
            let (_, dependencies) = manifest.split_once("[dependencies]").unwrap_or_default();
            let dependencies = dependencies.split("\n[").next().unwrap_or_default();
            let own = dependencies.lines().filter_map(|line| line.split(['.', ' ']).next());
            for own in own.filter(|own| own.starts_with("agon-")) {
                assert!(CRATES.contains(&own), "{name} needs {own}");
            }
        }
    }

    #[test]
    fn modules_are_found_and_tests_are_not() {
        let mut found = Vec::new();
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, code: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, code).unwrap();
        };
        write(
            "lib.rs",
            "mod one;\npub mod two;\n#[cfg(test)]\nmod tests;\nmod three { fn inner() {} }",
        );
        write("one.rs", "mod deep;");
        write("one/deep.rs", "fn deep() {}");
        write("two/mod.rs", "#[cfg(test)] mod tests;");
        write("tests.rs", "fn no() {}");
        let mut add = |path: &Path, _: &[u8]| -> Result<()> {
            found.push(path.strip_prefix(folder.path())?.display().to_string());
            Ok(())
        };
        module(&folder.path().join("lib.rs"), folder.path(), &mut add).unwrap();
        assert_eq!(found, ["lib.rs", "one.rs", "one/deep.rs", "two/mod.rs"]);
    }

    fn same(one: &str, other: &str) -> bool {
        read_source(one).unwrap() == read_source(other).unwrap()
    }

    #[test]
    fn comments_layout_and_tests_count_for_nothing() {
        let code = "fn one() -> u8 { 1 }\nstruct S { a: u8 }";
        for other in [
            "//! Module.\n// A comment.\n/// Doc.\nfn one() -> u8 { /* inner */ 1 }\nstruct S {\n  \
             /// Field.\n  a: u8 }",
            "fn one() -> u8 { 1 }\n#[cfg(test)]\nuse std::{fs, io};\nstruct S { a: u8 \
             }\n#[cfg(test)] mod tests;",
            "#[cfg(test)]\n#[allow(unused)]\npub(crate) fn two(x: [u8; 2]) { 2; }\nfn one() -> u8 \
             { 1 } struct S{a:u8}",
            "fn one() -> u8 { 1 }\nstruct S { a: u8 }\n#[cfg(test)]\nmod tests { use super::*; \
             #[test] fn t() {} }",
        ] {
            assert!(same(code, other), "{other}\n{:?}", read_source(other));
        }
    }

    #[test]
    fn code_counts() {
        let code = "fn one() -> u8 { 1 }";
        for other in [
            "fn one() -> u8 { 2 }",
            "fn one() -> u8 { (1) }",
            "#[inline]\nfn one() -> u8 { 1 }",
            "",
        ] {
            assert!(!same(code, other), "{other}");
        }
        assert!(!same("const A: &str = \"/// a\";", "const A: &str = \"/// b\";"));
        assert!(!same("#[cfg(not(test))] fn a() {}", ""));
        assert_eq!(
            read_source("pub mod a;\nmod b { mod c; }\n#[cfg(test)]\nmod d;").unwrap().modules,
            ["a", "c"]
        );
        assert!(read_source("fn (").is_err());
    }
}
