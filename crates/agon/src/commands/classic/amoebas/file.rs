//! Files that run tournaments: what they call is played, one tournament after another.

use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_bots::{
    clojure::{Call, Called, End, Event, TournamentCall, Tournaments},
    unique_names,
};
use agon_core::{Player, Seed, did_you_mean};
use agon_games::amoebas::{Amoebas, Rules};
use agon_show::Folder;
use agon_show::{People, View, ViewOptions, has_display};
use agon_view::paint::Rgb;
use anyhow::{Context, Result, anyhow, bail, ensure};

use super::{AmoebasArgs, Flags, play, report::SpeciesName, watch};
use crate::{Exit, arena::Setup, output::exit_of};

/// The file that may play tournaments: a single one without a name, in Clojure.
pub(super) fn tournament_file(species: &[String]) -> Option<&Path> {
    let [species] = species else { return None };
    let path = Path::new(species);
    let is_clojure = path.extension().is_some_and(|end| end == "clj" || end == "cljc");
    (is_clojure && path.is_file()).then_some(path)
}

/// Evaluates a file and plays the tournaments that it calls; `None` if it calls none and is a
/// species.
pub(super) fn run(
    file: &Path,
    rules: &Rules,
    args: &AmoebasArgs,
    out: &mut (impl Write + Send),
) -> Result<Option<Exit>> {
    let text = file.to_string_lossy().into_owned();
    let first = Setup::<Amoebas>::new(rules.clone(), &[text], &args.classic.game)?;
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
        let species: Vec<SpeciesName> = call.species.iter().map(species_name).collect();
        let place = || format!("tournament {} of {}", played + 1, file.display());
        let result = folder(&flags, args, &call)
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

/// The seed of a later tournament of a file: 53 bits, like seeds that are drawn.
fn following(first: Seed, played: u64) -> Seed {
    let seed = first.derive(played);
    seed.with_number(seed.number() >> 11)
}

/// A tournament of a file as a match.
fn setup(
    first: &Setup<Amoebas>,
    call: &TournamentCall,
    rules: &Rules,
    played: u64,
) -> Setup<Amoebas> {
    let names = call.species.iter().map(|species| species.name.replace(char::is_control, "_"));
    let names = unique_names(names);
    Setup {
        rules: Rules { rounds: call.rounds, ..rules.clone() },
        seed: if played == 0 { first.seed } else { following(first.seed, played) },
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

/// The folder for files. The command line may name any; the file only one that is below the current
/// folder.
fn folder(flags: &Flags, args: &AmoebasArgs, call: &TournamentCall) -> Result<Option<Folder>> {
    match &args.flags.directory {
        Some(folder) => Ok(Some(Folder::Named(folder.clone()))),
        None if flags.writes_files() => Folder::beneath(&call.directory).map(Some),
        None => Ok(None),
    }
}

/// What stands for a species, on one line.
fn species_name(species: &agon_bots::clojure::Entrant) -> SpeciesName {
    let line = |text: &str| text.replace(char::is_control, "_");
    SpeciesName { printed: line(&species.printed), text: line(&species.text) }
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
