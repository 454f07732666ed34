//! The painter: turns a [`Scene`](agon_games::scene::Scene) of a game into pixels.
//!
//! The viewer (`agon-view`), films (`agon-film`) draw with it, and charts ([`chart`]).
//!
//! | module | contents |
//! | --- | --- |
//! | `area`, `frame` | [`Frame`]: a picture of RGBA pixels |
//! | `drawing` | shapes and texts on a frame |
//! | `color` | [`Rgb`]: a colour, and how much it differs from others |
//! | `canvas` | the part of a frame that may be drawn on |
//! | `text`, `symbol` | letters as pixels, and characters that the font lacks |
//! | `theme` | [`Theme`]: the colours of inks |
//! | `camera` | [`Camera`]: the visible part of a board, and its scale |
//! | `painter` | [`Painter`]: a scene on a frame |
//! | `screenshot` | a whole scene with its caption, as in exported pictures |
//!
//! Everything is drawn on the processor, without files, clock or fonts of the system. So it looks
//! the same in a window, in a browser, on a server and in a file.

mod area;
mod camera;
mod canvas;
pub mod chart;
mod color;
mod drawing;
mod frame;
mod painter;
mod screenshot;
mod symbol;
mod text;
mod theme;

pub use area::Area;
pub use camera::Camera;
pub use color::Rgb;
pub use frame::Frame;
pub use painter::{Instant, Painter};
pub use screenshot::{Caption, Screenshot};
pub use text::{text_fit, text_width};
pub use theme::{Appearance, Theme, ThemeName};
