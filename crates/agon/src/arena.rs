//! From what was typed to a match that has been played.

use std::{
    fs,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::Duration,
};

use agon_bots::{Bot, BotKind, BotSpec, Clock, HostOptions, HostedGame, Timing, unique_names};
use agon_core::{BotInfo, Game, Meta, Seed};
use agon_games::BuiltinBots;
use agon_match::{Control, Match, MatchOptions, Moment, Played, Void, pin};
use agon_text::shown_name;
use anyhow::{Context, Result, bail};

use crate::{
    cli::{HostArgs, MatchArgs},
    interrupts::{handle_interrupts, interrupted},
    log::Log,
    output::Bar,
    people::People,
    sandbox::{sandbox, tell_what_is_missing},
    series::tell_what_was_read,
};

/// A match to be played.
#[derive(Debug)]
pub(crate) struct Setup<G: Game> {
    pub(crate) rules: G::Rules,
    pub(crate) seed: Seed,
    pub(crate) bots: Vec<BotSpec>,
    pub(crate) host: HostOptions,
    pub(crate) replay: Option<PathBuf>,
    pub(crate) log: Option<PathBuf>,
    pub(crate) max_turns: Option<u64>,
    pub(crate) turn_interval: Option<Duration>,
    /// Whether a void match is not played again.
    pub(crate) keep_void: bool,
    /// Who of the bots is a person.
    pub(crate) people: People<G>,
}

/// What an observer sees of a match.
#[derive(Debug)]
pub(crate) enum MatchEvent<'a, G: Game> {
    /// A state.
    State(&'a Moment<'a, G>),
    /// The match is void and begins anew: all that was seen so far counts for nothing.
    Restarted {
        /// Which time it was played, from 1.
        attempt: u32,
        /// Why it is void.
        void: Void,
    },
}

/// How often a match is played, at most, if it is void again and again.
pub(crate) const ATTEMPTS: u32 = 3;

impl<G: HostedGame> Setup<G> {
    /// A match of these bots; of the game's own if there are none.
    ///
    /// # Errors
    /// If a text names no bot, or there are fewer bots than the game needs, or more than it takes.
    pub(crate) fn new(rules: G::Rules, bots: &[String], args: &MatchArgs) -> Result<Setup<G>> {
        let bots = if bots.is_empty() { show::<G>() } else { bots.to_vec() };
        let specs = bots.iter().map(|text| text.parse());
        let specs = specs.collect::<Result<Vec<BotSpec>, _>>()?;
        let names = unique_names(specs.iter().map(BotSpec::name));
        let specs: Vec<BotSpec> = specs.into_iter().zip(&names).map(rename).collect();
        if specs.len() < G::META.min_players {
            let game = G::META.id;
            let least = G::META.min_players;
            let given = specs.len();
            bail!(
                "{game} needs at least {least} players, but {given} was given; `builtin:NAME` adds \
                 one (`agon bots {game}` lists them)"
            );
        }
        if specs.len() > G::META.max_players {
            let game = G::META.id;
            let most = G::META.max_players;
            let given = specs.len();
            bail!(
                "{game} has at most {most} players, but {given} were given; a command line is one \
                 bot if it is in quotes: \"python3 my_bot.py\""
            );
        }
        let people = People::among(&specs, &args.person)?;
        let foreign = args.log.iter().chain(&args.replay).cloned().collect();
        let host = HostOptions { foreign, ..host_options(&args.host) };
        // As they are now they play, and the replay tells of them.
        let builtins: Vec<&'static str> = G::BUILTINS.iter().map(|builtin| builtin.name).collect();
        let specs = specs.into_iter().map(|spec| spec.read(&host, &builtins));
        let specs = specs.collect::<Result<Vec<BotSpec>, _>>()?;
        specs.iter().for_each(tell_what_was_read);
        host.jvms.expect(&specs);
        let seed = args.seed.unwrap_or_else(fresh_seed);
        let replay = args.replay.clone();
        let log = args.log.clone();
        Ok(Setup {
            rules,
            seed,
            bots: specs,
            host,
            replay,
            log,
            max_turns: None,
            turn_interval: None,
            keep_void: args.keep_void,
            people,
        })
    }

