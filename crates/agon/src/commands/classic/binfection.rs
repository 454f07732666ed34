//! `agon binfection RUNNER...`, with settings from `settings.ini` in the current folder.

use std::{fs, io::Write, path::Path};

use agon_core::{Game, GameExt, Seed};
use agon_games::binfection::{Binfection, Phases, ResultFile, Rules, render_cells, render_text};
use anyhow::{Context, Result};
use clap::Args;

use crate::{
    Exit,
    arena::{Seen, Setup},
    cli::MatchArgs,
    output::{MatchInfo, exit_of, print_result},
    show,
};

const SETTINGS: &str = "settings.ini";
const FOLDER: &str = "games";

/// How many bytes of a result file's name the bots' names may take: file systems allow 255 in all.
const LONGEST_NAMES: usize = 200;

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Settings come from settings.ini in the current folder, if there is one; the result goes to games/<id>.res.

Example:
  agon binfection alice.sh bob.sh --print")]
#[command(mut_arg("real_time", |flag| flag.hide(true)))]
pub(crate) struct BinfectionArgs {
    /// A runner per bot: any executable; the file's stem is the bot's name. builtin:NAME plays as well.
    #[arg(required = true, value_name = "RUNNER")]
    runners: Vec<String>,
    /// Print the field after every phase.
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    game: MatchArgs,
}

/// Plays a match and writes its result file.
pub(crate) fn run(args: &BinfectionArgs, out: &mut (impl Write + Send)) -> Result<Exit> {
    let rules = read_settings(Path::new(SETTINGS))?;
    let setup = Setup::<Binfection>::new(rules, &args.runners, &args.game)?;
    let names: Vec<String> = setup.bots.iter().map(|spec| spec.name()).collect();
    let replay = setup.replay.clone();
    let path = Path::new(FOLDER).join(format!("{}.res", id(&names, setup.seed)));
    let mut file = ResultFile::new();
    let mut before: Option<Binfection> = None;
    let played = show::play(setup, None, &args.game.watch, |seen| {
        let Seen::Moment(moment) = seen else {
            (file, before) = (ResultFile::new(), None);
            return Ok(());
        };
        match &before {
            None => file.push(moment.game.cells(), &names),
            Some(before) => {
                let Phases { moved, grown } = before.phases(moment.answers);
                if args.print {
                    let (turn, field) = (moment.game.progress().turn, render_cells(before.rules(), &moved));
                    writeln!(out, "turn {turn}, before growth\n{field}")?;
                }
                file.push(moved, &names);
                file.push(grown, &names);
            }
        }
        if args.print {
            writeln!(out, "{}", render_text(moment.game, &names))?;
        }
        before = (!moment.game.is_over()).then(|| moment.game.clone());
        Ok(())
    })?;
    fs::create_dir_all(FOLDER).with_context(|| format!("cannot make the folder {FOLDER}"))?;
    fs::write(&path, file.to_json()).with_context(|| format!("cannot write {}", path.display()))?;
    print_result(&played.result, &MatchInfo::of::<Binfection>(replay.as_deref()), out)?;
    anstream::eprintln!("result file: {}", path.display());
    Ok(exit_of(&played.result))
}

fn read_settings(path: &Path) -> Result<Rules> {
    match fs::read_to_string(path) {
        Ok(text) => Rules::from_ini(&text).with_context(|| path.display().to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Rules::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The id of a match: the same match has the same one.
fn id(names: &[String], seed: Seed) -> String {
    let mut names = names.join("-").replace(['/', '\\', '\0'], "_");
    if names.len() > LONGEST_NAMES {
        names.truncate(names.floor_char_boundary(LONGEST_NAMES));
        names.push_str("-and-more");
    }
    format!("{names}-{seed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_match_can_be_a_files_name() {
        let id = |names: &[&str]| id(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), Seed(7));
        assert_eq!(id(&["alice", "b/b"]), "alice-b_b-7");
        let many = id(&vec!["ärger"; 64]);
        assert!(many.starts_with("ärger-ärger-") && many.ends_with("-and-more-7"), "{many}");
        assert!(id(&["x"; 300]).len() < 240 && id(&[&"ü".repeat(128), "b"]).len() < 240);
    }
}
