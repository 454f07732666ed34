//! Plays a match, and shows it on a screen or in a page meanwhile; the [`People`] who play in it.
//!
//! `agon play` and the classic command lines call [`play`]. The match runs in a thread of its own
//! beside the screen.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use agon_bots::{Bot, BotKind, BotSpec, HumanBot, Patience};
use agon_core::Player;
use agon_games::any::AnyGame;
use agon_match::{Control, FanOut, MatchEvent, Observer, ObserverError, Played};
use agon_view::{HumanPlayer, LiveStates, Notes, PromptQueue, SharedStates, Viewer};
use anyhow::{Context, Result, anyhow, bail};

use crate::web::{self, Live};
use crate::{
    Environment, PersonOptions, Screen, View, ViewOptions, choose_screen, screen, show,
    terminal::HeldStderr,
};

/// A match that is about to be played and shown.
#[derive(Debug)]
pub struct MatchToShow<'a> {
    /// Its first state.
    pub start: AnyGame,
    /// The names of its players.
    pub names: Vec<String>,
    /// The players who are people.
    pub people: &'a People,
    /// Whether each turn takes a minimum time, in which people see it.
    pub is_paced: bool,
}

/// Plays a match by `run`, on a screen if one is asked for or a person plays.
///
/// `run` gets an observer that passes everything on to `observer`. On a screen, `run` is called in
/// a thread of its own. A person who leaves before the end interrupts the match.
pub fn play(
    shown: MatchToShow<'_>,
    options: &ViewOptions,
    environment: &Environment<'_>,
    observer: &mut (dyn Observer + Send),
    run: impl FnOnce(&mut (dyn Observer + Send)) -> Result<Played> + Send,
) -> Result<Played> {
    let is_interrupted = environment.is_interrupted;
    let mut pace = options.pace.map(|turns| TurnThrottle::new(turns, is_interrupted));
    let mut observers = FanOut::new().with_some(pace.as_mut()).with(observer);
    if options.view == Some(View::Web) {
        let prompts = (!shown.people.is_empty()).then_some(&shown.people.prompts);
        let mut live = Live::serve(&shown.start, prompts, options, *environment)?;
        let is_lost = live.loss_check();
        let mut observers = FanOut::new().with(&mut live).with(&mut observers);
        let played = interruptible(prompts, environment, is_lost, || run(&mut observers))?;
        live.serve_until_interrupted()?;
        return Ok(played);
    }
    web::refuse(&options.web)?;
    match choose(shown.people, options, environment)? {
        Some(screen) => on_screen(screen, shown, options, environment, &mut observers, run),
        None => {
            screen::refuse(&options.vnc)?;
            run(&mut observers)
        }
    }
}

