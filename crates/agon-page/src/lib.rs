//! The messages between the arena and a page.
//!
//! The arena plays, `agon-web-host` serves, the page shows. This crate has the messages that all of
//! them must know. The contents that depend on games are in `agon_web::live`.
//!
//! | module | contents |
//! | --- | --- |
//! | `message` | messages to pages: a kind and contents |
//! | `dialogue` | messages between the arena and `agon-web-host` |

#[cfg(not(target_arch = "wasm32"))]
pub mod dialogue;
pub mod message;

pub use message::Question;
