//! `agon binfection RUNNER...`, with settings from `settings.ini` in the current folder.

use std::path::{Path, PathBuf};
use std::{fs, io::Write};

use agon_contest::settings;
use agon_core::{Game, GameExt, Seed, did_you_mean};
use agon_games::GameId;
use agon_games::binfection::{Binfection, IniFile, Phases, ResultFile, render_cells, render_text};
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;

use crate::arena::{Setup, play_shown};
use crate::output::{MatchInfo, exit_of, print_result};
use crate::{Exit, commands::classic::ClassicArgs};

const SETTINGS: &str = "settings.ini";

/// Where result files go, unless the settings say otherwise.
const FOLDER: &str = "games";

/// How many bytes of a result file's name the bots' names may take: file systems allow 255 in all.
const MAX_NAMES_LENGTH: usize = 200;

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Settings come from settings.ini in the current folder, if there is one, and from --set; the result \
goes to games/<id>.res. Runners start in the current folder and see it. A runner that is not in it \
is looked for in test/runners, also without its .sh.

Examples:
  agon binfection alice.sh bob.sh --print
  agon binfection alice builtin:general --set turns_limit=50")]
#[command(mut_arg("real_time", |flag| flag.hide(true)))]
pub(crate) struct BinfectionArgs {
    /// A runner per bot: any executable; the file's stem is the bot's name. builtin:NAME plays as
    /// well.
    #[arg(required = true, value_name = "RUNNER")]
    runners: Vec<String>,
    /// Print the field after every phase.
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    classic: ClassicArgs,
}

/// Plays a match and writes its result file.
pub(crate) fn run(args: &BinfectionArgs, out: &mut (impl Write + Send)) -> Result<Exit> {
    let file = read_settings(Path::new(SETTINGS))?;
    for notice in &file.notices {
        say!("note: {SETTINGS}: {notice}");
    }
    let folder = file.games_dir.as_deref().unwrap_or(FOLDER);
    let setup = set_up(args, &file)?;
    let names = setup.names();
    let replay = setup.replay.clone();
    let path = free(Path::new(folder), &id(&names, setup.seed));
    // Before the match: it may take long, and would be lost.
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {folder} for the result"))?;
    let mut result = ResultObserver::new(names, args.print.then_some(&mut *out));
    let played = play_shown(setup, None, &args.classic.game.watch, &mut result, None)?;
    agon_files::write(&path, result.snapshots.to_json().as_bytes())?;
    print_result(
        &played.result,
        &MatchInfo::of(GameId::Binfection.meta(), replay.as_deref()),
        out,
    )?;
    say!("result file: {}", path.display());
    Ok(exit_of(&played.result))
}

/// Makes the result file of a match, and prints the field after every phase.
struct ResultObserver<'a, W> {
    names: Vec<String>,
    /// Where the field is printed.
    print: Option<&'a mut W>,
    snapshots: ResultFile,
    /// The last state, unless the match is over.
    before: Option<Binfection>,
}

impl<'a, W: Write> ResultObserver<'a, W> {
    fn new(names: Vec<String>, print: Option<&'a mut W>) -> ResultObserver<'a, W> {
        ResultObserver { names, print, snapshots: ResultFile::new(), before: None }
    }

    /// Takes both phases of a turn.
    fn turn(&mut self, before: &Binfection, event: &MatchEvent<'_>) -> Result<()> {
        let given = event.led_by.as_slice::<Binfection>().expect("answers of this game");
        let Phases { moved, grown } = before.phases(given);
        if let Some(out) = &mut self.print {
            let turn = event.game.progress().turn;
            let field = render_cells(before.rules(), &moved);
            writeln!(out, "turn {turn}, before growth\n{field}")?;
        }
        self.snapshots.push(moved, &self.names);
        self.snapshots.push(grown, &self.names);
        Ok(())
    }
}

impl<W: Write> Observer for ResultObserver<'_, W> {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        let game = event.game.of_game::<Binfection>();
        match self.before.take() {
            None => self.snapshots.push(game.cells(), &self.names),
            Some(before) => self.turn(&before, event)?,
        }
        if let Some(out) = &mut self.print {
            writeln!(out, "{}", render_text(game, &self.names))?;
        }
        self.before = (!game.is_over()).then(|| game.clone());
        Ok(Control::Continue)
    }

    fn void(&mut self, _: &Played, _: u32) -> Result<(), ObserverError> {
        self.snapshots = ResultFile::new();
        self.before = None;
        Ok(())
    }
}

