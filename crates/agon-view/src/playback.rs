//! Going through a match in time: playing, pausing, stepping, seeking, following.

mod flow;
mod speed;
mod turns;

pub use speed::Speed;

use std::time::Duration;

use agon_core::Player;
use agon_games::scene::{Render, Scene, Travel};
use agon_paint::Instant;

use crate::{StateError, StateSource};
use turns::Turns;

/// A look at a match that goes on by itself.
pub struct Playback<G: Render> {
    states: Box<dyn StateSource<G>>,
    turns: Turns,
    scene: Scene,
    /// Whose eyes see it; all is seen if nobody's.
    eyes: Option<Player>,
    /// Whether somebody who follows sees turn after turn, and not only the newest state.
    is_paced: bool,
    movement: Option<Movement>,
    playing: bool,
    following: bool,
    speed: Speed,
    /// Turns that time has earned and that have not been played.
    due: f64,
    /// Turns that fit between two pictures, as far as known.
    fits: u64,
    /// Whether more were due at the last picture than fit.
    is_busy: bool,
    now: Duration,
    /// Whether the time before the next tick does not count, as it was paused.
    resumed: bool,
    /// The last step that can be shown, if that is not the last of all.
    good_steps: Option<u64>,
    trouble: Option<String>,
}

/// What moves from the state before to this one.
#[derive(Debug)]
struct Movement {
    before: Scene,
    travels: Vec<Travel>,
    /// Since when; `None` until the next tick.
    began: Option<Duration>,
    takes: Duration,
}

impl<G: Render> Playback<G> {
    /// At the first state of a match, paused; at the newest one, following, if the match is still
    /// being played.
    pub fn new(mut states: Box<dyn StateSource<G>>) -> Playback<G> {
        states.refresh();
        let progress = states.game().progress();
        let ends = states.is_complete().then(|| states.steps());
        let turns = progress.limit.into_iter().chain(ends).min().unwrap_or(u64::MAX);
        let mut playback = Playback {
            turns: Turns::beginning_with(progress.turn),
            scene: states.game().scene(),
            eyes: None,
            is_paced: false,
            movement: None,
            playing: false,
            following: !states.is_complete(),
            speed: Speed::of_match(turns),
            due: 0.0,
            fits: 1,
            is_busy: false,
            now: Duration::ZERO,
            resumed: true,
            good_steps: None,
            trouble: None,
            states,
        };
        playback.playing = playback.following;
        playback
    }

    /// Returns the source of the states.
    pub fn states(&self) -> &dyn StateSource<G> {
        &*self.states
    }

    /// The state that is shown.
    pub fn game(&self) -> &G {
        self.states.game()
    }

    /// The scene of this state.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Whose eyes see it.
    pub fn eyes(&self) -> Option<Player> {
        self.eyes
    }

    /// Sees the match with the eyes of a player, or all of it; whoever follows a match sees turn
    /// after turn if it `is_paced`. Says whether it sees something else now.
    pub fn see_as(&mut self, eyes: Option<Player>, is_paced: bool) -> bool {
        self.is_paced = is_paced && eyes.is_some();
        let differs = self.eyes != eyes;
        if differs {
            self.eyes = eyes;
            self.arrive(None);
        }
        differs
    }

