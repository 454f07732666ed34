//! Starter kits as their manifests describe them.

use std::{env, fs};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::run::{has, root};

/// A starter kit; the keys of `kit.toml` that matter here.
#[derive(Debug, Deserialize)]
pub(crate) struct Kit {
    /// Its folder.
    #[serde(skip)]
    pub(crate) id: String,
    /// Programs; of several with `|` between them one will do.
    pub(crate) needs: Vec<String>,
    /// The Debian packages they come from.
    pub(crate) debian: Vec<String>,
    /// Shell lines, run in the new folder.
    pub(crate) build: Option<String>,
    pub(crate) test: Option<String>,
    /// The bot as `agon play` wants it.
    pub(crate) bot: String,
}

impl Kit {
    /// All kits, in order of their names.
    pub(crate) fn all() -> Result<Vec<Kit>> {
        let folder = root().join("starter-kits");
        let mut kits = Vec::new();
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
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

    /// The needs that are not on this machine, as text.
    pub(crate) fn missing(&self) -> Option<String> {
        let there = |need: &&String| need.split('|').any(is_here);
        let missing: Vec<_> =
            self.needs.iter().filter(|need| !there(need)).map(|need| need.replace('|', " or ")).collect();
        (!missing.is_empty()).then(|| missing.join(", "))
    }

    /// Whether a package can bring what is missing: programs of the project itself are built here.
    pub(crate) fn wants_packages(&self) -> bool {
        let foreign = self.needs.iter().filter(|need| !need.starts_with("agon-"));
        foreign.into_iter().any(|need| !need.split('|').any(has))
    }
}

/// Whether a program is on the PATH, or beside this one, where the project's own programs are built.
fn is_here(program: &str) -> bool {
    let beside = env::current_exe().ok().and_then(|own| Some(own.parent()?.join(program)));
    beside.is_some_and(|path| path.is_file()) || has(program)
}
