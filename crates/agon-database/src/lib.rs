//! The messages between the arena and `agon-database-host`: an [`Order`], then an [`Answer`].
//!
//! `agon-tournament` sends the results of a tournament with them, and the host writes
//! `results.sqlite`.
//!
//! | module | contents |
//! | --- | --- |
//! | `order` | [`Order`]: a request of the arena |
//! | `answer` | [`Answer`], [`Refusal`]: the result |
//! | `row` | [`BotRow`], [`MatchRow`], [`SeatRow`]: rows to write; [`pack`] and [`unpack`] many of them |
//!
//! The crate is small on purpose: the program that writes databases needs neither games nor
//! tournaments.

mod answer;
mod order;
mod row;

use agon_parts::Part;

pub use answer::{Answer, LastMatch, Refusal};
pub use order::Order;
pub use row::{BotRow, MatchRow, SeatRow, pack, unpack};

/// The program that writes databases.
pub const HOST: Part = Part {
    program: "agon-database-host",
    package: "agon-database-host",
    variable: "AGON_DATABASE_HOST",
    who: "databases of tournaments",
};

/// The version of this dialogue.
pub const DIALOGUE: u64 = agon_parts::dialogue(&[
    include_str!("order.rs"),
    include_str!("answer.rs"),
    include_str!("row.rs"),
]);
