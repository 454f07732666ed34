//! Tests that generations of rezzo's worlds and of Wireworld equal those of the plain reference, on
//! every vector unit of this machine and for worlds of all critical widths.

use agon_games::rezzo::wireworld::{Board, Lanes, State};
use agon_games::rezzo::{BaseOf, FlagDissolves, Losers, Rules, World};
use agon_games::simd::Level;
use proptest::prelude::*;

use crate::rezzo::reference::Board as Plain;

/// The numbers at which something is different, and their neighbours.
fn side() -> impl Strategy<Value = usize> {
    prop_oneof![
        2 => 1..6usize,
        1 => 6..70usize,
        3 => prop::sample::select(vec![
            62, 63, 64, 65, 127, 128, 320, 447, 448, 449, 511, 512, 513
        ]),
    ]
}

fn size() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![(side(), 1..12usize), (1..12usize, side())]
}

/// Heights at which another number of generations go over the rows together, or in other steps.
fn tall() -> impl Strategy<Value = (usize, usize)> {
    let height = prop_oneof![
        2 => 1..40usize,
        1 => 40..200usize,
        2 => prop::sample::select(vec![63, 64, 65, 95, 96, 97, 127, 128, 129, 192, 193]),
    ];
    let width = prop_oneof![
        2 => 1..6usize,
        1 => prop::sample::select(vec![63, 64, 65, 127, 128, 320, 447, 448, 449, 511, 512, 513]),
    ];
    prop_oneof![1 => Just((1, 1)), 1 => Just((3, 2)), 18 => (width, height)]
}

/// Rows of characters, each at random one of `cells`.
fn rows(cells: &'static str) -> impl Strategy<Value = Vec<String>> {
    rows_of(size(), cells)
}

/// [`rows`] of worlds of many heights.
fn tall_rows(cells: &'static str) -> impl Strategy<Value = Vec<String>> {
    rows_of(tall(), cells)
}

fn rows_of(
    size: impl Strategy<Value = (usize, usize)>,
    cells: &'static str,
) -> impl Strategy<Value = Vec<String>> {
    let cells: Vec<char> = cells.chars().collect();
    size.prop_flat_map(move |(width, height)| {
        let row = prop::collection::vec(prop::sample::select(cells.clone()), width);
        let row = row.prop_map(|row| row.into_iter().collect::<String>());
        prop::collection::vec(row, height)
    })
}

fn all_rules() -> Vec<Rules> {
    let mut all = Vec::new();
    for flag_dissolves in [FlagDissolves::Photon, FlagDissolves::Electron] {
        for base_of in [BaseOf::Enemy, BaseOf::Any] {
            all.push(Rules { flag_dissolves, base_of, ..Rules::default() });
        }
    }
    all
}

/// Some generations under all rules and on all levels, losses included.
fn check_world(rows: &[String], generations: usize) -> Result<(), TestCaseError> {
    let start = World::from_rows(rows).expect("a world");
    prop_assert_eq!(start.to_rows(), rows);
    for rules in all_rules() {
        let mut worlds: Vec<(Level, World)> =
            Level::available().map(|level| (level, start.clone())).collect();
        let mut plain = Plain::of(rows);
        for generation in 0..generations {
            let (next, touches) = plain.generation(&rules);
            plain = next;
            let mut losers: Vec<u8> = touches.iter().map(|&player| player as u8 + 1).collect();
            losers.sort_unstable();
            losers.dedup();
            losers.iter().for_each(|&owner| plain.erase(usize::from(owner) - 1));
            let again = World::from_rows(plain.rows()).expect("a world");
            for (level, world) in &mut worlds {
                let found = world.generation_at(&rules, *level);
                prop_assert_eq!(
                    found.owners().collect::<Vec<_>>(),
                    losers.clone(),
                    "{} {}",
                    level,
                    generation
                );
                world.erase(found);
                prop_assert_eq!(world.to_rows(), plain.rows(), "{} {}", level, generation);
                prop_assert!(
                    *world == again,
                    "{level} {generation}: all planes are those of the same cells"
                );
            }
        }
    }
    Ok(())
}

