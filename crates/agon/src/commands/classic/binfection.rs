//! `agon binfection RUNNER...`, with settings from `settings.ini` in the current folder.

use std::{fs, io::Write, path::Path};

use agon_core::{Game, GameExt};
use agon_games::binfection::{Binfection, Phases, ResultFile, Rules, render_cells, render_text};
use anyhow::{Context, Result};
use clap::Args;

use crate::{
    Exit,
    arena::Setup,
    cli::MatchArgs,
    output::{MatchInfo, exit_of, print_result},
};

const SETTINGS: &str = "settings.ini";
const FOLDER: &str = "games";

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Settings come from settings.ini in the current folder, if there is one; the result goes to games/<id>.res.

Example:
  agon binfection alice.sh bob.sh --print")]
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
pub(crate) fn run(args: &BinfectionArgs, out: &mut impl Write) -> Result<Exit> {
    let rules = read_settings(Path::new(SETTINGS))?;
    let setup = Setup::<Binfection>::new(rules, &args.runners, &args.game)?;
    let names: Vec<String> = setup.bots.iter().map(|spec| spec.name()).collect();
    let replay = setup.replay.clone();
    let path = Path::new(FOLDER).join(format!("{}.res", id(&names, setup.seed)));
    let mut file = ResultFile::new();
    let mut before: Option<Binfection> = None;
    let played = setup.play(|moment| {
        let phases = match &before {
            None => {
                if args.print {
                    writeln!(out, "{}", render_text(moment.game, &names))?;
                }
                file.push(moment.game.cells(), &names);
                Vec::new()
            }
            Some(before) => {
                let Phases { moved, grown } = before.phases(moment.answers);
                vec![moved, grown]
            }
        };
        for cells in phases {
            if args.print {
                let phase = ResultFile::phase(file.snapshots.len());
                writeln!(out, "{phase}\n{}", render_cells(moment.game.rules(), &cells))?;
            }
            file.push(cells, &names);
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
fn id(names: &[String], seed: agon_core::Seed) -> String {
    format!("{}-{seed}", names.join("-")).replace(['/', '\\', '\0'], "_")
}
