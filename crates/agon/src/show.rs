//! Matches and replays on a screen.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use agon_bots::{Bot, HostedGame};
use agon_core::Game;
use agon_games::human::HumanInput;
use agon_match::{Control, FanOut, MatchEvent, Observer, ObserverError, Played};
use agon_terminal::{Capabilities, HeldStderr};
use agon_view::{App, LiveStates, Notes, PromptQueue, SharedStates, Viewer};
use anyhow::{Context, Result, anyhow, bail};

use crate::{
    arena::Setup,
    cli::{View, ViewArgs},
    interrupts,
    screen::{self, Screen},
    vnc,
    web::{self, Live},
};

/// Shows something on a screen until the person leaves, or `is_over`.
///
/// # Errors
/// If the screen cannot be used.
pub(crate) fn show(app: Box<dyn App>, screen: Screen, is_over: impl Fn() -> bool) -> Result<()> {
    match screen {
        Screen::Terminal => in_terminal(app, is_over),
        Screen::Window(host) => Ok(host.show(app, is_over)?),
        Screen::Vnc(server) => vnc::show(app, server, is_over),
    }
}

/// Shows something in the terminal.
fn in_terminal(mut app: Box<dyn App>, is_over: impl Fn() -> bool) -> Result<()> {
    let colors = match anstream::ColorChoice::global() {
        anstream::ColorChoice::Auto => None,
        anstream::ColorChoice::Never => Some(false),
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => Some(true),
    };
    agon_terminal::show(&mut *app, Capabilities::of_environment(colors), is_over)?;
    Ok(())
}

/// Plays as [`Setup::play`] does, or with `bots` as [`Setup::play_opened`], on a screen if one is
/// asked for or a person plays. The match goes on in a thread of its own; whoever leaves before its
/// end interrupts it.
///
/// # Errors
/// As [`Setup::play`], and if the screen asked for is not there.
pub(crate) fn play<G: HostedGame + HumanInput>(
    mut setup: Setup<G>,
    bots: Option<Vec<Box<dyn Bot<G>>>>,
    args: &ViewArgs,
    observer: &mut (dyn Observer<G> + Send),
) -> Result<Played<G>> {
    let run = |setup: Setup<G>, observer: &mut (dyn Observer<G> + Send)| match bots {
        Some(bots) => setup.play_opened(bots, observer),
        None => setup.play(observer),
    };
    let mut pace = args.pace.map(TurnThrottle::new);
    if args.view == Some(View::Web) {
        let start = G::new(&setup.rules, setup.bots.len(), setup.seed)?;
        setup.turn_interval = setup.people.tick_of(&start)?.or(setup.turn_interval);
        let prompts = (!setup.people.is_empty()).then(|| setup.people.prompts().clone());
        let mut live = Live::serve(prompts.as_ref(), args)?;
        let is_lost = live.loss();
        let mut observers = FanOut::new().with(&mut live).with_some(pace.as_mut()).with(observer);
        let played = waking(prompts.as_ref(), is_lost, || run(setup, &mut observers))?;
        live.stay()?;
        return Ok(played);
    }
    web::refuse(&args.web)?;
    let Some(screen) = choose(&setup, args)? else {
        screen::refuse(&args.vnc)?;
        return run(setup, &mut FanOut::new().with_some(pace.as_mut()).with(observer));
    };
    let start = G::new(&setup.rules, setup.bots.len(), setup.seed)?;
    setup.turn_interval = setup.people.tick_of(&start)?.or(setup.turn_interval);
    let prompts = setup.people.prompts().clone();
    let states = SharedStates::new(start);
    let app = live(&states, &setup, args);
    let may_lack_screen = may_lack_screen(&setup, args);
    let has_failed = AtomicBool::new(false);
    // Before the match shows its progress there.
    let held = if matches!(screen, Screen::Terminal) { Some(HeldStderr::begin()?) } else { None };
    thread::scope(|scope| {
        let play = || {
            let mut shown = ShownStates(states.clone());
            let mut observers =
                FanOut::new().with(&mut shown).with_some(pace.as_mut()).with(observer);
            let played = run(setup, &mut observers);
            states.complete();
            prompts.end();
            has_failed.store(played.is_err(), Ordering::Relaxed);
            played
        };
        let playing = thread::Builder::new().name("match".to_owned()).spawn_scoped(scope, play);
        let playing = playing.context("cannot start a thread for the match")?;
        // An error, or Ctrl-C, wants to be seen where the command was typed.
        let is_over = || has_failed.load(Ordering::Relaxed) || interrupts::is_interrupted();
        let mut shown = show(app, screen, is_over);
        drop(held);
        if let Some(error) = shown.as_ref().err().filter(|_| may_lack_screen) {
            say_without(error);
            shown = Ok(());
        } else if !playing.is_finished() {
            interrupts::interrupt();
        }
        let played = playing.join().map_err(|_| anyhow!("the match ended with a panic"))?;
        shown?;
        played
    })
}

