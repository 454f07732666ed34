//! Moves through a match in time: play, pause, step, seek, follow, at a [`Speed`].
//!
//! The viewer calls [`Playback`] for its keys and buttons, and before each picture. The states come
//! from a [`StateSource`]. They are numbered by step, but people go back turn by turn: `Turns`
//! finds the first step of a turn.

mod flow;

use std::{collections::BTreeMap, fmt, time::Duration};

use agon_core::Player;
use agon_games::any::AnyGame;
use agon_games::scene::{Scene, Travel};

use crate::{StateError, StateSource, paint::Instant};

/// A match that is played back.
pub struct Playback {
    states: Box<dyn StateSource>,
    turns: Turns,
    scene: Scene,
    /// The player whose view is shown; `None` to show everything.
    pub eyes: Option<Player>,
    /// Whether nobody is to see anything, while one person hands the screen over to another.
    pub is_covered: bool,
    /// Whether following shows each turn, and not only the newest state.
    is_paced: bool,
    movement: Option<Movement>,
    /// Whether playback runs.
    pub playing: bool,
    /// Whether it stays at the newest state of a running match.
    pub following: bool,
    /// The speed, which [`Playback::set_speed`] sets.
    pub speed: Speed,
    /// While a running match is played from its start and nobody has chosen a speed: the number of
    /// steps that the speed was set for.
    from_start: Option<u64>,
    /// Turns that are due and have not been played yet.
    due: f64,
    /// An estimate of the turns that fit between two pictures.
    fits: u64,
    /// Whether more turns were due at the last picture than fit.
    is_busy: bool,
    now: Duration,
    /// Whether the time before the next tick does not count, because playback was paused.
    resumed: bool,
    /// The last step that can be shown, if later ones cannot.
    good_steps: Option<u64>,
    trouble: Option<String>,
}

/// A movement from the state before to this one.
#[derive(Debug)]
struct Movement {
    before: Scene,
    travels: Vec<Travel>,
    /// The time of its start; `None` until the next tick.
    began: Option<Duration>,
    takes: Duration,
}

