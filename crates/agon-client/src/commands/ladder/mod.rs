//! `agon ladder`: verifies the public log of a server, or copies it.
//!
//! `agon_ladder::ledger` knows what a log must say. Here are the places that it is read from, and
//! what people see.
//!
//! | module | contents |
//! | --- | --- |
//! | `verify` | `agon ladder verify` |
//! | `own_bot` | its `--bot`: asks an author's bot its recorded questions again |
//! | `answers` | what the bot answered, in words |
//! | `nearest` | which version comes closest to files that nobody handed in |
//! | `report` | what was found, in words |
//! | `dump` | `agon ladder dump` |
//! | `progress` | how far it is |

mod answers;
mod dump;
mod nearest;
mod own_bot;
mod progress;
mod report;
mod verify;

pub(super) use dump::dump;
pub(super) use verify::verify;

/// The file of a copy with the names of arenas, as the API lists them.
const ARENAS: &str = "arenas.json";

/// Returns a number of entries in words.
fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { agon_text::number::plural(count, "entrie") }
}
