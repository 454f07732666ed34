//! A game of any kind behind one type. The arena plays, records and shows all games through it, and
//! so do programs that learn only at run time which game they play, such as those that train bots.
//!
//! [`GameKind`] is a game itself: its facts, settings and bots. [`AnyGame`] is a match of it at
//! some point, whose methods are those of [`DynGame`]. [`AnyAnswers`] are answers to its decisions.
//! Settings, positions, questions and replies have different types in each game, so they go in and
//! out as JSON or bytes. Calls are about whole batches, so that the detour costs next to nothing.

mod answers;
mod dyn_game;
mod kind;
mod orders;
pub mod shown;

pub use answers::{AnswersMut, AnyAnswers};
pub use dyn_game::DynGame;
pub use kind::{AnyPolicy, BuiltinInfo, GameKind, PositionError, SeriesInfo, Trials};
pub use orders::AnyOrders;

use std::{any::Any, fmt, marker::PhantomData, ops};

use agon_core::{Decision, Game, LegalActions};
use thiserror::Error;

use crate::human::HumanInput;
use crate::{BuiltinBots, Presets, batch::Batch, jsonl::JsonGame};

/// A game with all that the arena and the viewers need of it.
pub trait FullGame: Batch + JsonGame + HumanInput + LegalActions + BuiltinBots + Presets {}

impl<G: Batch + JsonGame + HumanInput + LegalActions + BuiltinBots + Presets> FullGame for G {}

/// Returns a game as a [`GameKind`].
pub fn kind_of<G: FullGame>() -> &'static dyn GameKind {
    &kind::Kind::<G>(PhantomData)
}

/// A game of any kind at some point of a match. Its methods are those of [`DynGame`].
///
/// ```
/// use agon_core::Seed;
/// use agon_games::GameId;
///
/// let kind = GameId::Cluster.kind();
/// let rules = kind.changed_rules(&["side=4"])?;
/// let mut game = kind.start(&rules, 2, Seed(1))?;
/// let mut answers = kind.no_answers();
/// answers.reset(game.decisions().len());
/// answers.as_mut().set_json(0, r#""ROTATE 2""#)?;
/// game.step(&answers);
/// assert_eq!(game.progress().turn, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AnyGame(Box<dyn DynGame>);

impl AnyGame {
    /// Wraps a game.
    pub fn of<G: FullGame>(game: G) -> AnyGame {
        AnyGame(Box::new(game))
    }

    /// Returns the game as its own type; `None` if it is of another one.
    pub fn as_game<G: Game>(&self) -> Option<&G> {
        let game: &dyn Any = &*self.0;
        game.downcast_ref()
    }

    /// Returns the game as its own type.
    ///
    /// # Panics
    /// If it is of another one.
    pub fn of_game<G: Game>(&self) -> &G {
        self.as_game().unwrap_or_else(|| panic!("this is no game of {}", G::META.id))
    }
}

impl ops::Deref for AnyGame {
    type Target = dyn DynGame;

    fn deref(&self) -> &(dyn DynGame + 'static) {
        &*self.0
    }
}

impl ops::DerefMut for AnyGame {
    fn deref_mut(&mut self) -> &mut (dyn DynGame + 'static) {
        &mut *self.0
    }
}

impl Clone for AnyGame {
    fn clone(&self) -> AnyGame {
        AnyGame(self.0.clone_boxed())
    }
}

impl fmt::Debug for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for AnyGame {
    fn eq(&self, other: &AnyGame) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Eq for AnyGame {}

/// Why a game of any kind cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AnyGameError(String);

type Result<T, E = AnyGameError> = std::result::Result<T, E>;

/// Makes an error about the answer to a decision.
fn wrong_answer(decision: Decision, reason: impl fmt::Display) -> AnyGameError {
    AnyGameError(format!("player {}, unit {}: {reason}", decision.player, decision.unit))
}

/// Makes an error with this text.
fn wrong<T>(text: impl ToString) -> Result<T> {
    Err(AnyGameError(text.to_string()))
}
