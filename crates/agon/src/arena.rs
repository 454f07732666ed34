//! From what was typed to a match that has been played.

use std::{num::NonZero, path::PathBuf, sync::Arc, time::Duration};

use agon_arena::{
    ArenaError, BotEntry, CoreLease, Hosts, LogFolder, MatchSetup, Opener, PlayedMatch,
    ReplayTarget, core_for, drawn_seed,
};
use agon_bots::{Bot, BotSpec, HostOptions, OpenError, ParseSpecError, unique_names};
use agon_contest::series::tell_what_was_read;
use agon_core::{Meta, Seed, text::shown_name};
use agon_games::any::GameKind;
use agon_match::{FanOut, MatchOptions, Observer, Played};
use agon_show::{AnotherMatch, Environment, MatchToShow, People, ViewOptions};
use anyhow::{Result, bail};
use serde_json::Value;

use crate::cli::{HostArgs, MatchArgs};
use crate::interrupts::{Doing, begin, handle_interrupts, interrupt, is_interrupted};
use crate::output::{MatchProgress, tell_notice};
use crate::sandbox::machine;

/// A match to be played.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) kind: &'static dyn GameKind,
    pub(crate) rules: Value,
    pub(crate) seed: Seed,
    pub(crate) bots: Vec<Arc<BotEntry>>,
    pub(crate) host: HostOptions,
    pub(crate) replay: Option<PathBuf>,
    pub(crate) log: Option<PathBuf>,
    pub(crate) max_turns: Option<u64>,
    /// The number of timeouts in a row that stops a bot.
    pub(crate) strikes: Option<NonZero<u32>>,
    pub(crate) turn_interval: Option<Duration>,
    /// Whether a void match is not played again.
    pub(crate) keep_void: bool,
    /// Who of the bots is a person.
    pub(crate) people: People,
}

/// How often a match is played, at most, if it is void again and again.
pub(crate) const ATTEMPTS: usize = 3;

impl Setup {
    /// A match of these bots; of the game's own if there are none.
    ///
    /// # Errors
    /// If a text names no bot, or there are fewer bots than the game needs, or more than it takes.
    pub(crate) fn new(
        kind: &'static dyn GameKind,
        rules: Value,
        bots: &[String],
        args: &MatchArgs,
    ) -> Result<Setup> {
        let meta = kind.meta();
        let specs = match bots {
            [] => show(kind),
            bots => bots.iter().map(|text| text.parse()).collect(),
        };
        let specs: Vec<BotSpec> = specs?;
        let names = unique_names(specs.iter().map(BotSpec::name));
        let specs: Vec<BotSpec> = specs.into_iter().zip(&names).map(rename).collect();
        check_count(&meta, specs.len())?;
        let people = People::among(&specs, &args.person)?;
        let foreign = args.log.iter().chain(&args.replay).cloned().collect();
        let game = Some(meta.id.parse().expect("all games are named"));
        let settings = args.settings(&names)?;
        let host = HostOptions { foreign, game, ..agon_arena::host_options(&settings, &machine()) };
        // As they are now they play, and the replay tells of them.
        let builtins: Vec<&'static str> = kind.builtins().iter().map(|bot| bot.name).collect();
        let read = |spec: BotSpec| {
            let spec = spec.read(&host, &builtins)?;
            tell_what_was_read(&spec, &tell_notice);
            BotEntry::of(spec)
        };
        let bots = specs.into_iter().map(read).collect::<Result<_, OpenError>>()?;
        Ok(Setup {
            kind,
            rules,
            seed: args.seed.map_or_else(drawn_seed, Ok)?,
            bots,
            host,
            replay: args.replay.clone(),
            log: args.log.clone(),
            max_turns: None,
            strikes: args.host.strikes,
            turn_interval: None,
            keep_void: args.keep_void,
            people,
        })
    }

    /// Gives the bots other names, in order.
    pub(crate) fn rename(&mut self, names: &[String]) {
        let names = unique_names(names.iter().map(|name| shown_name(name).into_owned()));
        for (bot, name) in self.bots.iter_mut().zip(&names) {
            *bot = Arc::new(bot.named(name));
        }
    }

    /// The names of the bots.
    pub(crate) fn names(&self) -> Vec<String> {
        self.bots.iter().map(|bot| bot.info.name.clone()).collect()
    }

