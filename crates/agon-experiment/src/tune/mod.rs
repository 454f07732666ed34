//! Finds good values of a bot's parameters.
//!
//! | module | noun |
//! | --- | --- |
//! | `options` | what is asked |
//! | `template` | a bot whose text takes values |
//! | `field` | who plays whom in a duel |
//! | `setup` | what a tuning needs before its first match |
//! | `trial` | whether the bot takes all values |
//! | `journal` | the file of results |
//! | `job_source` | plays the duels |

mod field;
mod job_source;
mod journal;
mod options;
mod setup;
mod template;
mod trial;

pub use field::Field;
pub use job_source::{Counts, Duels, Watcher};
pub use options::TuneOptions;
pub use setup::Setup;
pub use template::Template;