    /// Gives the bots other names, in order.
    pub(crate) fn rename(&mut self, names: &[String]) {
        let names = unique_names(names.iter().map(|name| shown_name(name).into_owned()));
        let bots = std::mem::take(&mut self.bots);
        self.bots = bots.into_iter().zip(&names).map(rename).collect();
    }

    /// What is known of the bots.
    ///
    /// # Errors
    /// If a bot's program cannot be read.
    pub(crate) fn infos(&self) -> Result<Vec<BotInfo>> {
        self.bots.iter().map(|spec| Ok(spec.info_in::<G>()?)).collect()
    }

    /// Plays, with a progress bar where somebody sees it; `observer` sees every state. A match that
    /// is void because the machine stalled is played again, with the same seed and the bots opened
    /// anew.
    ///
    /// # Errors
    /// If the rules do not allow the match, a bot cannot be opened, or the replay cannot be
    /// written.
    pub(crate) fn play(
        self,
        mut observer: impl FnMut(MatchEvent<'_, G>) -> Result<()>,
    ) -> Result<Played<G>> {
        // Before bots are opened, which may take a while.
        let start = G::new(&self.rules, self.bots.len(), self.seed)?;
        if start.progress().limit.is_none() && self.max_turns.is_none() {
            tell_that_it_is_endless(&G::META, self.bots.len());
        }
        handle_interrupts();
        let mut attempt = 1;
        loop {
            let bots = self.bots.iter().map(|spec| self.open(spec));
            let bots = bots.collect::<Result<_>>()?;
            let played = self.play_with(bots, &mut observer)?;
            let Some(void) = played.result.void else { return Ok(played) };
            if self.keep_void || attempt == ATTEMPTS || interrupted().load(Ordering::Relaxed) {
                return Ok(played);
            }
            say!("void: {void}; the match is played again ({} of {ATTEMPTS})", attempt + 1);
            observer(MatchEvent::Restarted { attempt, void })?;
            self.put_log_aside(attempt)?;
            attempt += 1;
        }
    }

    fn open(&self, spec: &BotSpec) -> Result<Box<dyn Bot<G>>> {
        match self.people.sit_down(spec) {
            Some(person) => Ok(person),
            None => Ok(agon_bots::open(spec, &self.host)?),
        }
    }

    /// Makes room for the next attempt's log: that of the void one gets another name.
    fn put_log_aside(&self, attempt: u32) -> Result<()> {
        let Some(folder) = &self.log else { return Ok(()) };
        let mut name = folder.file_name().context("the folder for --log has no name")?.to_owned();
        name.push(format!("-void-{attempt}"));
        let aside = folder.with_file_name(name);
        fs::rename(folder, &aside).with_context(|| format!("cannot rename {}", folder.display()))
    }

    /// Plays with these as the bots, which are open already.
    ///
    /// # Errors
    /// As [`Setup::play`].
    pub(crate) fn play_with(
        &self,
        open: Vec<Box<dyn Bot<G>>>,
        mut observer: impl FnMut(MatchEvent<'_, G>) -> Result<()>,
    ) -> Result<Played<G>> {
        let Setup { rules, seed, bots, replay, .. } = self;
        let max_turns = self.max_turns;
        let pace = self.turn_interval;
        let game = G::new(rules, bots.len(), *seed)?;
        let infos = self.infos()?;
        let mut log =
            self.log.as_deref().map(|folder| Log::create(folder, &game, &infos)).transpose()?;
        let seats = infos.into_iter().zip(open).collect();
        let options =
            MatchOptions { max_turns, pace, core: core_for(bots), ..MatchOptions::default() };
        let observer = |moment: &Moment<'_, G>| {
            log.as_mut().map_or(Ok(()), |log| log.step(moment))?;
            observer(MatchEvent::State(moment))
        };
        let played =
            run(Match::new(game, seats, options)?, replay.as_deref(), max_turns, observer)?;
        log.map_or(Ok(()), |log| log.finish(&played))?;
        Ok(played)
    }
}

/// Says that no rule ends a match whose players hold out, and how it can be ended all the same.
fn tell_that_it_is_endless(game: &Meta, players: usize) {
    let setting = match game.id {
        "binfection" => "turns_limit is -1",
        "rezzo" => "max_ticks is 0",
        _ => "its settings have none",
    };
    let who = if players == 1 { "the one bot holds" } else { "at least two bots hold" };
    say!(
        "note: this match has no limit of {}s ({setting}); it goes on while {who} out. Ctrl-C ends \
         it and shows the standing so far",
        game.turn_name
    );
}

/// How bots are run.
pub(crate) fn host_options(args: &HostArgs) -> HostOptions {
    let bank = args.bank.map(Duration::from_millis);
    let timing = match (args.no_clock, args.time) {
        (true, _) => Timing::Unlimited,
        (false, Some(limit)) => {
            let clock = Clock::cpu(Duration::from_millis(limit));
            Timing::Clock(clock.with_bank(bank.unwrap_or_default()))
        }
        (false, None) => bank.map_or(Timing::Game, Timing::Bank),
    };
    let c_as_wasm = args.wasm;
    let wasm_memory = args.wasm_memory;
    let sandbox = sandbox(&args.sandbox);
    let share_jvm = args.share_jvm;
    let announce = Some(announce as fn(&str));
    HostOptions {
        timing,
        c_as_wasm,
        wasm_memory,
        sandbox,
        share_jvm,
        announce,
        ..HostOptions::default()
    }
}

/// Tells what takes a while before a match.
fn announce(line: &str) {
    say!("{line}");
}

/// Plays a match, with a progress bar where somebody sees it, until its end or Ctrl-C; `observer`
/// sees every state.
///
/// # Errors
/// If the replay cannot be written, or `observer` fails.
pub(crate) fn run<G: Game>(
    the_match: Match<G>,
    replay: Option<&Path>,
    max_turns: Option<u64>,
    mut observer: impl FnMut(&Moment<'_, G>) -> Result<()>,
) -> Result<Played<G>> {
    let stop = interrupted();
    let mut bar = None;
    let mut failure = None;
    let mut watch = |moment: &Moment<'_, G>| {
        tell_what_is_missing();
        let progress = moment.game.progress();
        let limit = [progress.limit, max_turns].into_iter().flatten().min();
        bar.get_or_insert_with(|| Bar::new(&G::META, limit)).show(progress);
        failure = observer(moment).err();
        let go_on = failure.is_none() && !stop.load(Ordering::Relaxed);
        if go_on { Control::Continue } else { Control::Stop }
    };
    let played = match replay {
        None => the_match.run(&mut watch)?,
        Some(path) => {
            let file = agon_files::create(path)?;
            let played = the_match.record(std::io::BufWriter::new(file), &mut watch);
            played.with_context(|| format!("cannot record the match in {}", path.display()))?.0
        }
    };
    if let Some(bar) = bar {
        bar.clear();
    }
    failure.map_or(Ok(played), Err)
}

/// The processor core for a match: a question to a program and its answer are ten times quicker on
/// one core. Several arenas side by side spread by their process numbers; built-in bots and people
/// need no core of their own.
pub(crate) fn core_for(bots: &[BotSpec]) -> Option<usize> {
    if bots.iter().all(|spec| matches!(spec.kind(), BotKind::Builtin | BotKind::Human)) {
        return None;
    }
    let cores = pin::cores().ok().filter(|cores| !cores.is_empty())?;
    Some(cores[std::process::id() as usize % cores.len()])
}

fn rename((spec, name): (BotSpec, &String)) -> BotSpec {
    if spec.name() == *name { spec } else { spec.named(name) }
}

/// The bots of a match worth watching.
fn show<G: BuiltinBots>() -> Vec<String> {
    G::SHOW.iter().map(|bot| format!("builtin:{bot}")).collect()
}

/// A seed nobody chose, short enough to be typed again.
fn fresh_seed() -> Seed {
    Seed(RandomState::new().hash_one("a new match") % 1_000_000)
}
