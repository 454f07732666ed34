//! [`SixBoards`]: a position for a deep search. It holds the board as it is and as each rotation
//! would make it, so that wins by rotation are seen at once.

use std::cmp::Ordering;

use agon_core::Player;

use super::super::{COLORS, View};
use super::geometry::{EMPTY, Geometry, MARGIN};
use super::open_lines::{gain, open_lines};
use super::trial_board::Verdict;

/// The board under each of the six gravities, all with the same pellets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SixBoards {
    /// The gravity of now.
    pub(super) gravity: u8,
    /// The colours by spot: the board of now, and those after a rotation from it.
    boards: [Vec<u8>; 6],
    /// The number of pellets on each line along gravity, on each board.
    heights: [Vec<u8>; 6],
    /// The value of player 0's open lines on the board of now minus that of player 1's.
    pub(super) open_lines: i32,
}

impl SixBoards {
    /// The position that a player sees.
    pub(super) fn of(view: &View<'_>, geometry: &Geometry) -> SixBoards {
        let mut board = vec![MARGIN; geometry.size];
        geometry.floor_up[0].iter().for_each(|&spot| board[usize::from(spot)] = EMPTY);
        for pellet in view.pellets().iter() {
            board[view.board().spot(pellet.cell)] = pellet.color;
        }
        let mut six = SixBoards {
            gravity: view.gravity(),
            boards: std::array::from_fn(|_| board.clone()),
            heights: std::array::from_fn(|_| vec![0; geometry.lines()]),
            open_lines: 0,
        };
        six.settle_all(geometry);
        six
    }

    /// Becomes a copy of another position on the same board, without a new allocation.
    pub(super) fn copy_from(&mut self, other: &SixBoards) {
        self.gravity = other.gravity;
        self.open_lines = other.open_lines;
        for gravity in 0..6 {
            self.boards[gravity].copy_from_slice(&other.boards[gravity]);
            self.heights[gravity].copy_from_slice(&other.heights[gravity]);
        }
    }

    /// The board of now.
    pub(super) fn now(&self) -> &[u8] {
        &self.boards[usize::from(self.gravity)]
    }

    /// The spot where a pellet comes to rest on a line along gravity; `None` if the line is full.
    pub(super) fn landing(&self, geometry: &Geometry, line: usize) -> Option<usize> {
        let gravity = usize::from(self.gravity);
        let height = usize::from(self.heights[gravity][line]);
        geometry.line(gravity, line).get(height).map(|&spot| spot.into())
    }

    /// Drops a pellet where it comes to rest at `spot`. On the other boards it slips in between
    /// the pellets of its line.
    pub(super) fn place(&mut self, geometry: &Geometry, spot: usize, color: u8) {
        self.open_lines += gain(geometry, self.now(), spot, color);
        for gravity in 0..6 {
            let line = usize::from(geometry.line_of[gravity % 3][spot]);
            let rank = if gravity == usize::from(self.gravity) {
                usize::from(self.heights[gravity][line])
            } else {
                self.pellets_below(geometry, spot, gravity)
            };
            let board = &mut self.boards[gravity];
            let mut falling = color;
            for &spot in &geometry.line(gravity, line)[rank..] {
                std::mem::swap(&mut falling, &mut board[usize::from(spot)]);
                if falling == EMPTY {
                    break;
                }
            }
            self.heights[gravity][line] += 1;
        }
    }

    /// The number of pellets of now between a spot and the floor of a gravity.
    fn pellets_below(&self, geometry: &Geometry, spot: usize, gravity: usize) -> usize {
        let board = self.now();
        let step = geometry.steps[gravity];
        let mut below = 0;
        let mut at = spot.wrapping_add_signed(step);
        while board[at] != MARGIN {
            below += usize::from(board[at] != EMPTY);
            at = at.wrapping_add_signed(step);
        }
        below
    }

    /// Turns gravity; all pellets fall anew.
    pub(super) fn rotate(&mut self, geometry: &Geometry, gravity: u8) {
        self.gravity = gravity;
        self.settle_all(geometry);
    }

    /// Makes the other boards, and all sums, from the board of now.
    fn settle_all(&mut self, geometry: &Geometry) {
        let gravity = usize::from(self.gravity);
        let now = std::mem::take(&mut self.boards[gravity]);
        for other in 0..6 {
            let heights = &mut self.heights[other];
            for (line, height) in heights.iter_mut().enumerate() {
                let spots = geometry.line(other, line);
                let board = &mut self.boards[other];
                let mut filled = 0;
                for &spot in spots {
                    let color = now[usize::from(spot)];
                    if color != EMPTY {
                        if other != gravity {
                            board[usize::from(spots[filled])] = color;
                        }
                        filled += 1;
                    }
                }
                if other != gravity {
                    spots[filled..].iter().for_each(|&spot| board[usize::from(spot)] = EMPTY);
                }
                *height = filled as u8;
            }
        }
        self.boards[gravity] = now;
        self.open_lines = open_lines(geometry, self.now());
    }