    /// Plays, with a progress bar where somebody sees it. A match that is void because the machine
    /// stalled is played again, with the same seed and the bots opened anew. Bots that are `opened`
    /// already play only once.
    ///
    /// # Errors
    /// If the rules do not allow the match, a bot cannot be opened, the replay cannot be written,
    /// or the observer fails.
    pub(crate) fn play(
        self,
        opened: Option<Vec<Box<dyn Bot>>>,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Played> {
        // Before bots are opened, which may take a while.
        let start = self.kind.start(&self.rules, self.bots.len(), self.seed)?;
        if start.progress().limit.is_none() && self.max_turns.is_none() {
            tell_that_it_is_endless(self.kind, self.bots.len());
        }
        handle_interrupts();
        let attempts = if self.keep_void || opened.is_some() { 1 } else { ATTEMPTS };
        let opened = opened.into_iter().flatten().map(Some).collect();
        let mut seating = Seating { people: &self.people, opened };
        let lease = core_for(self.kind, self.bots.iter().map(|bot| &bot.spec));
        let setup = MatchSetup {
            kind: self.kind,
            rules: &self.rules,
            seed: self.seed,
            bots: &self.bots,
            host: &self.host,
            options: MatchOptions {
                max_turns: self.max_turns,
                strikes: self.strikes,
                pace: self.turn_interval,
                core: lease.as_ref().map(CoreLease::core),
                ..MatchOptions::default()
            },
            attempts,
            replay: self.replay.clone().map_or(ReplayTarget::None, ReplayTarget::File),
            stop: begin(Doing::Match),
        };
        let mut progress = MatchProgress::new(self.max_turns, attempts);
        let mut log = self.log.as_deref().map(LogFolder::new);
        let mut observers =
            FanOut::new().with(&mut progress).with_some(log.as_mut()).with(observer);
        let played = setup.play(&mut seating, &mut observers);
        progress.clear();
        match played {
            Ok(PlayedMatch { played, .. }) => Ok(played),
            // The message names the file; so a single match needs no name of the bot.
            Err(ArenaError::Open { source, .. }) => Err(source.into()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Opens bots in their hosts, and seats people at the screen.
struct Seating<'a> {
    people: &'a People,
    /// Bots that are open already, for one match.
    opened: Vec<Option<Box<dyn Bot>>>,
}

impl Opener for Seating<'_> {
    fn open(
        &mut self,
        kind: &'static dyn GameKind,
        seat: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot>, OpenError> {
        let opened = self.opened.get_mut(seat).and_then(Option::take);
        match opened.or_else(|| self.people.sit_down(&bot.spec)) {
            Some(bot) => Ok(bot),
            None => Hosts.open(kind, seat, bot, host),
        }
    }
}

/// Whether so many bots can play a game.
fn check_count(game: &Meta, given: usize) -> Result<()> {
    let Meta { id, min_players, max_players, .. } = game;
    if given < *min_players {
        bail!(
            "{id} needs at least {min_players} players, but {given} was given; `builtin:NAME` adds \
             one (`agon bots {id}` lists them)"
        );
    }
    if given > *max_players {
        bail!(
            "{id} has at most {max_players} players, but {given} were given; a command line is one \
             bot if it is in quotes: \"python3 my_bot.py\""
        );
    }
    Ok(())
}

/// Says that no rule ends a match whose players hold out, and how it can be ended all the same.
fn tell_that_it_is_endless(kind: &dyn GameKind, players: usize) {
    let setting = kind.trials().endless;
    let who = if players == 1 { "the one bot holds" } else { "at least two bots hold" };
    say!(
        "note: this match has no limit of {}s ({setting}); it goes on while {who} out. Ctrl-C ends \
         it and shows the standing so far",
        kind.meta().turn_name
    );
}

/// How bots are run.
pub(crate) fn host_options(args: &HostArgs) -> HostOptions {
    agon_arena::host_options(&args.settings(), &machine())
}

fn rename((spec, name): (BotSpec, &String)) -> BotSpec {
    if spec.name() == *name { spec } else { spec.named(name) }
}

/// The bots of a match worth watching. Those that share a name are called by their parameters, too.
fn show(kind: &dyn GameKind) -> Result<Vec<BotSpec>, ParseSpecError> {
    let spec = |text: &'static str| -> Result<BotSpec, ParseSpecError> {
        let spec: BotSpec = format!("builtin:{text}").parse()?;
        let namesakes = kind.lineup().iter().filter(|other| base_name(other) == base_name(text));
        Ok(if namesakes.count() == 1 { spec } else { spec.named(text) })
    };
    kind.lineup().iter().copied().map(spec).collect()
}

/// The name of a built-in bot without its parameters.
fn base_name(text: &str) -> &str {
    text.split_once('?').map_or(text, |(name, _)| name)
}

/// Returns what this program lends to what it shows. If `another` is given, people may ask there
/// for another match.
pub(crate) fn environment(another: Option<&AnotherMatch>) -> Environment<'_> {
    let colors = match anstream::ColorChoice::global() {
        anstream::ColorChoice::Auto => None,
        anstream::ColorChoice::Never => Some(false),
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => Some(true),
    };
    Environment { tell: &tell_notice, is_interrupted, interrupt, colors, another }
}

/// Plays as [`Setup::play`] does, on a screen or in a page if one is asked for or a person plays.
/// If `another` is given, people may ask there for another match.
pub(crate) fn play_shown(
    mut setup: Setup,
    bots: Option<Vec<Box<dyn Bot>>>,
    options: &ViewOptions,
    observer: &mut (dyn Observer + Send),
    another: Option<&AnotherMatch>,
) -> Result<Played> {
    let start = setup.kind.start(&setup.rules, setup.bots.len(), setup.seed)?;
    setup.turn_interval = setup.people.tick_of(&start)?.or(setup.turn_interval);
    let people = setup.people.clone();
    let shown = MatchToShow {
        start,
        names: setup.names(),
        people: &people,
        is_paced: setup.turn_interval.is_some(),
    };
    agon_show::play(shown, options, &environment(another), observer, |observer| {
        setup.play(bots, observer)
    })
}
