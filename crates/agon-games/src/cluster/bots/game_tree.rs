//! [`GameTree`]: searches the moves of both players several turns ahead. The built-in bots
//! `lookahead` and `tumbler` decide by it.

use std::cmp::Reverse;

use agon_core::{Player, Rng};

use super::super::{Answer, View, opponent, own_colors, owner};
use super::geometry::Geometry;
use super::open_lines::gain;
use super::six_boards::SixBoards;
use super::threats::Threats;
use super::trial_board::Verdict;

/// The value of a win. Sooner wins have a little more, sooner losses a little less.
pub(super) const WIN: i32 = 1_000_000;

/// How a bot judges positions, and how long it searches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The work of a decision on the usual board: a placement that is tried counts 1.
    pub(super) work: u64,
    /// The number of moves of each colour that are searched where more than one turn follows.
    pub(super) width: usize,
    /// The value of one threat of the opponent, of two, and of more.
    pub(super) threats: [i32; 3],
    /// The cost of a rotation.
    pub(super) rotation: i32,
    /// The weight of open lines on the board of now, and on those after a rotation.
    pub(super) lines: [i32; 2],
}

/// What a player may do in a turn of the search.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// Drops a pellet that comes to rest on a spot.
    Place { spot: usize, color: u8 },
    /// Turns gravity to this direction.
    Rotate { gravity: u8 },
}

/// A search from one position.
pub(super) struct GameTree {
    geometry: Geometry,
    style: Style,
    /// The size of a hand.
    hand_size: u32,
    /// The positions on the way to the one that is looked at.
    way: Vec<SixBoards>,
    /// The work that is left.
    work: i64,
    /// The cost of a rotation now.
    rotation: i32,
}

/// The most that open lines, or a rotation, may count.
const MOST: i64 = WIN as i64 / 4;

/// The number of cells of the usual board.
const USUAL_CELLS: u64 = 397;

/// The most turns that a search looks ahead.
const MAX_DEPTH: usize = 12;

impl GameTree {
    /// Prepares a search from what a player sees.
    pub(super) fn new(view: &View<'_>, style: Style) -> GameTree {
        let geometry = Geometry::new(view.board(), view.run_length());
        let way = vec![SixBoards::of(view, &geometry); MAX_DEPTH + 2];
        // On larger boards a move costs more.
        let work = (style.work * USUAL_CELLS / USUAL_CELLS.max(view.board().cells() as u64)) as i64;
        // Pellets become dear when few are left, because who has none loses.
        let left = view.bags().iter().map(|bag| bag.1).sum::<u32>() + view.hand().len() as u32;
        let placed = view.pellets().iter().filter(|p| owner(p.color) == view.player()).count();
        let all = left + view.burnt() + placed as u32;
        let rotation = i64::from(style.rotation) * i64::from(all) / i64::from(left.max(1));
        let rotation = rotation.min(MOST) as i32;
        GameTree { geometry, style, hand_size: view.hand().len() as u32, way, work, rotation }
    }

    /// The best move found.
    pub(super) fn best(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let me = view.player();
        let mut moves: Vec<(i32, Move)> =
            self.moves(0, view.hand()).into_iter().map(|m| (0, m)).collect();
        rng.shuffle(&mut moves);
        for depth in 0..MAX_DEPTH {
            let mut best = -i32::MAX;
            for i in 0..moves.len() {
                let value = self.try_move(0, me, moves[i].1, depth, -best);
                if self.work < 0 && depth > 0 {
                    // What is searched so far counts, the others keep their order.
                    moves[i..].iter_mut().for_each(|(value, _)| *value = -i32::MAX);
                    break;
                }
                moves[i].0 = value;
                best = best.max(value);
            }
            moves.sort_by_key(|&(value, _)| Reverse(value));
            // A sure win or loss needs no further search.
            if self.work < 0 || best.abs() > WIN - 100 {
                break;
            }
        }
        match moves.first() {
            Some(&(_, Move::Place { spot, color })) => {
                let column = self.geometry.column(view.gravity(), self.line_of(spot));
                Answer::Place { column, color }
            }
            Some(&(_, Move::Rotate { gravity })) => {
                Answer::Rotate { cycles: (gravity + 6 - view.gravity()) % 6 }
            }
            None => Answer::Forfeit,
        }
    }

    /// The line on which a pellet of the first move comes to rest at a spot.
    fn line_of(&self, spot: usize) -> usize {
        (0..self.geometry.lines())
            .find(|&line| self.way[0].landing(&self.geometry, line) == Some(spot))
            .expect("the move is of a line")
    }

    /// All moves with these colours.
    fn moves(&self, ply: usize, colors: &[u8]) -> Vec<Move> {
        let six = &self.way[ply];
        let mut moves = Vec::new();
        for line in 0..self.geometry.lines() {
            if let Some(spot) = six.landing(&self.geometry, line) {
                for (i, &color) in colors.iter().enumerate() {
                    if !colors[..i].contains(&color) {
                        moves.push(Move::Place { spot, color });
                    }
                }
            }
        }
        let others = (0..6).filter(|&gravity| gravity != six.gravity);
        moves.extend(others.map(|gravity| Move::Rotate { gravity }));
        moves
    }

