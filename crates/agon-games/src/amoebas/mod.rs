//! amoebas: a game of clones. Fuel grows in empty cells of a torus; amoebas eat it, divide, and hit
//! each other.
//!
//! `turn.rs` holds the rules of the four actions, and who is asked when; `state.rs` the game around
//! them. A *class* is a set of cells too far apart to see each other's actions. All
//! amoebas on the cells of a class are asked together, so this is exactly the game in which they
//! act one by one (`torus.rs` says why).

mod actions;
mod answer;
pub mod batch;
mod board;
pub mod bots;
pub mod helpers;
mod human;
pub mod jsonl;
mod position;
mod rules;
mod scene;
mod state;
pub mod stats;
mod torus;
mod turn;
mod view;

pub use answer::{Answer, Baggage, Command};
pub use board::CARRIES;
pub use position::{Amoeba, Position};
pub use rules::Rules;
pub use state::Amoebas;
pub use stats::Population;
pub use torus::{Dir, Dirs, Offset};
pub use view::{CellView, Occupant, View};

/// Most species of a match.
pub const MAX_PLAYERS: usize = 64;
