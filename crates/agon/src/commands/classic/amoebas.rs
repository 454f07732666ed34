//! `agon amoebas SPECIES... [flags]`: the tournament flags of the manual; and files that play
//! tournaments themselves, `agon amoebas FILE.clj`.

use std::path::{Path, PathBuf};
use std::{borrow::Cow, io::Write, sync::Arc};

use agon_bots::clojure::{Call, Called, End, Event, TournamentCall, Tournaments};
use agon_bots::{Bot, unique_names};
use agon_contest::settings;
use agon_core::{Game, Player, did_you_mean, text::escape};
use agon_games::GameId;
use agon_games::amoebas::{Amoebas, Position, Rules, stats};
use agon_match::{Control, MatchEvent, MatchResult, Observer, ObserverError, Played};
use agon_show::film::{player_colors, still};
use agon_show::{Folder, People, View, ViewOptions, amoebas::RoundPainter, has_display};
use agon_view::paint::Rgb;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use serde_json::json;

use crate::arena::{Setup, play_shown};
use crate::output::{MatchInfo, exit_of, plural, print_result};
use crate::{Exit, commands::classic::ClassicArgs};

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A single FILE.clj that calls a tournament function, such as `((tournament genesis) 1000 \
{:csv-stats true})`, plays the tournaments that it calls, one after another, with their own rounds \
and flags. If it only defines tournaments, such as `(def Final (tournament genesis))`, --fn calls \
one of them. Its `:directory` has to be below the current folder; --directory may name any. \
Clojure needs Java: the variables AGON_JAVA, AGON_CLOJURE and AGON_JAVA_OPTS name the program, the \
class path with Clojure, and more arguments.

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
    let kind = GameId::Amoebas.kind();
    let rules = settings::change(kind, json!(rules), given, &args.classic.sets)?;
    match (tournament_file(&args.species), &args.function) {
        (Some(file), _) => {
            if let Some(exit) = run_file(file, &serde_json::from_value(rules.clone())?, args, out)?
            {
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
    let setup = Setup::new(kind, rules, &args.species, &args.classic.game)?;
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

/// Plays a match and prints the statistics of these species that the flags ask for. The setup's
/// bots play unless others are given.
fn play(
    setup: Setup,
    bots: Option<Vec<Box<dyn Bot>>>,
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
    let played = play_shown(setup, bots, watch, &mut report, None)?;
    // When no viewer covers the terminal any more.
    report.finish(played.game.of_game())?;
    // Standard output holds the statistics only, as programs that read them expect.
    print_result(
        &played.result,
        &MatchInfo::of(played.game.meta(), replay.as_deref()),
        &mut crate::output::stderr(),
    )?;
    Ok(played.result)
}

/// The file that may play tournaments: a single one without a name, in Clojure.
fn tournament_file(species: &[String]) -> Option<&Path> {
    let [species] = species else { return None };
    let path = Path::new(species);
    let is_clojure = path.extension().is_some_and(|end| end == "clj" || end == "cljc");
    (is_clojure && path.is_file()).then_some(path)
}

/// Evaluates a file and plays the tournaments that it calls; `None` if it calls none and is a
/// species.
fn run_file(
    file: &Path,
    rules: &Rules,
    args: &AmoebasArgs,
    out: &mut (impl Write + Send),
) -> Result<Option<Exit>> {
    let text = file.to_string_lossy().into_owned();
    let kind = GameId::Amoebas.kind();
    let first = Setup::new(kind, json!(rules), &[text], &args.classic.game)?;
    let call = args.function.as_ref().map(|function| call(function, rules, args));
    let mut tournaments = Tournaments::open(file, call.as_ref(), rules, &first.host)?;
    let mut exit = None;
    let mut played = 0;
    loop {
        let event =
            tournaments.next_event().map_err(|error| anyhow!("{}: {error}", file.display()))?;
        let call = match event {
            Event::End(end) => return end_of(file, rules, args, &end, exit),
            Event::Say(text) => {
                write!(out, "{text}")?;
                out.flush()?;
                continue;
            }
            Event::Tournament(call) => call,
        };
        let setup = setup(&first, &call, rules, played);
        let bots = tournaments.bots(&call);
        let watch = watch_file(args, &call)?;
        let flags = args.flags.merged_with(&call);
        // What stands for a species, on one line.
        let line = |text: &str| text.replace(char::is_control, "_");
        let species: Vec<SpeciesName> = call
            .species
            .iter()
            .map(|species| SpeciesName {
                printed: line(&species.printed),
                text: line(&species.text),
            })
            .collect();
        // The command line may name any folder; the file only one that is below the current folder.
        let folder = match &args.flags.directory {
            Some(folder) => Ok(Some(Folder::Named(folder.clone()))),
            None if flags.csv_stats || flags.save_graphics => {
                Folder::beneath(&call.directory).map(Some)
            }
            None => Ok(None),
        };
        let place = || format!("tournament {} of {}", played + 1, file.display());
        let result = folder
            .and_then(|folder| play(setup, Some(bots), &flags, &species, folder, &watch, out))
            .with_context(place)?;
        played += 1;
        let this = exit_of(&result);
        if result.interrupted {
            return Ok(Some(this));
        }
        exit = Some(this);
        tournaments.over();
    }
}

/// The call of a function that the command line names.
fn call(function: &str, rules: &Rules, args: &AmoebasArgs) -> Call {
    let Flags { graphics, generational_stats, report_extinctions, last_gen_stats, .. } = args.flags;
    let flags = [
        ("graphics", graphics),
        ("generational-stats", generational_stats),
        ("report-extinctions", report_extinctions),
        ("last-gen-stats", last_gen_stats),
        ("csv-stats", args.flags.csv_stats),
        ("save-graphics", args.flags.save_graphics),
    ];
    Call {
        function: function.to_owned(),
        rounds: rules.rounds,
        flags: flags.into_iter().filter(|(_, set)| *set).map(|(flag, _)| flag.to_owned()).collect(),
        directory: args
            .flags
            .directory
            .as_ref()
            .map(|folder| folder.to_string_lossy().into_owned()),
    }
}

/// What follows from a file that is at its end; `None`: it plays as a species.
fn end_of(
    file: &Path,
    rules: &Rules,
    args: &AmoebasArgs,
    end: &End,
    exit: Option<Exit>,
) -> Result<Option<Exit>> {
    let file = file.display();
    let wanted = args.function.as_deref().unwrap_or_default();
    let known = || match end.functions.as_slice() {
        [] => "it defines no function of a number of rounds and flags, such as `tournament` makes"
            .to_owned(),
        names => format!("--fn can call: {}", names.join(", ")),
    };
    match end.call {
        Called::Unknown => {
            let meant = did_you_mean(wanted, end.functions.iter().map(String::as_str));
            let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            bail!("{file} defines no `{wanted}`{meant}; {}", known())
        }
        Called::Unfit => {
            bail!("`{wanted}` of {file} takes no number of rounds and flags; {}", known())
        }
        Called::Done => Ok(Some(exit.unwrap_or(Exit::Done))),
        Called::NotAsked if exit.is_some() => Ok(exit),
        Called::NotAsked => {
            if let Some(name) = end.functions.first() {
                let example =
                    format!("`agon amoebas {file} --fn {name} --rounds {}`", rules.rounds);
                ensure!(
                    end.is_species,
                    "{file} defines tournaments and calls none; {example} calls one; {}",
                    known()
                );
                say!("note: {file} plays as a species; {example} calls a tournament of it");
            }
            Ok(None)
        }
    }
}

/// A tournament of a file as a match.
fn setup(first: &Setup, call: &TournamentCall, rules: &Rules, played: u64) -> Setup {
    let names = call.species.iter().map(|species| species.name.replace(char::is_control, "_"));
    let names = unique_names(names);
    // Later ones have 53 bits, like seeds that are drawn.
    let seed = first.seed.derive(played);
    let seed = if played == 0 { first.seed } else { seed.with_number(seed.number() >> 11) };
    Setup {
        kind: first.kind,
        rules: json!(Rules { rounds: call.rounds, ..rules.clone() }),
        seed,
        bots: names.iter().map(|name| Arc::new(first.bots[0].named(name))).collect(),
        host: first.host.clone(),
        replay: first.replay.as_deref().map(|path| numbered(path, played)),
        log: first.log.as_deref().map(|path| numbered(path, played)),
        max_turns: None,
        strikes: first.strikes,
        turn_interval: None,
        // The Clojure file waits for this one result, so that a void match cannot be replayed.
        keep_void: true,
        people: People::default(),
    }
}

/// Where the command line wants a tournament of a file to be seen, or else the file, which may want
/// a window.
fn watch_file(args: &AmoebasArgs, call: &TournamentCall) -> Result<ViewOptions> {
    let mut watch = watch(args);
    ensure!(
        watch.view != Some(View::Web),
        "a page stays until Ctrl-C, so that no tournament of a file would be played after its \
         first one; `--view window`, `--view terminal` and `--view vnc` show them one after another"
    );
    if watch.view.is_none() && call.has("graphics") {
        if has_display() {
            watch.view = Some(View::Window);
        } else {
            say!(
                "note: :graphics needs a display, and there is none; `--view terminal` shows \
                 tournaments without"
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
    /// These and those of a tournament of a file.
    fn merged_with(&self, call: &TournamentCall) -> Flags {
        let colors = call.species.iter().zip(0..).filter_map(|(species, player)| {
            let [r, g, b] = species.color?;
            Some((Player(player), Rgb(r, g, b)))
        });
        Flags {
            graphics: false,
            generational_stats: self.generational_stats || call.has("generational-stats"),
            report_extinctions: self.report_extinctions || call.has("report-extinctions"),
            last_gen_stats: self.last_gen_stats || call.has("last-gen-stats"),
            csv_stats: self.csv_stats || call.has("csv-stats"),
            save_graphics: self.save_graphics || call.has("save-graphics"),
            species_colors: colors.collect(),
            ..self.clone()
        }
    }
}

/// What stands for a species: as Clojure prints it, and as a string.
#[derive(Clone, Debug)]
struct SpeciesName {
    printed: String,
    text: String,
}

impl SpeciesName {
    /// A player's name as a keyword.
    fn keyword(name: &str) -> SpeciesName {
        SpeciesName { printed: format!(":{name}"), text: format!(":{name}") }
    }
}

/// Takes the states of a tournament, one after another.
struct Report<'a, W> {
    flags: &'a Flags,
    species: &'a [SpeciesName],
    folder: Option<Folder>,
    /// Where statistics are printed.
    out: &'a mut W,
    pictures: Option<Pictures>,
    /// The population at the start and after each round.
    history: Vec<stats::Population>,
}

impl<'a, W: Write> Report<'a, W> {
    /// A report on species, with files in a folder.
    fn new(
        flags: &'a Flags,
        species: &'a [SpeciesName],
        folder: Option<Folder>,
        out: &'a mut W,
    ) -> Report<'a, W> {
        let pictures =
            flags.save_graphics.then(|| Pictures::new(species.len(), &flags.species_colors));
        Report { flags, species, folder, out, pictures, history: Vec::new() }
    }

    /// Takes the state after a round, or at the start. Rounds are numbered from 0.
    fn round(&mut self, game: &Amoebas) -> Result<()> {
        let now = game.population();
        if let Some(before) = self.history.last() {
            let number = self.history.len() as u64 - 1;
            let printed: Vec<&str> = self.species.iter().map(|name| &*name.printed).collect();
            if let (Some(pictures), Some(folder)) = (&mut self.pictures, &self.folder) {
                pictures.take(game, number, folder)?;
            }
            if self.flags.generational_stats {
                writeln!(self.out, "{}", stats::generation_line(number, &printed, now))?;
            }
            let extinct = stats::extinction_line(number, &printed, before, now);
            if let (true, Some(line)) = (self.flags.report_extinctions, extinct) {
                writeln!(self.out, "{line}")?;
            }
        }
        self.history.push(now.clone());
        Ok(())
    }

    /// Reports the end of the tournament. The match stops when all amoebas are dead, so the
    /// remaining rounds, which bring only sunshine, are added here.
    fn finish(mut self, game: &Amoebas) -> Result<()> {
        let mut last = Cow::Borrowed(game);
        while game.population().is_extinct()
            && self.history.len() as u64 <= u64::from(game.rules().rounds)
        {
            if self.pictures.is_some() {
                last = Cow::Owned(shone_on(&last)?);
            }
            self.round(&last)?;
        }
        if self.flags.last_gen_stats {
            let printed: Vec<&str> = self.species.iter().map(|name| &*name.printed).collect();
            let rounds = self.history.len().saturating_sub(1) as u64;
            writeln!(
                self.out,
                "{}",
                stats::last_generation_line(rounds, &printed, game.population())
            )?;
        }
        if let (true, Some(folder)) = (self.flags.csv_stats, &self.folder) {
            let texts: Vec<_> = self.species.iter().map(|name| escape(&name.text)).collect();
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let mut sizes = String::new();
            let mut energies = String::new();
            stats::write_popsize_csv(&mut sizes, &texts, &self.history)?;
            stats::write_energy_csv(&mut energies, &texts, &self.history)?;
            folder.write("popsize.csv", sizes.as_bytes())?;
            folder.write("energy.csv", energies.as_bytes())?;
        }
        if let (Some(pictures), Some(folder)) = (self.pictures, &self.folder) {
            let (width, height) = pictures.size;
            let count = plural(pictures.count, "picture");
            say!("{}: {count} of {width}x{height}", folder.path().display());
        }
        Ok(())
    }
}

impl<W: Write> Observer for Report<'_, W> {
    /// Takes the next state. Only the first one of a round counts.
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        if event.game.progress().turn >= self.history.len() as u64 {
            self.round(event.game.of_game())?;
        }
        Ok(Control::Continue)
    }

    /// Forgets all states.
    fn void(&mut self, _: &Played, _: u32) -> Result<(), ObserverError> {
        self.history.clear();
        let anew = |_: &Pictures| Pictures::new(self.species.len(), &self.flags.species_colors);
        self.pictures = self.pictures.as_ref().map(anew);
        Ok(())
    }
}

/// An empty world a round later.
fn shone_on(game: &Amoebas) -> Result<Amoebas> {
    let rules = game.rules();
    let position = game.position();
    let fuel = position.fuel.iter().map(|fuel| rules.max_cell_energy.min(fuel + rules.sun_energy));
    let fuel = fuel.collect();
    let round = position.round + 1;
    Ok(Amoebas::from_position(rules, game.seed(), Position { fuel, round, ..position })?)
}

/// Pictures of rounds: `g00000.png` is what the first round led to.
#[derive(Debug)]
struct Pictures {
    painter: RoundPainter,
    /// Width and height of the last one.
    size: (u32, u32),
    count: u64,
}

impl Pictures {
    fn new(players: usize, colors: &[(Player, Rgb)]) -> Pictures {
        Pictures { painter: RoundPainter::new(players, colors), size: (1, 1), count: 0 }
    }

    fn take(&mut self, game: &Amoebas, number: u64, folder: &Folder) -> Result<()> {
        let frame = self.painter.paint(game)?;
        folder.write(&format!("g{number:05}.png"), &still(frame))?;
        self.size = (frame.width(), frame.height());
        self.count += 1;
        Ok(())
    }
}
