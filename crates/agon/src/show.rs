//! Matches on a screen, as the command line asks for them.

use agon_bots::Bot;
use agon_match::{Observer, Played};
use agon_show::{AnotherMatch, Environment, MatchToShow, ShownGame, ViewOptions};
use anyhow::Result;

use crate::{
    arena::Setup,
    interrupts::{interrupt, is_interrupted},
    output::tell_notice,
};

/// Returns what this program lends to what it shows.
pub(crate) fn environment() -> Environment<'static> {
    environment_for(None)
}

/// The same, where people may ask for another match.
fn environment_for(another: Option<&AnotherMatch>) -> Environment<'_> {
    let colors = match anstream::ColorChoice::global() {
        anstream::ColorChoice::Auto => None,
        anstream::ColorChoice::Never => Some(false),
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => Some(true),
    };
    Environment { tell: &tell_notice, is_interrupted, interrupt, colors, another }
}

/// Plays as [`Setup::play`] does on a screen or in a page, if one is asked for or a person plays.
/// If `another` is given, people may ask there for another match.
///
/// # Errors
/// As [`Setup::play`], and if the screen asked for is not there.
pub(crate) fn play_again<G: ShownGame>(
    setup: Setup<G>,
    options: &ViewOptions,
    observer: &mut (dyn Observer<G> + Send),
    another: Option<&AnotherMatch>,
) -> Result<Played<G>> {
    play_in(setup, None, options, observer, &environment_for(another))
}

/// Plays as [`Setup::play`] does, or with `bots` as [`Setup::play_opened`], on a screen if one is
/// asked for or a person plays.
///
/// # Errors
/// As [`Setup::play`], and if the screen asked for is not there.
pub(crate) fn play<G: ShownGame>(
    setup: Setup<G>,
    bots: Option<Vec<Box<dyn Bot<G>>>>,
    options: &ViewOptions,
    observer: &mut (dyn Observer<G> + Send),
) -> Result<Played<G>> {
    play_in(setup, bots, options, observer, &environment())
}

fn play_in<G: ShownGame>(
    mut setup: Setup<G>,
    bots: Option<Vec<Box<dyn Bot<G>>>>,
    options: &ViewOptions,
    observer: &mut (dyn Observer<G> + Send),
    environment: &Environment<'_>,
) -> Result<Played<G>> {
    let start = G::new(&setup.rules, setup.bots.len(), setup.seed)?;
    setup.turn_interval = setup.people.tick_of(&start)?.or(setup.turn_interval);
    let people = setup.people.clone();
    let shown = MatchToShow {
        start,
        names: setup.names(),
        people: &people,
        is_paced: setup.turn_interval.is_some(),
    };
    agon_show::play(shown, options, environment, observer, |observer| match bots {
        Some(bots) => setup.play_opened(bots, observer),
        None => setup.play(observer),
    })
}