    /// The value of a move for the player who makes it, with `depth` more turns.
    fn try_move(&mut self, ply: usize, mover: Player, m: Move, depth: usize, beta: i32) -> i32 {
        let (before, after) = self.way.split_at_mut(ply + 1);
        let before = &before[ply];
        let after = &mut after[0];
        let sooner = ply as i32;
        match m {
            Move::Place { spot, color } => {
                self.work -= 1;
                if before.winning_colors(&self.geometry, spot) >> color & 1 == 1 {
                    return WIN - sooner;
                }
                after.copy_from(before);
                after.place(&self.geometry, spot, color);
                -self.value(ply + 1, opponent(mover), depth, beta)
            }
            Move::Rotate { gravity } => {
                self.work -= 4;
                match before.verdict(&self.geometry, gravity) {
                    Verdict::Wins(winner) if winner == mover => WIN - sooner,
                    Verdict::Wins(_) => sooner - WIN,
                    Verdict::Tie => 0,
                    Verdict::Open => {
                        after.copy_from(before);
                        after.rotate(&self.geometry, gravity);
                        -self.value(ply + 1, opponent(mover), depth, beta) - self.rotation
                    }
                }
            }
        }
    }

    /// The value of a position for the player to move, whose hand is not known yet. If it is at
    /// least `beta`, some number from there up to the value.
    fn value(&mut self, ply: usize, mover: Player, depth: usize, beta: i32) -> i32 {
        let threats = Threats::of(&self.way[ply], &self.geometry);
        let won = WIN - ply as i32;
        if threats.rotations(mover) > 0 {
            return won;
        }
        let colors = own_colors(mover);
        let wins = colors.map(|color| threats.lines[usize::from(color)] > 0);
        if wins == [true, true] {
            return won;
        }
        if depth == 0 {
            let rest = self.judge(ply, mover, &threats);
            let best = wins.map(|wins| if wins { won } else { rest });
            return self.expected(best, rest);
        }
        let mut best = wins.map(|wins| if wins { won } else { -WIN });
        let mut rotated = -WIN;
        for m in self.promising(ply, mover, wins, depth) {
            let known = match m {
                Move::Place { color, .. } => &mut best[usize::from(color == colors[1])],
                Move::Rotate { .. } => &mut rotated,
            };
            let so_far = *known;
            let value = self.try_move(ply, mover, m, depth - 1, -so_far);
            let known = match m {
                Move::Place { color, .. } => &mut best[usize::from(color == colors[1])],
                Move::Rotate { .. } => &mut rotated,
            };
            *known = so_far.max(value);
            let expected = self.expected(best, rotated);
            if expected >= beta || self.work < 0 {
                return expected;
            }
        }
        self.expected(best, rotated)
    }

    /// The mean of the best values over all hands, with the value of the best move of each colour
    /// and of the best rotation.
    fn expected(&self, best: [i32; 2], rotated: i32) -> i32 {
        let [first, second] = best.map(|best| i64::from(best.max(rotated)));
        let all = 1 << self.hand_size;
        ((first + second + (all - 2) * first.max(second)) / all) as i32
    }

    /// The moves worth a search, the most promising first.
    fn promising(&self, ply: usize, mover: Player, wins: [bool; 2], depth: usize) -> Vec<Move> {
        let six = &self.way[ply];
        let colors = own_colors(mover);
        let theirs = own_colors(opponent(mover));
        let sign = |player: Player| if player == Player(0) { 1 } else { -1 };
        let mut rated: Vec<(i32, Move)> = Vec::new();
        for line in 0..self.geometry.lines() {
            let Some(spot) = six.landing(&self.geometry, line) else { continue };
            let gain = |color: u8, player: Player| {
                sign(player) * gain(&self.geometry, six.now(), spot, color)
            };
            let blocked = theirs.map(|color| gain(color, opponent(mover))).into_iter().max();
            let winning = six.winning_colors(&self.geometry, spot);
            let blocks = theirs.iter().any(|&color| winning >> color & 1 == 1);
            for (&color, _) in colors.iter().zip(wins).filter(|(_, wins)| !wins) {
                let rate =
                    2 * gain(color, mover) + blocked.unwrap_or(0) + 10_000 * i32::from(blocks);
                rated.push((rate, Move::Place { spot, color }));
            }
        }
        rated.sort_by_key(|&(rate, _)| Reverse(rate));
        if depth > 1 {
            rated.truncate(2 * self.style.width);
        }
        let others = (0..6).filter(|&gravity| gravity != six.gravity);
        let rotations = others.map(|gravity| Move::Rotate { gravity });
        rated.into_iter().map(|(_, m)| m).chain(rotations).collect()
    }

    /// The value of a position without a search.
    fn judge(&self, ply: usize, mover: Player, threats: &Threats) -> i32 {
        let six = &self.way[ply];
        let [now, rotated] = self.style.lines.map(i64::from);
        let mut lines = now * i64::from(six.open_lines);
        if rotated != 0 {
            lines += rotated * six.rotated_open_lines(&self.geometry);
        }
        // On large boards lines are many, but never worth a win.
        let lines = lines.clamp(-MOST, MOST) as i32;
        let lines = if mover == Player(0) { lines } else { -lines };
        let danger = match threats.count(opponent(mover)) {
            0 => 0,
            count => self.style.threats[count.min(3) - 1],
        };
        lines - danger
    }
}
