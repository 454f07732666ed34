//! The states of a match to show: the trait [`StateSource`].
//!
//! The playback, the inspector and the chart read a match through it. [`ReplayStates`] are the
//! states of a replay: a jump starts from the nearest key frame or kept state, and some states on
//! its way are kept. [`LiveStates`] are those of a running match: the side that plays it pushes
//! steps to [`SharedStates`], `agon-show` on this machine, `agon-web` in a browser.

use std::sync::{Arc, Mutex, PoisonError};

use agon_games::any::{AnyAnswers, AnyGame, GameKind};
use agon_match::replay::{Cursor, ReadError, Replay};
use thiserror::Error;

/// The names of the players, in order of player number.
pub type Players = Vec<String>;

/// The reason why a state cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StateError {
    /// The replay cannot be played up to this state.
    #[error(transparent)]
    Replay(#[from] ReadError),
    /// There is no such step, or not yet.
    #[error("there is no step {step}; the match has {steps} so far")]
    NoSuchStep {
        /// The requested step.
        step: u64,
        /// The number of steps.
        steps: u64,
    },
}

/// The states of a match, with a current one.
pub trait StateSource: Send {
    /// Returns the names of the players.
    fn players(&self) -> &[String];

    /// Returns the number of steps so far.
    fn steps(&self) -> u64;

    /// Returns whether no more steps will come.
    fn is_complete(&self) -> bool;

    /// Returns the number of steps before the current state.
    fn step(&self) -> u64;

    /// Returns the current state.
    fn game(&self) -> &AnyGame;

    /// Returns the answers on this state; `None` if they are unknown, as on the last state.
    fn answers(&mut self) -> Result<Option<&AnyAnswers>, StateError>;

    /// Advances by one step, and returns whether there was one.
    fn advance(&mut self) -> Result<bool, StateError>;

    /// Jumps to the state after `step` steps.
    /// Fails if there is no such step, or it cannot be reached. The current state is then the old
    /// one or one between the two.
    fn seek(&mut self, step: u64) -> Result<(), StateError>;

    /// Returns a second source of the same match, with a current state of its own.
    fn fork(&self) -> Box<dyn StateSource>;

    /// Checks whether the match has started again.
    ///
    /// If so, returns `true` and jumps to its first state.
    fn refresh(&mut self) -> bool {
        false
    }
}

/// The states of a replay.
#[derive(Clone, Debug)]
pub struct ReplayStates {
    players: Players,
    replay: Replay,
    cursor: Cursor,
    /// Kept states; the last used one is last. Clones share them.
    kept: Vec<Arc<Cursor>>,
}

/// The most states that are kept.
const MAX_CURSORS: usize = 40;

/// The shortest way that is worth keeping a state for.
const WORTH_KEEPING: u64 = 8;

impl ReplayStates {
    /// Starts at the first state of a replay.
    pub fn new(replay: &Replay, kind: &'static dyn GameKind) -> Result<ReplayStates, StateError> {
        let players = replay.header().players.iter().map(|bot| bot.name.clone()).collect();
        let cursor = replay.cursor(kind)?;
        let kept = vec![Arc::new(cursor.clone())];
        Ok(ReplayStates { players, replay: replay.clone(), cursor, kept })
    }

    /// Jumps to the state with the shortest way to `step`.
    ///
    /// This is a kept state, a key frame, or the current state.
    fn begin_seek(&mut self, step: u64) -> Result<(), StateError> {
        let here = Some(self.step()).filter(|&here| here <= step);
        let kept = self.kept.iter().zip(0..).map(|(kept, index)| (kept.step(), index));
        let kept = kept.filter(|&(kept, _)| kept <= step && Some(kept) > here).max();
        if self.replay.key_before(step) > kept.map(|(kept, _)| kept).or(here) {
            // Only up to the key frame: the steps after it are played below, and kept.
            self.cursor = self.replay.cursor_at(self.game().kind(), step)?;
        } else if let Some((_, index)) = kept {
            let used = self.kept.remove(index);
            self.cursor = Cursor::clone(&used);
            self.kept.push(used);
        } else if here.is_none() {
            self.cursor = self.replay.cursor(self.game().kind())?;
        }
        Ok(())
    }

    /// Keeps the current state. If there are too many, forgets the one that was unused for longest.
    fn keep(&mut self) {
        let step = self.step();
        self.kept.retain(|kept| kept.step() != step);
        if self.kept.len() == MAX_CURSORS {
            self.kept.remove(0);
        }
        self.kept.push(Arc::new(self.cursor.clone()));
    }
}

