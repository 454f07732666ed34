//! The painter: turns a [`Scene`](agon_games::scene::Scene) of a game into pixels.
//!
//! The viewer (`agon-view`), films (`agon-show`) draw with it, and charts ([`chart`]).
//!
//! | module | contents |
//! | --- | --- |
//! | `frame` | [`Frame`]: a picture of RGBA pixels; [`Area`], [`Rgb`] |
//! | `canvas` | the part of a frame that may be drawn on; shapes and texts |
//! | `text` | letters as pixels, and characters that the font lacks |
//! | `theme` | [`Theme`]: the colours of inks |
//! | `camera` | [`Camera`]: the visible part of a board, and its scale |
//! | `painter` | [`Theme::paint_board`]: a scene on a frame |
//! | `screenshot` | a whole scene with its caption, as in exported pictures |
//!
//! Everything is drawn on the processor, without files, clock or fonts of the system. So it looks
//! the same in a window, in a browser, on a server and in a file.

mod camera;
mod canvas;
pub mod chart;
mod frame;
mod painter;
mod screenshot;
mod text;
mod theme;

pub use camera::{Camera, board_point};
pub use frame::{Area, Frame, Rgb};
pub use painter::Instant;
pub use screenshot::Screenshot;
pub use text::{text_fit, text_width};
pub use theme::{Appearance, Theme, ThemeName};
