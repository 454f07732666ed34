//! Lets a person play a game: they compose their orders step by step, with hints and undo.
//!
//! A game's `human.rs` implements [`HumanInput`]. It knows nothing of windows and pixels, so a
//! person plays the same way in a window, a terminal and a browser. The viewer (`agon-view`) passes
//! on clicks and keys, and shows the [`Hints`].

mod units;

pub(crate) use units::order_mark;

pub use units::{AimedOrder, PlainOrder, UnitGame, UnitOrders};

use std::time::Duration;

use agon_core::{Decision, Player};
use serde::{Deserialize, Serialize};

use crate::any::{AnyAnswers, AnyGame};
use crate::scene::{Arrow, Ink, Mark, Place, Render, Scene};

/// A game that a person can play.
pub trait HumanInput: Render {
    /// What a person has chosen so far, in a turn.
    type Orders: Clone + std::fmt::Debug + Send + 'static;

    /// Returns empty orders. Called at the first batch of a turn in which `player` is asked.
    fn orders(&self, player: Player) -> Self::Orders;

    /// Applies a gesture to the orders.
    fn act(&self, orders: &mut Self::Orders, act: Gesture) -> Reaction;

    /// Returns what the screen shows for these orders.
    fn hints(&self, orders: &Self::Orders) -> Hints;

    /// Returns the answer to an open decision once the orders are submitted. The same orders answer
    /// later batches of the same turn. Default where nothing was ordered.
    fn carry_out(&self, orders: &Self::Orders, decision: Decision) -> Self::Answer;

    /// Returns the board after these submitted orders, which a screen shows before the click.
    ///
    /// `None` if other players or chance decide about it as well. Of the scene, only the board with
    /// its cells, marks and pieces is shown.
    fn preview(&self, orders: &Self::Orders) -> Option<Scene> {
        let _ = orders;
        None
    }

    /// Returns how long a turn lasts for bots, in milliseconds, if that is fixed. A person may want
    /// the same pace.
    fn turn_ms(&self) -> Option<u32> {
        None
    }
}

/// Asks a person for the answers to decisions.
pub trait Prompter {
    /// Starts a match: forgets the orders of an earlier one.
    fn begin_anew(&self);

    /// Asks, and waits for the answers, at most for `limit`.
    fn ask(
        &self,
        game: &AnyGame,
        step: u64,
        player: Player,
        decisions: &[Decision],
        limit: Option<Duration>,
    ) -> PromptOutcome;
}

/// The outcome of a question to a person.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptOutcome {
    /// An answer per decision.
    Answers(AnyAnswers),
    /// The person took too long.
    TooLate,
    /// The person has left.
    Left,
}

/// What a person did on a screen. Places are those of [`Render::scene_for`] the player.
///
/// As JSON: `{"pick": 12}`, `{"point": 12}`, `{"choose": 3}`, `{"type": "r"}`, `{"go": "up"}`,
/// `"confirm"`, `"undo"`, `"cancel"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gesture {
    /// Picked a place with the pointer, or confirmed the one under the cursor.
    Pick(Place),
    /// Moved the cursor to a place, or to an entry of a list, without choosing it.
    Point(u32),
    /// Chose an entry of a list, by its number.
    Choose(u32),
    /// Typed a character: one of a [`Choice`], or a digit of a number.
    Type(char),
    /// An arrow key.
    Go(ArrowKey),
    /// Return.
    Confirm,
    /// Backspace: take the last order back.
    Undo,
    /// Escape: drop the unfinished choice.
    Cancel,
}

/// An arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrowKey {
    /// Up.
    Up,
    /// Right.
    Right,
    /// Down.
    Down,
    /// Left.
    Left,
}

impl ArrowKey {
    /// All four, clockwise.
    pub const ALL: [ArrowKey; 4] = [ArrowKey::Up, ArrowKey::Right, ArrowKey::Down, ArrowKey::Left];

    /// The change of column and row of one step.
    pub const fn step(self) -> (i32, i32) {
        match self {
            ArrowKey::Up => (0, -1),
            ArrowKey::Right => (1, 0),
            ArrowKey::Down => (0, 1),
            ArrowKey::Left => (-1, 0),
        }
    }

    /// The arrow that points this way on a grid.
    pub const fn arrow(self) -> Arrow {
        Arrow(2 * self as u8)
    }

    /// The key's name in English.
    pub const fn name(self) -> &'static str {
        match self {
            ArrowKey::Up => "up",
            ArrowKey::Right => "right",
            ArrowKey::Down => "down",
            ArrowKey::Left => "left",
        }
    }
}

/// A game's reaction to a gesture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The gesture means nothing here.
    Ignored,
    /// The orders or hints have changed.
    Changed,
    /// The gesture is not possible, and why: "column 3 is full".
    Refused(String),
    /// The orders are complete.
    Submitted,
}

/// What a screen shows besides the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hints {
    /// What to do now, in a sentence: "Choose a column for the blue pellet".
    pub message: String,
    /// Marks on top of the scene, drawn at any size: places to pick, what is chosen, where orders
    /// lead.
    pub marks: Vec<Mark>,
    /// What can be typed now; screens show buttons for them.
    pub choices: Vec<Choice>,
    /// Number of orders that wait for Return; 0 if the game takes each order at once.
    pub orders: usize,
    /// Places of all units that can get orders; empty in games without units. Screens begin there.
    pub units: Vec<Place>,
    /// Where the cursor is, for [`Gesture::Point`]: screens begin the next question there.
    pub cursor: Option<u32>,
    /// Places of the units that the next order is for. Screens keep them in sight.
    pub chosen: Vec<Place>,
}

/// Something that can be typed or clicked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What to type or to click.
    pub act: Gesture,
    /// What it means: "turn left", "all 12 units".
    pub label: String,
    /// A colour that it stands for.
    pub ink: Option<Ink>,
    /// Whether it is chosen now.
    pub chosen: bool,
    /// The direction on the picture that it stands for. Screens lay out such choices as a cross.
    pub way: Option<Arrow>,
}

impl Choice {
    /// Something that can be done, not chosen now, of no colour. An arrow key has its direction.
    pub fn new(act: Gesture, label: impl Into<String>) -> Choice {
        let way = match act {
            Gesture::Go(key) => Some(key.arrow()),
            _ => None,
        };
        Choice { act, label: label.into(), ink: None, chosen: false, way }
    }

    /// A character that can be typed.
    pub fn typed(character: char, label: impl Into<String>) -> Choice {
        Choice::new(Gesture::Type(character), label)
    }

    /// The same, with a colour that it stands for.
    pub fn with_ink(self, ink: Ink) -> Choice {
        Choice { ink: Some(ink), ..self }
    }

    /// The same, with a direction on the picture that it stands for.
    pub fn towards(self, way: Arrow) -> Choice {
        Choice { way: Some(way), ..self }
    }

    /// The same, chosen now or not.
    pub fn chosen_if(self, chosen: bool) -> Choice {
        Choice { chosen, ..self }
    }
}
