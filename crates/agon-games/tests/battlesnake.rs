//! Tests that battlesnake repeats recordings of the official rules program
//! (`github.com/BattlesnakeOfficial/rules` at commit 87e094e2): whole games with all rulesets and
//! most maps, and single turns on small, crowded boards. Only its output is here, none of its code.

use agon_core::{Game as _, GameExt as _, Seed};
use agon_games::battlesnake::{Answer, Battlesnake, Board, Cause, Point, Recorded, Rules, Snake};
use agon_games::kit::SmallGame as _;
use serde::{Deserialize, de::DeserializeOwned};

/// A recorded game.
#[derive(Deserialize)]
struct RecordedGame {
    game: u32,
    map: String,
    rules: Rules,
    /// The start, and the state after each turn.
    turns: Vec<Turn>,
}

/// The state after a turn.
#[derive(Deserialize)]
struct Turn {
    /// The moves that led here: `ahead` for a bad answer, null for a snake that was already out.
    moves: Vec<Option<Answer>>,
    food: Vec<Point>,
    hazards: Vec<Point>,
    snakes: Vec<Snake>,
}

impl Turn {
    fn recorded(&self) -> Recorded {
        Recorded {
            bodies: self.snakes.iter().map(|snake| snake.body.clone()).collect(),
            food: self.food.clone(),
            hazards: self.hazards.clone(),
        }
    }
}

/// A single turn: two states and the moves between them.
///
/// If the game is over before, `after` is the same state. Snakes of a real game could not always
/// get to these places.
#[derive(Deserialize)]
struct Step {
    rules: Rules,
    moves: Vec<Option<Answer>>,
    before: Board,
    after: Board,
}

/// Reads a compressed file with a value on each line.
fn read<T: DeserializeOwned>(packed: &[u8]) -> Vec<T> {
    let lines = zstd::decode_all(packed).expect("the recording is whole");
    let values = serde_json::Deserializer::from_slice(&lines).into_iter();
    values.map(|value| value.expect("each line of the recording is readable")).collect()
}

fn games() -> Vec<RecordedGame> {
    read(include_bytes!("data/battlesnake-games.jsonl.zst"))
}

fn sorted(mut squares: Vec<Point>) -> Vec<Point> {
    squares.sort_unstable();
    squares
}

/// Plays a recorded game again and compares each state; returns the last one.
fn replay(recorded: &RecordedGame) -> Board {
    let RecordedGame { game: number, map, rules, turns } = recorded;
    let states: Vec<Recorded> = turns.iter().map(Turn::recorded).collect();
    let start = Board::of_recording(rules, &states[0], &states[1..]);
    let mut game = Battlesnake::from_position(rules, Seed(0), start)
        .unwrap_or_else(|error| panic!("game {number} on {map} does not start: {error}"));

    for (turn, expected) in turns.iter().enumerate().skip(1) {
        let at = format!("game {number} on {map}, turn {turn}");
        assert!(!game.is_over(), "{at}: the game is over too early");
        let moves = &expected.moves;
        let answers: Vec<Answer> = game
            .decisions()
            .iter()
            .map(|decision| moves[decision.player.index()])
            .map(|answer| {
                answer.unwrap_or_else(|| panic!("{at}: a snake should be out: {moves:?}"))
            })
            .collect();
        assert_eq!(answers.len(), moves.iter().flatten().count(), "{at}: snakes that move");
        game.step(&answers);

        let board = game.state();
        assert_eq!(board.turn, turn as u64, "{at}: number of the turn");
        assert_eq!(board.snakes, expected.snakes, "{at}: snakes");
        assert_eq!(sorted(board.food.clone()), sorted(expected.food.clone()), "{at}: food");
        let mut hazards = expected.hazards.clone();
        hazards.retain(|square| rules.index(*square).is_some());
        assert_eq!(sorted(board.hazards.clone()), sorted(hazards), "{at}: hazards");
    }
    assert!(game.is_over(), "game {number} on {map} continues after its last turn");
    game.position()
}

#[test]
fn recorded_games_repeat_state_for_state() {
    let games = games();
    assert_eq!(games.len(), 100);
    let last: Vec<Board> = games.iter().map(replay).collect();

    // The recordings have all ways to leave a game.
    let snakes = last.iter().flat_map(|board| &board.snakes);
    let causes: Vec<Cause> =
        snakes.filter_map(|snake| snake.eliminated).map(|it| it.cause).collect();
    let count = |wanted| causes.iter().filter(|cause| **cause == wanted).count();
    assert_eq!(count(Cause::HeadCollision), 107);
    assert_eq!(count(Cause::SnakeSelfCollision), 67);
    assert_eq!(count(Cause::Hazard), 62);
    assert_eq!(count(Cause::SnakeCollision), 23);
    assert_eq!(count(Cause::WallCollision), 14);
    assert_eq!(count(Cause::OutOfHealth), 6);
}

/// Answers that came late, were no JSON, named no direction, and so on.
#[test]
fn the_recordings_have_bad_answers_which_repeat_the_move_before() {
    let games = games();
    let moves = games.iter().flat_map(|game| &game.turns).flat_map(|turn| &turn.moves);
    assert_eq!(moves.filter(|answer| **answer == Some(Answer::Ahead)).count(), 187);
}

/// The rules play these without the checks of positions, which would refuse most.
#[test]
fn recorded_single_turns_repeat() {
    let steps: Vec<Step> = read(include_bytes!("data/battlesnake-steps.jsonl.zst"));
    assert_eq!(steps.len(), 1_000);
    let mut over = 0;
    for (number, Step { rules, moves, before, after }) in steps.into_iter().enumerate() {
        let at = format!("single turn {number}");
        let mut board = before;
        let decisions = board.decisions(&rules);
        let answers: Vec<_> = decisions
            .into_iter()
            .map(|decision| (decision, moves[decision.player.index()]))
            .map(|(decision, answer)| {
                let answer = answer.unwrap_or_else(|| panic!("{at}: a snake should be out"));
                (decision, answer)
            })
            .collect();
        if answers.is_empty() {
            over += 1;
        } else {
            board.step(&rules, Seed(0), &answers);
        }
        assert_eq!(board, after, "{at}");
    }
    assert_eq!(over, 38);
}
