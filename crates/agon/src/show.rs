//! Matches on a screen, as the command line asks for them.

use agon_bots::Bot;
use agon_match::{Observer, Played};
use agon_show::{Environment, Interrupts, MatchToShow, ShownGame, ViewOptions};
use anyhow::Result;

use crate::{
    arena::Setup,
    interrupts::{interrupt, is_interrupted},
    output::tell_notice,
};

/// Returns what this program lends to what it shows.
pub(crate) fn environment() -> Environment<'static> {
    let colors = match anstream::ColorChoice::global() {
        anstream::ColorChoice::Auto => None,
        anstream::ColorChoice::Never => Some(false),
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => Some(true),
    };
    Environment { tell: &tell_notice, interrupts: Interrupts { is_interrupted, interrupt }, colors }
}

/// Plays as [`Setup::play`] does, or with `bots` as [`Setup::play_opened`], on a screen if one is
/// asked for or a person plays.
///
/// # Errors
/// As [`Setup::play`], and if the screen asked for is not there.
pub(crate) fn play<G: ShownGame>(
    mut setup: Setup<G>,
    bots: Option<Vec<Box<dyn Bot<G>>>>,
    options: &ViewOptions,
    observer: &mut (dyn Observer<G> + Send),
) -> Result<Played<G>> {
    let shown = MatchToShow {
        rules: setup.rules.clone(),
        seed: setup.seed,
        names: setup.names(),
        people: setup.people.clone(),
        turn_interval: setup.turn_interval,
    };
    let run = |shown: MatchToShow<G>, observer: &mut (dyn Observer<G> + Send)| {
        setup.people = shown.people;
        setup.turn_interval = shown.turn_interval;
        match bots {
            Some(bots) => setup.play_opened(bots, observer),
            None => setup.play(observer),
        }
    };
    agon_show::play(shown, options, &environment(), observer, Box::new(run))
}
