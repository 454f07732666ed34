//! Matches and replays on a screen.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use agon_bots::{Bot, Hosted};
use agon_core::Game;
use agon_games::scene::Show;
use agon_match::Played;
use agon_view::{App, LiveReel, Notes, SharedReel, Viewer};
use anyhow::{Context, Result, anyhow};

use crate::{
    arena::{self, Seen, Setup},
    cli::{View, ViewArgs},
    screen,
};

/// Shows something on a screen until the person leaves, or `is_over`.
///
/// # Errors
/// If the screen cannot be used.
pub(crate) fn show(app: Box<dyn App>, view: View, is_over: impl Fn() -> bool) -> Result<()> {
    match view {
        #[cfg(feature = "window")]
        View::Window => Ok(agon_window::show(app, is_over)?),
        #[cfg(not(feature = "window"))]
        View::Window => {
            let _ = (app, is_over);
            anyhow::bail!("this program was built without windows")
        }
    }
}

/// Plays as [`Setup::play`] does, or with `bots` as [`Setup::play_with`], on a screen if one is asked for. The match
/// goes on in a thread of its own; whoever leaves before its end interrupts it.
///
/// # Errors
/// As [`Setup::play`], and if the screen asked for is not there.
pub(crate) fn play<G: Hosted + Show>(
    setup: Setup<G>,
    bots: Option<Vec<Box<dyn Bot<G>>>>,
    args: &ViewArgs,
    mut observer: impl FnMut(Seen<'_, G>) -> Result<()> + Send,
) -> Result<Played<G>> {
    let run = |setup: Setup<G>, observer: &mut dyn FnMut(Seen<'_, G>) -> Result<()>| match bots {
        Some(bots) => setup.play_with(bots, observer),
        None => setup.play(observer),
    };
    let mut pace = args.pace.map(Pace::new);
    let Some(view) = args.view else {
        return run(setup, &mut |seen| {
            pace.iter_mut().for_each(|pace| pace.wait(&seen));
            observer(seen)
        });
    };
    let view = screen::choose(Some(view))?;
    let start = G::new(&setup.rules, setup.bots.len(), setup.seed)?;
    let reel = SharedReel::new(start);
    let app = live(&reel, &setup, args);
    let has_failed = AtomicBool::new(false);
    thread::scope(|scope| {
        let play = || {
            let played = run(setup, &mut |seen| {
                pass_on(&reel, &seen);
                pace.iter_mut().for_each(|pace| pace.wait(&seen));
                observer(seen)
            });
            reel.complete();
            has_failed.store(played.is_err(), Ordering::Relaxed);
            played
        };
        let playing = thread::Builder::new().name("match".to_owned()).spawn_scoped(scope, play);
        let playing = playing.context("cannot start a thread for the match")?;
        // An error, or Ctrl-C, wants to be seen where the command was typed.
        let is_over = || has_failed.load(Ordering::Relaxed) || arena::is_interrupted();
        let shown = show(app, view, is_over);
        if !playing.is_finished() {
            arena::interrupt();
        }
        let played = playing.join().map_err(|_| anyhow!("the match ended with a panic"))?;
        shown?;
        played
    })
}

/// The viewer of a match that is about to be played.
fn live<G: Hosted + Show>(reel: &SharedReel<G>, setup: &Setup<G>, args: &ViewArgs) -> Box<dyn App> {
    let names = setup.bots.iter().map(|spec| spec.name()).collect();
    let mut viewer = Viewer::new(LiveReel::new(reel.clone(), names), Notes::default());
    if let Some(theme) = args.theme {
        viewer = viewer.with_theme(theme);
    }
    // A match at full speed is over before anybody has seen it: it is shown from its start, as a replay would be.
    if args.pace.is_none() && setup.pace.is_none() {
        viewer.playback().trail();
    }
    Box::new(viewer)
}

fn pass_on<G: Game>(reel: &SharedReel<G>, seen: &Seen<'_, G>) {
    // The first moment of a match is the state that the reel begins with, once more if the match is void.
    if let Seen::Moment(moment) = seen {
        if moment.step > 0 {
            reel.push(moment.answers, moment.game);
        } else if reel.steps() > 0 {
            reel.begin_anew(moment.game.clone());
        }
    }
}

/// Waits so that a person can follow.
#[derive(Debug)]
struct Pace {
    turn: Option<u64>,
    due: Instant,
    each: Duration,
}

impl Pace {
    /// So many turns a second.
    fn new(turns: f64) -> Pace {
        Pace { turn: None, due: Instant::now(), each: Duration::from_secs_f64(1.0 / turns) }
    }

    /// Waits if a turn is over, until the next one may begin or the match is to end.
    fn wait<G: Game>(&mut self, seen: &Seen<'_, G>) {
        let Seen::Moment(moment) = seen else { return };
        let turn = Some(moment.game.progress().turn);
        if std::mem::replace(&mut self.turn, turn) == turn {
            return;
        }
        let now = Instant::now();
        // Bots that are slow now and then do not make the match hurry afterwards.
        self.due = (self.due + self.each).max(now);
        while Instant::now() < self.due && !arena::is_interrupted() {
            thread::sleep(self.due.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)));
        }
    }
}
