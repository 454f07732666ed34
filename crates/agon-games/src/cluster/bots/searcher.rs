//! The built-in bot `searcher`: looks one move of each player ahead.

use std::cmp::Reverse;

use agon_core::{Player, Policy, Rng};

use super::super::pellets::EMPTY;
use super::super::{Answer, Board, COLORS, Cell, Cluster, View, opponent, own_colors, owner};

/// Rates each move by the opponent's and its own chances to win next, and by open lines. Then it
/// looks at the opponent's best replies to the most promising moves. It does a fixed amount of work
/// per move and reads no clock.
#[derive(Clone, Copy, Debug)]
pub struct Searcher {
    /// The number of most promising moves that it examines with all replies.
    pub width: usize,
}

/// More than any sum of chances and open lines.
const WIN: i64 = 1_000_000_000;
/// The worth of one quarter of a chance that the opponent wins with its next move.
const RISK: i64 = 1_000_000;
/// The worth of one quarter of a chance to win with the next own move.
const THREAT: i64 = 40;

impl Policy<Cluster> for Searcher {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let me = view.player();
        let mut promising = weigh_all(view, rng);
        promising.sort_by_key(|weighed| Reverse(weighed.worth));
        promising.truncate(self.width);
        let closer = |weighed: &Weighed<'_>| match weighed.worth {
            // Wins and losses need no further search.
            worth if worth.abs() >= RISK => worth,
            worth => worth.min(after_best_reply(&weighed.after, me) - weighed.cost),
        };
        // Reversed, so that the first of equally good moves wins.
        let best = promising.iter().rev().max_by_key(|weighed| closer(weighed));
        best.map(|weighed| weighed.answer).unwrap_or_default()
    }
}

/// A move with its first rating, the cost of a rotation included.
struct Weighed<'a> {
    worth: i64,
    cost: i64,
    answer: Answer,
    after: TrialBoard<'a>,
}

/// Rates all moves, in random order.
fn weigh_all<'a>(view: &View<'a>, rng: &mut Rng) -> Vec<Weighed<'a>> {
    let trial = TrialBoard::of(view);
    let mut moves = trial.moves(view.hand());
    rng.shuffle(&mut moves);
    let weigh = |answer| {
        let (after, verdict) = trial.after(answer)?;
        let cost =
            if matches!(answer, Answer::Rotate { .. }) { rotation_cost(view.burnt()) } else { 0 };
        let worth = at_first_sight(&after, verdict, view.player()) - cost;
        Some(Weighed { worth, cost, answer, after })
    };
    moves.into_iter().filter_map(weigh).collect()
}

/// The cost of a rotation, which burns two pellets; a placement uses one. The cost grows. Otherwise
/// two bots that fear every placement would rotate until one is out of pellets.
fn rotation_cost(burnt: u32) -> i64 {
    10 + i64::from(burnt).pow(2)
}

/// The value of a board for `me` when the opponent is to move.
fn at_first_sight(trial: &TrialBoard<'_>, verdict: Verdict, me: Player) -> i64 {
    match verdict {
        Verdict::Wins(winner) if winner == me => WIN,
        Verdict::Wins(_) => -WIN,
        Verdict::Tie => -RISK,
        Verdict::Open => {
            let risk = trial.chance_to_win(opponent(me));
            let threat = trial.chance_to_win(me);
            THREAT * threat - RISK * risk + trial.open_lines(me)
        }
    }
}

/// The value after the opponent's best placement, averaged over its two colours.
fn after_best_reply(trial: &TrialBoard<'_>, me: Player) -> i64 {
    let worst = |color: u8| {
        let replies =
            trial.landings().filter_map(|(column, _)| trial.after(Answer::Place { column, color }));
        replies.map(|(after, _)| THREAT * after.chance_to_win(me) + after.open_lines(me)).min()
    };
    let [first, second] = own_colors(opponent(me)).map(|color| worst(color).unwrap_or(0));
    (first + second) / 2
}

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
                self.board.settle(trial.gravity, &mut trial.colors, EMPTY);
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

/// Wins if it can, else puts a pellet where the opponent could win, else makes its own longest run
/// longer.
#[derive(Clone, Copy, Debug)]
pub struct Greedy;

impl Policy<Cluster> for Greedy {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let trial = TrialBoard::of(view);
        let mut moves = trial.moves(view.hand());
        rng.shuffle(&mut moves);
        let best = moves.iter().max_by_key(|&&answer| first_worth(&trial, view, answer));
        best.copied().unwrap_or_default()
    }
}

/// The value of a move, without looking ahead.
fn first_worth(trial: &TrialBoard<'_>, view: &View<'_>, answer: Answer) -> u32 {
    const WIN: u32 = 10_000;
    const BLOCK: u32 = 1_000;
    const ANY_COLUMN: u32 = 1;
    let won =
        trial.after(answer).is_some_and(|(_, verdict)| verdict == Verdict::Wins(view.player()));
    match answer {
        _ if won => WIN,
        Answer::Place { column, color } => trial.landing(column.into()).map_or(0, |cell| {
            let theirs =
                own_colors(opponent(view.player())).map(|color| trial.run_with(cell, color));
            let blocks = theirs.iter().any(|&run| run >= view.run_length());
            let block = if blocks { BLOCK } else { 0 };
            ANY_COLUMN + block + trial.run_with(cell, color)
        }),
        Answer::Rotate { .. } | Answer::Forfeit => 0,
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
