//! The [`Game`] trait: the rules of one game as a pure state machine.
//!
//! Every game in `agon-games` implements it. The referee, replays and the viewer know games only
//! through it.

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Codec, Decision, Fold, Player, Purpose, Rng, Seed, SetupError, Standing};

/// A type that can be the settings of a game.
///
/// The doc comment of each field is the setting's description in `agon rules GAME`, its `Default`
/// the documented default. Unknown keys must be errors: put
/// `#[serde(default, deny_unknown_fields)]` on it.
pub trait Settings:
    Clone
    + Debug
    + Default
    + PartialEq
    + Serialize
    + DeserializeOwned
    + JsonSchema
    + Send
    + Sync
    + 'static
{
}

impl<T> Settings for T where
    T: Clone
        + Debug
        + Default
        + PartialEq
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Send
        + Sync
        + 'static
{
}

/// Facts about a game that do not depend on its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The name on the command line and in replays: lower case, no spaces.
    pub id: &'static str,
    /// Counts up whenever the same seed and answers could lead to other states than before.
    pub rules_version: u32,
    /// Fewest players of a match.
    pub min_players: usize,
    /// Most players of a match.
    pub max_players: usize,
    /// The game's word for one unit of its length: "turn", "round", "tick".
    pub turn_name: &'static str,
    /// One sentence for `agon games`.
    pub summary: &'static str,
    /// The game's page in Markdown: rules, actions, protocol. Settings are appended from the code.
    pub page: &'static str,
}

impl Meta {
    /// Returns the name for people: without the digest that a game from a file has behind it.
    pub fn name(&self) -> &'static str {
        self.id.split('@').next().expect("a text has a first part")
    }
}

/// How far a game has come, in the game's own turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Turns that are completely over, from 0.
    pub turn: u64,
    /// The turn at which the game ends at the latest; `None` if its settings switch the limit off.
    pub limit: Option<u64>,
}

