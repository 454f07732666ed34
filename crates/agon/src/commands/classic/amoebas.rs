//! `agon amoebas SPECIES... [flags]`: the tournament flags of the manual; and files that play tournaments themselves,
//! `agon amoebas FILE.clj`.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use agon_bots::{
    Bot, BotSpec,
    clojure::{Event, Genesis, Tournaments},
};
use agon_core::{Game, Player, Seed};
use agon_film::{Format, Look, Output, Recorder, Tempo};
use agon_games::amoebas::{Amoebas, Rules, stats};
use agon_match::{MatchResult, Played};
use agon_paint::{Rgb, ThemeName};
use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;

use crate::{
    Exit,
    arena::{Seen, Setup},
    cli::{MatchArgs, View, ViewArgs},
    commands::replay::write_amoebas_csv,
    film::{player_colors, print_films},
    output::{MatchInfo, exit_of, print_result},
    people::People,
    screen, settings, show,
};

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A single FILE.clj that calls a tournament function, such as `((tournament genesis) 1000 {:csv-stats true})`, plays \
the tournaments that it calls, one after another, with their own rounds and flags. Clojure needs Java: the \
variables AGON_JAVA, AGON_CLOJURE and AGON_JAVA_OPTS name the program, the class path with Clojure, and more \
arguments.

Examples:
  agon amoebas builtin:nasty \"red=builtin:slightly-brainy?low=15&divide=50\" --rounds 500 --csv-stats --directory out
  agon amoebas red=my_species.clj blue=other.clj?fn=hunter --report-extinctions
  agon amoebas tournament.clj")]
#[command(mut_arg("real_time", |flag| flag.hide(true)))]
pub(crate) struct AmoebasArgs {
    /// The species; without any, good built-in ones play.
    species: Vec<String>,
    /// How many rounds (generations) to run.
    #[arg(long, default_value_t = Rules::default().rounds, value_name = "N")]
    rounds: u32,
    /// Change a constant, such as world_size=100; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    game: MatchArgs,
}

/// What a tournament tells.
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
    /// Write a picture of each round: g00000.png and so on.
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
    rgb_map: Vec<(Player, Rgb)>,
}

/// Runs a tournament with the flags of the manual.
pub(crate) fn run(args: &AmoebasArgs, out: &mut (impl Write + Send)) -> Result<Exit> {
    let rules = Rules { rounds: args.rounds, ..settings::load::<Amoebas>(None, &args.sets)? };
    if let Some(file) = tournament_file(&args.species)
        && let Some(exit) = run_file(file, &rules, args, out)?
    {
        return Ok(exit);
    }
    let setup = Setup::<Amoebas>::new(rules, &args.species, &args.game)?;
    let result = play(setup, None, &args.flags, &watch(args), out)?;
    Ok(exit_of(&result))
}

/// The file that may play tournaments: a single one without a name, in Clojure.
fn tournament_file(species: &[String]) -> Option<&Path> {
    let [species] = species else { return None };
    let path = Path::new(species);
    (path.extension().is_some_and(|extension| extension == "clj") && path.is_file()).then_some(path)
}

/// Evaluates a file and plays the tournaments that it calls; `None` if it calls none.
fn run_file(
    file: &Path,
    rules: &Rules,
    args: &AmoebasArgs,
    out: &mut (impl Write + Send),
) -> Result<Option<Exit>> {
    let text = file.to_string_lossy().into_owned();
    let first = Setup::<Amoebas>::new(rules.clone(), &[text], &args.game)?;
    let mut tournaments = Tournaments::open(file, rules, &first.host)?;
    let (mut exit, mut played) = (None, 0);
    loop {
        let event = tournaments.next_event().map_err(|error| anyhow!("{}: {error}", file.display()))?;
        let genesis = match event {
            Event::End => return Ok(exit),
            Event::Say(text) => {
                write!(out, "{text}")?;
                out.flush()?;
                continue;
            }
            Event::Tournament(genesis) => genesis,
        };
        let spec: BotSpec = first.bots[0].clone();
        let setup = Setup {
            rules: Rules { rounds: genesis.rounds, ..rules.clone() },
            seed: if played == 0 { first.seed } else { Seed(first.seed.derive(played).0 % 1_000_000) },
            bots: genesis.species.iter().map(|(name, _)| spec.clone().named(name)).collect(),
            host: first.host.clone(),
            replay: first.replay.as_deref().map(|path| numbered(path, played)),
            log: first.log.as_deref().map(|path| numbered(path, played)),
            max_turns: None,
            pace: None,
            // The file's tournament cannot be had twice.
            keep_void: true,
            people: People::default(),
        };
        let bots = tournaments.bots(&genesis);
        let watch = watch_file(args, &genesis)?;
        let result = play(setup, Some(bots), &args.flags.with(&genesis), &watch, out)
            .with_context(|| format!("tournament {} of {}", played + 1, file.display()))?;
        played += 1;
        let this = exit_of(&result);
        if result.interrupted {
            return Ok(Some(this));
        }
        exit = Some(this);
        tournaments.over();
    }
}

