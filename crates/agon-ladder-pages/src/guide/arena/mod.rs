//! `agents.txt` of an arena: everything that somebody needs who takes part in it.
//!
//! | module | contents |
//! | --- | --- |
//! | `model` | [`ArenaGuide`]: what the text is made of |
//! | `text` | the text as a whole |
//! | `steps` | commands, for `agon` and for `curl` |
//! | `facts` | dates, limits, languages, settings |

mod facts;
mod model;
mod steps;
mod text;

pub use model::{ArenaGuide, Kit, Limits, Setting, Starter};
