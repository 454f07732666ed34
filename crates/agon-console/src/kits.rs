//! Starter kits: the files of a new bot in each language, compiled in from `starter-kits`.
//!
//! `agon new` begins a bot from a kit, and a ladder server completes what authors hand in by one.
//! Each kit has a manifest, `kit.toml`: what it needs, and how its bot is built and played.

use std::collections::{BTreeMap, BTreeSet};

use agon_bots::{BotKind, BotSpec, WASM_HOST, hosting, on_path};
use agon_core::{did_you_mean, text::check_name};
use agon_files::parts::is_packaged;
use agon_games::GameId;
use agon_games::batch::{BOT_H, bot_h, rust_front};
use agon_match::spec::{BotManifest, MANIFEST};
use anyhow::{Result, bail};
use serde::Deserialize;

/// All files of the kits: paths below `starter-kits`, in order, and contents.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kits.rs"));

/// The folder with the files for all games.
const COMMON: &str = "common";

/// The folder with the bot for games that list the allowed answers in each question.
const GENERIC_BOT: &str = "any";

/// The file with what README.md says only about one game. It is appended to the rest.
const README_ADDITION: &str = "README.more.md";

/// What README.md says about the folder as a whole.
const FOLDER_SECTION: &str = "
## The folder is a bot

`agon.toml` says how the bot is built and run. So you can name the folder instead of a command, from
anywhere and in tournaments:

```sh
agon play {{game}} PATH/TO/THIS/FOLDER {{opponent}}
```

Agon plays a copy of the folder, which the bot can read but not change. `$TMPDIR` is an empty folder
that it may write to. `.agonignore` names files that are no part of the bot.
";

/// A starter kit.
#[derive(Clone, Debug)]
pub struct Kit {
    /// The name of its folder, which is also its name on the command line.
    pub id: &'static str,
    /// Its needs, and the commands that build and play its bot.
    pub manifest: Manifest,
}

impl Kit {
    /// Returns all kits, in order of their names.
    pub fn all() -> Vec<Kit> {
        let kit = |&(path, text): &(&'static str, &str)| {
            let id = path.strip_suffix("/kit.toml")?;
            Some(Kit { id, manifest: toml::from_str(text).expect("a test reads all manifests") })
        };
        FILES.iter().filter_map(kit).collect()
    }

    /// Finds the kit for a language by any of its names.
    ///
    /// # Errors
    /// If there is none; the text suggests a similar name.
    pub fn find(language: &str) -> Result<Kit> {
        let name = language.to_lowercase();
        let mut kits = Kit::all();
        if let Some(at) =
            kits.iter().position(|kit| kit.names().any(|known| known.to_lowercase() == name))
        {
            return Ok(kits.swap_remove(at));
        }
        // Any word with that letter first would be similar to a name of one letter.
        let names = kits.iter().flat_map(|kit| kit.names().skip_while(|_| kit.id.len() == 1));
        if let Some(meant) = did_you_mean(language, names) {
            bail!("there is no starter kit for `{language}`; did you mean `{meant}`?");
        }
        let all: Vec<_> = kits.iter().map(|kit| kit.id).collect();
        bail!("there is no starter kit for `{language}` (there are: {})", all.join(", "));
    }

    /// Returns its names, that of its folder first.
    fn names(&self) -> impl Iterator<Item = &str> {
        let Manifest { language, aliases, .. } = &self.manifest;
        [self.id, language.as_str()].into_iter().chain(aliases.iter().map(String::as_str))
    }

    /// Returns the games that it has bots for.
    pub fn games(&self) -> Vec<GameId> {
        let has_bot = |&id: &GameId| self.below(&self.bot_folder(id)).next().is_some();
        GameId::all().into_iter().filter(has_bot).collect()
    }

    /// Returns the folder with the bot for a game.
    fn bot_folder(&self, game: GameId) -> String {
        let own = format!("games/{game}");
        let is_generic = game.kind().lists_legal() && self.below(&own).next().is_none();
        if is_generic { GENERIC_BOT.to_owned() } else { own }
    }

    /// Returns the files of a new bot: paths in its folder, and contents.
    pub fn files(&self, game: GameId, name: &str) -> BTreeMap<String, String> {
        let opponent = opponent(game);
        let fill = |text: &str| {
            let text = text.replace("{{game}}", game.meta().id).replace("{{name}}", name);
            text.replace("{{opponent}}", &opponent)
        };
        let manifest = self.manifest.in_game(game);
        let readme =
            file(&format!("{}/README.md", self.id)).map(|text| ("README.md".to_owned(), text));
        let common = self.manifest.wants_common(game).then(|| self.below(COMMON));
        let own = self.below(&self.bot_folder(game));
        // Later files replace earlier ones of the same name.
        let all = readme.into_iter().chain(common.into_iter().flatten()).chain(own);
        let mut files: BTreeMap<String, String> =
            all.map(|(path, text)| (path, fill(text))).collect();
        // The one of the base kit would be about other tools.
        files.remove(README_ADDITION);
        if let (Some(readme), Some(more)) = (
            files.get_mut("README.md"),
            file(&format!("{}/games/{game}/{README_ADDITION}", self.id)),
        ) {
            readme.push('\n');
            readme.push_str(&fill(more));
        }
        if let Some(readme) = files.get_mut("README.md") {
            readme.push_str(&fill(FOLDER_SECTION));
        }
        files.insert(MANIFEST.to_owned(), manifest.bot_manifest(game, name));
        if manifest.headers {
            files.insert(BOT_H.to_owned(), bot_h());
            let header = game.kind().header();
            files.insert(header.path(), header.text());
            let own = hosting(game.kind()).c_header;
            files.extend(own.map(|(path, text)| (path.to_owned(), text.to_owned())));
        }
        if manifest.records && self.manifest.wants_common(game) {
            let records = game.kind().header().rust();
            files.insert("src/agon/front.rs".to_owned(), rust_front());
            files.insert("src/agon/records.rs".to_owned(), records);
        }
        if manifest.test.is_some() {
            files.extend(recorded(game));
        }
        files
    }