/// Plays a match on a screen.
fn on_screen(
    screen: Screen,
    shown: MatchToShow<'_>,
    options: &ViewOptions,
    environment: &Environment<'_>,
    observer: &mut (dyn Observer + Send),
    run: impl FnOnce(&mut (dyn Observer + Send)) -> Result<Played> + Send,
) -> Result<Played> {
    let MatchToShow { start, names, people, is_paced } = shown;
    let rematch = environment.rematch();
    let states = SharedStates::new(start);
    let mut viewer = Viewer::new(LiveStates::new(states.clone(), names.clone()), Notes::default())
        .with_rematch(rematch.clone())
        .with_appearance(options.appearance());
    if let Some(person) = people.player(&names) {
        viewer = viewer.with_person(person);
    } else if options.pace.is_none() && !is_paced {
        // A match at full speed is over before anybody has seen it.
        viewer.playback().play_from_start();
    }
    let has_failed = AtomicBool::new(false);
    // Before the match prints its progress to the terminal.
    let held = if matches!(screen, Screen::Terminal) { Some(HeldStderr::begin()?) } else { None };
    thread::scope(|scope| {
        let play = || {
            let mut to_viewer = |event: &MatchEvent<'_>| {
                match event.step {
                    // The viewer has the first state already. After a void match it comes again.
                    0 if states.steps() == 0 => {}
                    0 => states.begin_anew(event.game.clone()),
                    _ => states.push(event.led_by, event.game),
                }
                Control::Continue
            };
            let mut observers = FanOut::new().with(&mut to_viewer).with(observer);
            let played = run(&mut observers);
            states.complete();
            people.prompts.end();
            has_failed.store(played.is_err(), Ordering::Relaxed);
            played
        };
        let playing = thread::Builder::new().name("match".to_owned()).spawn_scoped(scope, play);
        let playing = playing.context("cannot start a thread for the match")?;
        // After an error or Ctrl-C the screen closes: the terminal shows what has happened.
        let is_over = || has_failed.load(Ordering::Relaxed) || (environment.is_interrupted)();
        let mut seen = show(Box::new(viewer), screen, environment, is_over);
        drop(held);
        if let Some(error) = seen.as_ref().err().filter(|_| may_lack_screen(people, options)) {
            say_without(error, environment);
            seen = Ok(());
        } else if !playing.is_finished() && !rematch.is_some_and(|wish| wish.is_asked_for()) {
            (environment.interrupt)();
        }
        let played = playing.join().map_err(|_| anyhow!("the match ended with a panic"))?;
        seen?;
        played
    })
}

/// Chooses the screen of a match; `None` if it needs none.
fn choose(
    people: &People,
    options: &ViewOptions,
    environment: &Environment<'_>,
) -> Result<Option<Screen>> {
    let needs_one = "a person needs a screen to play on";
    let has_people = !people.is_empty();
    // If nobody has asked for the window, people may also play in a terminal.
    let is_asked_for = options.is_watched() && !(options.unsolicited && has_people);
    let view = options.view.filter(|_| is_asked_for);
    match view.map(|view| choose_screen(Some(view), &options.vnc, environment)) {
        None if !has_people => Ok(None),
        None if options.view == Some(View::None) => bail!("--view none: {needs_one}"),
        None => choose_screen(None, &options.vnc, environment).context(needs_one).map(Some),
        Some(Err(error)) if may_lack_screen(people, options) => {
            say_without(&error, environment);
            Ok(None)
        }
        Some(chosen) => chosen.map(Some),
    }
}

/// Returns whether the match can be played without its screen: nobody asked for it or needs it.
fn may_lack_screen(people: &People, options: &ViewOptions) -> bool {
    options.unsolicited && people.is_empty()
}

fn say_without(error: &anyhow::Error, environment: &Environment<'_>) {
    let consequence = "the match is played without (`--view none` opens no window)";
    environment.say(format!("note: {error}; {consequence}"));
}

/// Runs an action in which people are asked. Ctrl-C ends their questions.
///
/// If `is_lost`, people cannot answer any more, and the match is interrupted.
fn interruptible<T>(
    prompts: Option<&PromptQueue>,
    environment: &Environment<'_>,
    is_lost: impl Fn() -> bool + Sync,
    action: impl FnOnce() -> T,
) -> T {
    let Some(prompts) = prompts else { return action() };
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        // If there is no thread, Ctrl-C has no effect until the person answers.
        let _ = thread::Builder::new().spawn_scoped(scope, || {
            while !is_done.load(Ordering::Relaxed) && !(environment.is_interrupted)() {
                if is_lost() {
                    (environment.interrupt)();
                }
                thread::sleep(Duration::from_millis(50));
            }
            // All questions end here.
            prompts.leave();
        });
        let result = panic::catch_unwind(AssertUnwindSafe(action));
        is_done.store(true, Ordering::Relaxed);
        result.unwrap_or_else(|payload| panic::resume_unwind(payload))
    })
}

