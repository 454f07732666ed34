//! [`TrialBoard`]: a light copy of the board on which the built-in bots `greedy` and `searcher` try
//! moves.

use agon_core::Player;

use super::super::{Answer, Board, COLORS, Cell, View, own_colors, owner};

const EMPTY: u8 = u8::MAX;

/// The colours on the board, and the few other things that a bot needs to try moves.
#[derive(Clone, Debug)]
pub(super) struct TrialBoard<'a> {
    board: &'a Board,
    colors: Vec<u8>,
    gravity: u8,
    run_length: u32,
}

impl<'a> TrialBoard<'a> {
    /// Copies the board that a player sees.
    pub(super) fn of(view: &View<'a>) -> TrialBoard<'a> {
        let board = view.board();
        let mut colors = vec![EMPTY; board.cells()];
        for pellet in view.pellets().iter() {
            colors[usize::from(pellet.cell)] = pellet.color;
        }
        TrialBoard { board, colors, gravity: view.gravity(), run_length: view.run_length() }
    }

    /// Returns the board after a move, and what the move leads to. `None` if the column is full.
    pub(super) fn after(&self, answer: Answer) -> Option<(TrialBoard<'a>, Verdict)> {
        let mut trial = self.clone();
        let verdict = match answer {
            Answer::Place { column, color } => {
                let cell = self.landing(column.into())?;
                trial.colors[usize::from(cell)] = color;
                let won = self.run_with(cell, color) >= self.run_length;
                if won { Verdict::Wins(owner(color)) } else { Verdict::Open }
            }
            Answer::Rotate { cycles } => {
                trial.gravity = (self.gravity + cycles) % 6;
                self.board.settle(trial.gravity, &mut trial.colors, EMPTY, |_, _, _| {});
                trial.verdict()
            }
            Answer::Forfeit => Verdict::Open,
        };
        Some((trial, verdict))
    }

    /// The cell where a pellet comes to rest in a column.
    pub(super) fn landing(&self, column: usize) -> Option<Cell> {
        self.board.landing(column, self.gravity, |cell| self.colors[usize::from(cell)] == EMPTY)
    }

    /// The columns that take a pellet, with the cells where it comes to rest.
    pub(super) fn landings(&self) -> impl Iterator<Item = (u16, Cell)> {
        (0..self.board.columns()).filter_map(|column| Some((column as u16, self.landing(column)?)))
    }

    /// The length of the run through a free cell if a pellet of this colour lay on it.
    pub(super) fn run_with(&self, cell: Cell, color: u8) -> u32 {
        self.board.run_through(cell, |cell| self.colors[usize::from(cell)] == color)
    }

    /// Whether a pellet of this colour could complete a run somewhere.
    pub(super) fn could_win_with(&self, color: u8) -> bool {
        self.landings().any(|(_, cell)| self.run_with(cell, color) >= self.run_length)
    }

    /// Whether a player could win by a rotation.
    pub(super) fn could_win_by_rotation(&self, player: Player) -> bool {
        let wins = |cycles| {
            let after = self.after(Answer::Rotate { cycles });
            matches!(after, Some((_, Verdict::Wins(w))) if w == player)
        };
        (1..=5).any(wins)
    }

    /// The chance, in quarters, that a player wins with its next move if nothing changes before. It
    /// draws two pellets, so it holds a given colour in three of four cases.
    pub(super) fn chance_to_win(&self, player: Player) -> i64 {
        let colors = own_colors(player).map(|color| self.could_win_with(color));
        match colors {
            [true, true] => 4,
            _ if self.could_win_by_rotation(player) => 4,
            [false, false] => 0,
            _ => 3,
        }
    }

    /// All moves with this hand.
    pub(super) fn moves(&self, hand: &[u8]) -> Vec<Answer> {
        let mut colors = hand.to_vec();
        colors.dedup();
        let place = |(column, _): (u16, Cell)| {
            colors.iter().map(move |&color| Answer::Place { column, color }).collect::<Vec<_>>()
        };
        self.landings()
            .flat_map(place)
            .chain((1..=5).map(|cycles| Answer::Rotate { cycles }))
            .collect()
    }

    /// The value of a player's open lines minus that of its opponent's. It counts every stretch as
    /// long as a winning run that holds pellets of one colour only: 1 for one pellet, 4 for two, 9
    /// for three, and so on.
    pub(super) fn open_lines(&self, player: Player) -> i64 {
        let mut sum = 0;
        for axis in 0..3 {
            for line in self.board.lines(axis) {
                sum += self.open_lines_along(line, player);
            }
        }
        sum
    }

    fn open_lines_along(&self, line: &[Cell], player: Player) -> i64 {
        let length = self.run_length as usize;
        // The number of pellets of each colour in the stretch that ends at `end`.
        let mut counts = [0i64; COLORS];
        let mut sum = 0;
        for (end, &cell) in line.iter().enumerate() {
            if let Some(count) = counts.get_mut(usize::from(self.colors[usize::from(cell)])) {
                *count += 1;
            }
            if end >= length {
                let left = self.colors[usize::from(line[end - length])];
                if let Some(count) = counts.get_mut(usize::from(left)) {
                    *count -= 1;
                }
            }
            if end + 1 >= length {
                sum += worth(counts, player);
            }
        }
        sum
    }

    /// Decides who wins after a rotation. Equal runs count as a tie, unlike in the game.
    fn verdict(&self) -> Verdict {
        let [first, second] = self.longest();
        match first.cmp(&second) {
            _ if first.max(second) < self.run_length => Verdict::Open,
            std::cmp::Ordering::Greater => Verdict::Wins(Player(0)),
            std::cmp::Ordering::Less => Verdict::Wins(Player(1)),
            std::cmp::Ordering::Equal => Verdict::Tie,
        }
    }

    fn longest(&self) -> [u32; 2] {
        let mut best = [0; 2];
        for axis in 0..3 {
            for line in self.board.lines(axis) {
                for run in line
                    .chunk_by(|&a, &b| self.colors[usize::from(a)] == self.colors[usize::from(b)])
                {
                    let color = self.colors[usize::from(run[0])];
                    if color != EMPTY {
                        let best = &mut best[owner(color).index()];
                        *best = (*best).max(run.len() as u32);
                    }
                }
            }
        }
        best
    }
}

/// What a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The game continues.
    Open,
    /// A player has won.
    Wins(Player),
    /// Both have runs of the same length.
    Tie,
}

