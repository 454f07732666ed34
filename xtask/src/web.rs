//! `cargo xtask web`: builds the viewer for browsers, `crates/agon-web` as WebAssembly.
//!
//! The result is committed in `crates/agon-web/web`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};
use xtask::{cargo, files_below, has, read, root, step};

use crate::setup::{Target, Toolchain};

/// WebAssembly without a system.
pub(crate) const TARGET: Target = Target {
    triple: "wasm32-unknown-unknown",
    linker: Some("wasm-ld"),
    libraries: "std,panic_abort",
};

/// The folder of the page.
const BUNDLE: &str = "crates/agon-web/web";

/// The file with the digest of the sources of `agon.wasm`.
const MANIFEST: &str = "bundle.toml";

/// Builds `agon.wasm`, unless it is built from the current sources. This also ends a conflict of a
/// merge in it, whatever both sides had built.
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
    for name in CRATES {
        let folder = root().join("crates").join(name);
        let manifest = folder.join("Cargo.toml");
        let sources = files_below(&folder.join("src"))?;
        for file in [&manifest].into_iter().chain(&sources) {
            let is_code = file.extension().is_some_and(|end| end == "rs");
            let contents = match is_code {
                _ if *file == manifest => libraries(file)?.into_bytes(),
                true => code_of(&read(file)?)
                    .map_err(|error| anyhow!("{}: {error}", file.display()))?
                    .into_bytes(),
                false => fs::read(file).with_context(|| file.display().to_string())?,
            };
            // A file without code, such as one of tests, may come and go.
            if !is_code || !contents.is_empty() {
                let path = file.strip_prefix(root())?.to_string_lossy();
                for part in [path.as_bytes(), &contents] {
                    hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
                }
            }
        }
    }
    Ok(text(&hasher.finalize()))
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

/// Returns the tokens of a file without comments, documentation and tests, separated by spaces.
fn code_of(code: &str) -> Result<String, LexError> {
    let mut tokens = String::new();
    add(code.parse()?, &mut tokens);
    Ok(tokens)
}

fn add(stream: TokenStream, code: &mut String) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match attribute(&tokens[at..]) {
            Some((length, group)) if is_named(group, "doc") => at += length,
            Some((length, group)) if group.stream().to_string().replace(' ', "") == "cfg(test)" => {
                // Within a module it is about all of it.
                if length == INNER {
                    return;
                }
                at += length;
                at += item(&tokens[at..]);
            }
            _ => {
                push(token, code);
                at += 1;
            }
        }
    }
}

fn push(token: &TokenTree, code: &mut String) {
    let TokenTree::Group(group) = token else {
        *code += &token.to_string();
        code.push(' ');
        return;
    };
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("( ", ") "),
        Delimiter::Brace => ("{ ", "} "),
        Delimiter::Bracket => ("[ ", "] "),
        Delimiter::None => ("", ""),
    };
    *code += open;
    add(group.stream(), code);
    *code += close;
}

/// The number of tokens of an attribute such as `#![cfg(test)]`.
const INNER: usize = 3;

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
            Some((INNER, group))
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

    fn same(one: &str, other: &str) -> bool {
        code_of(one).unwrap() == code_of(other).unwrap()
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
            assert!(same(code, other), "{other}\n{:?}", code_of(other));
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
        assert_eq!(code_of("//! Tests.\n#![cfg(test)]\nuse super::*;").unwrap(), "");
        assert!(code_of("fn (").is_err());
    }
}
