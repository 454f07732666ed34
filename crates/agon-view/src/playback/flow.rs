//! The clock of a playback: plays the turns that are due, or follows a running match.
//!
//! The viewer calls [`Playback::tick`] before each picture. It also decides how far a movement
//! between two states has come.

use std::time::Duration;

use agon_games::scene::{Hue, Place, Travel};

use super::{Movement, Playback, Speed, Turns};
use crate::Redraw;

/// The shortest movement; shorter turns have none.
const MIN_MOVE: Duration = Duration::from_millis(80);

/// The longest movement.
const MAX_MOVE: Duration = Duration::from_millis(320);

/// The check interval for new states of a followed match.
const POLL_INTERVAL: Duration = Duration::from_millis(30);

/// The time between two pictures.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// The time after which a picture is late, so that fewer turns fit between two.
const LATE: Duration = Duration::from_millis(45);

impl Playback {
    /// Advances the time; `now` is the time since the start of the shell.
    pub fn tick(&mut self, now: Duration) -> Redraw {
        let passed = if self.resumed { Duration::ZERO } else { now.saturating_sub(self.now) };
        (self.now, self.resumed) = (now, false);
        let mut redraw = self.continue_movement();
        if self.states.refresh() {
            self.turns = Turns([(self.turn(), 0)].into());
            self.from_start = self.from_start.map(|_| 0);
            (self.following, self.playing) = (self.from_start.is_none(), true);
            self.arrive(None);
            redraw = Redraw::Yes;
        }
        self.adapt_speed();
        if !self.playing {
            return redraw;
        }
        let step = self.step();
        if self.following {
            self.follow();
        } else {
            self.play(passed);
        }
        if self.is_at_end() {
            self.pause();
            redraw = Redraw::Yes;
        }
        if let Some(movement) = &mut self.movement {
            movement.began.get_or_insert(now);
        }
        if self.step() == step { redraw } else { Redraw::Yes }
    }

    /// Returns the time without any event.
    pub fn idle(&self) -> Option<Duration> {
        if self.movement.is_some() {
            return Some(FRAME_INTERVAL);
        }
        if self.following || (self.playing && self.step() >= self.steps()) {
            return Some(POLL_INTERVAL);
        }
        if !self.playing {
            // The bar shows the progress of a match even while playback is paused.
            return self.is_live().then_some(10 * POLL_INTERVAL);
        }
        let next = Duration::try_from_secs_f64((1.0 - self.due) / self.speed.per_second());
        Some(next.unwrap_or_default().max(FRAME_INTERVAL))
    }

    pub(super) fn done(&self, movement: &Movement) -> f32 {
        let passed = self.now.saturating_sub(movement.began.unwrap_or(self.now));
        (passed.as_secs_f32() / movement.takes.as_secs_f32()).min(1.0)
    }

    fn continue_movement(&mut self) -> Redraw {
        let Some(movement) = &mut self.movement else { return Redraw::No };
        movement.began.get_or_insert(self.now);
        self.movement = self.movement.take().filter(|movement| self.done(movement) < 1.0);
        Redraw::Yes
    }

    /// Plays the turns that are due, as many as fit between two pictures.
    fn play(&mut self, passed: Duration) {
        // Late pictures get faster if there is less to do for each.
        if self.is_busy {
            let late = passed > LATE;
            self.fits = if late {
                (self.fits / 2).max(1)
            } else {
                (self.fits + 1 + self.fits / 8).min(1 << 20)
            };
        }
        // At the fastest speed even no time at all makes endlessly many turns due.
        self.due += match self.speed {
            Speed::FASTEST => f64::INFINITY,
            speed => passed.min(LATE * 4).as_secs_f64() * speed.per_second(),
        };
        self.is_busy = self.due >= (self.fits + 1) as f64;
        let turns = (self.due as u64).min(self.fits);
        // Turns that do not fit are dropped: playback is then slower than its speed.
        self.due = if self.is_busy { 0.0 } else { self.due - turns as f64 };
        if turns > 0 && self.step() < self.steps() {
            self.play_turns(turns, self.movement_time() >= MIN_MOVE);
        } else if self.is_live() && self.step() >= self.steps() && self.from_start.is_none() {
            self.following = true;
        }
    }

    /// Sets the speed for the turns that a running match has had so far, if nobody has chosen one.
    fn adapt_speed(&mut self) {
        let Some(before) = self.from_start else { return };
        let (steps, is_complete) = (self.steps(), self.states.is_complete());
        if !is_complete && steps < 2 * before.max(1) {
            return;
        }
        let mut end = self.states.fork();
        if end.seek(steps).is_ok() {
            self.speed = Speed::of_match(end.game().progress().turn);
        }
        self.from_start = (!is_complete).then_some(steps);
    }

    /// Jumps to the newest state, with a movement if it is the next one.
    fn follow(&mut self) {
        let step = self.step();
        let steps = self.steps();
        if self.is_paced {
            if steps > step && self.movement.is_none() {
                self.play_turns(1, true);
            }
        } else if steps == step + 1 {
            let before = self.scene.clone();
            let mut travels = vec![];
            if self.advance(Some(&mut travels)) {
                self.arrive(Some((before, travels)));
            }
        } else if steps > step {
            self.jump(steps);
        }
        self.following = self.is_live();
    }

    pub(super) fn movement_time(&self) -> Duration {
        if !self.playing || self.following {
            return MAX_MOVE;
        }
        let turn = Duration::try_from_secs_f64(0.9 / self.speed.per_second());
        turn.unwrap_or_default().min(MAX_MOVE)
    }

    /// Plays this many turns; the last one moves if there is time for it.
    pub(super) fn play_turns(&mut self, turns: u64, moves: bool) {
        let began = self.step();
        for _ in 1..turns {
            if !self.play_turn(None) {
                break;
            }
        }
        // Invisible turns leave nothing to move from.
        let before = (moves && self.step() == began).then(|| self.scene.clone());
        let mut travels = vec![];
        self.play_turn(before.is_some().then_some(&mut travels));
        if self.step() > began {
            self.arrive(before.map(|before| (before, travels)));
        }
    }

    /// Plays to the next turn, and returns whether it was reached.
    fn play_turn(&mut self, mut travels: Option<&mut Vec<Travel>>) -> bool {
        let turn = self.turn();
        while self.step() < self.steps() {
            if !self.advance(travels.as_deref_mut()) {
                return false;
            }
            if self.turn() != turn {
                return true;
            }
        }
        false
    }

    /// Plays one step, and returns whether there was one; `travels` gets its movements.
    pub(super) fn advance(&mut self, travels: Option<&mut Vec<Travel>>) -> bool {
        let turn = self.turn();
        let advanced = match travels {
            None => self.states.advance(),
            Some(travels) => {
                self.states.answers().map(|answers| answers.cloned()).and_then(|answers| {
                    let all =
                        answers.iter().flat_map(|answers| self.states.game().travels(answers));
                    travels.extend(all.filter(|travel| self.sees(travel)));
                    self.states.advance()
                })
            }
        };
        let advanced = self.or_trouble(advanced).unwrap_or(false);
        if advanced && self.turn() != turn {
            let (turn, step) = (self.turn(), self.step());
            self.turns.0.insert(turn, step);
        }
        advanced
    }

    /// Returns whether the viewing player may see a movement, even for a moment.
    fn sees(&self, travel: &Travel) -> bool {
        let is_seen = |place: Place| {
            self.scene.cells.get(place as usize).is_some_and(|ink| ink.hue() != Hue::Hidden)
        };
        self.eyes.is_none() || (is_seen(travel.from) && is_seen(travel.to))
    }
}
