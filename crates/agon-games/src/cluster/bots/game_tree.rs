//! [`GameTree`]: searches the moves of both players several turns ahead. The built-in bots
//! `lookahead` and `tumbler` decide by it.

use std::cmp::{Ordering, Reverse};

use agon_core::{Builtin, Param, ParamError, Params, Player, Policy, Rng};

use super::super::pellets::{EMPTY, MARGIN};
use super::super::{Answer, COLORS, Cluster, View, opponent, own_colors, owner};
use super::geometry::{Geometry, gain, open_lines};
use super::searcher::Verdict;

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

/// The immediate wins of both players.
pub(super) struct Threats {
    /// The number of lines on which each colour wins.
    pub(super) lines: [u32; COLORS],
    /// What each gravity leads to.
    verdicts: [Verdict; 6],
}

impl Threats {
    /// What both players could win with on these boards.
    pub(super) fn of(six: &SixBoards, geometry: &Geometry) -> Threats {
        let mut lines = [0; COLORS];
        for line in 0..geometry.lines() {
            if let Some(spot) = six.landing(geometry, line) {
                let winning = six.winning_colors(geometry, spot);
                if winning != 0 {
                    (0..COLORS).for_each(|color| lines[color] += u32::from(winning >> color & 1));
                }
            }
        }
        let verdict = |gravity: usize| {
            if gravity == usize::from(six.gravity) {
                Verdict::Open
            } else {
                six.verdict(geometry, gravity as u8)
            }
        };
        Threats { lines, verdicts: std::array::from_fn(verdict) }
    }

    /// The number of rotations with which a player wins.
    pub(super) fn rotations(&self, player: Player) -> usize {
        self.verdicts.iter().filter(|&&verdict| verdict == Verdict::Wins(player)).count()
    }

    /// The number of moves with which a player wins if it has the colours.
    pub(super) fn count(&self, player: Player) -> usize {
        let lines: u32 =
            own_colors(player).iter().map(|&color| self.lines[usize::from(color)]).sum();
        self.rotations(player) + lines as usize
    }
}

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

/// Judges positions by the open lines of the board as it is.
pub(super) const LOOKAHEAD: Builtin<Cluster> = Builtin {
    name: "lookahead",
    version: 1,
    summary: "Searches several turns ahead, and gathers open lines on the board as it is.",
    params: &[WORK],
    make: |params| planner(params, 300, [1, 0]),
};

/// Judges positions by the open lines on all six boards: the one of now, and those that rotations
/// would make.
///
/// Rotations decide most games, so what is good on one board alone is worth little. A position
/// costs three times as much as with `lookahead`, which therefore searches more of them.
pub(super) const TUMBLER: Builtin<Cluster> = Builtin {
    name: "tumbler",
    version: 1,
    summary: "Searches several turns ahead, and gathers open lines on the board as it is and as \
        rotations would make it.",
    params: &[Param { default: "3500", ..WORK }],
    make: |params| planner(params, 2_000, [1, 3]),
};

const WORK: Param = Param {
    name: "work",
    default: "9000",
    summary: "how many placements it tries before it decides, on the usual board, from 1 to \
        1000000; a rotation counts as four",
};

fn planner(
    params: &Params,
    rotation: i32,
    lines: [i32; 2],
) -> Result<Box<dyn Policy<Cluster>>, ParamError> {
    let work = params.number("work", 1..=1_000_000)?;
    Ok(Box::new(Style { work, width: 12, threats: [20, 5_000, 20_000], rotation, lines }))
}

impl Policy<Cluster> for Style {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        GameTree::new(view, *self).best(view, rng)
    }
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
