//! [`View`]: what the player to move may know: the board and its own pellets, but not the
//! opponent's bags. Built-in bots decide by it, and hosts make their questions of it.

use agon_core::Player;

use super::{Board, Cell, Cluster, Pellets, own_colors};

/// What the player to move sees.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    game: &'a Cluster,
    player: Player,
}

impl<'a> View<'a> {
    pub(super) fn new(game: &'a Cluster, player: Player) -> View<'a> {
        View { game, player }
    }

    /// The player whose view it is.
    pub fn player(&self) -> Player {
        self.player
    }

    /// The geometry.
    pub fn board(&self) -> &'a Board {
        self.game.board()
    }

    /// The direction in which pellets fall.
    pub fn gravity(&self) -> u8 {
        self.game.gravity()
    }

    /// All pellets on the board.
    pub fn pellets(&self) -> &'a Pellets {
        self.game.pellets()
    }

    /// The colours in hand, in ascending order; never empty.
    pub fn hand(&self) -> &'a [u8] {
        self.game.hand()
    }

    /// What is left in the player's own bags, the hand not included: colour and number.
    pub fn bags(&self) -> [(u8, u32); 2] {
        own_colors(self.player).map(|color| (color, self.game.bags[usize::from(color)]))
    }

    /// The number of the player's own pellets that rotations have burnt.
    pub fn burnt(&self) -> u32 {
        let all = 2 * self.game.rules.bag_size();
        let on_board = self.game.pellets_of(self.player);
        // A position written by hand may start with fewer pellets; the missing ones count as burnt.
        all.saturating_sub(on_board + self.game.pellets_left(self.player))
    }

    /// The columns that take a pellet now, with their top cells.
    pub fn valid_columns(&self) -> impl Iterator<Item = (usize, Cell)> + use<'a> {
        self.game.valid_columns()
    }

    /// How long a run has to be to win.
    pub fn run_length(&self) -> u32 {
        self.game.rules.run_length
    }

    /// Turns that are over; a turn is a move of one player.
    pub fn turn(&self) -> u64 {
        self.game.turn
    }
}