/// The screen of a match, if it has one.
fn choose<G: Game>(setup: &Setup<G>, args: &ViewArgs) -> Result<Option<Screen>> {
    let needs_one = "a person needs a screen to play on";
    // Where nobody has asked for a window, a terminal will do for people as well.
    let view =
        args.view.filter(|_| args.is_watched() && (!args.unsolicited || setup.people.is_empty()));
    match view.map(|view| screen::choose(Some(view), &args.vnc)) {
        None if setup.people.is_empty() => Ok(None),
        None if args.view == Some(View::None) => bail!("--view none: {needs_one}"),
        None => screen::choose(None, &args.vnc).context(needs_one).map(Some),
        Some(Err(error)) if may_lack_screen(setup, args) => {
            say_without(&error);
            Ok(None)
        }
        Some(chosen) => chosen.map(Some),
    }
}

/// Whether nobody has asked for the screen, nor needs it: a person cannot play without.
fn may_lack_screen<G: Game>(setup: &Setup<G>, args: &ViewArgs) -> bool {
    args.unsolicited && setup.people.is_empty()
}

fn say_without(error: &anyhow::Error) {
    say!("note: {error}; the match is played without (`--view none` opens no window)");
}

/// Does something in which people are asked; Ctrl-C ends that, too, and so does the loss of what
/// they are asked on.
fn waking<G: Game, T>(
    prompts: Option<&PromptQueue<G>>,
    is_lost: impl Fn() -> bool + Sync,
    action: impl FnOnce() -> T,
) -> T {
    let Some(prompts) = prompts else { return action() };
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        // Without it, who is asked has to leave by itself.
        let _ = thread::Builder::new().spawn_scoped(scope, || {
            while !is_done.load(Ordering::Relaxed) && !interrupts::is_interrupted() {
                if is_lost() {
                    interrupts::interrupt();
                }
                thread::sleep(Duration::from_millis(50));
            }
            // Nobody is asked any more.
            prompts.leave();
        });
        let result = panic::catch_unwind(AssertUnwindSafe(action));
        is_done.store(true, Ordering::Relaxed);
        result.unwrap_or_else(|payload| panic::resume_unwind(payload))
    })
}

/// The viewer of a match that is about to be played.
fn live<G: HostedGame + HumanInput>(
    states: &SharedStates<G>,
    setup: &Setup<G>,
    args: &ViewArgs,
) -> Box<dyn App> {
    let names = setup.names();
    let mut viewer = Viewer::new(LiveStates::new(states.clone(), names.clone()), Notes::default());
    if let Some(theme) = args.theme {
        viewer = viewer.with_theme(theme);
    }
    if let Some(person) = setup.people.overlay(&names) {
        return Box::new(viewer.with_overlay(person));
    }
    // A match at full speed is over before anybody has seen it: it is shown from its start, as a
    // replay would be.
    if args.pace.is_none() && setup.turn_interval.is_none() {
        viewer.playback().play_from_start();
    }
    Box::new(viewer)
}

/// The states that a viewer shows while the match is played.
struct ShownStates<G: Game>(SharedStates<G>);

impl<G: Game> Observer<G> for ShownStates<G> {
    fn begin(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        // The shared states begin with the first state; it comes again if the match was void.
        if self.0.steps() > 0 {
            self.0.begin_anew(event.game.clone());
        }
        Ok(Control::Continue)
    }

    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        self.0.push(event.led_by, event.game);
        Ok(Control::Continue)
    }
}

/// Waits so that a person can follow.
#[derive(Debug)]
struct TurnThrottle {
    turn: Option<u64>,
    due: Instant,
    each: Duration,
}

impl TurnThrottle {
    /// So many turns a second.
    fn new(turns: f64) -> TurnThrottle {
        TurnThrottle { turn: None, due: Instant::now(), each: Duration::from_secs_f64(1.0 / turns) }
    }
}

impl<G: Game> Observer<G> for TurnThrottle {
    /// Waits if a turn is over, until the next one may begin or the match is to end.
    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        let turn = Some(event.game.progress().turn);
        if std::mem::replace(&mut self.turn, turn) == turn {
            return Ok(Control::Continue);
        }
        let now = Instant::now();
        // Bots that are slow now and then do not make the match hurry afterwards.
        self.due = (self.due + self.each).max(now);
        while Instant::now() < self.due && !interrupts::is_interrupted() {
            thread::sleep(
                self.due.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)),
            );
        }
        Ok(Control::Continue)
    }
}
