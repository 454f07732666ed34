//! The manifest of a starter kit, `kit.toml`: what it needs, and how its bot is built and played.
//!
//! Each kit has one in its folder below `starter-kits`.

use std::collections::BTreeMap;

use agon_bots::on_path;
use agon_games::GameId;
use serde::Deserialize;

/// The manifest of a kit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The language as people write it.
    pub language: String,
    /// Other names that people type for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Programs that must be on the PATH; of several with `|` between them one will do.
    pub needs: Vec<String>,
    /// The Debian packages they come from.
    pub debian: Vec<String>,
    /// How to get what no package has.
    pub install: Option<String>,
    /// Whether the C headers belong to it.
    #[serde(default)]
    pub headers: bool,
    /// Another kit, whose `common/` belongs to this one as well, and its bots for games that have
    /// none here.
    pub base: Option<String>,
    /// A shell line that builds the bot.
    pub build: Option<String>,
    /// What to give to `agon play` as the bot.
    pub bot: String,
    /// A shell line that tests the kit's protocol code with recorded conversations in the folder
    /// `golden`.
    pub test: Option<String>,
    /// What is otherwise in a game.
    #[serde(default)]
    games: BTreeMap<GameId, Exception>,
}

/// What a kit does otherwise in one game; what is not said is as usual.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// Whether the files for every game are wanted.
    common: Option<bool>,
    needs: Option<Vec<String>>,
    debian: Option<Vec<String>>,
    /// Empty: none.
    build: Option<String>,
    bot: Option<String>,
    /// Empty: none.
    test: Option<String>,
}

impl Manifest {
    /// The manifest as it is in a game.
    pub fn in_game(&self, game: GameId) -> Manifest {
        let mut manifest = self.clone();
        if let Some(Exception { common: _, needs, debian, build, bot, test }) =
            manifest.games.remove(&game)
        {
            manifest.needs = needs.unwrap_or(manifest.needs);
            manifest.debian = debian.unwrap_or(manifest.debian);
            manifest.bot = bot.unwrap_or(manifest.bot);
            manifest.build = build.or(manifest.build).filter(|line| !line.is_empty());
            manifest.test = test.or(manifest.test).filter(|line| !line.is_empty());
        }
        manifest
    }

    /// Whether the files for every game are wanted in this one.
    pub fn wants_common(&self, game: GameId) -> bool {
        self.games.get(&game).and_then(|exception| exception.common).unwrap_or(true)
    }

    /// The needs that are not on this machine, by the names they usually have.
    pub fn missing(&self) -> Vec<&str> {
        self.programs()
            .filter(|names| !names.iter().any(|name| is_here(name)))
            .map(|names| names[0])
            .collect()
    }

    /// The names of each program that is needed, the usual one first.
    pub fn programs(&self) -> impl Iterator<Item = Vec<&str>> {
        self.needs.iter().map(|need| need.split('|').collect())
    }

    /// How to get what is needed.
    pub fn remedy(&self) -> String {
        let apt =
            (!self.debian.is_empty()).then(|| format!("apt install {}", self.debian.join(" ")));
        let parts: Vec<String> = apt.into_iter().chain(self.install.clone()).collect();
        parts.join("; ")
    }
}

/// Whether a program is on the PATH or, as those that belong to the arena, beside it.
fn is_here(program: &str) -> bool {
    let beside = std::env::current_exe().ok().and_then(|arena| Some(arena.parent()?.join(program)));
    beside.is_some_and(|path| path.is_file()) || on_path(program).is_some()
}
