//! Finds good values of a bot's parameters, for `agon tune`.
//!
//! It plays duels between two versions of the bot; `agon_rating::tune` chooses their values. At the
//! end the best values play the starting ones: the verification.
//!
//! | module | noun |
//! | --- | --- |
//! | `options` | what the user asked for |
//! | `template` | the text of the bot, with places for values |
//! | `field` | who plays whom in a duel |
//! | `setup` | preparations before the first match |
//! | `trial` | tries the extreme values before the tuning starts |
//! | `journal` | the file of results |
//! | `job_source` | hands the matches to a pool, and takes the results |

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
