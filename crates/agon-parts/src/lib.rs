//! Parts of Agon that most matches do without, as programs of their own beside the arena.
//!
//! Each takes long to build, so that the first match does not wait for it. In a checkout it is
//! built when it is first wanted; an installed arena has it beside it.
//!
//! | module | what |
//! | --- | --- |
//! | `part` | [`Part`]: a program, and where it is |
//! | `checkout` | building it from the sources that the arena was built from |
//! | `running` | [`Running`]: a program that was started and speaks the arena's dialogue |
//! | `message` | messages through pipes |
//! | `dialogue` | [`dialogue`]: which version of a dialogue a program speaks |

mod checkout;
mod dialogue;
mod message;
mod part;
mod running;

pub use dialogue::dialogue;
pub use message::{Message, receive, send};
pub use part::{Part, PartError, on_path};
pub use running::{Ear, Mouth, Running, greet};