    /// The value of the open lines of the other boards, for player 0.
    pub(super) fn rotated_open_lines(&self, geometry: &Geometry) -> i64 {
        let others = (0..6).filter(|&gravity| gravity != usize::from(self.gravity));
        others.map(|gravity| i64::from(open_lines(geometry, &self.boards[gravity]))).sum()
    }

    /// The colours, as bits, that would complete a run on an empty spot.
    pub(super) fn winning_colors(&self, geometry: &Geometry, spot: usize) -> u8 {
        let board = self.now();
        let missing = geometry.run_length - 1;
        let mut colors = 0;
        for &step in &geometry.steps[..3] {
            let (back, behind) = run(board, spot, -step, missing);
            let (ahead, before) = run(board, spot, step, missing);
            if back == ahead {
                if behind + before >= missing {
                    colors |= 1 << back;
                }
            } else {
                if behind >= missing {
                    colors |= 1 << back;
                }
                if before >= missing {
                    colors |= 1 << ahead;
                }
            }
        }
        colors
    }

    /// What a rotation to this gravity leads to.
    pub(super) fn verdict(&self, geometry: &Geometry, gravity: u8) -> Verdict {
        let board = &self.boards[usize::from(gravity)];
        if !geometry.has_run(board) {
            return Verdict::Open;
        }
        let [first, second] = geometry.longest_runs(board);
        match first.cmp(&second) {
            Ordering::Greater => Verdict::Wins(Player(0)),
            Ordering::Less => Verdict::Wins(Player(1)),
            Ordering::Equal => Verdict::Tie,
        }
    }
}

/// The colour beside a spot, and the length of its run from there on, at most `most`.
fn run(board: &[u8], spot: usize, step: isize, most: usize) -> (u8, usize) {
    let mut at = spot.wrapping_add_signed(step);
    let color = board[at];
    if usize::from(color) >= COLORS {
        return (color, 0);
    }
    let mut length = 1;
    while length < most {
        at = at.wrapping_add_signed(step);
        if board[at] != color {
            break;
        }
        length += 1;
    }
    (color, length)
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, GameExt, Seed};

    use super::super::super::{Answer, Cluster, Rules, judge, longest_runs};
    use super::*;

    /// Positions that are kept up to date move by move are those of the game.
    #[test]
    fn moves_lead_to_the_positions_of_the_game() {
        for (side, run_length) in [(2, 100), (6, 4), (6, 100), (9, 3)] {
            let rules = Rules { side, run_length, bag: Some(40), ..Rules::default() };
            for seed in 0..6 {
                follow_a_game(&rules, Seed(seed));
            }
        }
    }

    fn follow_a_game(rules: &Rules, seed: Seed) {
        let mut game = Cluster::new(rules, 2, seed).unwrap();
        let geometry = Geometry::new(game.board(), rules.run_length);
        let mut six = SixBoards::of(&game.view(game.decisions()[0]), &geometry);
        for step in 0.. {
            let answer = game.scripted_answers(seed, step)[0];
            if game.check(&answer).is_err() {
                return;
            }
            match answer {
                Answer::Place { column, color } => {
                    let line = (0..geometry.lines())
                        .find(|&line| geometry.column(six.gravity, line) == column)
                        .unwrap();
                    let spot = six.landing(&geometry, line).unwrap();
                    let wins = six.winning_colors(&geometry, spot) >> color & 1 == 1;
                    six.place(&geometry, spot, color);
                    game.step(&[answer]);
                    let runs = longest_runs(game.board(), game.pellets());
                    let run = runs.iter().find(|run| run.color == color);
                    let long = run.is_some_and(|run| run.length >= rules.run_length);
                    assert_eq!(wins, long, "{seed}, step {step}: {answer}");
                }
                Answer::Rotate { cycles } => {
                    let gravity = (six.gravity + cycles) % 6;
                    let verdict = six.verdict(&geometry, gravity);
                    six.rotate(&geometry, gravity);
                    game.step(&[answer]);
                    let end = judge(game.board(), game.pellets(), rules.run_length);
                    assert_eq!(verdict != Verdict::Open, end.is_some(), "{seed}, step {step}");
                }
                Answer::Forfeit => return,
            }
            let Some(&decision) = game.decisions().first() else { return };
            let fresh = SixBoards::of(&game.view(decision), &geometry);
            assert_eq!(six, fresh, "{seed}, step {step}: {answer}");
        }
    }
}
