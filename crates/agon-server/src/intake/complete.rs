//! Adds to handed-in files what a starter kit has and the author left out: the manifest, and the
//! helper files of the language.
//!
//! So a single file is enough, from the page's editor or from a disk.

use agon_arena::Bundle;
use agon_console::kits::Kit;
use agon_games::GameId;
use agon_ladder::archive::{Files, FilesError};
use agon_match::spec::{BotManifest, BotProtocol, MANIFEST};

/// The language whose bot is a file that plays alone: the ending of its name, and its own.
const ALONE: (&str, &str) = ("wasm", "WebAssembly");

/// A bot that can be built: its files with a manifest.
#[derive(Clone, Debug)]
pub(crate) struct Complete {
    pub(crate) files: Files,
    pub(crate) manifest: BotManifest,
}

/// Completes files by a starter kit, unless they have a manifest.
///
/// # Errors
/// If the manifest is wrong or of another game, or nobody can tell how the bot is run.
pub(crate) fn complete(files: Files, game: GameId) -> Result<Complete, FilesError> {
    if files.is_empty() {
        return Err(FilesError::Nothing);
    }
    if let Some(file) = files.get(MANIFEST) {
        let manifest = read_manifest(&file.contents, game)?;
        return Ok(Complete { files, manifest });
    }
    let single = (files.len() == 1).then(|| files.iter().next()).flatten();
    if let Some((path, _)) = single.filter(|(path, _)| ending(path) == Some(ALONE.0)) {
        check_main(&files, path)?;
        let manifest = BotManifest {
            game,
            name: None,
            author: None,
            language: Some(ALONE.1.to_owned()),
            protocol: BotProtocol::Game,
            files: Vec::new(),
            build: None,
            run: path.to_owned(),
        };
        let text = toml::to_string(&manifest).expect("a manifest can be written as TOML");
        let mut files = files;
        files.add(MANIFEST, text.into_bytes(), false)?;
        return Ok(Complete { files, manifest });
    }
    let is_main = |main: String| match single {
        Some((path, _)) => ending(&main) == ending(path),
        None => files.get(&main).is_some(),
    };
    let mut kits = Kit::all().into_iter();
    let Some(kit) = kits.find(|kit| kit.main_file(game).is_some_and(is_main)) else {
        let why = match single {
            Some((path, _)) => unknown_ending(path, game),
            None => no_manifest(game),
        };
        return Err(unclear(why));
    };
    let main = kit.main_file(game).unwrap_or_default();
    let own = match single {
        Some((_, file)) => {
            let mut renamed = Files::default();
            renamed.add(&main, file.contents.clone(), file.is_executable)?;
            renamed
        }
        None => files,
    };
    from_kit(&kit, game, own)
}

/// Makes a bot of a kit in which `own` files replace those of the kit.
pub(crate) fn from_kit(kit: &Kit, game: GameId, own: Files) -> Result<Complete, FilesError> {
    check_main(&own, &kit.main_file(game).unwrap_or_default())?;
    let mut files = own;
    for (path, text) in kit.files(game, "bot") {
        let is_for_reading = path.ends_with(".md") || path.starts_with("golden/");
        if !is_for_reading && files.get(&path).is_none() {
            files.add(&path, text.into_bytes(), path.ends_with(".sh"))?;
        }
    }
    let manifest = files.get(MANIFEST).map(|file| read_manifest(&file.contents, game));
    let manifest = manifest.unwrap_or_else(|| Err(unclear(no_manifest(game))))?;
    Ok(Complete { files, manifest })
}

fn read_manifest(text: &[u8], game: GameId) -> Result<BotManifest, FilesError> {
    let wrong = |why: String| unclear(format!("{MANIFEST}: {why}"));
    let text = std::str::from_utf8(text).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
    let manifest: BotManifest = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
    if manifest.game != game {
        return Err(wrong(format!(
            "the bot is for {}, but this arena plays {game}; change `game` if it plays both",
            manifest.game
        )));
    }
    Ok(manifest)
}

fn no_manifest(game: GameId) -> String {
    format!("nobody can tell how these files are run: {}", example(game))
}

