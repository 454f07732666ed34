//! `agon new GAME LANGUAGE`: a folder with a bot to begin with.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use agon_console::kits::{Kit, Manifest, opponent};
use agon_contest::events::{Event, KitFacts, NewBot};
use agon_games::GameId;
use anyhow::{Context, Result, anyhow, bail};

use crate::cli::NewArgs;
use crate::output::{BOLD, DIM, GOOD, plural, print_event, print_table, shell_word, table};

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
    let path =
        args.folder.clone().unwrap_or_else(|| format!("{}-{}", game.meta().name(), kit.id).into());
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
                GameId::OWN[0],
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
    let id = match (super::game_named(game), Kit::find(game), language.parse::<GameId>()) {
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

/// Writes files into a new or empty folder. After an error nothing of them is left.
///
/// # Errors
/// If the folder is not empty, or cannot be written.
fn create_folder<'a>(
    folder: &Path,
    files: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<()> {
    // All other problems show up while writing.
    if folder.is_file() {
        bail!("{} is a file; name another folder", folder.display());
    }
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty; name another folder, or a new one in it", folder.display());
    }
    let mut made = CreatedFiles::default();
    made.folder(folder)?;
    for (path, text) in files {
        made.file(&folder.join(path), text)?;
    }
    // All files are written, so they stay.
    made.0.clear();
    Ok(())
}

/// The files and folders made so far, in order. Dropping this removes them.
#[derive(Debug, Default)]
struct CreatedFiles(Vec<PathBuf>);

impl CreatedFiles {
    fn folder(&mut self, path: &Path) -> Result<()> {
        let new: Vec<&Path> = path.ancestors().take_while(|folder| is_missing(folder)).collect();
        for folder in new.into_iter().rev() {
            fs::create_dir(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            self.0.push(folder.to_owned());
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, text: &str) -> Result<()> {
        if let Some(folder) = path.parent() {
            self.folder(folder)?;
        }
        let context = || format!("cannot write {}", path.display());
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(path).with_context(context)?;
        self.0.push(path.to_owned());
        file.write_all(text.as_bytes()).with_context(context)
    }
}

fn is_missing(path: &Path) -> bool {
    // The empty path is the current folder.
    !path.as_os_str().is_empty() && !path.exists()
}

impl Drop for CreatedFiles {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // The error that led here is reported instead.
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kit_without_a_game_names_those_with_it() {
        let clojure = Kit::find("clojure").unwrap();
        let game = GameId::OWN[0];
        let text = without_game(&clojure, game, &[Kit::find("python").unwrap()]);
        assert!(text.ends_with(&format!(" python. Type `agon new {game} python`")), "{text}");
        assert!(!text.contains("clojure"), "{text}");
        assert!(without_game(&clojure, game, &[]).contains("`agon rules"));
    }

    fn texts(paths: &[&str]) -> Vec<(String, String)> {
        paths.iter().map(|&path| (path.to_owned(), format!("text of {path}"))).collect()
    }

    fn make(folder: &Path, paths: &[&str]) -> Result<()> {
        create_folder(folder, texts(paths).iter().map(|(path, text)| (path, text)))
    }

    #[test]
    fn files_are_written_into_new_and_empty_folders() {
        let base = tempfile::tempdir().unwrap();
        for folder in [base.path().join("new/deep"), base.path().join("new/deeper")] {
            make(&folder, &["a", "src/b"]).unwrap();
            assert_eq!(fs::read_to_string(folder.join("src/b")).unwrap(), "text of src/b");
        }
        let empty = base.path().join("empty");
        fs::create_dir(&empty).unwrap();
        make(&empty, &["a"]).unwrap();
        let error = make(&empty, &["b"]).unwrap_err().to_string();
        assert!(error.contains("empty is not empty; name another"), "{error}");
        let error = make(&empty.join("a"), &["b"]).unwrap_err().to_string();
        assert!(error.contains("is a file; name another"), "{error}");
    }

    #[test]
    fn nothing_is_left_of_a_failure() {
        let base = tempfile::tempdir().unwrap();
        // The second file would have to be a folder for the third.
        make(&base.path().join("new/deep"), &["src/a", "b", "b/c"]).unwrap_err();
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