    /// What is to be painted now: the scene, or a point on the way to it.
    pub fn instant(&self) -> Instant<'_> {
        let Some(movement) = &self.movement else { return Instant::still(&self.scene) };
        let Movement { before, travels, .. } = movement;
        Instant { scene: &self.scene, before: Some(before), travels, done: self.done(movement) }
    }

    /// The names of the players.
    pub fn players(&self) -> &[String] {
        self.states.players()
    }

    /// Steps before the state that is shown.
    pub fn step(&self) -> u64 {
        self.states.step()
    }

    /// Steps that can be shown by now.
    pub fn steps(&self) -> u64 {
        let steps = self.states.steps();
        self.good_steps.map_or(steps, |good| good.min(steps))
    }

    /// The turn of the state that is shown.
    pub fn turn(&self) -> u64 {
        self.game().progress().turn
    }

    /// The step with which this turn begins.
    ///
    /// # Errors
    /// If the replay cannot be played.
    pub fn turn_start(&self) -> Result<u64, StateError> {
        self.turns.clone().first_step(&mut *self.states.fork())
    }

    /// Which part of the match is over, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match self.steps() {
            0 => 1.0,
            steps => self.step() as f64 / steps as f64,
        }
    }

    /// Whether time goes on.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// Whether it stays with the newest state of a match that is being played.
    pub fn is_following(&self) -> bool {
        self.following
    }

    /// Whether more may come than there is.
    pub fn is_live(&self) -> bool {
        self.good_steps.is_none() && !self.states.is_complete()
    }

    /// Whether nothing comes after this state.
    pub fn is_at_end(&self) -> bool {
        !self.is_live() && self.step() >= self.steps()
    }

    /// Plays a match that is being played from its first state, at its own speed, instead of
    /// following.
    pub fn play_from_start(&mut self) {
        self.jump(0);
        (self.playing, self.following, self.resumed) = (true, false, true);
    }

    /// How fast it plays.
    pub fn speed(&self) -> Speed {
        self.speed
    }

    /// Sets how fast it plays.
    pub fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        self.due = 0.0;
    }

    /// Why not all of the match can be shown, if so.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Plays, or pauses. At the end it plays from the beginning; at the newest state of a match
    /// that is being played it follows.
    pub fn toggle(&mut self) {
        if self.playing {
            self.pause();
            return;
        }
        if self.is_at_end() {
            self.jump(0);
        }
        self.playing = !self.is_at_end();
        self.following = self.is_live() && self.step() == self.steps();
        (self.due, self.resumed) = (0.0, true);
    }

    /// Pauses.
    pub fn pause(&mut self) {
        (self.playing, self.following) = (false, false);
    }

    /// Goes on by one turn, and pauses.
    pub fn next_turn(&mut self) {
        self.pause();
        self.play_turns(1, true);
    }

    /// Goes back to the beginning of this turn, or of the one before, and pauses.
    pub fn previous_turn(&mut self) {
        self.pause();
        let target = self.previous_turn_step();
        if let Some(step) = self.or_trouble(target) {
            self.jump(step);
        }
    }

    /// Goes on by one step, and pauses.
    pub fn next_step(&mut self) {
        self.pause();
        let before = self.scene.clone();
        let mut travels = vec![];
        let moved = self.step() < self.steps();
        if moved && self.advance(Some(&mut travels)) {
            self.arrive(Some((before, travels)));
        }
    }

    /// Goes back by one step, and pauses.
    pub fn previous_step(&mut self) {
        self.pause();
        self.jump(self.step().saturating_sub(1));
    }

    /// Goes to the state after `step` steps, or to the last one; it goes on playing if it did. The
    /// newest state of a match that is being played is followed.
    pub fn seek(&mut self, step: u64) {
        self.jump(step);
        self.following = self.is_live() && step >= self.steps();
        self.playing |= self.following;
    }

    /// Goes to a part of the match, from 0 to 1.
    pub fn seek_fraction(&mut self, fraction: f64) {
        self.seek((fraction.clamp(0.0, 1.0) * self.steps() as f64).round() as u64);
    }

    /// Goes to the beginning.
    pub fn to_start(&mut self) {
        self.seek(0);
    }

    /// Goes to the end; of a match that is being played it follows the newest state from there.
    pub fn to_end(&mut self) {
        self.seek(u64::MAX);
    }
}

impl<G: Render> Playback<G> {
    /// Jumps to a step, or the last one, without changing whether it plays.
    fn jump(&mut self, step: u64) {
        let sought = self.states.seek(step.min(self.steps()));
        self.or_trouble(sought);
        self.due = 0.0;
        self.arrive(None);
    }

    /// Shows the current state of the source.
    fn arrive(&mut self, from: Option<(Scene, Vec<Travel>)>) {
        self.scene = match self.eyes {
            None => self.game().scene(),
            Some(player) => self.game().scene_for(player),
        };
        let takes = self.movement_time();
        self.movement =
            from.map(|(before, travels)| Movement { before, travels, began: None, takes });
    }

    /// The step that the turn before begins with, or this one if it has begun already.
    fn previous_turn_step(&mut self) -> Result<u64, StateError> {
        let here = self.step();
        let first = self.turns.first_step(&mut *self.states)?;
        if first < here || first == 0 {
            return Ok(first);
        }
        self.states.seek(first - 1)?;
        self.turns.first_step(&mut *self.states)
    }

    /// After trouble only what comes before it is shown.
    fn or_trouble<T>(&mut self, result: Result<T, StateError>) -> Option<T> {
        let error = match result {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        self.pause();
        if let StateError::NoSuchStep { .. } = error {
            // The match has begun anew; the next tick notices.
            return None;
        }
        // The state that it stands at is as good as the step to it.
        let stands = self.states.step();
        let good = (1..=stands)
            .rev()
            .find(|&step| self.states.seek(step - 1).is_ok() && self.states.advance().is_ok());
        let good = good.unwrap_or(0);
        // The first state was good when the replay was opened; seeking the others has just worked.
        self.states.seek(good).ok();
        self.good_steps = Some(good);
        self.trouble = Some(error.to_string());
        self.arrive(None);
        None
    }
}