/// A result file that is not there yet: nothing of former matches is lost.
fn free(folder: &Path, id: &str) -> PathBuf {
    let numbered = (2u32..).map(|number| format!("{id}-{number}"));
    let mut paths =
        std::iter::once(id.to_owned()).chain(numbered).map(|name| folder.join(name + ".res"));
    paths.find(|path| !path.exists()).expect("there are more numbers than files")
}

/// The match of these runners with these settings, which `--set` changes.
fn set_up(args: &BinfectionArgs, file: &IniFile) -> Result<Setup> {
    let kind = GameId::Binfection.kind();
    let rules = settings::change(kind, json!(file.rules), &[], &args.classic.sets)?;
    let folder = Path::new(file.runners_dir.as_deref().unwrap_or(RUNNERS));
    let bots =
        args.runners.iter().map(|text| find_runner(text, folder)).collect::<Result<Vec<_>>>()?;
    Setup::new(kind, rules, &bots, &args.classic.game)
}

fn read_settings(path: &Path) -> Result<IniFile> {
    agon_files::protect(path);
    match agon_files::input::read_text(path) {
        Ok(text) => IniFile::parse(&text).with_context(|| path.display().to_string()),
        Err(error) if error.is_missing() => Ok(IniFile::default()),
        Err(error) => Err(error.into()),
    }
}

/// The id of a match: the same match has the same one.
fn id(names: &[String], seed: Seed) -> String {
    let mut names = names.join("-").replace(['/', '\\', '\0'], "_");
    if names.len() > MAX_NAMES_LENGTH {
        names.truncate(names.floor_char_boundary(MAX_NAMES_LENGTH));
        names.push_str("-and-more");
    }
    format!("{names}-{seed}")
}

/// Where the classic program keeps runners.
pub(super) const RUNNERS: &str = "test/runners";

/// What a runner's file usually ends in.
const ENDING: &str = "sh";

/// A bot as `agon play` takes it. A name without a folder that is no file here is looked for in
/// `folder`, as it is and with `.sh` behind it.
///
/// # Errors
/// If there is no such file, but one in `folder` that was probably meant.
pub(super) fn find_runner(text: &str, folder: &Path) -> Result<String> {
    let (name, word) = match text.split_once('=') {
        Some((name, word)) if !is_here(text) => (Some(name), word),
        _ => (None, text),
    };
    if word.is_empty() || word == "human" || word.contains(['/', ':']) || is_here(word) {
        return Ok(text.to_owned());
    }
    let files = [word.to_owned(), format!("{word}.{ENDING}")];
    if let Some(path) = files.iter().map(|file| folder.join(file)).find(|path| path.is_file()) {
        let path = path.to_string_lossy().into_owned();
        return Ok(name.map_or(path.clone(), |name| format!("{name}={path}")));
    }
    let known = names(folder);
    if let Some(meant) = did_you_mean(word, known.iter().map(String::as_str)) {
        bail!("there is no file `{word}` here or in {}; did you mean `{meant}`?", folder.display());
    }
    Ok(text.to_owned())
}

fn is_here(word: &str) -> bool {
    Path::new(word).is_file()
}

/// The names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> =
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_match_can_be_a_files_name() {
        let id = |names: &[&str]| {
            id(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), Seed(7))
        };
        assert_eq!(id(&["alice", "b/b"]), "alice-b_b-7");
        let many = id(&vec!["ärger"; 64]);
        assert!(many.starts_with("ärger-ärger-") && many.ends_with("-and-more-7"), "{many}");
        assert!(id(&["x"; 300]).len() < 240 && id(&[&"ü".repeat(128), "b"]).len() < 240);
    }

    #[test]
    fn bare_names_are_looked_for_in_the_folder_of_runners() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["alice.sh", "bob", "my fox.sh", "human.sh"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let path = |file: &str| folder.path().join(file).to_str().unwrap().to_owned();
        let found = |text: &str| find_runner(text, folder.path()).unwrap();
        for text in ["alice", "alice.sh"] {
            assert_eq!(found(text), path("alice.sh"));
        }
        assert_eq!([found("bob"), found("my fox")], [path("bob"), path("my fox.sh")]);
        assert_eq!(found("rosa=bob"), format!("rosa={}", path("bob")));
        for text in [
            "builtin:random",
            "./bob",
            "human",
            "python3 bob",
            "Cargo.toml",
            "",
            "rosa=",
            "jsonl:bob",
            "unheard",
        ] {
            assert_eq!(found(text), text);
        }
        let error = find_runner("alise.sh", folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("there is no file `alise.sh` here or in "), "{error}");
        assert!(error.ends_with("did you mean `alice.sh`?"), "{error}");
        assert_eq!(find_runner("alice", &folder.path().join("missing")).unwrap(), "alice");
    }
}
