//! Computes the digest of the sources of `agon.wasm`, the viewer for browsers.
//!
//! `cargo xtask web` compares it with the recorded one to see whether the committed file is up to
//! date.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow};

use super::source::{self, Source};
use crate::run::root;

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
        let mut others = Vec::new();
        list(&src, &mut others)?;
        others.sort();
        for file in others.into_iter().filter(|file| file.extension().is_none_or(|e| e != "rs")) {
            add(
                &file,
                &fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?,
            )?;
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
    let code =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let Source { tokens, modules } =
        source::read(&code).map_err(|error| anyhow!("{}: {error}", file.display()))?;
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
    let text = fs::read_to_string(manifest)
        .with_context(|| format!("cannot read {}", manifest.display()))?;
    let mut table: toml::Table = text.parse().with_context(|| manifest.display().to_string())?;
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

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?
        } else {
            files.push(entry.path())
        }
    }
    Ok(())
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
}
