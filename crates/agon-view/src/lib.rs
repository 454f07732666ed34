//! The viewer without a window: takes inputs and paints pictures of any size.
//!
//! Windows, terminals, browsers and VNC clients are shells around the same [`App`]. They pass on a
//! person's inputs and show the [`Frame`](agon_paint::Frame). The states come from a
//! [`StateSource`]: a replay (`agon watch`) or a running match (`agon play`).

mod app;
mod human_player;
mod input;
mod open;
mod overlay;
mod playback;
mod prompt;
mod prompt_queue;
mod prompt_source;
mod rematch;
mod states;
pub mod text_layout;
mod viewed_game;
mod viewer;

pub use agon_core::PromptOutcome;

pub use app::{App, Charted, EventKind, ListedEvent, Offer, Redraw, Status, TextApp};
pub use human_player::HumanPlayer;
pub use input::{Button, Input, Key};
pub use open::{OpenError, open};
pub use overlay::Overlay;
pub use playback::{Playback, Speed};
pub use prompt::Prompt;
pub use prompt_queue::{CarryOut, Listener, PromptQueue};
pub use prompt_source::PromptSource;
pub use rematch::Rematch;
pub use states::{LiveStates, Players, ReplayStates, SharedStates, StateError, StateSource};
pub use text_layout::TextLayout;
pub use viewed_game::ViewedGame;
pub use viewer::{Notes, Viewer};
