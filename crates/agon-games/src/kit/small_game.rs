//! [`SmallGame`]: the trait that the author of a game of the kit implements. It holds the rules;
//! [`Kit`] derives the rest.

use std::{fmt::Debug, time::Duration};

use agon_core::{
    Builtin, Codec, Decision, Fold, Meta, Player, Progress, Seed, Settings, Standing,
    error::Problems,
};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{Kit, random_bot};
use crate::scene::{Ink, Mark, Place, Shape};
use crate::{Preset, any::GameKind, human::Gesture};

/// The state of a match, with the rules as methods. [`Kit`] makes a game of it.
///
/// The state is also the position that people write and files hold: it holds everything that
/// decides the future, except settings and seed. Keep to plain structs, sequences, strings and
/// externally tagged enums, which binary formats can read back.
///
/// # Contract
/// - The same settings, seed and answers lead to the same states: no clock, no float, no order of
///   hash maps. Draw chance from the seed and the turn alone: `seed.stream(Purpose::Draw, turn)`.
///   Who sees some numbers of this stream cannot compute the others, so it may hold hidden dice.
/// - Every state that passes [`SmallGame::check`] can be played to its end.
/// - Every answer is accepted at every decision, the illegal ones and the default one too.
pub trait SmallGame:
    Clone + Debug + Eq + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// Facts that do not depend on settings.
    const META: Meta;

    /// The built-in bots, the weakest first.
    const BOTS: &'static [Builtin<Kit<Self>>] = &[random_bot()];

    /// The bots that play when a person names none.
    const SHOW: &'static [&'static str] = &["random", "random"];

    /// Settings under a name; `agon play` uses the one called `default`.
    const PRESETS: &'static [Preset] = &[];

    /// Settings for a short match, as `SETTING=VALUE`.
    const SHORT: &'static [&'static str] = &[];

    /// Settings for a tiny match, as JSON. Tests use them.
    const TINY: &'static str = "{}";

    /// Words that people read instead of names in answers and views: `("BONUS", "seven more")`.
    /// Other names are shown in lower case, without underscores.
    const LABELS: &'static [(&'static str, &'static str)] = &[];

    /// The time of a bot for its first answer, start included.
    const FIRST_ANSWER: Duration = Duration::from_secs(1);

    /// The time of a bot for each later answer.
    const LATER_ANSWERS: Duration = Duration::from_millis(100);

    /// What people may change. Doc comments become the documentation.
    type Settings: Settings;

    /// What a bot answers. Its default is played after a fault.
    type Answer: Clone
        + Debug
        + Default
        + PartialEq
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Codec
        + Send
        + Sync
        + 'static;

    /// What one decision sees.
    type View: Serialize + JsonSchema;

    /// Notes every setting that does not fit. The number of players is one that [`Meta`] allows.
    fn check_settings(settings: &Self::Settings, players: usize, problems: &mut Problems);

    /// Notes every part of a state that contradicts the settings or itself. The settings fit.
    fn check(&self, settings: &Self::Settings, problems: &mut Problems);

    /// Returns the state at the start of a match. The settings fit.
    fn start(settings: &Self::Settings, players: usize, seed: Seed) -> Self;

    /// Returns the number of players, the ones that are out included.
    fn players(&self) -> usize;

    /// Returns the number of turns that are over.
    fn turn(&self) -> u64;

    /// Returns the turn at which a match ends at the latest; `None` if there is none.
    fn limit(settings: &Self::Settings) -> Option<u64> {
        let _ = settings;
        None
    }

    /// Returns the decisions wanted now, sorted by player, then unit; none when the game is over.
    /// They are independent: no answer changes what another decision sees.
    fn decisions(&self, settings: &Self::Settings) -> Vec<Decision>;

    /// Returns all answers that could ever be legal, in a fixed order.
    fn answers(settings: &Self::Settings, players: usize) -> Vec<Self::Answer>;

    /// Returns why an answer breaks the rules, if it does. Every decision has a legal answer among
    /// [`SmallGame::answers`].
    fn illegal(
        &self,
        settings: &Self::Settings,
        decision: Decision,
        answer: &Self::Answer,
    ) -> Option<String> {
        let _ = (settings, decision, answer);
        None
    }

    /// Returns what a decision sees.
    fn view(&self, settings: &Self::Settings, decision: Decision) -> Self::View;

    /// Plays one step: all decisions of now, each with its answer.
    fn step(&mut self, settings: &Self::Settings, seed: Seed, answers: &[(Decision, Self::Answer)]);

    /// Returns a player's score.
    fn score(&self, settings: &Self::Settings, player: Player) -> i64;

    /// Returns what decides a player's place, the most important number first; the highest wins. A
    /// game of elimination puts `i64::from(!self.is_out(player))` before the score.
    fn rank(&self, settings: &Self::Settings, player: Player) -> Vec<i64> {
        vec![self.score(settings, player)]
    }

    /// Returns further numbers of a player for the table of a result, such as `("dice", 3)`.
    fn measures(&self, settings: &Self::Settings, player: Player) -> Vec<(&'static str, i64)> {
        let _ = (settings, player);
        Vec::new()
    }

    /// Returns whether a player can never decide again, so that its bot may be stopped.
    fn is_out(&self, player: Player) -> bool {
        let _ = player;
        false
    }

    /// Returns why the game has ended this way, as the end of a sentence: "most points after 50
    /// turns". Called once it is over.
    fn ending(&self, settings: &Self::Settings) -> String;

    /// Returns the state as squares; `None` for games without a board.
    fn grid(&self, settings: &Self::Settings) -> Option<Grid> {
        let _ = settings;
        None
    }

    /// Returns the squares that the person who plays `player` sees; all, unless the game hides
    /// some.
    fn grid_for(&self, settings: &Self::Settings, player: Player) -> Option<Grid> {
        let _ = player;
        self.grid(settings)
    }

    /// Returns the key or the click by which a person gives an answer; `None` for a key that the
    /// kit chooses. The kit has 35 keys; people choose among more answers in a list that they can
    /// search.
    ///
    /// Squares that can be clicked can also be chosen with the arrow keys and Return, unless
    /// answers use these keys.
    fn gesture(
        &self,
        settings: &Self::Settings,
        decision: Decision,
        answer: &Self::Answer,
    ) -> Option<Gesture> {
        let _ = (settings, decision, answer);
        None
    }

    /// Returns how far the match has come.
    fn progress(&self, settings: &Self::Settings) -> Progress {
        Progress { turn: self.turn(), limit: Self::limit(settings) }
    }

    /// Returns how the players stand, where [`SmallGame::rank`] and its like do not say it.
    fn standing(&self, settings: &Self::Settings) -> Option<Standing> {
        let _ = settings;
        None
    }

    /// Returns a hash of everything that decides the future.
    fn hash(&self) -> u64 {
        let mut fold = Fold::new();
        fold.add_bytes(&postcard::to_stdvec(self).expect("positions survive postcard"));
        fold.finish()
    }

    /// Returns the game, where many games share the type.
    fn kind(&self) -> Option<&'static dyn GameKind> {
        None
    }

    /// Returns why the rules themselves have failed, see [`Game::failure`](agon_core::Game).
    fn failure(&self) -> Option<String> {
        None
    }
}