fn example(game: GameId) -> String {
    format!(
        "add a file {MANIFEST} such as:\n\n\
         game = \"{game}\"\nprotocol = \"jsonl\"\nrun = \"python3 bot.py\""
    )
}

/// Says which single files can be handed in, and what to do with others.
fn unknown_ending(path: &str, game: GameId) -> String {
    let mains: Vec<String> = Kit::all().iter().filter_map(|kit| kit.main_file(game)).collect();
    let kits = mains.iter().filter_map(|main| ending(main));
    let mut endings: Vec<String> =
        kits.chain([ALONE.0]).map(|ending| format!(".{ending}")).collect();
    endings.sort();
    endings.dedup();
    format!(
        "Agon does not know how `{}` is run. A bot of a single file ends in {}. For other bots, {}",
        agon_core::text::escape(path),
        endings.join(", "),
        example(game)
    )
}

/// Checks that the file with the bot's code has any.
fn check_main(files: &Files, path: &str) -> Result<(), FilesError> {
    match files.get(path) {
        Some(file) if file.contents.trim_ascii().is_empty() => {
            Err(unclear(format!("`{path}` is empty: put the bot's code there")))
        }
        _ => Ok(()),
    }
}

fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    name.rsplit_once('.').map(|(_, ending)| ending)
}

/// Packs files.
pub(crate) fn pack(files: &Files) -> Vec<u8> {
    Bundle::of_files(files.parts()).to_bytes()
}

/// Takes the files out of a blob.
pub(crate) fn unpack(blob: &[u8]) -> anyhow::Result<Files> {
    let bundle = Bundle::from_bytes(blob)?;
    let mut files = Files::default();
    for (path, contents, is_executable) in bundle.files() {
        files.add(path, contents.to_vec(), is_executable).map_err(anyhow::Error::from)?;
    }
    Ok(files)
}

/// Says why files cannot be handed in, if nobody can tell how they are run.
pub(crate) fn unclear(why: impl Into<String>) -> FilesError {
    FilesError::Manifest(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> Files {
        let mut all = Files::default();
        for (path, text) in files {
            all.add(path, text.as_bytes().to_vec(), false).unwrap();
        }
        all
    }

    #[test]
    fn a_single_file_of_any_language_is_enough() {
        for (name, run) in [
            ("fox.py", "jsonl:python3 bot.py"),
            ("fox.c", "bot.c"),
            ("fox.js", "jsonl:node bot.js"),
            ("fox.go", "jsonl:./bot"),
            ("fox.wasm", "fox.wasm"),
        ] {
            let done = complete(files(&[(name, "x")]), GameId::Cluster).unwrap();
            assert_eq!(done.manifest.spec(), run, "{name}");
            assert!(done.files.get(MANIFEST).is_some());
        }
    }

    #[test]
    fn the_authors_files_stay_as_they_are() {
        let own = files(&[("bot.py", "mine"), ("agon.py", "mine too")]);
        let done = complete(own, GameId::OWN[0]).unwrap();
        assert_eq!(done.files.get("bot.py").unwrap().contents, b"mine");
        assert_eq!(done.files.get("agon.py").unwrap().contents, b"mine too");
    }

    #[test]
    fn what_is_wrong_with_a_manifest_is_said() {
        let error =
            |all: &[(&str, &str)]| complete(files(all), GameId::OWN[0]).unwrap_err().to_string();
        let other = format!("game = \"{}\"\nrun = \"x\"", GameId::OWN[1]);
        assert!(error(&[(MANIFEST, &other)]).contains("but this arena plays"));
        assert!(error(&[(MANIFEST, "game = 5")]).starts_with("agon.toml: "));
        let unknown = error(&[("notes.txt", "x")]);
        assert!(unknown.contains("how `notes.txt` is run") && unknown.contains(".py"), "{unknown}");
        assert!(unknown.contains("add a file agon.toml"), "{unknown}");
        assert!(error(&[("x", "1"), ("y", "2")]).contains("add a file agon.toml"));
        assert_eq!(error(&[("a.py", " \n")]), "`bot.py` is empty: put the bot's code there");
        assert!(error(&[("a.wasm", "")]).contains("is empty"));
        assert!(error(&[("bot.py", ""), ("agon.py", "x")]).contains("is empty"));
        assert!(error(&[]).contains("no files"));
    }
}