/// Where the command line wants matches to be seen.
fn watch(args: &AmoebasArgs) -> ViewArgs {
    let mut watch = args.game.watch.clone();
    watch.view = watch.view.or(args.flags.graphics.then_some(View::Window));
    watch
}

/// The same for a tournament of a file, which may want a window itself.
fn watch_file(args: &AmoebasArgs, genesis: &Genesis) -> Result<ViewArgs> {
    let mut watch = watch(args);
    ensure!(
        watch.view != Some(View::Web),
        "a page stays until Ctrl-C, so that no tournament of a file would be played after its first one; \
         `--view window`, `--view terminal` and `--view vnc` show them one after another"
    );
    if watch.view.is_none() && genesis.has("graphics") {
        if screen::has_window() {
            watch.view = Some(View::Window);
        } else {
            anstream::eprintln!(
                "note: :graphics needs a display, and there is none; `--view terminal` shows tournaments without"
            );
        }
    }
    Ok(watch)
}

/// Where the replay of a later tournament of a file goes, or its log: `x.agon`, `x-2.agon`, ...
fn numbered(path: &Path, before: u64) -> PathBuf {
    if before == 0 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{}", before + 1));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

impl Flags {
    /// These and those of a tournament, which also says where files go unless the command line does.
    fn with(&self, genesis: &Genesis) -> Flags {
        let rgb = |&(_, color): &(_, Option<[u8; 3]>)| color.map(|[r, g, b]| Rgb(r, g, b));
        let colors = genesis.species.iter().map(rgb).zip(0..);
        Flags {
            graphics: false,
            generational_stats: self.generational_stats || genesis.has("generational-stats"),
            report_extinctions: self.report_extinctions || genesis.has("report-extinctions"),
            last_gen_stats: self.last_gen_stats || genesis.has("last-gen-stats"),
            csv_stats: self.csv_stats || genesis.has("csv-stats"),
            save_graphics: self.save_graphics || genesis.has("save-graphics"),
            directory: self.directory.clone().or_else(|| Some(PathBuf::from(&genesis.directory))),
            player_color: self.player_color.clone(),
            rgb_map: colors.filter_map(|(color, player)| Some((Player(player), color?))).collect(),
        }
    }
}

impl Flags {
    /// What paints a picture of each round, if that is wanted: four pixels a cell, in the colours of the manual.
    fn pictures(&self, names: &[String]) -> Result<Option<Recorder<Amoebas>>> {
        let mut colors = self.rgb_map.clone();
        colors.extend(player_colors(&self.player_color, names)?);
        if !self.save_graphics {
            return Ok(None);
        }
        let path = self.directory.clone().unwrap_or_else(|| PathBuf::from("."));
        let output = Output { format: Format::Rounds, path, overwrite: true };
        let look = Look { theme: ThemeName::Classic, colors, zoom: Some(4.0), bare: true, ..Look::default() };
        Ok(Some(Recorder::new(
            vec![output],
            look,
            Tempo { smooth: Some(0), ..Tempo::default() },
            names.to_vec(),
        )))
    }
}

/// Plays, and tells what the flags say; with these bots, or those of the setup.
fn play(
    setup: Setup<Amoebas>,
    bots: Option<Vec<Box<dyn Bot<Amoebas>>>>,
    flags: &Flags,
    watch: &ViewArgs,
    out: &mut (impl Write + Send),
) -> Result<MatchResult> {
    let names: Vec<String> = setup.bots.iter().map(|spec| spec.name()).collect();
    let species: Vec<&str> = names.iter().map(String::as_str).collect();
    let replay = setup.replay.clone();
    let mut history: Vec<stats::Population> = Vec::new();
    let mut pictures = flags.pictures(&names)?;
    let observer = |seen: Seen<'_, Amoebas>| {
        let Seen::Moment(moment) = seen else {
            history.clear();
            pictures.as_mut().into_iter().for_each(Recorder::begin_anew);
            return Ok(());
        };
        pictures.as_mut().map_or(Ok(()), |pictures| pictures.state(moment.game, moment.answers))?;
        let round = moment.game.progress().turn;
        if (history.len() as u64) > round {
            return Ok(());
        }
        let now = moment.game.population();
        if let Some(before) = history.last() {
            if flags.generational_stats {
                writeln!(out, "{}", stats::generation_line(round, &species, now))?;
            }
            let extinct = stats::extinction_line(round, &species, before, now);
            if let (true, Some(line)) = (flags.report_extinctions, extinct) {
                writeln!(out, "{line}")?;
            }
        }
        history.push(now.clone());
        Ok(())
    };
    let Played { result, game, .. } = show::play(setup, bots, watch, observer)?;
    if flags.last_gen_stats {
        writeln!(out, "{}", stats::last_generation_line(result.turns, &species, game.population()))?;
    }
    if flags.csv_stats {
        let folder = flags.directory.as_deref().unwrap_or(Path::new("."));
        write_amoebas_csv(folder, &names, &history)?;
    }
    if let Some(pictures) = pictures {
        print_films(pictures, false, out)?;
    }
    // Standard output holds the statistics only, as programs that read them expect.
    print_result(&result, &MatchInfo::of::<Amoebas>(replay.as_deref()), &mut anstream::stderr())?;
    Ok(result)
}
