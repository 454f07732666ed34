//! `agon amoebas SPECIES... [flags]`: the tournament flags of the manual; and files that play
//! tournaments themselves, `agon amoebas FILE.clj`.

mod file;
mod report;

use std::{io::Write, path::PathBuf};

use agon_bots::Bot;
use agon_contest::settings;
use agon_core::Player;
use agon_games::amoebas::{Amoebas, Rules};
use agon_match::MatchResult;
use agon_show::Folder;
use agon_show::{View, ViewOptions, film::player_colors};
use agon_view::paint::Rgb;
use anyhow::{Result, bail};
use clap::Args;
use report::{Report, SpeciesName};

use crate::{
    Exit,
    arena::Setup,
    commands::classic::ClassicArgs,
    output::{MatchInfo, exit_of, print_result},
    show,
};

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A single FILE.clj that calls a tournament function, such as `((tournament genesis) 1000 \
{:csv-stats true})`, plays \
the tournaments that it calls, one after another, with their own rounds and flags. If it only \
defines tournaments, \
such as `(def Final (tournament genesis))`, --fn calls one of them. Its `:directory` has to be \
below the current \
folder; --directory may name any. Clojure needs Java: the \
variables AGON_JAVA, AGON_CLOJURE and AGON_JAVA_OPTS name the program, the class path with \
Clojure, and more \
arguments.

Examples:
  agon amoebas builtin:nasty \"red=builtin:slightly-brainy?low=15&divide=50\" --rounds 500 \
  --csv-stats --directory out
  agon amoebas red=my_species.clj blue=other.clj?fn=hunter --report-extinctions
  agon amoebas tournament.clj
  agon amoebas tournament.clj --fn Final --rounds 1000 --last-gen-stats")]
#[command(mut_arg("real_time", |flag| flag.hide(true)))]
pub(crate) struct AmoebasArgs {
    /// The species; without any, good built-in ones play.
    species: Vec<String>,
    #[arg(long, value_name = "N", help = rounds_help())]
    rounds: Option<u32>,
    /// Call this function of a tournament file with --rounds and the flags, such as Final.
    #[arg(long = "fn", value_name = "NAME")]
    function: Option<String>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    classic: ClassicArgs,
}

/// What a tournament reports.
#[derive(Args, Clone, Debug)]
struct Flags {
    /// Show the rounds in a window, as --view window.
    #[arg(long)]
    graphics: bool,
    /// Print statistics after each round.
    #[arg(long)]
    generational_stats: bool,
    /// Report when the last amoeba of a species died.
    #[arg(long)]
    report_extinctions: bool,
    /// Print statistics after the last round.
    #[arg(long)]
    last_gen_stats: bool,
    /// Write popsize.csv and energy.csv.
    #[arg(long)]
    csv_stats: bool,
    /// Write a picture after each round: g00000.png and so on.
    #[arg(long)]
    save_graphics: bool,
    /// Where files are written; made when missing [default: the current folder].
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Give a species another colour in pictures, as a name or #rrggbb; may be given several times.
    #[arg(long, value_name = "SPECIES=COLOR")]
    player_color: Vec<String>,
    /// Colours that a file gives its species, by their numbers.
    #[arg(skip)]
    species_colors: Vec<(Player, Rgb)>,
}

fn rounds_help() -> String {
    format!("How many rounds (generations) to run [default: {}]", Rules::default().rounds)
}

/// Runs a tournament with the flags of the manual.
pub(crate) fn run(args: &AmoebasArgs, out: &mut (impl Write + Send)) -> Result<Exit> {
    let usual = Rules::default();
    let given: &[_] = if args.rounds.is_some() { &[("rounds", "--rounds")] } else { &[] };
    let rules = Rules { rounds: args.rounds.unwrap_or(usual.rounds), ..usual };
    let rules = settings::change::<Amoebas>(rules, given, &args.classic.sets)?;
    match (file::tournament_file(&args.species), &args.function) {
        (Some(file), _) => {
            if let Some(exit) = file::run(file, &rules, args, out)? {
                return Ok(exit);
            }
        }
        (None, Some(name)) => {
            bail!(
                "--fn {name} calls a function of a file: give one FILE.clj that is there, and no \
                 other species"
            )
        }
        (None, None) => {}
    }
    let setup = Setup::<Amoebas>::new(rules, &args.species, &args.classic.game)?;
    let species: Vec<SpeciesName> =
        setup.names().iter().map(|name| SpeciesName::keyword(name)).collect();
    let folder = args.flags.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let result =
        play(setup, None, &args.flags, &species, Some(Folder::Named(folder)), &watch(args), out)?;
    Ok(exit_of(&result))
}

/// Where the command line wants matches to be seen.
fn watch(args: &AmoebasArgs) -> ViewOptions {
    let mut watch = args.classic.game.watch.clone();
    watch.view = watch.view.or(args.flags.graphics.then_some(View::Window));
    watch
}

impl Flags {
    /// Whether something is to be written.
    fn writes_files(&self) -> bool {
        self.csv_stats || self.save_graphics
    }
}

/// Plays a match and prints the statistics of these species that the flags ask for. The setup's
/// bots play unless others are given.
fn play(
    setup: Setup<Amoebas>,
    bots: Option<Vec<Box<dyn Bot<Amoebas>>>>,
    flags: &Flags,
    species: &[SpeciesName],
    folder: Option<Folder>,
    watch: &ViewOptions,
    out: &mut (impl Write + Send),
) -> Result<MatchResult> {
    let names = setup.names();
    let replay = setup.replay.clone();
    let mut flags = flags.clone();
    flags.species_colors.extend(player_colors(&flags.player_color, &names)?);
    let mut report = Report::new(&flags, species, folder, out);
    let played = show::play(setup, bots, watch, &mut report)?;
    // When no viewer covers the terminal any more.
    report.finish(&played.game)?;
    // Standard output holds the statistics only, as programs that read them expect.
    print_result(
        &played.result,
        &MatchInfo::of::<Amoebas>(replay.as_deref()),
        &mut crate::output::stderr(),
    )?;
    Ok(played.result)
}
