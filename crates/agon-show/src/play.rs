//! Plays a match, and shows it on a screen or in a page meanwhile.
//!
//! `agon play` and the classic command lines call [`play()`]. The match runs in a thread of its own
//! beside the screen.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crate::terminal::HeldStderr;
use agon_core::{Game, Seed};
use agon_match::{FanOut, Observer, Played};
use agon_view::{App, LiveStates, Notes, PromptQueue, Rematch, SharedStates, ViewedGame, Viewer};
use anyhow::{Context, Result, anyhow, bail};

use crate::{
    Environment, People, Screen, View, ViewOptions, choose_screen,
    observers::{ShownStates, TurnThrottle},
    screen, show,
    web::{self, Live},
};

/// A match that is about to be played and shown.
#[derive(Clone, Debug)]
pub struct MatchToShow<G: Game> {
    /// Its settings.
    pub rules: G::Rules,
    /// Its seed.
    pub seed: Seed,
    /// The names of its players.
    pub names: Vec<String>,
    /// The players who are people.
    pub people: People<G>,
    /// The minimum duration of a turn; `None` ends it when all have answered.
    pub turn_interval: Option<Duration>,
}

/// Plays a match. Gets the match with the turn interval that people need, and an observer that sees
/// the match for the screen.
pub type Run<'a, G> =
    Box<dyn FnOnce(MatchToShow<G>, &mut (dyn Observer<G> + Send)) -> Result<Played<G>> + Send + 'a>;

impl<G: ViewedGame> MatchToShow<G> {
    /// Returns the first state, and sets the turn interval that people who play have chosen.
    ///
    /// # Errors
    /// If the rules do not allow the match, or it has to wait for people although it should not.
    fn start(&mut self) -> Result<G> {
        let start = G::new(&self.rules, self.names.len(), self.seed)?;
        self.turn_interval = self.people.tick_of(&start)?.or(self.turn_interval);
        Ok(start)
    }

    /// Makes the viewer of the match. A match at full speed is shown from its start.
    fn viewer(
        &self,
        states: &SharedStates<G>,
        options: &ViewOptions,
        rematch: Option<Rematch>,
    ) -> Box<dyn App> {
        let names = self.names.clone();
        let states = LiveStates::new(states.clone(), names.clone());
        let viewer = Viewer::new(states, Notes::default()).with_rematch(rematch);
        let mut viewer = viewer.with_appearance(options.appearance());
        if let Some(person) = self.people.overlay(&names) {
            return G::app(viewer.with_overlay(person));
        }
        // A match at full speed is over before anybody has seen it.
        if options.pace.is_none() && self.turn_interval.is_none() {
            viewer.playback().play_from_start();
        }
        G::app(viewer)
    }
}

/// See [`play()`](crate::play()).
pub(crate) fn play_shown<G: ViewedGame>(
    mut shown: MatchToShow<G>,
    options: &ViewOptions,
    environment: &Environment<'_>,
    observer: &mut (dyn Observer<G> + Send),
    run: Run<'_, G>,
) -> Result<Played<G>> {
    let is_interrupted = environment.interrupts.is_interrupted;
    let mut pace = options.pace.map(|turns| TurnThrottle::new(turns, is_interrupted));
    let mut observers = FanOut::new().with_some(pace.as_mut()).with(observer);
    if options.view == Some(View::Web) {
        return in_browser(shown, options, environment, &mut observers, run);
    }
    web::refuse(&options.web)?;
    let Some(screen) = choose(&shown, options, environment)? else {
        screen::refuse(&options.vnc)?;
        return run(shown, &mut observers);
    };
    let start = shown.start()?;
    on_screen(screen, start, shown, options, environment, &mut observers, run)
}

/// Plays a match that pages follow.
fn in_browser<G: ViewedGame>(
    mut shown: MatchToShow<G>,
    options: &ViewOptions,
    environment: &Environment<'_>,
    observer: &mut (dyn Observer<G> + Send),
    run: Run<'_, G>,
) -> Result<Played<G>> {
    shown.start()?;
    let prompts = (!shown.people.is_empty()).then(|| shown.people.prompts().clone());
    let mut live = Live::serve(prompts.as_ref(), options, *environment)?;
    let is_lost = live.loss_check();
    let mut observers = FanOut::new().with(&mut live).with(observer);
    let action = || run(shown, &mut observers);
    let played = interruptible(prompts.as_ref(), environment, is_lost, action)?;
    live.serve_until_interrupted()?;
    Ok(played)
}