/// A picture of squares, each with a colour and perhaps a shape or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) wraps: bool,
    pub(super) cells: Vec<Ink>,
    pub(super) marks: Vec<Mark>,
}

impl Grid {
    /// Returns empty ground.
    pub fn new(width: u32, height: u32) -> Grid {
        let cells = vec![Ink::GROUND; width as usize * height as usize];
        Grid { width, height, wraps: false, cells, marks: Vec::new() }
    }

    /// Returns the same board as a torus: opposite edges meet.
    pub fn wrapping(self) -> Grid {
        Grid { wraps: true, ..self }
    }

    /// Returns the place of a column and a row, for [`Gesture::Pick`](crate::human::Gesture).
    pub fn place(&self, x: u32, y: u32) -> Place {
        y * self.width + x
    }

    /// Colours a square.
    ///
    /// # Panics
    /// If it is outside of the board.
    pub fn fill(&mut self, x: u32, y: u32, ink: Ink) {
        let place = self.require(x, y);
        self.cells[place as usize] = ink;
    }

    /// Draws a shape on a square, where squares are large enough to show it.
    ///
    /// # Panics
    /// As [`Grid::fill`].
    pub fn mark(&mut self, x: u32, y: u32, shape: Shape, ink: Ink) {
        let place = self.require(x, y);
        self.marks.push(Mark { place, shape, ink });
    }

    fn require(&self, x: u32, y: u32) -> Place {
        assert!(x < self.width && y < self.height, "{x}, {y} is outside of the board");
        self.place(x, y)
    }
}