impl StateSource for ReplayStates {
    fn players(&self) -> &[String] {
        &self.players
    }

    fn steps(&self) -> u64 {
        self.replay.steps()
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn step(&self) -> u64 {
        self.cursor.step()
    }

    fn game(&self) -> &AnyGame {
        self.cursor.game()
    }

    fn answers(&mut self) -> Result<Option<&AnyAnswers>, StateError> {
        let last = self.step() == self.steps();
        let frame = self.cursor.frame()?;
        Ok((!last).then_some(frame.given))
    }

    fn advance(&mut self) -> Result<bool, StateError> {
        Ok(self.cursor.advance()?)
    }

    fn seek(&mut self, step: u64) -> Result<(), StateError> {
        let steps = self.steps();
        if step > steps {
            return Err(StateError::NoSuchStep { step, steps });
        }
        self.begin_seek(step)?;
        // Some states on the way are kept, closer and closer together. So a person who steps back
        // from the end finds one near by.
        let worth_keeping = |at: u64| (step - at > WORTH_KEEPING).then(|| at + (step - at) / 2);
        let mut next = worth_keeping(self.step());
        while self.step() < step {
            self.cursor.advance()?;
            if next == Some(self.step()) {
                self.keep();
                next = worth_keeping(self.step());
            }
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn StateSource> {
        Box::new(self.clone())
    }
}

/// The initial distance of kept states in steps. When there are too many, every second is dropped.
const KEPT_AT_FIRST: u64 = 16;

/// The most states that are kept.
const MAX_KEPT: usize = 128;

/// The most bytes of answers that are kept, approximately.
///
/// A longer match starts again for its viewers, with its current state.
const MAX_BYTES: usize = 256 << 20;

/// The approximate bytes of a step's list besides its answers.
const LIST_BYTES: usize = 96;

/// A running match. Its thread pushes answers; each viewer has its own [`LiveStates`].
#[derive(Clone, Debug)]
pub struct SharedStates(Arc<Mutex<Shared>>);

#[derive(Debug)]
struct Shared {
    /// The number of the attempt, from 0.
    attempt: u32,
    /// The answers of every step so far.
    answers: Vec<Arc<AnyAnswers>>,
    /// The approximate bytes of the answers, and their limit.
    bytes: usize,
    most_bytes: usize,
    /// States at every `spacing` steps, starting with the first state.
    kept: Vec<AnyGame>,
    spacing: u64,
    /// The newest state that any viewer needed, and its step.
    last: (u64, AnyGame),
    /// Whether a viewer has read `last`, so that a newer one is worth copying.
    last_is_used: bool,
    is_complete: bool,
}

impl Shared {
    fn new(start: AnyGame, attempt: u32, most_bytes: usize) -> Shared {
        Shared {
            attempt,
            answers: vec![],
            bytes: 0,
            most_bytes,
            kept: vec![start.clone()],
            spacing: KEPT_AT_FIRST,
            last: (0, start),
            last_is_used: true,
            is_complete: false,
        }
    }

    fn steps(&self) -> u64 {
        self.answers.len() as u64
    }

    /// Returns the nearest kept state up to `step`.
    fn before(&self, step: u64) -> (u64, &AnyGame) {
        let key = (step / self.spacing).min(self.kept.len() as u64 - 1);
        let at = key * self.spacing;
        if (at..=step).contains(&self.last.0) {
            (self.last.0, &self.last.1)
        } else {
            (at, &self.kept[key as usize])
        }
    }
}

impl SharedStates {
    /// Makes a match at its start.
    pub fn new(start: AnyGame) -> SharedStates {
        SharedStates::keeping(start, MAX_BYTES)
    }

    fn keeping(start: AnyGame, most_bytes: usize) -> SharedStates {
        SharedStates(Arc::new(Mutex::new(Shared::new(start, 0, most_bytes))))
    }

    /// Adds a step of the match, which led to `game`.
    pub fn push(&self, answers: &AnyAnswers, game: &AnyGame) {
        let mut shared = self.lock();
        shared.bytes += LIST_BYTES + answers.memory();
        if shared.bytes > shared.most_bytes {
            let attempt = shared.attempt + 1;
            let most_bytes = shared.most_bytes;
            *shared = Shared::new(game.clone(), attempt, most_bytes);
            return;
        }
        shared.answers.push(Arc::new(answers.clone()));
        let steps = shared.steps();
        if shared.last_is_used {
            (shared.last, shared.last_is_used) = ((steps, game.clone()), false);
        }
        if steps == shared.kept.len() as u64 * shared.spacing {
            shared.kept.push(game.clone());
        }
        if shared.kept.len() > MAX_KEPT {
            let mut index = 0;
            shared.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            shared.spacing *= 2;
        }
    }

    /// Starts the match again, from `start`.
    pub fn begin_anew(&self, start: AnyGame) {
        let mut shared = self.lock();
        *shared = Shared::new(start, shared.attempt + 1, shared.most_bytes);
    }

    /// Returns the number of steps so far.
    pub fn steps(&self) -> u64 {
        self.lock().steps()
    }

    /// Marks the match as complete: no more steps follow.
    pub fn complete(&self) {
        self.lock().is_complete = true;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One viewer's states of a running match.
#[derive(Clone, Debug)]
pub struct LiveStates {
    players: Players,
    shared: SharedStates,
    attempt: u32,
    game: AnyGame,
    step: u64,
    answers: Option<Arc<AnyAnswers>>,
}

impl LiveStates {
    /// Starts at the first state of a match.
    pub fn new(shared: SharedStates, players: Players) -> LiveStates {
        let (attempt, game) = {
            let shared = shared.lock();
            (shared.attempt, shared.kept[0].clone())
        };
        LiveStates { players, shared, attempt, game, step: 0, answers: None }
    }

    /// Returns the answers of a step; `None` also if the step belongs to a void attempt.
    fn answers_at(&self, step: u64) -> Option<Arc<AnyAnswers>> {
        let shared = self.shared.lock();
        (shared.attempt == self.attempt)
            .then(|| shared.answers.get(step as usize).cloned())
            .flatten()
    }
}

impl StateSource for LiveStates {
    fn players(&self) -> &[String] {
        &self.players
    }

    fn steps(&self) -> u64 {
        self.shared.lock().steps()
    }

    fn is_complete(&self) -> bool {
        self.shared.lock().is_complete
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn game(&self) -> &AnyGame {
        &self.game
    }

    fn answers(&mut self) -> Result<Option<&AnyAnswers>, StateError> {
        if self.answers.is_none() {
            self.answers = self.answers_at(self.step);
        }
        Ok(self.answers.as_deref())
    }

    fn advance(&mut self) -> Result<bool, StateError> {
        let Some(answers) = self.answers.take().or_else(|| self.answers_at(self.step)) else {
            return Ok(false);
        };
        self.game.step(&answers);
        self.step += 1;
        Ok(true)
    }

    fn seek(&mut self, step: u64) -> Result<(), StateError> {
        {
            let mut shared = self.shared.lock();
            let steps = shared.steps();
            if step > steps {
                return Err(StateError::NoSuchStep { step, steps });
            }
            let (at, game) = shared.before(step);
            if step < self.step || at > self.step || self.attempt != shared.attempt {
                (self.game, self.step) = (game.clone(), at);
            }
            self.attempt = shared.attempt;
            shared.last_is_used |= step == steps;
            self.answers = None;
        }
        while self.step < step {
            if !self.advance()? {
                // The match has started again meanwhile.
                return Err(StateError::NoSuchStep { step, steps: self.step });
            }
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn StateSource> {
        Box::new(self.clone())
    }

    fn refresh(&mut self) -> bool {
        let shared = self.shared.lock();
        if shared.attempt == self.attempt {
            return false;
        }
        (self.attempt, self.game, self.step, self.answers) =
            (shared.attempt, shared.kept[0].clone(), 0, None);
        true
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;
    use agon_games::GameId;

    use super::*;

    #[test]
    fn a_match_that_takes_too_much_begins_anew_as_it_is() {
        let kind = GameId::Cellhack.kind();
        let mut game = kind.start(&kind.default_rules(), 2, Seed(1)).unwrap();
        let mut answers = kind.no_answers();
        let most = 100_000;
        let shared = SharedStates::keeping(game.clone(), most);
        let mut states = LiveStates::new(shared.clone(), vec!["one".into(), "two".into()]);
        let mut pushed = 0;
        let mut begun = 0;
        while begun < 3 {
            answers.reset(game.decisions().len());
            game.step(&answers);
            shared.push(&answers, &game);
            pushed += 1;
            assert!(shared.lock().bytes <= most);
            if states.refresh() {
                begun += 1;
                assert_eq!((states.steps(), states.step()), (0, 0));
                assert!(*states.game() == game);
            }
        }
        assert!(pushed > 10, "{pushed}");
        answers.reset(game.decisions().len());
        game.step(&answers);
        shared.push(&answers, &game);
        states.seek(1).unwrap();
        assert!(*states.game() == game);
    }
}