/// The rules of one game, as a state that asks for batches of independent decisions.
///
/// # Contract
/// - Same rules, players, seed and answers: same states, on every platform.
/// - The decisions of a batch are independent: no answer changes what another decision of the batch
///   sees.
/// - [`decisions`](Game::decisions) is sorted, has no duplicates, and is empty exactly when the
///   game is over.
/// - Every answer value is accepted at every decision. The game's rules say how it counts if it is
///   impossible.
/// - `a == b` implies `a.state_hash() == b.state_hash()`, and the hash covers everything that
///   decides the future.
///
/// The conformance kit (`agon_games::conformance`) checks this for every game.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a game",
    note = "docs/your-game.md shows how to write one"
)]
pub trait Game: Clone + Debug + Eq + Send + Sync + 'static {
    /// Facts that do not depend on settings.
    const META: Meta;

    /// The game's settings.
    type Rules: Settings;
    /// The whole state in a form that people can read and write; survives JSON and postcard.
    ///
    /// Keep to plain structs, sequences, strings and externally tagged enums: no `untagged`,
    /// `flatten` or `skip_serializing_if`, which binary formats cannot read back.
    type Position: Clone + Debug + PartialEq + Serialize + DeserializeOwned + JsonSchema + Send;
    /// The part of the state that one decision may look at, borrowed from it.
    type View<'a>
    where
        Self: 'a;
    /// An answer of a bot. After a fault its `Default` is played.
    type Answer: Clone
        + Debug
        + Default
        + PartialEq
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Codec
        + Send
        + Sync;

    /// Sets up a match.
    ///
    /// # Errors
    /// Names every setting that does not fit, and a number of players that the rules do not allow.
    fn new(rules: &Self::Rules, players: usize, seed: Seed) -> Result<Self, SetupError>;

    /// Sets up a match at any point, from a position written by hand or by [`Game::position`].
    ///
    /// # Errors
    /// Names every part of the position that contradicts the rules or itself.
    fn from_position(
        rules: &Self::Rules,
        seed: Seed,
        position: Self::Position,
    ) -> Result<Self, SetupError>;

    /// The whole state; with rules and seed, [`Game::from_position`] makes an equal game of it.
    fn position(&self) -> Self::Position;

    /// The settings of this match.
    fn rules(&self) -> &Self::Rules;

    /// The seed of this match.
    fn seed(&self) -> Seed;

    /// The number of players, including those who are out.
    fn players(&self) -> usize;

    /// The decisions wanted now, sorted by player, then unit; empty when the game is over.
    fn decisions(&self) -> &[Decision];

    /// Returns the part of the state that `decision` may look at.
    ///
    /// # Panics
    /// If `decision` is not one of [`Game::decisions`].
    fn view(&self, decision: Decision) -> Self::View<'_>;

    /// Plays one step, with one answer per decision in the same order.
    ///
    /// # Panics
    /// If the number of answers differs from the number of decisions.
    fn step(&mut self, answers: &[Self::Answer]);

    /// Returns why this answer breaks the rules, if it does. The referee adds the breach to the
    /// faults of the match.
    ///
    /// Answers that merely have no effect (a move into a wall) are no breach.
    fn illegal(&self, decision: Decision, answer: &Self::Answer) -> Option<String> {
        let _ = (decision, answer);
        None
    }

    /// Draws an answer for scripted playouts: usually a sensible one, but sometimes of any kind.
    fn random_answer(&self, decision: Decision, rng: &mut Rng) -> Self::Answer;

    /// Returns the substitute for every further answer of a bot that has ended.
    ///
    /// That is the default answer, unless the game distinguishes a bot that has ended from one that
    /// missed a decision.
    fn forfeit() -> Self::Answer {
        Self::Answer::default()
    }

    /// Returns the facts about the game of this match: [`META`](Game::META), unless many games
    /// share the type.
    fn meta(&self) -> Meta {
        Self::META
    }

    /// Returns why the rules themselves have failed. Only rules from outside of Agon can; the match
    /// then counts for nobody.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Returns how far the game has come.
    fn progress(&self) -> Progress;

    /// Returns whether `player` can never decide again, so that its bot may be stopped.
    ///
    /// It must be fast, because the referee calls it at every step.
    fn is_out(&self, player: Player) -> bool;

    /// Returns scores and places now, and the outcome once the game is over.
    fn standing(&self) -> Standing;

    /// Returns a hash of everything that decides the future, except rules and seed.
    fn state_hash(&self) -> u64;
}

/// More methods of every [`Game`], which no game overrides.
pub trait GameExt: Game {
    /// Returns whether the game is over.
    fn is_over(&self) -> bool {
        self.decisions().is_empty()
    }

    /// Plays one step with an answer from `decide` for every decision.
    fn step_with(&mut self, mut decide: impl FnMut(&Self, Decision) -> Self::Answer) {
        let answers: Vec<_> = self.decisions().iter().map(|&d| decide(self, d)).collect();
        self.step(&answers);
    }

    /// Draws the answers of a scripted playout for the current decisions, from `script` and the
    /// step number.
    ///
    /// The stream of each decision depends on the decision and not on its place in the batch, so
    /// batched and one-by-one play draw the same answers.
    fn scripted_answers(&self, script: Seed, step: u64) -> Vec<Self::Answer> {
        let answer = |&d: &Decision| {
            let unit = (u64::from(d.player.0) << 32) | u64::from(d.unit);
            let mut rng = script.stream(Purpose::Script, cell_stream(step, unit));
            self.random_answer(d, &mut rng)
        };
        self.decisions().iter().map(answer).collect()
    }

    /// Plays at most `plies` scripted steps and folds the hash of every state, including the first.
    ///
    /// This is the number in `walk <seed> <plies> <hash>` lines.
    fn walk(&mut self, script: Seed, plies: u64) -> u64 {
        let mut fold = Fold::new();
        fold.add(self.state_hash());
        for step in 0..plies {
            if self.is_over() {
                break;
            }
            let answers = self.scripted_answers(script, step);
            self.step(&answers);
            fold.add(self.state_hash());
        }
        fold.finish()
    }
}

impl<G: Game> GameExt for G {}

fn cell_stream(step: u64, unit: u64) -> u64 {
    crate::mix(step).wrapping_add(crate::mix(unit ^ 0x5EED))
}
