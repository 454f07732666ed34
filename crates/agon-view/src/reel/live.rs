//! A match that is being played, to be looked at.

use std::sync::{Arc, Mutex, PoisonError};

use agon_core::Game;

use super::{Players, Reel, ReelError};

/// States are kept every so many steps at first; when there are too many, every second is dropped.
const KEPT_AT_FIRST: u64 = 16;

/// So many states are kept at most.
const MOST_KEPT: usize = 128;

/// A match that is being played: whoever plays it pushes answers, whoever looks at it has a [`LiveReel`] each.
#[derive(Clone, Debug)]
pub struct SharedReel<G: Game>(Arc<Mutex<Shared<G>>>);

#[derive(Debug)]
struct Shared<G: Game> {
    /// The answers of every step so far.
    answers: Vec<Arc<[G::Answer]>>,
    /// States at every `spacing` steps, the first one first.
    kept: Vec<G>,
    spacing: u64,
    last: G,
    is_complete: bool,
}

impl<G: Game> SharedReel<G> {
    /// A match that begins.
    pub fn new(start: G) -> SharedReel<G> {
        SharedReel(Arc::new(Mutex::new(Shared {
            answers: vec![],
            kept: vec![start.clone()],
            spacing: KEPT_AT_FIRST,
            last: start,
            is_complete: false,
        })))
    }

    /// The match has gone on by a step to `game`.
    pub fn push(&self, answers: &[G::Answer], game: &G) {
        let mut shared = self.lock();
        shared.answers.push(answers.into());
        shared.last = game.clone();
        if shared.answers.len() as u64 == shared.kept.len() as u64 * shared.spacing {
            shared.kept.push(game.clone());
        }
        if shared.kept.len() > MOST_KEPT {
            let mut index = 0;
            shared.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            shared.spacing *= 2;
        }
    }

    /// The match begins anew, from `start`.
    pub fn begin_anew(&self, start: G) {
        let mut shared = self.lock();
        *shared = Shared {
            answers: vec![],
            kept: vec![start.clone()],
            spacing: KEPT_AT_FIRST,
            last: start,
            is_complete: false,
        };
    }

    /// Nothing follows any more.
    pub fn complete(&self) {
        self.lock().is_complete = true;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared<G>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody's look at a match that is being played.
#[derive(Clone, Debug)]
pub struct LiveReel<G: Game> {
    players: Players,
    shared: SharedReel<G>,
    game: G,
    step: u64,
    answers: Option<Arc<[G::Answer]>>,
}

impl<G: Game> LiveReel<G> {
    /// At the first state of a match.
    pub fn new(shared: SharedReel<G>, players: Players) -> LiveReel<G> {
        let game = shared.lock().kept[0].clone();
        LiveReel { players, shared, game, step: 0, answers: None }
    }

    fn answers_at(&self, step: u64) -> Option<Arc<[G::Answer]>> {
        self.shared.lock().answers.get(step as usize).cloned()
    }
}

impl<G: Game> Reel<G> for LiveReel<G> {
    fn players(&self) -> &[String] {
        &self.players
    }

    fn steps(&self) -> u64 {
        self.shared.lock().answers.len() as u64
    }

    fn is_complete(&self) -> bool {
        self.shared.lock().is_complete
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn game(&self) -> &G {
        &self.game
    }

    fn answers(&mut self) -> Result<Option<&[G::Answer]>, ReelError> {
        if self.answers.is_none() {
            self.answers = self.answers_at(self.step);
        }
        Ok(self.answers.as_deref())
    }

    fn advance(&mut self) -> Result<bool, ReelError> {
        let Some(answers) = self.answers.take().or_else(|| self.answers_at(self.step)) else {
            return Ok(false);
        };
        self.game.answer(&answers);
        self.step += 1;
        Ok(true)
    }

    fn seek(&mut self, step: u64) -> Result<(), ReelError> {
        {
            let shared = self.shared.lock();
            let steps = shared.answers.len() as u64;
            if step > steps {
                return Err(ReelError::NoSuchStep { step, steps });
            }
            let key = step / shared.spacing;
            let at = key * shared.spacing;
            if step == steps {
                (self.game, self.step) = (shared.last.clone(), step);
            } else if step < self.step || at > self.step {
                (self.game, self.step) = (shared.kept[key as usize].clone(), at);
            }
            self.answers = None;
        }
        while self.step < step {
            self.advance()?;
        }
        Ok(())
    }
}
