//! Digests of what goes into the bundle.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::run::root;

/// The crates of which `agon.wasm` is made.
const CRATES: [&str; 10] = [
    "agon-text",
    "agon-core",
    "agon-simd",
    "agon-games",
    "agon-replay",
    "agon-page",
    "agon-paint",
    "agon-chart",
    "agon-view",
    "agon-web",
];

/// The digest of the sources of `agon.wasm`: manifests and everything in `src`, by path.
pub(crate) fn of_sources() -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    for name in CRATES {
        let folder = root().join("crates").join(name);
        let mut files = vec![folder.join("Cargo.toml")];
        list(&folder.join("src"), &mut files)?;
        files.sort();
        for file in files {
            let path = file.strip_prefix(root())?.to_string_lossy().replace('\\', "/");
            let contents = fs::read(&file).with_context(|| format!("cannot read {path}"))?;
            hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes());
            hasher.update(&(contents.len() as u64).to_le_bytes()).update(&contents);
        }
    }
    Ok(text(&hasher.finalize()))
}

/// The digest of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    text(&blake3::hash(bytes))
}

/// Half of it is enough against mistakes.
fn text(hash: &blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}

fn list(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { list(&entry.path(), files)? } else { files.push(entry.path()) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_crates_are_made_of_is_among_them() {
        for name in CRATES {
            let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
            let (_, dependencies) = manifest.split_once("[dependencies]").unwrap_or_default();
            let dependencies = dependencies.split("\n[").next().unwrap_or_default();
            let own = dependencies.lines().filter_map(|line| line.split(['.', ' ']).next());
            for own in own.filter(|own| own.starts_with("agon-")) {
                assert!(CRATES.contains(&own), "{name} needs {own}");
            }
        }
    }
}