    /// Returns the path of the file with the bot itself among the files for a game; `None` if the
    /// kit has no bot for it.
    pub fn main_file(&self, game: GameId) -> Option<String> {
        let mut own = self.below(&self.bot_folder(game)).map(|(path, _)| path);
        // Java and C# write it with a capital letter, Rust has a library.
        let is_main = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
            let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
            matches!(stem, "bot" | "species" | "lib") && ending != "md"
        };
        own.find(|path| is_main(path))
    }

    /// Returns the files below a folder of the kit, after those of its base kit.
    fn below(&self, folder: &str) -> impl Iterator<Item = (String, &'static str)> + use<> {
        let own = format!("{}/{folder}/", self.id);
        // A kit with its own bot does not get the bot of its base kit.
        let has_bot = folder != COMMON && FILES.iter().any(|(path, _)| path.starts_with(&own));
        let base =
            self.manifest.base.as_ref().filter(|_| !has_bot).map(|id| format!("{id}/{folder}/"));
        let folders: Vec<String> = base.into_iter().chain([own]).collect();
        folders.into_iter().flat_map(|folder| {
            let path = move |path: &str| path.strip_prefix(&folder).map(str::to_owned);
            FILES.iter().filter_map(move |&(full, text)| Some((path(full)?, text)))
        })
    }
}

/// Returns a bot that is easy to beat, as arguments of `agon play`.
///
/// It is the game's first built-in bot, which moves at random.
pub fn opponent(game: GameId) -> String {
    let kind = game.kind();
    let name = kind.builtins()[0].name;
    format!("builtin:{name} {}", kind.trials().options).trim_end().to_owned()
}

/// Returns a recorded conversation: names of its files, and contents. Games without one in the kits
/// get one of a tiny match.
fn recorded(game: GameId) -> [(String, String); 2] {
    let name = |who: &str| format!("golden/{game}.{who}.jsonl");
    match ["arena", "bot"].map(|who| file(&name(who))) {
        [Some(arena), Some(bot)] => {
            [(name("arena"), arena.to_owned()), (name("bot"), bot.to_owned())]
        }
        _ => game.kind().conversation().map(|(who, text)| (name(who), text)),
    }
}

/// Returns the contents of a file.
fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|&&(known, _)| known == path).map(|&(_, text)| text)
}

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
    /// Whether a new bot gets the records of questions and answers as modules in Rust.
    #[serde(default)]
    pub records: bool,
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
    fn bot_manifest(&self, game: GameId, name: &str) -> String {
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
    fn wants_common(&self, game: GameId) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kits_are_complete() {
        let kits = Kit::all();
        assert!(!kits.is_empty());
        for kit in &kits {
            let Kit { id, manifest } = kit;
            assert!(!kit.games().is_empty(), "{id} has no game");
            assert!(!manifest.needs.is_empty(), "{id} needs nothing");
            assert!(
                manifest.base.iter().all(|base| kits.iter().any(|kit| kit.id == base)),
                "{id}: base"
            );
            for game in kit.games() {
                let files = kit.files(game, "rosa");
                let main = kit.main_file(game).unwrap_or_else(|| panic!("{id}: {game}"));
                assert!(files.contains_key(&main), "{id}: {main}");
                // Some modules of Rust are made from code.
                let modules = files.get("src/agon/mod.rs").map_or("", String::as_str).lines();
                for line in modules.map(|line| line.trim_start_matches("pub ")) {
                    let name = line.strip_prefix("mod ").and_then(|name| name.strip_suffix(';'));
                    let path = name.map(|name| format!("src/agon/{name}.rs"));
                    assert!(path.is_none_or(|path| files.contains_key(&path)), "{id}: {line}");
                }
                let readme =
                    files.get("README.md").unwrap_or_else(|| panic!("{id} has no README.md"));
                let bot = manifest.in_game(game).bot;
                let play = ["", "\""]
                    .map(|quote| format!("agon play {game} {quote}{bot}{quote} builtin:"));
                assert!(
                    play.iter().any(|play| readme.contains(play)),
                    "{id}: no command to play {game}"
                );
                for (path, text) in files {
                    let placeholders =
                        ["game", "name", "opponent"].map(|name| format!("{{{{{name}}}}}"));
                    assert!(!placeholders.iter().any(|name| text.contains(name)), "{id}: {path}");
                }
            }
        }
    }

    #[test]
    fn names_are_clear() {
        let kits = Kit::all();
        for kit in &kits {
            for name in kit.names() {
                assert_eq!(Kit::find(name).unwrap().id, kit.id, "{name}");
            }
        }
    }
}
