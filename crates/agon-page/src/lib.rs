//! What is said on the way from the arena to a page and back.
//!
//! The arena plays, `agon-web-host` serves, the page shows. This crate has what they tell each
//! other, as far as all of them must know it; what depends on games is `agon_web::live`.
//!
//! | module | what |
//! | --- | --- |
//! | `message` | messages to pages: a kind and contents |
//! | `dialogue` | what the arena and `agon-web-host` tell each other |

#[cfg(not(target_arch = "wasm32"))]
pub mod dialogue;
pub mod message;

pub use message::Question;
