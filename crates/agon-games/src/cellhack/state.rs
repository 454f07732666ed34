//! [`Cellhack`]: the state of a match and its `Game` implementation.

use agon_core::{
    Decision, Fold, Game, Meta, Outcome, Player, PlayerStanding, Progress, Rng, Seed, SetupError,
    Standing, error::Problems,
};

use super::board::{Board, Listing};
use super::{
    Action, Answer, Direction, Env, Position, Rules, View, position, rules::start_side,
    turn::Buffers,
};
use crate::scratch::Scratch;

/// A match of cellhack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cellhack {
    pub(super) rules: Rules,
    pub(super) seed: Seed,
    pub(super) turns_played: u32,
    pub(super) board: Board,
    /// Cells of each player; follows from the board.
    pub(super) counts: Vec<u32>,
    /// The batch wanted now; follows from the board and the turn.
    decisions: Listing,
    pub(super) scratch: Scratch<Buffers>,
}

impl Cellhack {
    pub(super) fn with_board(
        rules: Rules,
        seed: Seed,
        players: usize,
        turn: u32,
        board: Board,
    ) -> Cellhack {
        let counts = vec![0; players];
        let decisions = Listing::default();
        let scratch = Scratch::default();
        let mut game =
            Cellhack { rules, seed, turns_played: turn, board, counts, decisions, scratch };
        game.list_cells();
        game
    }

    /// Counts the cells and lists them as the next batch, unless the game is over.
    fn list_cells(&mut self) {
        self.decisions.list(&self.board.owner, &mut self.counts);
        // The last player with cells wins at once. A match of one player continues, for people who
        // want to watch the cells.
        if self.alive() < self.counts.len().min(2) || self.turns_played >= self.rules.turns {
            self.decisions.clear();
        }
    }

    /// Number of players with cells.
    fn alive(&self) -> usize {
        self.counts.iter().filter(|&&count| count > 0).count()
    }

    /// Cells of each player, in order of player number.
    pub fn cell_counts(&self) -> &[u32] {
        &self.counts
    }

    /// Returns the content of the place with index `y * width + x`: its mark
    /// ([`EMPTY`](super::EMPTY), [`ROCK`](super::ROCK) or a player's number plus one), energy and
    /// memory.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn place(&self, index: usize) -> (u8, u16, u64) {
        let energy =
            u16::try_from(self.board.energy[index]).expect("energy stays within energy_max");
        (self.board.owner[index], energy, self.board.memory[index])
    }

    fn outcome(&self, winners: Vec<Player>) -> Outcome {
        let turns = match self.turns_played {
            1 => "1 turn".to_owned(),
            turns => format!("{turns} turns"),
        };
        if self.counts.len() == 1 {
            return Outcome::alone(match self.alive() {
                0 => format!("one player alone, no cell is left after {turns}"),
                _ => format!("one player alone, after {turns}"),
            });
        }
        let reason = match (self.alive(), winners.len()) {
            (0, _) => format!("no cell is left after {turns}"),
            (1, _) => format!("alone on the board after {turns}"),
            (_, 1) => format!("most cells after {turns}"),
            _ => format!("equally many cells after {turns}"),
        };
        Outcome::new(winners, reason)
    }
}

/// One cell per player on a square grid, column by column; unused places of the square stay empty.
fn start_board(rules: &Rules, players: usize) -> Board {
    let side = start_side(players);
    let (dx, dy) = (rules.width / side, rules.height / side);
    let mut board = Board::new(rules);
    for player in 0..players {
        let n = player as u32;
        let index = board.index(n / side * dx + dx / 2, n % side * dy + dy / 2);
        board.put(index, player as u8 + 1, rules.energy_start.into(), 0);
    }
    board
}

impl Game for Cellhack {
    const META: Meta = Meta {
        id: "cellhack",
        rules_version: 1,
        min_players: 1,
        max_players: 254,
        turn_name: "turn",
        summary: "Single-celled organisms on a torus, all run by the same C function: outnumber \
            the others.",
        page: include_str!("page.md"),
    };

    type Rules = Rules;
    type Position = Position;
    type View<'a> = View<'a>;
    type Answer = Answer;

    fn new(rules: &Rules, players: usize, seed: Seed) -> Result<Cellhack, SetupError> {
        let mut problems = Problems::new();
        rules.check(players, &mut problems);
        let side = start_side(players.min(Self::META.max_players));
        for (what, size) in [("width", rules.width), ("height", rules.height)] {
            problems.require(side < size, what, || {
                format!(
                    "{size} is too small: the start places of {players} players need more than \
                    {side}"
                )
            });
        }
        problems.finish()?;
        Ok(Cellhack::with_board(rules.clone(), seed, players, 0, start_board(rules, players)))
    }

    fn from_position(
        rules: &Rules,
        seed: Seed,
        position: Position,
    ) -> Result<Cellhack, SetupError> {
        position::load(rules, seed, &position)
    }

