//! Reads the manifests of the starter kits, for their list and the programs that they need.
//!
//! `cargo xtask kits` tries each kit, and `cargo xtask setup` installs the programs.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::run::{has, root};

/// A starter kit, with the keys of `kit.toml` that matter before it is written.
#[derive(Debug, Deserialize)]
pub(crate) struct Kit {
    /// Its folder.
    #[serde(skip)]
    pub(crate) id: String,
    #[serde(flatten)]
    usual: Toolchain,
    /// Differences in single games.
    #[serde(default)]
    games: BTreeMap<String, Toolchain>,
}

/// The needs of a bot.
#[derive(Debug, Deserialize)]
struct Toolchain {
    /// Required programs; with `|` between several, one is enough.
    #[serde(default)]
    needs: Vec<String>,
    /// The Debian packages with them.
    #[serde(default)]
    debian: Vec<String>,
}

impl Kit {
    /// Returns all kits, in order of their names.
    pub(crate) fn all() -> Result<Vec<Kit>> {
        let folder = root().join("starter-kits");
        let mut kits = Vec::new();
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
        {
            let entry = entry?;
            let file = entry.path().join("kit.toml");
            if file.is_file() {
                let text = fs::read_to_string(&file)?;
                let kit: Kit = toml::from_str(&text).with_context(|| file.display().to_string())?;
                kits.push(Kit { id: entry.file_name().to_string_lossy().into_owned(), ..kit });
            }
        }
        kits.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(kits)
    }

    /// Returns the packages with those programs that are missing on this machine.
    pub(crate) fn packages(&self) -> Vec<&str> {
        // The project's own programs are built, not installed.
        let foreign = |needs: &&String| !needs.starts_with("agon-");
        let lacks = |toolchain: &&Toolchain| {
            toolchain.needs.iter().filter(foreign).any(|need| !need.split('|').any(has))
        };
        let lacking = [&self.usual].into_iter().chain(self.games.values()).filter(lacks);
        lacking.flat_map(|toolchain| &toolchain.debian).map(String::as_str).collect()
    }

    /// Returns whether its bots are WebAssembly.
    pub(crate) fn is_wasm(&self) -> bool {
        self.usual.needs.iter().any(|need| need == "agon-wasm-host")
    }
}
