//! The viewer, without a window: it gets inputs, and paints pictures of the size that it is asked
//! for.
//!
//! A window, a browser, a VNC client are shells around the same [`App`]: they pass on what the
//! person does and show the [`Frame`](agon_paint::Frame). What there is to be looked at comes from
//! a [`Reel`]: a replay, or a match that is being played.

mod app;
mod asker;
mod desk;
mod input;
mod open;
mod overlay;
mod person;
mod playback;
mod reel;
pub mod sheet;
mod viewer;

pub use app::{App, Charted, Offer, Redraw, Status};
pub use asker::Asker;
pub use desk::{CarryOut, Desk, Listener, Outcome, Question};
pub use input::{Button, Input, Key};
pub use open::{OpenError, open};
pub use overlay::Overlay;
pub use person::Person;
pub use playback::{Playback, Speed};
pub use reel::{FileReel, LiveReel, Players, Reel, ReelError, SharedReel};
pub use sheet::{Sheet, TextApp};
pub use viewer::{Notes, Viewer};
