//! A game of any kind behind one type. It is for programs that use this crate as a library and
//! learn only at run time which game they play, such as programs that train bots.
//!
//! [`AnyGame`] owns a game; [`DynGame`] lists what it can do. Settings, positions, questions and
//! answers have different types in each game, so they go in and out as JSON text or bytes. The
//! arena itself uses the games' own types.

mod dyn_game;
mod error;
mod steps;

pub use dyn_game::DynGame;
pub use error::AnyGameError;

use std::{any::Any, fmt, ops};

use agon_core::{Game, LegalActions, Seed};
use serde_json::{Map, Value};

use crate::{GameId, batch::Batch, jsonl::JsonGame, scene::Render, settings, with_game};

/// A game of any kind at some point of a match. Its methods are those of [`DynGame`].
///
/// ```
/// use agon_core::Seed;
/// use agon_games::{GameId, any::AnyGame};
///
/// let mut game = AnyGame::new(GameId::Cluster, r#"{"side": 4}"#, 2, Seed(1))?;
/// game.step_json(r#"["ROTATE 2"]"#)?;
/// assert_eq!(game.progress().turn, 1);
/// let wrong = game.step_json(r#"["ROTATE two"]"#).unwrap_err().to_string();
/// assert!(wrong.starts_with("player 1, unit 0: "), "{wrong}");
/// # Ok::<(), agon_games::any::AnyGameError>(())
/// ```
pub struct AnyGame(Box<dyn DynGame>);

impl AnyGame {
    /// Sets up a match. `rules` is a JSON object with the settings that differ from the default.
    ///
    /// # Errors
    /// Names the settings that do not fit, and a number of players that the rules do not allow.
    pub fn new(
        id: GameId,
        rules: &str,
        players: usize,
        seed: Seed,
    ) -> Result<AnyGame, AnyGameError> {
        with_game!(id, G => {
            let rules = read_rules::<G>(rules)?;
            Ok(AnyGame::of(<G as Game>::new(&rules, players, seed)?))
        })
    }

    /// Sets up a match at any point. `rules` is as for [`AnyGame::new`], `position` is JSON as
    /// [`DynGame::position_json`] writes it.
    ///
    /// # Errors
    /// Names the settings that do not fit, and the parts of the position that contradict the rules
    /// or each other.
    pub fn from_position(
        id: GameId,
        rules: &str,
        seed: Seed,
        position: &str,
    ) -> Result<AnyGame, AnyGameError> {
        with_game!(id, G => {
            let rules = read_rules::<G>(rules)?;
            let position = serde_json::from_str(position).map_err(|error| {
                AnyGameError::Position { game: G::META.id, reason: error.to_string() }
            })?;
            Ok(AnyGame::of(<G as Game>::from_position(&rules, seed, position)?))
        })
    }

    /// Wraps a game.
    pub fn of<G: Batch + JsonGame + Render + LegalActions>(game: G) -> AnyGame {
        AnyGame(Box::new(game))
    }

    /// Returns the game as its own type; `None` if it is of another one.
    pub fn as_game<G: Game>(&self) -> Option<&G> {
        let game: &dyn Any = &*self.0;
        game.downcast_ref()
    }
}

/// Reads settings; those that the text leaves out keep their defaults.
fn read_rules<G: Game>(text: &str) -> Result<G::Rules, AnyGameError> {
    let error = match serde_json::from_str(text) {
        Ok(rules) => return Ok(rules),
        Err(error) => error,
    };
    // Setting them one by one finds the wrong one.
    if let Ok(values) = serde_json::from_str::<Map<String, Value>>(text) {
        let mut rules = G::Rules::default();
        for (key, value) in values {
            settings::set::<G>(&mut rules, &key, value)?;
        }
    }
    Err(AnyGameError::Rules { game: G::META.id, reason: error.to_string() })
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
