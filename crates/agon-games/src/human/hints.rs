//! What a screen shows to a person who plays: a message, marks on the board and buttons. A game
//! makes them in [`HumanInput::hints`](super::HumanInput::hints).

use crate::scene::{Arrow, Ink, Mark, Place};

use super::Gesture;

/// What a screen shows besides the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