impl Playback {
    /// Starts at the first state of a match, paused.
    ///
    /// A running match starts at the newest state, and playback follows it.
    pub fn new(mut states: Box<dyn StateSource>) -> Playback {
        states.refresh();
        let progress = states.game().progress();
        let ends = states.is_complete().then(|| states.steps());
        let turns = progress.limit.into_iter().chain(ends).min().unwrap_or(u64::MAX);
        let mut playback = Playback {
            turns: Turns(BTreeMap::from([(progress.turn, 0)])),
            scene: states.game().scene(),
            eyes: None,
            is_covered: false,
            is_paced: false,
            movement: None,
            playing: false,
            following: !states.is_complete(),
            speed: Speed::of_match(turns),
            from_start: None,
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
    pub fn states(&self) -> &dyn StateSource {
        &*self.states
    }

    /// Returns the state that is shown.
    pub fn game(&self) -> &AnyGame {
        self.states.game()
    }

    /// Returns the scene of this state.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Shows the view of a player, or everything, or hides the match, and returns whether that has
    /// changed.
    ///
    /// With `is_paced`, following shows each turn.
    pub fn see_as(&mut self, eyes: Option<Player>, is_covered: bool, is_paced: bool) -> bool {
        self.is_paced = is_paced && eyes.is_some();
        let differs = (self.eyes, self.is_covered) != (eyes, is_covered);
        if differs {
            (self.eyes, self.is_covered) = (eyes, is_covered);
            self.arrive(None);
        }
        differs
    }

    /// Returns the picture of this moment: the scene, or a point on the way to it.
    pub fn instant(&self) -> Instant<'_> {
        let Some(movement) = &self.movement else { return Instant::still(&self.scene) };
        let Movement { before, travels, .. } = movement;
        Instant { scene: &self.scene, before: Some(before), travels, done: self.done(movement) }
    }

    /// Returns the names of the players.
    pub fn players(&self) -> &[String] {
        self.states.players()
    }

    /// Returns the number of steps before the state that is shown.
    pub fn step(&self) -> u64 {
        self.states.step()
    }

    /// Returns the number of steps that can be shown so far.
    pub fn steps(&self) -> u64 {
        let steps = self.states.steps();
        self.good_steps.map_or(steps, |good| good.min(steps))
    }

    /// Returns the turn of the state that is shown.
    pub fn turn(&self) -> u64 {
        self.game().progress().turn
    }

    /// Returns the first step of this turn.
    pub fn turn_start(&self) -> Result<u64, StateError> {
        self.turns.clone().first_step(&mut *self.states.fork())
    }

    /// Returns the position in the match, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match self.steps() {
            0 => 1.0,
            steps => self.step() as f64 / steps as f64,
        }
    }

    /// Returns whether more states may come.
    pub fn is_live(&self) -> bool {
        self.good_steps.is_none() && !self.states.is_complete()
    }

    /// Returns whether this is the last state.
    pub fn is_at_end(&self) -> bool {
        !self.is_live() && self.step() >= self.steps()
    }

    /// Plays a running match from its first state, instead of following it.
    ///
    /// The speed fits the turns that there are so far: nobody knows how many there will be.
    pub fn play_from_start(&mut self) {
        self.jump(0);
        self.from_start = Some(0);
        (self.playing, self.following, self.resumed) = (true, false, true);
    }

    /// Jumps to the first state of a turn, or of the last one if there are fewer.
    pub fn go_to_turn(&mut self, turn: u64) -> Result<(), StateError> {
        let step = step_of(turn, self.steps(), &mut *self.states.fork())?;
        self.seek(step);
        Ok(())
    }

    /// Sets the speed.
    pub fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        self.from_start = None;
        self.due = 0.0;
    }

    /// Returns the error that prevents it from showing all of the match, if there is one.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Plays or pauses.
    ///
    /// At the end it plays from the beginning. At the newest state of a running match it follows.
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

    /// Advances by one turn, and pauses.
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

    /// Advances by one step, and pauses.
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

    /// Jumps to the state after `step` steps, or to the last one; playback continues if it ran.
    ///
    /// A jump to the newest state of a running match follows it.
    pub fn seek(&mut self, step: u64) {
        self.jump(step);
        self.following = self.is_live() && step >= self.steps();
        self.playing |= self.following;
    }

    /// Jumps to a part of the match, from 0 to 1.
    pub fn seek_fraction(&mut self, fraction: f64) {
        self.seek((fraction.clamp(0.0, 1.0) * self.steps() as f64).round() as u64);
    }

    /// Jumps to the end, and follows a running match.
    pub fn to_end(&mut self) {
        self.seek(u64::MAX);
    }

    /// Jumps to a step, or to the last one, without starting or pausing playback.
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
            Some(player) => self.game().scene_for(player).expect("the match has this player"),
        };
        if self.is_covered {
            self.scene = self.scene.clone().covered();
        }
        let takes = self.movement_time();
        self.movement =
            from.map(|(before, travels)| Movement { before, travels, began: None, takes });
    }

    /// Returns the first step of this turn, or of the turn before if this is the first step.
    fn previous_turn_step(&mut self) -> Result<u64, StateError> {
        let here = self.step();
        let first = self.turns.first_step(&mut *self.states)?;
        if first < here || first == 0 {
            return Ok(first);
        }
        self.states.seek(first - 1)?;
        self.turns.first_step(&mut *self.states)
    }

    /// Notes an error. From then on only the states before it are shown.
    fn or_trouble<T>(&mut self, result: Result<T, StateError>) -> Option<T> {
        let error = match result {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        self.pause();
        if let StateError::NoSuchStep { .. } = error {
            // The match has started again; the next tick notices that.
            return None;
        }
        // The current state is as good as the step to it.
        let stands = self.states.step();
        let good = (1..=stands)
            .rev()
            .find(|&step| self.states.seek(step - 1).is_ok() && self.states.advance().is_ok());
        let good = good.unwrap_or(0);
        // The first state was good when the replay was opened. Jumps to the others have
        // just worked.
        self.states.seek(good).ok();
        self.good_steps = Some(good);
        self.trouble = Some(error.to_string());
        self.arrive(None);
        None
    }
}

/// Turns per second. It is a power of two, so that doubling and halving give the same speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speed(i8);

impl Speed {
    /// A turn in four seconds.
    pub const SLOWEST: Speed = Speed(-2);
    /// As many turns as fit between two pictures.
    pub const FASTEST: Speed = Speed(13);
    /// One turn per second.
    pub const ONE: Speed = Speed(0);

