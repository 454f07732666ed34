//! The manifest of a starter kit, `kit.toml`: what it needs, and how its bot is built and played.
//!
//! Each kit has one in its folder below `starter-kits`.

use std::collections::{BTreeMap, BTreeSet};

use agon_bots::{BotKind, BotSpec, WASM_HOST, on_path};
use agon_core::text::check_name;
use agon_files::parts::is_packaged;
use agon_games::GameId;
use agon_match::spec::BotManifest;
use serde::Deserialize;

/// The manifest of a kit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The language's name for people.
    pub language: String,
    /// Other names that people type for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Programs that must be on the PATH. Of several with `|` between them, one is enough.
    pub needs: Vec<String>,
    /// The Debian packages with these programs.
    pub debian: Vec<String>,
    /// The way to get programs that are in no package.
    pub install: Option<String>,
    /// Whether a new bot gets the C headers.
    #[serde(default)]
    pub headers: bool,
    /// The base kit: this kit also has its `common/`, and its bots for games without a bot here.
    pub base: Option<String>,
    /// A shell line that builds the bot.
    pub build: Option<String>,
    /// The bot in the form for `agon play`.
    pub bot: String,
    /// A shell line that tests the bot's protocol code.
    ///
    /// The test uses recorded conversations in the folder `golden`.
    pub test: Option<String>,
    /// Differences in single games.
    #[serde(default)]
    games: BTreeMap<GameId, GameOverrides>,
}

/// The differences of a kit in one game. Missing keys have their usual values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameOverrides {
    /// Whether a bot gets the files for all games.
    common: Option<bool>,
    needs: Option<Vec<String>>,
    debian: Option<Vec<String>>,
    /// An empty line means none.
    build: Option<String>,
    bot: Option<String>,
    /// An empty line means none.
    test: Option<String>,
}

impl Manifest {
    /// Returns the manifest with the differences of a game applied.
    pub fn in_game(&self, game: GameId) -> Manifest {
        let mut manifest = self.clone();
        if let Some(GameOverrides { common: _, needs, debian, build, bot, test }) =
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

    /// Returns the text of `agon.toml` for a bot of this name, from the manifest of
    /// the game.
    pub(crate) fn bot_manifest(&self, game: GameId, name: &str) -> String {
        let (protocol, run) = BotManifest::protocol_and_run(&self.bot);
        let manifest = BotManifest {
            game,
            // A folder may have a name that no bot can have.
            name: check_name(name).is_ok().then(|| name.to_owned()),
            author: None,
            language: Some(self.language.clone()),
            protocol,
            files: Vec::new(),
            build: self.build.clone(),
            run: run.to_owned(),
        };
        let keys = toml::to_string(&manifest).expect("a manifest can be written as TOML");
        format!(
            "# How Agon builds and runs the bot in this folder: `agon play {game} FOLDER`.\n{keys}"
        )
    }

    /// Returns whether a bot for this game gets the files for all games.
    pub fn wants_common(&self, game: GameId) -> bool {
        self.games.get(&game).and_then(|overrides| overrides.common).unwrap_or(true)
    }

    /// Returns the needed programs that this machine lacks, by their usual names.
    pub fn missing(&self) -> Vec<&str> {
        self.programs()
            .filter(|names| !names.iter().any(|name| is_here(name)))
            .map(|names| names[0])
            .collect()
    }

    /// Returns the names of each needed program, the usual name first.
    pub fn programs(&self) -> impl Iterator<Item = Vec<&str>> {
        self.needs.iter().map(|need| need.split('|').collect())
    }

    /// Returns what a machine must have to play the bot once it is built: programs such as `mono`,
    /// or `wasm`, as workers name them.
    pub fn played_with(&self) -> BTreeSet<String> {
        let Ok(bot) = self.bot.parse::<BotSpec>() else { return BTreeSet::new() };
        let mut all = BTreeSet::from_iter(bot.runtime());
        match bot.kind() {
            BotKind::Wasm => drop(all.insert("wasm".to_owned())),
            // A script may start what it needs.
            BotKind::Json if self.build.is_none() => {
                all.extend(self.programs().map(|names| names[0].to_owned()));
            }
            _ => {}
        }
        all
    }

    /// Returns the commands that install the needed programs.
    pub fn remedy(&self) -> String {
        let apt =
            (!self.debian.is_empty()).then(|| format!("apt install {}", self.debian.join(" ")));
        // A package has Agon's own programs.
        let own = self.install.clone().filter(|_| !is_packaged());
        let parts: Vec<String> = apt.into_iter().chain(own).collect();
        parts.join("; ")
    }
}

/// Returns whether a program is on the PATH, or is Agon's own and is there.
fn is_here(program: &str) -> bool {
    match program == WASM_HOST.program {
        true => WASM_HOST.find().is_some(),
        false => on_path(program).is_some(),
    }
}
