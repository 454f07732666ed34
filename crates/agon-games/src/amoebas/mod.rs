//! amoebas: a game of clones. Fuel grows in empty cells of a torus; amoebas eat it, divide, and hit
//! each other.
//!
//! `turn.rs` holds the rules of the four actions, `schedule.rs` who is asked when, `state.rs` the
//! game around them. A *class* is a set of cells too far apart to see each other's actions. All
//! amoebas on the cells of a class are asked together, so this is exactly the game in which they
//! act one by one (`torus.rs` says why).

mod actions;
mod answer;
mod answer_codec;
pub mod batch;
mod blobs;
mod board;
pub mod bots;
mod colors;
mod content;
mod dir;
pub mod helpers;
mod human;
pub mod jsonl;
mod occupancy;
mod position;
mod presets;
mod round_end;
mod rules;
mod scene;
mod schedule;
mod section;
mod state;
pub mod stats;
mod torus;
mod turn;
mod view;

pub use answer::{Answer, Baggage, Command};
pub use content::CARRIES;
pub use dir::{Dir, Dirs, Offset};
pub use position::{Amoeba, Position};
pub use rules::Rules;
pub use state::Amoebas;
pub use stats::Population;
pub use view::{CellView, Occupant, View};

/// Most species of a match.
pub const MAX_PLAYERS: usize = 64;