    /// Returns the speed at which a match of this many turns takes about a minute.
    ///
    /// It takes between 42 and 85 seconds. Short matches are shown at a turn per second, very long
    /// ones at the fastest speed that has a number.
    pub fn of_match(turns: u64) -> Speed {
        // The power of two nearest to turns / 60, by ratio: log2(turns * sqrt(2) / 60).
        let squared = u128::from(turns).pow(2) / 1800;
        let power = squared.max(1).ilog2() / 2;
        Speed(power.min(12) as i8)
    }

    /// Returns turns per second; infinity at the fastest speed.
    pub fn per_second(self) -> f64 {
        if self == Speed::FASTEST { f64::INFINITY } else { f64::from(self.0).exp2() }
    }

    /// Returns twice the speed, if possible.
    #[must_use]
    pub fn faster(self) -> Speed {
        Speed(self.0 + 1).min(Speed::FASTEST)
    }

    /// Returns half the speed, if possible.
    #[must_use]
    pub fn slower(self) -> Speed {
        Speed(self.0 - 1).max(Speed::SLOWEST)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Speed::FASTEST => f.write_str("max"),
            Speed(power @ 0..) => write!(f, "{}/s", 1u32 << power),
            Speed(power) => write!(f, "1/{}s", 1u32 << -power),
        }
    }
}

/// The first steps of all turns seen so far, starting with that of the match.
#[derive(Clone, Debug)]
struct Turns(BTreeMap<u64, u64>);

impl Turns {
    /// Returns the first step of the turn of the source's current state.
    ///
    /// The source may then be at another step of that turn.
    fn first_step(&mut self, states: &mut dyn StateSource) -> Result<u64, StateError> {
        let turn = states.game().progress().turn;
        let here = states.step();
        let mut back = self.guess(turn, here);
        loop {
            if let Some(&first) = self.0.get(&turn) {
                return Ok(first);
            }
            states.seek(here.saturating_sub(back))?;
            let mut at = states.game().progress().turn;
            while at < turn {
                if !states.advance()? {
                    // The match has started again meanwhile.
                    return Err(StateError::NoSuchStep { step: here, steps: states.steps() });
                }
                let before = std::mem::replace(&mut at, states.game().progress().turn);
                if at != before {
                    self.0.insert(at, states.step());
                }
            }
            back *= 2;
        }
    }

    /// Returns a number of steps that most likely leads back before the turn of `step`.
    ///
    /// It is one more than the mean length of the turns so far.
    fn guess(&self, turn: u64, step: u64) -> u64 {
        let first = self.0.first_key_value().map_or(0, |(&turn, _)| turn);
        step / (turn.saturating_sub(first) + 1) + 1
    }
}

/// Returns the first of `steps` steps whose turn is `turn` or later; without one, the last step.
fn step_of(turn: u64, steps: u64, states: &mut dyn StateSource) -> Result<u64, StateError> {
    // Turns never go down from one step to the next.
    let mut from = 0;
    let mut to = steps;
    while from < to {
        let middle = from + (to - from) / 2;
        states.seek(middle)?;
        if states.game().progress().turn >= turn {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_double_between_their_ends() {
        let mut speed = Speed::SLOWEST.slower();
        let mut shown = vec![];
        loop {
            shown.push(speed.to_string());
            assert_eq!(speed.faster().slower(), speed.min(Speed::FASTEST.slower()));
            if speed == Speed::FASTEST {
                break;
            }
            speed = speed.faster();
        }
        assert_eq!(shown[..4], ["1/4s", "1/2s", "1/s", "2/s"]);
        assert_eq!(shown[14..], ["4096/s", "max"]);
        assert_eq!(
            (Speed::SLOWEST.per_second(), Speed::FASTEST.per_second()),
            (0.25, f64::INFINITY)
        );
    }

    #[test]
    fn matches_take_about_a_minute() {
        let speed = |turns| Speed::of_match(turns).per_second();
        assert_eq!(
            (speed(0), speed(60), speed(500), speed(1_000), speed(u64::MAX)),
            (1.0, 1.0, 8.0, 16.0, 4096.0)
        );
        for turns in (60..4096 * 42).step_by(7) {
            let seconds = turns as f64 / speed(turns);
            assert!((42.0..=85.0).contains(&seconds), "{turns}: {seconds}");
        }
    }
}
