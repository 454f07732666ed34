//! Parts of Agon that most matches do not need, as programs of their own beside the arena: windows,
//! pages for browsers and WebAssembly.
//!
//! Each takes long to build, and the first match should not wait for it. In a checkout it is built
//! when it is first needed; an installed arena has it in its folder. This crate finds, builds and
//! starts these programs, and passes messages to them.
//!
//! | module | contents |
//! | --- | --- |
//! | `part` | [`Part`]: a program, and its place |
//! | `packaged` | [`is_packaged`]: whether a package contains this program |
//! | `checkout` | builds it from the sources of the arena |
//! | `running` | [`Running`]: a program that was started and speaks the arena's dialogue |
//! | `message` | messages through pipes |
//! | `dialogue` | [`dialogue`]: the version of a dialogue that a program speaks |

mod checkout;
mod dialogue;
mod error;
mod message;
mod packaged;
mod part;
mod running;

pub use dialogue::dialogue;
pub use error::PartError;
pub use message::{Message, receive, send};
pub use packaged::is_packaged;
pub use part::{Part, on_path};
pub use running::{Ear, Mouth, Running, greet};
