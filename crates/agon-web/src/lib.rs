//! The viewer in a browser.
//!
//! `cargo xtask web` compiles this crate to WebAssembly. The page in `web/` loads it, hands it a
//! replay, passes on the person's inputs and shows the pixels. The browser plays the match again,
//! and compares every state with the replay. For the command line the same crate is an ordinary
//! library without the viewer. It has the [`bundle`] to serve, and [`live`], which sends a running
//! match to pages.
//!
//! | module | contents |
//! | --- | --- |
//! | `exports` | the functions that the page calls (feature `viewer`) |
//! | `session` | `Session`: a replay or a match in a page, verified (feature `viewer`) |
//! | `carried` | replays that carry the rules of their game (feature `viewer`) |
//! | `scenes` | what shows a replay whose game the page does not know |
//! | `live` | matches on their way from the arena to a page |
//! | `message` | messages to pages: a kind and contents |
//! | `dialogue` | messages between the arena and `agon-web-host`, which serves the page |
//! | `bundle` | the files of the page |

#[cfg(not(target_arch = "wasm32"))]
pub mod bundle;
#[cfg(not(target_arch = "wasm32"))]
pub mod dialogue;
pub mod live;
pub mod message;
pub mod scenes;

#[cfg(feature = "viewer")]
pub mod carried;
#[cfg(feature = "viewer")]
#[allow(unsafe_code, reason = "what JavaScript calls has fixed names, and takes pointers")]
pub mod exports;
#[cfg(feature = "viewer")]
mod session;

#[cfg(feature = "viewer")]
pub use session::{Session, VerifiedSoFar};
