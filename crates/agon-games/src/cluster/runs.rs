//! Finds the longest run of each player, and decides whether one ends the game. The rules ask after
//! each rotation.

use super::{Board, End, Pellet, Pellets, owner};

/// A player's longest run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Number of pellets; 0 if the player has none on the board.
    pub length: u32,
    /// Their colour.
    pub color: u8,
}

/// The longest run of each player.
///
/// If runs of both colours of a player are equally long, the first one found counts. The search
/// goes from the newest pellet to the oldest, and finds a run at its first pellet in direction 0, 1
/// or 2.
pub fn longest_runs(board: &Board, pellets: &Pellets) -> [Run; 2] {
    let mut best = [Run { length: 0, color: 0 }, Run { length: 0, color: 1 }];
    each_run(board, pellets, |run| {
        let best = &mut best[owner(run.color).index()];
        if run.length > best.length {
            *best = run;
        }
    });
    best
}

/// For each player, the length of its longest run and the number of its runs of that length, in
/// both colours. The greater pair is nearer to its goal.
pub(super) fn chances(board: &Board, pellets: &Pellets) -> [(u32, u32); 2] {
    let mut chances = [(0, 0); 2];
    each_run(board, pellets, |Run { length, color }| {
        let chance = &mut chances[owner(color).index()];
        if length > chance.0 {
            *chance = (length, 0);
        }
        chance.1 += u32::from(length == chance.0);
    });
    chances
}

/// Goes through all runs, from the newest first pellet to the oldest, in directions 0, 1 and 2.
fn each_run(board: &Board, pellets: &Pellets, mut see: impl FnMut(Run)) {
    for Pellet { cell, color } in pellets.iter().rev() {
        let alike = |cell| pellets.color_at(cell) == Some(color);
        for axis in 0..3 {
            // Skips pellets that are not the first of a run.
            if !board.neighbor(cell, axis + 3).is_some_and(alike) {
                see(Run { length: board.run(cell, axis, alike), color });
            }
        }
    }
}

/// Decides whether, and how, the game ends with these pellets at rest. The longest run of at least
/// `run_length` wins. Of equally long runs, the one with more pellets of its colour on the board
/// wins.
pub fn judge(board: &Board, pellets: &Pellets, run_length: u32) -> Option<End> {
    // Mostly there is no run at all.
    if !pellets.color_grid().may_have_run(run_length) {
        return None;
    }
    let [first, second] = longest_runs(board, pellets);
    let length = first.length.max(second.length);
    if length < run_length {
        return None;
    }
    if first.length != second.length {
        let longer = if first.length > second.length { first } else { second };
        return Some(End::Run { winner: owner(longer.color), length });
    }
    let ours = pellets.count(first.color);
    let theirs = pellets.count(second.color);
    if ours == theirs {
        return Some(End::EqualRuns { length });
    }
    let color = if ours > theirs { first.color } else { second.color };
    Some(End::EqualRunsMorePellets { winner: owner(color), length })
}

#[cfg(test)]
mod tests {
    use agon_core::Player;

    use super::*;

    /// Lines of a board of side 5 from North to South; column 4 is the middle one.
    fn column(board: &Board, column: usize, from: usize, colors: &[u8]) -> Vec<Pellet> {
        let line = board.lines(0).nth(column).unwrap();
        colors.iter().zip(&line[from..]).map(|(&color, &cell)| Pellet { cell, color }).collect()
    }

    fn judged(parts: &[(usize, usize, &[u8])]) -> Option<End> {
        let board = Board::shared(5);
        let mut pellets = Pellets::new(board.clone(), 0);
        for &(at, from, colors) in parts {
            column(&board, at, from, colors).into_iter().for_each(|pellet| pellets.put(pellet));
        }
        judge(&board, &pellets, 4)
    }

    #[test]
    fn only_long_runs_of_one_color_count() {
        assert_eq!(judged(&[]), None);
        assert_eq!(judged(&[(4, 1, &[0, 0, 0])]), None);
        assert_eq!(judged(&[(4, 1, &[0, 2, 0, 2])]), None);
        assert_eq!(judged(&[(4, 1, &[3; 5])]), Some(End::Run { winner: Player(1), length: 5 }));
    }

    #[test]
    fn more_runs_of_the_longest_length_are_the_better_chance() {
        let board = Board::shared(5);
        let mut pellets = Pellets::new(board.clone(), 0);
        let parts: [(usize, &[u8]); 4] = [(0, &[0, 0]), (2, &[2, 2]), (4, &[1, 1]), (6, &[3])];
        for (at, colors) in parts {
            column(&board, at, 1, colors).into_iter().for_each(|pellet| pellets.put(pellet));
        }
        assert_eq!(chances(&board, &pellets), [(2, 2), (2, 1)]);
    }

    #[test]
    fn the_longer_run_wins() {
        assert_eq!(
            judged(&[(4, 0, &[0; 4]), (6, 0, &[1; 5])]),
            Some(End::Run { winner: Player(1), length: 5 })
        );
    }

    #[test]
    fn equal_runs_are_told_apart_by_pellets_of_their_color() {
        let equal = [(4, 0, &[0; 4][..]), (6, 0, &[1; 4])];
        assert_eq!(judged(&equal), Some(End::EqualRuns { length: 4 }));
        let more = |color| judged(&[equal[0], equal[1], (0, 0, &[color])]);
        assert_eq!(more(0), Some(End::EqualRunsMorePellets { winner: Player(0), length: 4 }));
        assert_eq!(more(1), Some(End::EqualRunsMorePellets { winner: Player(1), length: 4 }));
        assert_eq!(
            more(2),
            Some(End::EqualRuns { length: 4 }),
            "pellets of other colours do not count"
        );
    }

    #[test]
    fn of_a_players_equal_runs_the_one_begun_by_the_newest_pellet_counts() {
        // Player 0 has runs of 0 (of which a fifth pellet lies elsewhere) and of 2; player 1 one of
        // 1.
        let [extra, zeros, twos, ones]: [(usize, usize, &[u8]); 4] =
            [(0, 0, &[0]), (2, 0, &[0; 4]), (4, 0, &[2; 4]), (6, 0, &[1; 4])];
        assert_eq!(judged(&[extra, zeros, twos, ones]), Some(End::EqualRuns { length: 4 }));
        let zeros_newest = judged(&[extra, twos, zeros, ones]);
        assert_eq!(zeros_newest, Some(End::EqualRunsMorePellets { winner: Player(0), length: 4 }));
    }
}