/// The observer that slows a match down, so that a person can follow it (`--pace`).
#[derive(Debug)]
pub(crate) struct TurnThrottle {
    turn: Option<u64>,
    due: Instant,
    each: Duration,
    is_interrupted: fn() -> bool,
}

impl TurnThrottle {
    /// Allows this many turns per second. An interrupted match runs at full speed.
    pub(crate) fn new(turns: f64, is_interrupted: fn() -> bool) -> TurnThrottle {
        let each = Duration::from_secs_f64(1.0 / turns);
        TurnThrottle { turn: None, due: Instant::now(), each, is_interrupted }
    }
}

impl Observer for TurnThrottle {
    /// Waits after each turn, until the next one may start or the match is interrupted.
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        let turn = Some(event.game.progress().turn);
        if std::mem::replace(&mut self.turn, turn) == turn {
            return Ok(Control::Continue);
        }
        let now = Instant::now();
        // After slow answers the match does not catch up by hurrying.
        self.due = (self.due + self.each).max(now);
        while Instant::now() < self.due && !(self.is_interrupted)() {
            thread::sleep(
                self.due.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)),
            );
        }
        Ok(Control::Continue)
    }
}

/// The people of a match. Clones ask on the same screen.
#[derive(Clone, Debug, Default)]
pub struct People {
    prompts: PromptQueue,
    players: Vec<Player>,
    limit: Option<Duration>,
    /// Whether the match does not wait while they think.
    pub real_time: bool,
    /// The duration of a turn in that case; `None` leaves it to the game.
    pub tick: Option<Duration>,
}

impl People {
    /// Returns the people among these bots.
    /// Fails if there are none, but options for them.
    pub fn among(bots: &[BotSpec], options: &PersonOptions) -> Result<People> {
        let is_person = |player: &Player| bots[player.index()].kind() == BotKind::Human;
        let players: Vec<Player> = Player::all(bots.len()).filter(is_person).collect();
        if players.is_empty() && *options != PersonOptions::default() {
            let flag = if options.real_time { "--real-time" } else { "--human-time" };
            bail!("{flag}: nobody here is a person; name one `human` in place of a bot");
        }
        let PersonOptions { time_limit: limit, real_time } = *options;
        Ok(People { players, limit, real_time, ..People::default() })
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// Makes the bot that asks a person, if `spec` names a person.
    pub fn sit_down(&self, spec: &BotSpec) -> Option<Box<dyn Bot>> {
        let patience = match (self.real_time, self.tick, self.limit) {
            (true, Some(tick), _) => Patience::Tick(tick),
            (_, _, Some(limit)) => Patience::Limit(limit),
            _ => Patience::Endless,
        };
        let person = || Box::new(HumanBot::new(self.prompts.clone(), patience)) as Box<dyn Bot>;
        (spec.kind() == BotKind::Human).then(person)
    }

    /// Returns the duration of a turn if the match does not wait for people.
    ///
    /// `start` is the first state of the match.
    /// Fails if the match has to wait, because of the game or because there are several people.
    pub fn tick_of(&mut self, start: &AnyGame) -> Result<Option<Duration>> {
        if !self.real_time || self.is_empty() {
            return Ok(None);
        }
        let Some(milliseconds) = start.turn_ms() else {
            bail!("--real-time: a turn of {} lasts as long as its players think", start.meta().id);
        };
        if self.players.len() > 1 {
            bail!(
                "--real-time: several people at one screen take turns, which takes longer than a \
                 tick"
            );
        }
        let tick = self.tick.unwrap_or(Duration::from_millis(milliseconds.into()));
        self.tick = Some(tick);
        Ok(Some(tick))
    }

    /// Makes the part of a viewer with which they play; `names` are those of all players.
    pub(crate) fn player(&self, names: &[String]) -> Option<HumanPlayer> {
        let person =
            || HumanPlayer::new(self.prompts.clone(), names.to_vec(), self.players.clone());
        (!self.is_empty()).then(person)
    }
}
