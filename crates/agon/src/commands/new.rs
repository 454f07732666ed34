//! `agon new GAME LANGUAGE`: a folder with a bot to begin with.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use agon_console::kits::{Kit, Manifest, create_folder, opponent};
use agon_contest::events::{Event, KitFacts, NewBot};
use agon_games::GameId;
use anyhow::{Context, Result, anyhow, bail};

use crate::{
    cli::NewArgs,
    output::{BOLD, DIM, GOOD, plural, print_event, print_table, shell_word, table},
};

/// Writes a starter kit, or lists them.
pub(crate) fn new(args: &NewArgs, out: &mut impl Write) -> Result<()> {
    match (&args.game, &args.language) {
        (Some(game), Some(language)) => write(game, language, args, out),
        (Some(word), None) => Err(incomplete(word)),
        _ => list(args.json, out),
    }
}

fn write(game: &str, language: &str, args: &NewArgs, out: &mut impl Write) -> Result<()> {
    let (game, kit) = find(game, language)?;
    let path = args.folder.clone().unwrap_or_else(|| PathBuf::from(format!("{game}-{}", kit.id)));
    // `.` has no name, but the folder it stands for.
    let full = std::path::absolute(&path).with_context(|| path.display().to_string())?;
    let name = full.file_name().unwrap_or(full.as_os_str()).to_string_lossy();
    let files = kit.files(game, &name);
    create_folder(&path, &files)?;
    let manifest = kit.manifest.in_game(game);
    let play = format!("agon play {game} {} {}", shell_word(&manifest.bot), opponent(game));
    if !args.json {
        return report(&path, files.len(), &manifest, &play, out);
    }
    let bot = NewBot {
        game: game.meta().id,
        language: kit.id,
        folder: path.to_string_lossy(),
        files: files.keys().map(String::as_str).collect(),
        build: manifest.build.as_deref(),
        bot: &manifest.bot,
        test: manifest.test.as_deref(),
        play: &play,
        missing: manifest.missing(),
    };
    Ok(print_event(Event::New(bot), out)?)
}

/// What to say if there is only one word.
fn incomplete(word: &str) -> anyhow::Error {
    match (word.parse::<GameId>(), Kit::find(word)) {
        (Err(_), Ok(kit)) => {
            anyhow!(
                "a bot for which game? It comes first, as in `agon new {} {}`",
                GameId::ALL[0],
                kit.id
            )
        }
        (Err(error), _) => error.into(),
        (Ok(game), _) => {
            anyhow!(
                "name a language, too, as in `agon new {game} python`; `agon new --list` shows them"
            )
        }
    }
}

/// The game and the kit that are named.
fn find(game: &str, language: &str) -> Result<(GameId, Kit)> {
    let id = match (game.parse::<GameId>(), Kit::find(game), language.parse::<GameId>()) {
        (Err(_), Ok(kit), Ok(game)) => {
            bail!("the game comes first, as in `agon new {game} {}`", kit.id)
        }
        (id, ..) => id?,
    };
    let kit = Kit::find(language)?;
    if !kit.games().contains(&id) {
        bail!("{}", without_game(&kit, id, &Kit::all()));
    }
    Ok((id, kit))
}

/// What to say if a kit has no bot for a game: which kits have one.
fn without_game(kit: &Kit, game: GameId, kits: &[Kit]) -> String {
    let has_game = |kit: &&Kit| kit.games().contains(&game);
    let others: Vec<_> = kits.iter().filter(has_game).map(|kit| kit.id).collect();
    let remedy = match others.first() {
        Some(first) => {
            format!("kits with {game}: {}. Type `agon new {game} {first}`", others.join(", "))
        }
        None => format!("`agon rules {game}` explains the protocol for any language"),
    };
    format!("the kit for {} has no {game}; {remedy}", kit.manifest.language)
}

/// Tells what is there now, and what to type.
fn report(
    path: &Path,
    files: usize,
    manifest: &Manifest,
    play: &str,
    out: &mut impl Write,
) -> Result<()> {
    let language = &manifest.language;
    let files = plural(files as u64, "file");
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {files}, a bot in {language} that makes random moves\n",
        path.display()
    )?;
    if path != Path::new(".") {
        writeln!(out, "    cd {}", shell_word(path))?;
    }
    for line in manifest.build.as_deref().into_iter().chain([play]) {
        writeln!(out, "    {line}")?;
    }
    writeln!(out, "\nREADME.md says how to go on from there.")?;
    let missing = manifest.missing();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        let remedy = manifest.remedy();
        say!("warning: it needs {missing}, not found on this machine: {remedy}");
    }
    Ok(())
}

fn list(json: bool, out: &mut impl Write) -> Result<()> {
    if json {
        for Kit { id, manifest } in &Kit::all() {
            let facts = KitFacts {
                id,
                language: &manifest.language,
                aliases: &manifest.aliases,
                needs: &manifest.needs,
                missing: manifest.missing(),
                debian: &manifest.debian,
                install: manifest.install.as_deref(),
                build: manifest.build.as_deref(),
                bot: &manifest.bot,
                test: manifest.test.as_deref(),
            };
            print_event(Event::Kit(facts), out)?;
        }
        return Ok(());
    }
    let mut rows = table();
    for kit in Kit::all() {
        let Kit { id, manifest } = &kit;
        let missing = manifest.missing();
        let state = if missing.is_empty() {
            format!("{GOOD}ready{GOOD:#}")
        } else {
            format!("needs {}: {}", missing.join(", "), manifest.remedy())
        };
        rows.add_row([format!("{BOLD}{id}{BOLD:#}"), manifest.language.clone(), state]);
    }
    print_table(&rows, out)?;
    writeln!(out, "\n{DIM}`agon new GAME LANGUAGE` writes a bot to begin with.{DIM:#}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kit_without_a_game_names_those_with_it() {
        let clojure = Kit::find("clojure").unwrap();
        let game = GameId::ALL[0];
        let text = without_game(&clojure, game, &[Kit::find("python").unwrap()]);
        assert!(text.ends_with(&format!(" python. Type `agon new {game} python`")), "{text}");
        assert!(!text.contains("clojure"), "{text}");
        assert!(without_game(&clojure, game, &[]).contains("`agon rules"));
    }
}