/// Plays a match on a screen.
fn on_screen<G: ViewedGame>(
    screen: Screen,
    start: G,
    shown: MatchToShow<G>,
    options: &ViewOptions,
    environment: &Environment<'_>,
    observer: &mut (dyn Observer<G> + Send),
    run: Run<'_, G>,
) -> Result<Played<G>> {
    let prompts = shown.people.prompts().clone();
    let states = SharedStates::new(start);
    let rematch = environment.rematch();
    let app = shown.viewer(&states, options, rematch.clone());
    let may_lack_screen = may_lack_screen(&shown, options);
    let has_failed = AtomicBool::new(false);
    // Before the match prints its progress to the terminal.
    let held = if matches!(screen, Screen::Terminal) { Some(HeldStderr::begin()?) } else { None };
    thread::scope(|scope| {
        let play = || {
            let mut shown_states = ShownStates(states.clone());
            let mut observers = FanOut::new().with(&mut shown_states).with(observer);
            let played = run(shown, &mut observers);
            states.complete();
            prompts.end();
            has_failed.store(played.is_err(), Ordering::Relaxed);
            played
        };
        let playing = thread::Builder::new().name("match".to_owned()).spawn_scoped(scope, play);
        let playing = playing.context("cannot start a thread for the match")?;
        // After an error or Ctrl-C the screen closes: the terminal shows what has happened.
        let is_over = || has_failed.load(Ordering::Relaxed) || environment.is_interrupted();
        let mut seen = show(app, screen, environment, is_over);
        drop(held);
        if let Some(error) = seen.as_ref().err().filter(|_| may_lack_screen) {
            say_without(error, environment);
            seen = Ok(());
        } else if !playing.is_finished() && !rematch.is_some_and(|wish| wish.is_asked_for()) {
            (environment.interrupts.interrupt)();
        }
        let played = playing.join().map_err(|_| anyhow!("the match ended with a panic"))?;
        seen?;
        played
    })
}

/// Chooses the screen of a match; `None` if it needs none.
fn choose<G: Game>(
    shown: &MatchToShow<G>,
    options: &ViewOptions,
    environment: &Environment<'_>,
) -> Result<Option<Screen>> {
    let needs_one = "a person needs a screen to play on";
    let has_people = !shown.people.is_empty();
    // If nobody has asked for the window, people may also play in a terminal.
    let is_asked_for = options.is_watched() && !(options.unsolicited && has_people);
    let view = options.view.filter(|_| is_asked_for);
    match view.map(|view| choose_screen(Some(view), &options.vnc, environment)) {
        None if !has_people => Ok(None),
        None if options.view == Some(View::None) => bail!("--view none: {needs_one}"),
        None => choose_screen(None, &options.vnc, environment).context(needs_one).map(Some),
        Some(Err(error)) if may_lack_screen(shown, options) => {
            say_without(&error, environment);
            Ok(None)
        }
        Some(chosen) => chosen.map(Some),
    }
}

/// Returns whether the match can be played without its screen: nobody asked for it or needs it.
fn may_lack_screen<G: Game>(shown: &MatchToShow<G>, options: &ViewOptions) -> bool {
    options.unsolicited && shown.people.is_empty()
}

fn say_without(error: &anyhow::Error, environment: &Environment<'_>) {
    let consequence = "the match is played without (`--view none` opens no window)";
    environment.say(format!("note: {error}; {consequence}"));
}

/// Runs an action in which people are asked. Ctrl-C ends their questions.
///
/// If `is_lost`, people cannot answer any more, and the match is interrupted.
fn interruptible<G: Game, T>(
    prompts: Option<&PromptQueue<G>>,
    environment: &Environment<'_>,
    is_lost: impl Fn() -> bool + Sync,
    action: impl FnOnce() -> T,
) -> T {
    let Some(prompts) = prompts else { return action() };
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        // If there is no thread, Ctrl-C has no effect until the person answers.
        let _ = thread::Builder::new().spawn_scoped(scope, || {
            while !is_done.load(Ordering::Relaxed) && !environment.is_interrupted() {
                if is_lost() {
                    (environment.interrupts.interrupt)();
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

#[cfg(test)]
mod tests {
    use agon_games::cluster::{Cluster, Rules};

    use super::*;
    use crate::{Interrupts, PersonOptions, WebOptions};

    /// Returns the reason why no match of these bots is played; `played` if it would be.
    fn reason(bots: [&str; 2], options: &ViewOptions) -> String {
        let bots = bots.map(|text| text.parse().unwrap());
        let shown = MatchToShow::<Cluster> {
            rules: Rules::default(),
            seed: Seed(1),
            names: bots.iter().map(|bot: &agon_bots::BotSpec| bot.name().to_owned()).collect(),
            people: People::among(&bots, &PersonOptions::default()).unwrap(),
            turn_interval: None,
        };
        let interrupts = Interrupts { is_interrupted: || false, interrupt: || () };
        let environment = Environment { tell: &|_| (), interrupts, colors: None, another: None };
        let run = |_: MatchToShow<Cluster>, _: &mut (dyn Observer<Cluster> + Send)| {
            Err(anyhow!("played"))
        };
        let run = Box::new(run);
        play_shown(shown, options, &environment, &mut (), run).unwrap_err().to_string()
    }

    #[test]
    fn bots_need_no_screen_but_people_do() {
        let bots = ["builtin:greedy", "builtin:random"];
        let nowhere = ViewOptions { view: Some(View::None), ..ViewOptions::default() };
        assert_eq!(reason(bots, &ViewOptions::default()), "played");
        assert_eq!(reason(bots, &nowhere), "played");
        let error = reason(["human", bots[0]], &nowhere);
        assert_eq!(error, "--view none: a person needs a screen to play on");
    }

    #[test]
    fn options_of_a_page_need_a_page() {
        let web = WebOptions { no_open: true, ..WebOptions::default() };
        let error = reason(
            ["builtin:greedy", "builtin:random"],
            &ViewOptions { web, ..ViewOptions::default() },
        );
        assert!(error.contains("add `--view web`"), "{error}");
    }
}
