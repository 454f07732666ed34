//! [`Position`]: the whole state as JSON that people can read and write. Scenarios start from one,
//! and replays store one at the start and in key frames.

use agon_core::{Player, Seed, SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Board, COLORS, Cell, Cluster, End, Pellet, Pellets, Rules, judge, own_colors,
    state::MAX_PELLETS,
};
use crate::bounded_list::at_most;

/// A state of the game. Everything may be left out; `{}` is the start of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Position {
    /// The direction in which pellets fall: 0 South, 1 SouthWest, 2 NorthWest, 3 North, 4
    /// NorthEast, 5 SouthEast.
    pub gravity: u8,
    /// The pellets on the board, in the order they were placed; all at rest.
    #[serde(deserialize_with = "at_most::<_, _, { 1 << 16 }>")]
    pub pellets: Vec<Pellet>,
    /// What is left in the bag of each of the four colours, the hand not included. By default
    /// (null) whatever is neither on the board nor in hand.
    pub bags: Option<[u32; COLORS]>,
    /// The colours in the hand of the player to move; empty once the game is over. By default
    /// (null) they are drawn.
    pub hand: Option<Vec<u8>>,
    /// Turns that are over, a turn being a move of one player: player 0 moves at even numbers,
    /// player 1 at odd ones.
    pub turn: u64,
    /// How the game ended, if it did.
    pub end: Option<End>,
}

impl Position {
    pub(super) fn of(game: &Cluster) -> Position {
        Position {
            gravity: game.gravity,
            pellets: game.pellets.iter().collect(),
            bags: Some(game.bags),
            hand: Some(game.hand.to_vec()),
            turn: game.turn,
            end: game.end,
        }
    }

    pub(super) fn into_game(self, rules: &Rules, seed: Seed) -> Result<Cluster, SetupError> {
        rules.check(2)?;
        let mut problems = Problems::new();
        problems.range("gravity", self.gravity, 0..=5);
        // A wrong gravity is already reported.
        let mut game = Cluster::empty(rules, seed, self.gravity.min(5));
        self.put_pellets(&mut game, &mut problems);
        problems.finish()?;

        // The other checks make sense only with pellets that fit.
        let mut problems = Problems::new();
        game.set_turn(self.turn);
        game.end = self.end;
        self.check_rest(&game, &mut problems);
        self.fill_hand_and_bags(&mut game, &mut problems);
        self.check_end(&game, &mut problems);
        problems.finish()?;
        if self.end.is_none() {
            game.begin_turn();
        }
        if game.end.is_some() {
            game.put_hand_back();
        }
        Ok(game)
    }

    fn put_pellets(&self, game: &mut Cluster, problems: &mut Problems) {
        let cells = game.board.cells();
        for (i, &pellet) in self.pellets.iter().enumerate() {
            let on_board = usize::from(pellet.cell) < cells;
            problems.require(on_board, format_args!("pellets[{i}].cell"), || {
                format!("there is no cell {}; the last is {}", pellet.cell, cells - 1)
            });
            problems.range(format_args!("pellets[{i}].color"), pellet.color, 0..=3);
            if !on_board || pellet.color > 3 {
                continue;
            }
            let free = game.pellets.is_free(pellet.cell);
            problems.require(free, format_args!("pellets[{i}].cell"), || {
                format!("an earlier pellet lies on cell {} already", pellet.cell)
            });
            if free {
                game.pellets.put(pellet);
            }
        }
    }

    fn check_rest(&self, game: &Cluster, problems: &mut Problems) {
        for (i, pellet) in self.pellets.iter().enumerate() {
            let below = game.board.neighbor(pellet.cell, self.gravity);
            let hole = below.filter(|&below| game.pellets.is_free(below));
            problems.require(hole.is_none(), format_args!("pellets[{i}].cell"), || {
                let below = hole.unwrap_or_default();
                format!(
                    "the pellet on cell {} would fall: cell {below} below it is free",
                    pellet.cell
                )
            });
        }
    }

    fn fill_hand_and_bags(&self, game: &mut Cluster, problems: &mut Problems) {
        let own = own_colors(game.to_move());
        let mut hand = self.hand.clone().unwrap_or_default();
        hand.sort_unstable();
        let owned = hand.iter().all(|color| own.contains(color));
        problems.require(owned, "hand", || {
            format!(
                "player {} is to move and has the colors {} and {} only",
                game.to_move(),
                own[0],
                own[1]
            )
        });
        for color in 0..COLORS as u8 {
            let held = hand.iter().filter(|&&held| held == color).count() as u64;
            let used = held + u64::from(game.pellets.count(color));
            let all = u64::from(game.rules.bag_size());
            let bag = match self.bags {
                Some(bags) => u64::from(bags[usize::from(color)]),
                None => all.saturating_sub(used),
            };
            problems.require(used + bag <= all, format_args!("bags[{color}]"), || {
                format!("there are only {all} pellets of a color, not {}", used + bag)
            });
            game.bags[usize::from(color)] = bag as u32;
        }
        // `check_end` refuses a larger hand.
        hand.iter().take(MAX_PELLETS).for_each(|&color| game.hand.take(color));
    }

    /// Checks that the hand could have been drawn, and that there is an end exactly if the board
    /// demands one.
    fn check_end(&self, game: &Cluster, problems: &mut Problems) {
        let left: u64 = own_colors(game.to_move())
            .iter()
            .map(|&color| u64::from(game.bags[usize::from(color)]))
            .sum();
        let held = self.hand.as_ref().map_or(0, Vec::len);
        let full = (held as u64 + left).min(game.rules.hand_size.into()) as usize;
        let expected = if self.end.is_some() { 0 } else { full };
        problems.require(self.hand.is_none() || held == expected, "hand", || {
            format!("{held} pellets in hand, but there have to be {expected}")
        });
        problems.range("turn", self.turn, 0..=game.rules.max_turns());
        let player = self.end.and_then(End::named);
        problems.require(player.is_none_or(|player| player.0 < 2), "end", || {
            "it names no player".into()
        });
        let judged = judge(&game.board, &game.pellets, game.rules.run_length);
        let by_runs = matches!(
            self.end,
            Some(End::Run { .. } | End::EqualRunsMorePellets { .. } | End::EqualRuns { .. })
        );
        let agrees = if by_runs || judged.is_some() { judged == self.end } else { true };
        problems.require(agrees, "end", || {
            let should = judged
                .map_or("nobody has a run that ends the game".to_owned(), |end| format!("{end:?}"));
            format!("it contradicts the board: {should}")
        });
    }
}

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