/// Some generations at once, under all rules and on all levels, against as many one by one.
fn check_many(rows: &[String], count: u64) -> Result<(), TestCaseError> {
    let start = World::from_rows(rows).expect("a world");
    for rules in all_rules() {
        let mut expected = start.clone();
        let mut losers = Losers::default();
        for _ in 0..count {
            losers.add_all(expected.generation_at(&rules, Level::Portable));
        }
        for level in Level::available() {
            let mut world = start.clone();
            prop_assert_eq!(world.generations_at(count, &rules, level), losers, "{}", level);
            prop_assert_eq!(world.to_rows(), expected.to_rows(), "{}", level);
            prop_assert!(world == expected, "{level}: all planes are those of the same cells");
        }
    }
    Ok(())
}

fn board(rows: &[String]) -> Board {
    Board::from_rows(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn crowded_worlds(rows in rows("     .........***,,,~~ABCJabnow09")) {
        check_world(&rows, 4)?;
    }

    #[test]
    fn worlds_with_few_flags(rows in rows("          \
        ..........................................***,,,,Aan")) {
        check_world(&rows, 6)?;
    }

    #[test]
    fn many_generations_of_crowded_worlds(
        rows in tall_rows("     .........***,,,~~ABCJabnow09"),
        count in 0..40u64,
    ) {
        check_many(&rows, count)?;
    }

    #[test]
    fn many_generations_of_worlds_with_few_flags(
        rows in tall_rows("     .....................................***,,,,Aan"),
        count in 0..40u64,
    ) {
        check_many(&rows, count)?;
    }

    #[test]
    fn wireworld_boards_and_lanes(rows in rows("    ........**,,"), many in 1..520usize) {
        let mut plain = Plain::of(&rows);
        let start = board(&rows);
        let mut boards: Vec<(Level, Board, Lanes)> = Level::available()
            .map(|level| {
                let mut lanes = Lanes::new(start.width(), start.height(), many);
                lanes.put(many - 1, &start);
                lanes.put(many / 2, &start);
                (level, start.clone(), lanes)
            })
            .collect();
        for generation in 0..5 {
            plain = plain.generation(&Rules::default()).0;
            let expected = board(&plain.rows());
            for (level, board, lanes) in &mut boards {
                board.generation_at(*level);
                lanes.generation_at(*level);
                prop_assert!(*board == expected, "{level} {generation}");
                prop_assert!(lanes.board(many - 1) == expected, "{level} {generation}: last of \
                    {many}");
                prop_assert!(lanes.board(many / 2) == expected, "{level} {generation}: middle of \
                    {many}");
                if many > 2 {
                    let blank = Board::new(board.width(), board.height());
                    prop_assert!(lanes.board(0) == blank, "{level} {generation}: beside of {many}");
                }
            }
        }
    }
}

#[test]
fn lanes_that_differ_do_not_disturb_each_other() {
    for many in [1, 63, 64, 65, 128, 500, 512, 1024] {
        let start = |number: usize| {
            let mut board = Board::new(9, 4);
            for place in 0..36 {
                board.set(
                    place % 9,
                    place / 9,
                    State::ALL[(place * (number + 3) + number / 7) % 11 % 4],
                );
            }
            board
        };
        let mut boards: Vec<Board> = (0..many).map(start).collect();
        let mut lanes = Lanes::new(9, 4, many);
        for (number, board) in boards.iter().enumerate() {
            lanes.put(number, board);
        }
        for _ in 0..6 {
            boards.iter_mut().for_each(Board::generation);
            lanes.generation();
        }
        for (number, board) in boards.iter().enumerate() {
            assert_eq!(lanes.board(number).to_rows(), board.to_rows(), "{number} of {many}");
        }
    }
}
