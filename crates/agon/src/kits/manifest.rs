//! `kit.toml`: what a starter kit says of itself.

use agon_bots::on_path;
use serde::Deserialize;

/// The manifest of a kit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// The language as people write it.
    pub(crate) language: String,
    /// Other names that people type for it.
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    /// Programs that must be on the PATH; of several with `|` between them one will do.
    pub(crate) needs: Vec<String>,
    /// The Debian packages they come from.
    pub(crate) debian: Vec<String>,
    /// How to get what no package has.
    pub(crate) install: Option<String>,
    /// Whether the C headers belong to it.
    #[serde(default)]
    pub(crate) headers: bool,
    /// Another kit whose files belong to this one as well.
    pub(crate) base: Option<String>,
    /// A shell line that builds the bot.
    pub(crate) build: Option<String>,
    /// What to give to `agon play` as the bot.
    pub(crate) bot: String,
    /// A shell line that tests the kit's protocol code with recorded conversations in the folder `golden`.
    pub(crate) test: Option<String>,
}

impl Manifest {
    /// The needs that are not on this machine.
    pub(crate) fn missing(&self) -> Vec<&str> {
        let found = |need: &str| need.split('|').any(is_here);
        self.needs.iter().map(String::as_str).filter(|need| !found(need)).collect()
    }

    /// How to get what is needed.
    pub(crate) fn remedy(&self) -> String {
        let apt = (!self.debian.is_empty()).then(|| format!("apt install {}", self.debian.join(" ")));
        let parts: Vec<String> = apt.into_iter().chain(self.install.clone()).collect();
        parts.join("; ")
    }
}

/// Whether a program is on the PATH or, as those that belong to the arena, beside it.
fn is_here(program: &str) -> bool {
    let beside = std::env::current_exe().ok().and_then(|arena| Some(arena.parent()?.join(program)));
    beside.is_some_and(|path| path.is_file()) || on_path(program).is_some()
}
