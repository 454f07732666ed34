//! Tests how strong cluster's built-in bots are against each other.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use agon_core::{Game, Params, Purpose, Seed};
use agon_games::BuiltinBots;
use agon_games::cluster::{Answer, Board, Cell, Cluster, End, Pellet, Position, Rules};

use crate::{bots, support::policy};

/// Plays one game; the first bot is player `first`.
fn play(rules: &Rules, seed: u64, [a, b]: [&str; 2], first: usize) -> Cluster {
    let seats = if first == 0 { [a, b] } else { [b, a] };
    bots::play(rules, &seats, Seed(seed), 0)
}

/// How many of `games` the first bot wins; sides change from game to game.
fn wins(rules: &Rules, games: u64, bots: [&str; 2]) -> u64 {
    let won = |seed: u64| {
        let first = (seed % 2) as usize;
        let end = play(rules, seed, bots, first).end().unwrap();
        u64::from(end.winner().is_some_and(|winner| winner.index() == first))
    };
    (0..games).map(won).sum()
}

#[test]
fn stronger_bots_win() {
    agon_testkit::slow!();
    let rules = Rules::default();
    let greedy = wins(&rules, 40, ["greedy", "random"]);
    assert!(greedy >= 38, "greedy wins {greedy} of 40 games against random");
    let searcher = wins(&rules, 40, ["searcher", "greedy"]);
    assert!(searcher >= 34, "searcher wins {searcher} of 40 games against greedy");
}

#[test]
fn champions_beat_the_searcher_even_with_little_work() {
    agon_testkit::slow!();
    let rules = Rules { side: 8, ..Rules::default() };
    for (champion, least) in [("tumbler?work=800", 10), ("lookahead?work=2000", 9)] {
        let won = wins(&rules, 14, [champion, "searcher"]);
        assert!(won >= least, "{champion} wins {won} of 14 games against searcher");
    }
}

#[test]
fn champions_take_a_win_and_prevent_a_loss() {
    let rules = Rules { side: 4, bag: Some(40), ..Rules::default() };
    let board = Board::new(rules.side);
    // Three pellets of player 0 lie on top of each other in the middle column.
    let floor = board.landing(3, 0, |_| true).unwrap();
    let up = |cell: &Cell| board.neighbor(*cell, 3);
    let cells = std::iter::successors(Some(floor), up).take(3);
    let pellets: Vec<Pellet> = cells.map(|cell| Pellet { cell, color: 0 }).collect();
    for name in ["tumbler?work=300", "lookahead?work=300"] {
        for mover in [0, 1] {
            let hand = Some(vec![mover, mover + 2]);
            let turn = u64::from(mover);
            let position = Position { pellets: pellets.clone(), hand, turn, ..Position::default() };
            let game = Cluster::from_position(&rules, Seed(1), position).unwrap();
            let mut rng = Seed(1).stream(Purpose::Bot(0), 0);
            let answer = policy::<Cluster>(name).decide(&game.view(game.decisions()[0]), &mut rng);
            assert!(matches!(answer, Answer::Place { column: 3, .. }), "{name}: {answer}");
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let searcher = Cluster::BUILTINS.iter().find(|b| b.name == "searcher").unwrap();
    let params = Params::new(searcher.params, [("width", "0")]).unwrap();
    let error = (searcher.make)(&params).err().unwrap();
    assert_eq!(error.to_string(), "parameter `width`: `0` is not a number from 1 to 100");
}

#[test]
fn all_bots_answer_by_the_rules_on_odd_boards() {
    let boards = [
        Rules { side: 2, bag: Some(6), ..Rules::default() },
        Rules { side: 4, run_length: 7, bag: Some(40), hand_size: 1, ..Rules::default() },
        Rules { side: 5, run_length: 2, hand_size: 4, ..Rules::default() },
        Rules { side: 6, run_length: 127, bag: Some(60), ..Rules::default() },
    ];
    for rules in &boards {
        for builtin in Cluster::BUILTINS {
            let game = play(rules, 1, [builtin.name, "random"], 0);
            assert!(!matches!(game.end(), Some(End::Illegal { .. } | End::Forfeit { .. })));
        }
    }
}