    fn position(&self) -> Position {
        position::save(self)
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn players(&self) -> usize {
        self.counts.len()
    }

    fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    #[inline]
    fn view(&self, decision: Decision) -> View<'_> {
        let index = decision.unit as usize;
        let owner = self.board.owner.get(index).map(|&owner| usize::from(owner));
        assert!(owner == Some(decision.player.index() + 1), "{decision:?} is not wanted");
        View::new(self, index)
    }

    fn step(&mut self, answers: &[Answer]) {
        assert_eq!(answers.len(), self.decisions.len(), "one answer per decision");
        if answers.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.decisions);
        self.turn(&batch, answers, |_, _| ());
        self.decisions = batch;
        self.turns_played += 1;
        self.list_cells();
    }

    fn random_answer(&self, decision: Decision, rng: &mut Rng) -> Answer {
        let view = self.view(decision);
        let memory =
            rng.chance(1, 8).then(|| if rng.chance(1, 2) { rng.below(300) } else { rng.bits() });
        Answer { action: scripted_action(view.env(), rng), memory }
    }

    fn progress(&self) -> Progress {
        Progress { turn: self.turns_played.into(), limit: Some(self.rules.turns.into()) }
    }

    fn is_out(&self, player: Player) -> bool {
        self.counts[player.index()] == 0
    }

    /// The score is the number of cells, which alone decides. Energy is only shown.
    fn standing(&self) -> Standing {
        let mut energy = vec![0i64; self.players()];
        for (index, owner) in self.board.cells() {
            energy[usize::from(owner) - 1] += i64::from(self.board.energy[index]);
        }
        let player = |(&cells, energy): (&u32, i64)| {
            PlayerStanding::new(
                cells.into(),
                &[("cells", cells.into()), ("energy", energy)],
                cells == 0,
            )
        };
        let players = self.counts.iter().zip(energy).map(player).collect();
        let mut standing = Standing::ranked(players, &self.counts, None);
        standing.outcome = self.decisions.is_empty().then(|| self.outcome(standing.leaders()));
        standing
    }

    /// The hash of the board is computed on demand. A turn touches every living cell, so a hash
    /// kept up to date would cost more.
    fn state_hash(&self) -> u64 {
        let mut fold = Fold::new();
        fold.add(self.turns_played.into());
        fold.add(self.counts.len() as u64);
        fold.add(self.board.hash());
        fold.finish()
    }
}

/// Draws an action: mostly eating, splitting and moving, sometimes any.
fn scripted_action(env: Env, rng: &mut Rng) -> Action {
    let towards = |wanted: &dyn Fn(Direction) -> bool, rng: &mut Rng| {
        let found: Vec<_> = Direction::ALL.into_iter().filter(|&d| wanted(d)).collect();
        rng.pick(&found).copied()
    };
    let enemy = towards(&|d| env.is_enemy(d), rng);
    let free = towards(&|d| env.is_empty(d), rng);
    match (rng.below(20), enemy, free) {
        (0..=11, Some(enemy), _) => Action::Eat(enemy),
        (0..=3, None, Some(free)) => Action::Split(free),
        (4..=6, None, Some(free)) => Action::Move(free),
        (17, ..) if rng.chance(1, 20) => Action::Die,
        (18..=19, ..) => {
            let any: Vec<_> = Action::all().filter(|&action| action != Action::Die).collect();
            *rng.pick(&any).expect("there are actions")
        }
        _ => Action::Rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(players: usize, width: u32, height: u32) -> Result<Vec<(u32, u32)>, SetupError> {
        let rules = Rules { width, height, ..Rules::default() };
        let mut cells = Cellhack::new(&rules, players, Seed(1))?.position().cells;
        cells.sort_by_key(|cell| cell.player);
        Ok(cells.iter().map(|cell| (cell.x, cell.y)).collect())
    }

    #[test]
    fn players_start_on_a_square_column_by_column() {
        assert_eq!(start(2, 64, 64).unwrap(), [(16, 16), (16, 48)]);
        assert_eq!(start(5, 12, 9).unwrap(), [(2, 1), (2, 4), (2, 7), (6, 1), (6, 4)]);
        assert_eq!(start(254, 17, 17).unwrap().len(), 254);
    }

    #[test]
    fn the_start_square_must_fit() {
        assert_eq!(
            start(254, 16, 16).unwrap_err().to_string(),
            "width: 16 is too small: the start places of 254 players need more than 16; \
             height: 16 is too small: the start places of 254 players need more than 16"
        );
    }

    #[test]
    fn decisions_are_sorted_by_player_then_place() {
        let rules = Rules { width: 6, height: 6, ..Rules::default() };
        let mut game = Cellhack::new(&rules, 2, Seed(1)).unwrap();
        let split = |direction| vec![Answer::new(Action::Split(direction)); 2];
        game.step(&split(Direction::Up));
        let units: Vec<_> = game.decisions().iter().map(|d| (d.player.0, d.unit)).collect();
        assert_eq!(units, [(0, 1), (0, 7), (1, 19), (1, 25)]);
    }
}
