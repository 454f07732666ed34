//! The viewer without a window: takes inputs and paints pictures of any size.
//!
//! Windows, terminals, browsers and VNC clients are shells around the same [`App`]. They pass on a
//! person's inputs and show the [`Frame`](crate::paint::Frame). The states come from a
//! [`StateSource`]: a replay (`agon watch`) or a running match (`agon play`).

mod app;
mod human_player;
mod input;
mod open;
pub mod paint;
mod playback;
mod prompts;
mod states;
mod viewer;
#[cfg(unix)]
pub mod window;

pub use agon_games::human::PromptOutcome;
pub use app::{
    App, Charted, ChoiceButton, Control, EventKind, Layout, ListedEvent, Offer, Redraw, Rematch,
    Status, TextApp, TextLayout,
};
pub use human_player::HumanPlayer;
pub use input::{Button, INPUT_SOURCE, Input, Key};
pub use open::{notes, open};
pub use playback::{Playback, Speed};
pub use prompts::{CarryOut, Listener, Prompt, PromptQueue};
pub use states::{LiveStates, Players, ReplayStates, SharedStates, StateError, StateSource};
pub use viewer::{Notes, Viewer};
