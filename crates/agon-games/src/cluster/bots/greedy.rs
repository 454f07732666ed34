//! The built-in bot `greedy`: wins or blocks at once if it can, and never looks ahead.

use agon_core::{Policy, Rng};

use super::super::{Answer, Cluster, View, opponent, own_colors};
use super::trial_board::{TrialBoard, Verdict};

/// Wins if it can, else puts a pellet where the opponent could win, else makes its own longest run
/// longer.
#[derive(Clone, Copy, Debug)]
pub struct Greedy;

impl Policy<Cluster> for Greedy {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let trial = TrialBoard::of(view);
        let mut moves = trial.moves(view.hand());
        rng.shuffle(&mut moves);
        let best = moves.iter().max_by_key(|&&answer| worth(&trial, view, answer));
        best.copied().unwrap_or_default()
    }
}

/// The value of a move, without looking ahead.
fn worth(trial: &TrialBoard<'_>, view: &View<'_>, answer: Answer) -> u32 {
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
