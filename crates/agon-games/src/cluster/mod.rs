//! cluster: four in a row on a hexagonal board whose gravity can be turned.
//!
//! [`Cluster`] (`state.rs`) holds the rules of a turn. [`Board`] is the geometry. [`Pellets`] is
//! what lies on it, also in a form that is fast to search, and decides who has the longest run.

mod actions;
mod answer;
pub mod batch;
mod board;
pub mod bots;
mod human;
pub mod jsonl;
mod pellets;
mod position;
pub mod protocol;
mod rules;
mod scene;
mod state;

pub use answer::Answer;
pub use board::{Board, Cell, DIRECTIONS};
pub use pellets::{End, Pellet, Pellets, Run, judge, longest_runs};
pub use position::{Position, View};
pub use rules::Rules;
pub use state::Cluster;

use agon_core::Player;

/// Number of colours; player 0 owns 0 and 2, player 1 owns 1 and 3.
pub const COLORS: usize = 4;

/// Who owns a colour.
pub fn owner(color: u8) -> Player {
    Player(u16::from(color % 2))
}

/// The two colours of a player.
///
/// # Panics
/// If the player is neither 0 nor 1.
pub fn own_colors(player: Player) -> [u8; 2] {
    match player {
        Player(0) => [0, 2],
        Player(1) => [1, 3],
        Player(other) => panic!("cluster has players 0 and 1, not {other}"),
    }
}

fn opponent(player: Player) -> Player {
    Player(1 - player.0)
}
