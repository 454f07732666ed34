//! [`Cluster`]: the state of a match, and the rules of a turn.

use std::sync::Arc;

use agon_core::{Decision, Player, Purpose, QuickStreams, Seed};
use thiserror::Error;

use super::{
    Answer, Board, COLORS, Cell, End, Pellet, Pellets, Rules, in_hand::InHand, judge, own_colors,
    owner,
};

/// A game of cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    pub(super) rules: Rules,
    pub(super) seed: Seed,
    /// The draws of each turn.
    draws: QuickStreams,
    pub(super) board: Arc<Board>,
    pub(super) gravity: u8,
    pub(super) pellets: Pellets,
    /// What is left in the bag of each colour, the hand not included.
    pub(super) bags: [u32; COLORS],
    /// Colours in the hand of the player to move, in ascending order.
    pub(super) hand: InHand,
    /// Turns that are over; a turn is a move of one player.
    pub(super) turn: u64,
    pub(super) end: Option<End>,
    /// The decision of the player to move.
    pub(super) decision: [Decision; 1],
}

/// Why an answer breaks the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalAnswer {
    /// The board has no such column.
    #[error("there is no column {column}; columns are numbered from 0 to {last}")]
    Column {
        /// The column given.
        column: u16,
        /// The last column there is.
        last: usize,
    },
    /// The column is full.
    #[error("column {0} is full")]
    Full(u16),
    /// The player does not hold a pellet of this colour.
    #[error(
        "color {color} is not in hand (in hand: {})",
        .hand.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
    )]
    Color {
        /// The colour given.
        color: u8,
        /// The colours in hand.
        hand: Vec<u8>,
    },
    /// The gravity cannot be turned by this number of sixths.
    #[error("the board cannot be rotated by {0} cycles, only by 1 to 5")]
    Cycles(u8),
}

impl Cluster {
    pub(super) fn empty(rules: &Rules, seed: Seed, gravity: u8) -> Cluster {
        let board = Board::shared(rules.side);
        Cluster {
            pellets: Pellets::new(board.clone(), gravity),
            board,
            gravity,
            bags: [rules.bag_size(); COLORS],
            hand: InHand::default(),
            turn: 0,
            end: None,
            decision: [Decision::new(Player(0), 0)],
            rules: rules.clone(),
            draws: QuickStreams::new(seed, Purpose::Draw),
            seed,
        }
    }

    /// The geometry.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The direction in which pellets fall.
    pub fn gravity(&self) -> u8 {
        self.gravity
    }

    /// The pellets on the board.
    pub fn pellets(&self) -> &Pellets {
        &self.pellets
    }

    /// The player to move; after the end, the player who would be next.
    pub fn to_move(&self) -> Player {
        Player((self.turn % 2) as u16)
    }

    /// The colours in the hand of the player to move, in ascending order; empty once the game is
    /// over.
    pub fn hand(&self) -> &[u8] {
        &self.hand
    }

    /// How the game ended, if it did.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The columns that take a pellet now, with their top cells.
    pub fn valid_columns(&self) -> impl Iterator<Item = (usize, Cell)> {
        let tops =
            (0..self.board.columns()).map(|column| (column, self.board.top(column, self.gravity)));
        tops.filter(|&(_, top)| self.pellets.is_free(top))
    }

    /// Pellets that a player still has, in its bags and in its hand.
    pub fn pellets_left(&self, player: Player) -> u32 {
        let bags: u32 = own_colors(player).iter().map(|&color| self.bags[usize::from(color)]).sum();
        bags + self.hand.iter().filter(|&&color| owner(color) == player).count() as u32
    }

    /// Pellets that a player has on the board.
    pub fn pellets_of(&self, player: Player) -> u32 {
        own_colors(player).iter().map(|&color| self.pellets.count(color)).sum()
    }

