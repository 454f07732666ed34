//! The viewer in a window: the arena's side, without a library for windows.
//!
//! The window is that of `agon-window-host`, a program of its own: inputs come from it, pictures go to it. The viewer
//! runs and is painted here.
//!
//! | module | what |
//! | --- | --- |
//! | `host` | [`Host`]: the program, started before the match begins |
//! | `shell` | the viewer's clock, its inputs, its pictures |
//! | `post` | messages to and from the host, by threads of their own |
//! | `dialogue` | what these messages are |
//! | `error` | [`WindowError`]: why there is no window |

pub mod dialogue;
mod error;
mod host;
mod post;
mod shell;

pub use error::{Problem, WindowError};
pub use host::{Host, has_display};