fn worth(counts: [i64; COLORS], player: Player) -> i64 {
    let pellets: i64 = counts.iter().sum();
    match counts.iter().position(|&count| count == pellets) {
        Some(color) if owner(color as u8) == player => pellets * pellets,
        Some(_) => -pellets * pellets,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, GameExt, Seed};

    use super::super::super::{Cluster, Rules, longest_runs};
    use super::*;

    /// The board agrees with the game on where pellets come to rest and on who has the longest run.
    #[test]
    fn trying_a_move_shows_what_the_game_does() {
        let rules = Rules { side: 6, run_length: 100, ..Rules::default() };
        for seed in 0..10 {
            let mut game = Cluster::new(&rules, 2, Seed(seed)).unwrap();
            for step in 0.. {
                let Some(&decision) = game.decisions().first() else { break };
                let answer = game.scripted_answers(Seed(seed), step)[0];
                let before = game.clone();
                game.step(&[answer]);
                if before.check(&answer).is_err() {
                    break;
                }
                let (trial, _) = TrialBoard::of(&before.view(decision)).after(answer).unwrap();
                for cell in 0..game.board().cells() {
                    let color = game.pellets().color_at(cell as Cell).unwrap_or(EMPTY);
                    assert_eq!(trial.colors[cell], color, "seed {seed}, step {step}");
                }
                assert_eq!(
                    trial.longest(),
                    longest_runs(game.board(), game.pellets()).map(|run| run.length)
                );
            }
        }
    }
}
