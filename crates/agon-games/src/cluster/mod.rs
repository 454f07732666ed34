//! cluster: four in a row on a hexagonal board whose gravity can be turned.
//!
//! [`Cluster`] (`state.rs`) holds the rules of a turn. [`Board`] is the geometry. [`Pellets`] is
//! what lies on it; `color_grid.rs` holds the same colours in a form that is fast to search.
//! `runs.rs` decides who has the longest run.

mod actions;
mod answer;
pub mod batch;
mod board;
pub mod bots;
mod color_grid;
mod colors;
mod end;
mod game;
mod human;
mod in_hand;
pub mod jsonl;
mod pellets;
mod position;
mod presets;
pub mod protocol;
mod rules;
mod runs;
mod scene;
mod state;
mod view;

pub use answer::{Answer, ParseAnswerError};
pub use board::{Board, Cell, DIRECTIONS};
pub use end::End;
pub use pellets::{Pellet, Pellets};
pub use position::Position;
pub use rules::Rules;
pub use runs::{Run, judge, longest_runs};
pub use state::{Cluster, IllegalAnswer};
pub use view::View;

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
