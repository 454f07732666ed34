//! Parts of Agon that most matches do not need, as programs of their own beside the arena: windows,
//! pages for browsers and WebAssembly.
//!
//! Each takes long to build, and the first match should not wait for it. In a checkout it is built
//! when it is first needed; an installed arena has it in its folder. This crate finds, builds and
//! starts these programs, and passes messages to them.
//!
//! | module | contents |
//! | --- | --- |
//! | `part` | [`Part`]: a program, its place, and how it is built from the sources of the arena |
//! | `running` | [`Running`]: a program that was started, and messages to and from it |

mod part;
mod running;

pub use part::{Part, PartError, is_packaged, kit, on_path};
pub use running::{Message, Running, dialogue, greet, receive, send};
