//! Tests of cluster: recorded games, a naive second implementation, fixed hashes of random games,
//! the conformance kit, and positions.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

#[path = "reference/cluster.rs"]
mod reference;

use agon_core::{Game, GameExt, Player, Seed};
use agon_games::cluster::{Answer, Cluster, End, Position, Rules, judge};
use proptest::prelude::*;
use reference::Reference;
use serde::Deserialize;

use crate::{every_game::keeps_promises, walks};

/// A recorded game. The best-known implementation of cluster played random moves; `hands` are what
/// its players had drawn before each move.
#[derive(Deserialize)]
struct Recorded {
    side: u32,
    seed: u64,
    /// Player 0 first, alternating.
    moves: Vec<Answer>,
    /// How many pellets of the player's first and second colour were in hand before each move.
    hands: Vec<[usize; 2]>,
    /// The gravity after each move.
    gravity: Vec<u8>,
    /// After each move: -1 the game goes on, 0 or 1 this player has won by a run, 2 tie.
    results: Vec<i32>,
    /// Cell and colour of all pellets after each move, in order of cells; left out for large
    /// boards.
    boards: Option<Vec<Vec<(u16, u8)>>>,
    /// FNV-1a (32 bits, hexadecimal) over low byte and high byte of the cell and colour, of all
    /// pellets after each move in order of cells.
    hashes: Vec<String>,
    final_board: Vec<(u16, u8)>,
    /// For each player: what is left of its first and second colour at the end, the hand not
    /// included.
    bags_left: [[u32; 2]; 2],
    /// "match", "tie" or "out_of_pellets".
    end: String,
    /// 0 or 1; 2 is a tie.
    winner: i32,
}

fn recorded(lines: &str) -> Vec<Recorded> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same game with a given hand, whatever was drawn.
fn with_hand(game: &Cluster, counts: [usize; 2]) -> Cluster {
    let mut position = game.position();
    let mut bags = position.bags.unwrap();
    position.hand.unwrap().iter().for_each(|&color| bags[usize::from(color)] += 1);
    let first = game.to_move().0 as u8;
    let hand = [vec![first; counts[0]], vec![first + 2; counts[1]]].concat();
    hand.iter().for_each(|&color| bags[usize::from(color)] -= 1);
    position.hand = Some(hand);
    position.bags = Some(bags);
    Cluster::from_position(game.rules(), game.seed(), position).unwrap()
}

fn board(game: &Cluster) -> Vec<(u16, u8)> {
    let mut board: Vec<_> =
        game.pellets().iter().map(|pellet| (pellet.cell, pellet.color)).collect();
    board.sort();
    board
}