    /// Checks whether the rules allow this answer of the player to move. To give up is allowed.
    ///
    /// # Errors
    /// Says which rule the answer breaks.
    pub fn check(&self, answer: &Answer) -> Result<(), IllegalAnswer> {
        match *answer {
            Answer::Forfeit | Answer::Rotate { cycles: 1..=5 } => Ok(()),
            Answer::Rotate { cycles } => Err(IllegalAnswer::Cycles(cycles)),
            Answer::Place { color, .. } if !self.hand.contains(&color) => {
                Err(IllegalAnswer::Color { color, hand: self.hand.to_vec() })
            }
            Answer::Place { column, .. } if usize::from(column) >= self.board.columns() => {
                Err(IllegalAnswer::Column { column, last: self.board.columns() - 1 })
            }
            Answer::Place { column, .. } => {
                let top = self.board.top(column.into(), self.gravity);
                if self.pellets.is_free(top) { Ok(()) } else { Err(IllegalAnswer::Full(column)) }
            }
        }
    }

    /// Plays one turn: the move, its result, and the next player's draw.
    pub(super) fn play(&mut self, answer: &Answer) {
        let mover = self.to_move();
        self.end = match (self.check(answer), *answer) {
            (Err(_), _) => Some(End::Illegal { loser: mover }),
            (Ok(()), Answer::Forfeit) => Some(End::Forfeit { loser: mover }),
            (Ok(()), Answer::Place { column, color }) => self.place(column, color),
            (Ok(()), Answer::Rotate { cycles }) => self.rotate(cycles),
        };
        self.put_hand_back();
        self.set_turn(self.turn + 1);
        if self.end.is_none() {
            self.begin_turn();
        }
    }

    pub(super) fn set_turn(&mut self, turn: u64) {
        self.turn = turn;
        self.decision = [Decision::new(self.to_move(), 0)];
    }

    /// The player to move draws. Without pellets, or after the last round, the game ends.
    pub(super) fn begin_turn(&mut self) {
        let player = self.to_move();
        if self.turn >= self.rules.max_turns() {
            self.end = Some(End::RoundLimit);
        } else if self.pellets_left(player) == 0 {
            self.end = Some(End::OutOfPellets { loser: player });
        } else if self.hand.is_empty() {
            self.draw();
        }
    }

    /// Each draw picks one of the colours left in the bags, with the same chance.
    fn draw(&mut self) {
        let mut rng = self.draws.of(self.turn);
        let colors = own_colors(self.to_move());
        for _ in 0..self.rules.hand_size {
            let left = colors.map(|color| self.bags[usize::from(color)] > 0);
            let color = match left {
                [true, true] => colors[rng.index(2)],
                [true, false] => colors[0],
                [false, true] => colors[1],
                [false, false] => break,
            };
            self.bags[usize::from(color)] -= 1;
            self.hand.take(color);
        }
    }

    pub(super) fn put_hand_back(&mut self) {
        for &color in &*std::mem::take(&mut self.hand) {
            self.bags[usize::from(color)] += 1;
        }
    }

    pub(super) fn landing(&self, column: u16) -> Option<Cell> {
        self.pellets.landing(self.board.top(column.into(), self.gravity))
    }

    /// Places a pellet that `check` has allowed. There was no long run before, so only a run
    /// through the new pellet can end the game.
    fn place(&mut self, column: u16, color: u8) -> Option<End> {
        let cell = self.landing(column)?;
        if !self.hand.give(color) {
            return None;
        }
        self.pellets.put(Pellet { cell, color });
        let length = self.pellets.color_grid().run_through(cell, color);
        (length >= self.rules.run_length).then_some(End::Run { winner: owner(color), length })
    }

    fn rotate(&mut self, cycles: u8) -> Option<End> {
        self.hand = InHand::default();
        self.gravity = (self.gravity + cycles) % 6;
        self.pellets.settle(self.gravity);
        judge(&self.board, &self.pellets, self.rules.run_length)
    }
}
