//! The messages between the arena, the server of pages and the page in a browser.
//!
//! The arena `agon` plays a match. `agon-web-host` serves a page that shows it. The parts of
//! messages that depend on a game are in [`live`](crate::live).
//!
//! | module | contents |
//! | --- | --- |
//! | `message` | messages to pages: a kind and contents |
//! | `dialogue` | messages between the arena and `agon-web-host` |

#[cfg(not(target_arch = "wasm32"))]
pub mod dialogue;
pub mod message;

pub use message::Question;