fn fnv(board: &[(u16, u8)]) -> String {
    let bytes = board.iter().flat_map(|&(cell, color)| [cell as u8, (cell >> 8) as u8, color]);
    let hash = bytes
        .fold(0x811C_9DC5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}

/// The number that records have for a result by runs.
fn result_code(end: Option<End>) -> i32 {
    match end {
        Some(End::Run { winner, .. } | End::EqualRunsMorePellets { winner, .. }) => winner.0.into(),
        Some(End::EqualRuns { .. }) => 2,
        _ => -1,
    }
}

/// Replays a record move by move; with `go_on`, runs are judged but never end the game.
fn replay(record: &Recorded, go_on: bool) {
    let usual = Rules::default().run_length;
    let run_length = if go_on { 127 } else { usual };
    let rules = Rules { side: record.side, run_length, ..Rules::default() };
    let mut game = Cluster::new(&rules, 2, Seed(record.seed)).unwrap();
    for (i, answer) in record.moves.iter().enumerate() {
        let place = format!("side {}, seed {}, move {i}", record.side, record.seed);
        game = with_hand(&game, record.hands[i]);
        assert_eq!(game.check(answer), Ok(()), "{place}");
        game.step(&[*answer]);
        assert_eq!(game.gravity(), record.gravity[i], "{place}");
        let board = board(&game);
        assert_eq!(fnv(&board), record.hashes[i], "{place}");
        if let Some(boards) = &record.boards {
            assert_eq!(board, boards[i], "{place}");
        }
        let judged = judge(game.board(), game.pellets(), usual);
        assert_eq!(result_code(judged), record.results[i], "{place}");
        if !go_on && judged.is_some() {
            assert_eq!(game.end(), judged, "{place}");
        }
    }
    check_end(record, &game);
}

fn check_end(record: &Recorded, game: &Cluster) {
    let place = format!("side {}, seed {}", record.side, record.seed);
    assert_eq!(board(game), record.final_board, "{place}");
    let bags = game.position().bags.unwrap();
    assert_eq!([[bags[0], bags[2]], [bags[1], bags[3]]], record.bags_left, "{place}");
    let end = match game.end() {
        Some(End::Run { .. } | End::EqualRunsMorePellets { .. }) => "match",
        Some(End::EqualRuns { .. }) => "tie",
        Some(End::OutOfPellets { .. }) => "out_of_pellets",
        other => panic!("{place}: {other:?}"),
    };
    let winners = game.standing().outcome.unwrap().winners;
    let winner = if winners.len() == 2 { 2 } else { i32::from(winners[0].0) };
    assert_eq!((end, winner), (record.end.as_str(), record.winner), "{place}");
}

#[test]
fn recorded_games_come_out_the_same() {
    for lines in [
        include_str!("data/cluster_games_side3.jsonl"),
        include_str!("data/cluster_games_side5.jsonl"),
        include_str!("data/cluster_games_side12.jsonl"),
    ] {
        let games = recorded(lines);
        assert_eq!(games.len(), 100);
        games.iter().for_each(|record| replay(record, false));
    }
}

/// Play went on after a run: boards with many runs of both players at once.
#[test]
fn recorded_boards_are_judged_the_same() {
    for lines in [
        include_str!("data/cluster_long_side3.jsonl"),
        include_str!("data/cluster_long_side5.jsonl"),
        include_str!("data/cluster_long_side12.jsonl"),
    ] {
        let games = recorded(lines);
        assert_eq!(games.len(), 30);
        games.iter().for_each(|record| replay(record, true));
    }
}

fn small_rules() -> impl Strategy<Value = Rules> {
    let bag = prop_oneof![Just(None), (1..30u32).prop_map(Some)];
    (2..=7u32, 2..=6u32, 1..=4u32, bag, 1..=60u64).prop_map(
        |(side, run_length, hand_size, bag, max_rounds)| {
            let bag = if side == 2 { bag.or(Some(3)) } else { bag };
            Rules { side, run_length, hand_size, bag, max_rounds }
        },
    )
}

proptest! {
    #[test]
    fn agrees_with_the_reference(rules in small_rules(), seed: u64, script: u64) {
        let reference = Reference::new(&rules, Seed(seed));
        let mut game = Cluster::new(&rules, 2, Seed(seed)).unwrap();
        let mut position = reference.start();
        for step in 0.. {
            prop_assert_eq!(game.position(), position.clone(), "step {}", step);
            if game.is_over() {
                break;
            }
            let answers = game.scripted_answers(Seed(script), step);
            position = reference.step(position, answers[0]);
            game.step(&answers);
        }
    }

    #[test]
    fn any_position_is_read_or_refused(
        rules in small_rules(),
        gravity in 0..8u8,
        pellets in prop::collection::vec((0..140u16, 0..5u8), 0..8),
        bags: Option<[u32; 4]>,
        hand in prop::option::of(prop::collection::vec(0..5u8, 0..4)),
        turn in 0..200u64,
    ) {
        let pellet = |(cell, color)| agon_games::cluster::Pellet { cell, color };
        let pellets = pellets.into_iter().map(pellet).collect();
        let position = Position { gravity, pellets, bags, hand, turn, end: None };
        if let Ok(mut game) = Cluster::from_position(&rules, Seed(1), position) {
            let again = Cluster::from_position(&rules, Seed(1), game.position());
            prop_assert_eq!(again, Ok(game.clone()));
            game.walk(Seed(2), 500);
            prop_assert!(game.is_over() || game.progress().turn >= 500);
        }
    }
}

/// Long scripted playouts; the head of the file explains its lines.
#[test]
fn walks_never_change() {
    let mut walks = 0;
    walks::agree("cluster.walk", |line| {
        walks += 1;
        Some(walk(line))
    });
    assert!(walks >= 12);
}

/// The hash that the walk of a line has now.
fn walk(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let [side, bag, run_length, "walk", seed, plies, _] = words[..] else {
        panic!("`{line}` is no walk")
    };
    let rules = Rules {
        side: side.parse().unwrap(),
        bag: Some(bag.parse().unwrap()),
        run_length: run_length.parse().unwrap(),
        ..Rules::default()
    };
    let seed = Seed::plain(seed.parse().unwrap());
    let plies = plies.parse().unwrap();
    let mut game = Cluster::new(&rules, 2, seed).unwrap();
    let hash = game.walk(seed, plies);
    confirm(&rules, seed, plies, &game);
    format!("{hash:016x}")
}

/// The reference reaches the same position by the same script.
fn confirm(rules: &Rules, seed: Seed, plies: u64, end: &Cluster) {
    if rules.side > 12 {
        return;
    }
    let reference = Reference::new(rules, seed);
    let mut position = reference.start();
    for step in 0..plies {
        let game = Cluster::from_position(rules, seed, position.clone()).unwrap();
        if game.is_over() {
            break;
        }
        position = reference.step(position, game.scripted_answers(seed, step)[0]);
    }
    assert_eq!(end.position(), position);
}

#[test]
fn keeps_the_promises_of_a_game() {
    keeps_promises::<Cluster>(&Rules::default(), 2, 0..3, 1_000);
    let long_game = Rules { side: 5, run_length: 100, bag: Some(300), ..Rules::default() };
    keeps_promises::<Cluster>(&long_game, 2, 0..3, 2_000);
    let tiny = Rules { side: 2, run_length: 3, bag: Some(4), hand_size: 1, max_rounds: 3 };
    keeps_promises::<Cluster>(&tiny, 2, 0..10, 10);
}

fn game_from(json: &str) -> Cluster {
    let rules = Rules { side: 3, ..Rules::default() };
    Cluster::from_position(&rules, Seed(1), serde_json::from_str(json).unwrap()).unwrap()
}

/// Plays one answer and tells the outcome as "winners: reason".
fn outcome(mut game: Cluster, answer: &str) -> String {
    game.step(&[answer.parse().unwrap()]);
    let Some(outcome) = game.standing().outcome else { return "goes on".into() };
    let winners: Vec<_> = outcome.winners.iter().map(Player::to_string).collect();
    format!("{}: {}", winners.join(","), outcome.reason)
}

#[test]
fn answers_against_the_rules_lose_and_are_explained() {
    let game = game_from(r#"{"hand": [0, 0]}"#);
    let check = |game: &Cluster, answer: &str, reason: &str| {
        let decision = game.decisions()[0];
        assert_eq!(game.illegal(decision, &answer.parse().unwrap()).unwrap(), reason);
        assert_eq!(outcome(game.clone(), answer), "1: the opponent broke the rules");
    };
    check(&game, "PLACE 5 0", "there is no column 5; columns are numbered from 0 to 4");
    check(&game, "PLACE 0 2", "color 2 is not in hand (in hand: 0, 0)");
    check(&game, "ROTATE 0", "the board cannot be rotated by 0 cycles, only by 1 to 5");
    check(&game, "ROTATE 6", "the board cannot be rotated by 6 cycles, only by 1 to 5");
    // Column 0 has three cells.
    let mut full = game_from(r#"{"bags": null}"#);
    for _ in 0..3 {
        full.step_with(|game, _| Answer::Place { column: 0, color: game.hand()[0] });
    }
    assert_eq!(full.valid_columns().count(), 4);
    let answer = Answer::Place { column: 0, color: full.hand()[0] };
    assert_eq!(full.illegal(full.decisions()[0], &answer).unwrap(), "column 0 is full");
    assert_eq!(full.illegal(full.decisions()[0], &Answer::Forfeit), None);
    assert_eq!(outcome(full, "FORFEIT"), "0: the opponent forfeited");
}

#[test]
fn outcomes_say_why() {
    // The middle column of side 3 from the floor up: 13, 4, 0, 1, 7 seen by the top cell.
    let middle = |colors: &[u8], turn: u64, rest: &str| {
        let cells = middle_column();
        let pellets: Vec<_> = colors
            .iter()
            .zip(cells)
            .map(|(color, cell)| format!(r#"{{"cell":{cell},"color":{color}}}"#))
            .collect();
        game_from(&format!(r#"{{"pellets": [{}], "turn": {turn}{rest}}}"#, pellets.join(",")))
    };
    assert_eq!(outcome(middle(&[1, 1, 1], 7, r#","hand":[1,3]"#), "PLACE 2 1"), "1: a run of 4");
    assert_eq!(outcome(middle(&[1, 1, 1], 7, r#","hand":[1,3]"#), "PLACE 2 3"), "goes on");
    let last = middle(&[], 2, r#","bags":[3,0,3,0]"#);
    assert_eq!(outcome(last, "ROTATE 1"), "0: the opponent is out of pellets");
    let limit = Rules { side: 3, max_rounds: 1, ..Rules::default() };
    let mut game = Cluster::new(&limit, 2, Seed(1)).unwrap();
    game.step(&["ROTATE 1".parse().unwrap()]);
    assert_eq!(outcome(game, "ROTATE 5"), "0,1: no run before the last round was over");
}

fn middle_column() -> Vec<u16> {
    let board = agon_games::cluster::Board::new(3);
    let mut cells: Vec<_> =
        std::iter::successors(Some(board.top(2, 0)), |&cell| board.neighbor(cell, 0)).collect();
    cells.reverse();
    cells
}

#[test]
fn contradictions_in_positions_are_told_with_their_place() {
    let problems = |json: &str| {
        let position = serde_json::from_str(json).unwrap();
        let rules = Rules { side: 3, ..Rules::default() };
        Cluster::from_position(&rules, Seed(1), position).unwrap_err().to_string()
    };
    let text = problems(
        r#"{"gravity": 6, "pellets": [
            {"cell": 19, "color": 4}, {"cell": 1, "color": 0}, {"cell": 1, "color": 0}]}"#,
    );
    for part in [
        "gravity: 6",
        "pellets[0].cell: there is no cell 19; the last is 18",
        "pellets[0].color: 4",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
    assert!(text.contains("pellets[2].cell: an earlier pellet lies on cell 1 already"), "{text}");
    let text = problems(
        r#"{"pellets": [{"cell": 0, "color": 0}], "hand": [1], "bags": [4, 4, 5, 4],
            "turn": 40001}"#,
    );
    for part in [
        "pellets[0].cell: the pellet on cell 0 would fall: cell 1 below it is free",
        "bags[0]: there are only 4 pellets of a color, not 5",
        "bags[2]: there are only 4 pellets of a color, not 5",
        "turn: 40001 is not between 0 and 40000",
        "hand: 1 pellets in hand, but there have to be 2",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
    assert!(
        problems(r#"{"hand": [1, 1]}"#)
            .contains("hand: player 0 is to move and has the colors 0 and 2 only")
    );
    assert!(
        problems(r#"{"end": {"run": {"winner": 0, "length": 4}}}"#)
            .contains("end: it contradicts the board")
    );
    assert!(problems(r#"{"end": {"forfeit": {"loser": 2}}}"#).contains("end: it names no player"));
    let run: Vec<_> =
        middle_column()[..4].iter().map(|cell| format!(r#"{{"cell":{cell},"color":2}}"#)).collect();
    let text = problems(&format!(r#"{{"pellets": [{}]}}"#, run.join(",")));
    assert!(text.contains("end: it contradicts the board: "), "{text}");
}

#[test]
fn an_empty_position_is_the_start_of_a_game() {
    let rules = Rules::default();
    let from_nothing = Cluster::from_position(&rules, Seed(5), Position::default());
    assert_eq!(from_nothing, Cluster::new(&rules, 2, Seed(5)));
}
