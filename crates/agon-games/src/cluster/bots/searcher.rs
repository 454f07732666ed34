//! The built-in bot `searcher`: looks one move of each player ahead.

use std::cmp::Reverse;

use agon_core::{Player, Policy, Rng};

use super::super::{Answer, Cluster, View, opponent, own_colors};
use super::trial_board::{TrialBoard, Verdict};

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
