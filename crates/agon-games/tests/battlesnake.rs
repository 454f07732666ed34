//! Tests that battlesnake repeats recordings of the official rules program
//! (`github.com/BattlesnakeOfficial/rules` at commit 87e094e2): whole games with all rulesets and
//! most maps, and single turns on small, crowded boards. Only its output is here, none of its code.

use agon_core::{Game as _, GameExt as _, Seed};
use agon_games::battlesnake::recording::{self, Official, Recording};
use agon_games::battlesnake::{Answer, Board, Cause, Point, Rules, Snake};
use agon_games::kit::SmallGame as _;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

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

impl RecordedGame {
    /// Returns the start, and the state after each turn.
    fn boards(&self) -> Vec<Board> {
        let board = |(turn, of): (u64, &Turn)| Board {
            turn,
            snakes: of.snakes.clone(),
            food: of.food.clone(),
            hazards: of.hazards.clone(),
            recorded: None,
        };
        (0..).zip(&self.turns).map(board).collect()
    }

    fn official(&self) -> Official {
        let snakes = self.turns[0].snakes.len();
        Official {
            id: "it".to_owned(),
            rules: self.rules.clone(),
            names: (0..snakes).map(|number| format!("snake {number}")).collect(),
            colors: vec!["#123456".to_owned(); snakes],
        }
    }

    /// Writes it as the replies of the game engine, which have all snakes.
    fn replies(&self) -> String {
        let (official, boards) = (self.official(), self.boards());
        let frames: Vec<Value> =
            boards.iter().map(|board| official.event(board)["Data"].take()).collect();
        let page = |frames| json!({ "Count": boards.len(), "Frames": frames }).to_string();
        let pages = frames.chunks(40).map(page);
        official.engine_game(&boards[0]).to_string() + &pages.collect::<String>()
    }

    /// Writes it as the engine's reply and the messages that it sends.
    fn messages(&self) -> String {
        let (official, boards) = (self.official(), self.boards());
        let events = boards.iter().map(|board| official.event(board)).chain([official.end_event()]);
        let lines = [official.engine_game(&boards[0])].into_iter().chain(events);
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// Writes it as an `--output` file.
    fn output(&self) -> String {
        let official = self.official();
        let Recording { mut game, answers, .. } =
            recording::read(self.replies().as_bytes()).unwrap();
        let mut lines = vec![official.output_state(&game)];
        lines.insert(0, lines[0]["game"].clone());
        for answers in &answers {
            game.step(answers);
            lines.push(official.output_state(&game));
        }
        lines.push(official.output_end(game.state()));
        lines.iter().map(|line| format!("{line}\n")).collect()
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
    let recording = recording::read(recorded.replies().as_bytes());
    let mut game = recording.unwrap_or_else(|error| panic!("game {number} on {map}: {error}")).game;

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

/// Compares each state that a recording leads to, but not the causes of deaths: an `--output` file
/// does not say where snakes moved that left.
fn compare(recording: Recording, recorded: &RecordedGame) {
    let at = format!("game {} on {}", recorded.game, recorded.map);
    let Recording { mut game, answers, .. } = recording;
    assert_eq!(answers.len() + 1, recorded.turns.len(), "{at}");
    let seen = |snake: &Snake| match snake.eliminated {
        Some(out) => (out.turn, 0, Vec::new()),
        None => (0, snake.health, snake.body.clone()),
    };
    for (turn, expected) in recorded.turns.iter().enumerate() {
        let board = game.state();
        let [own, other] = [&board.snakes, &expected.snakes]
            .map(|snakes| snakes.iter().map(seen).collect::<Vec<_>>());
        assert_eq!(own, other, "{at}, turn {turn}");
        assert_eq!(sorted(board.food.clone()), sorted(expected.food.clone()), "{at}, turn {turn}");
        if let Some(answers) = answers.get(turn) {
            game.step(answers);
        }
    }
    assert!(game.is_over(), "{at}");
}

#[test]
fn files_of_the_official_command_line_can_be_imported() {
    let packed = include_bytes!("data/battlesnake-output.jsonl.zst").as_slice();
    let text = String::from_utf8(zstd::decode_all(packed).unwrap()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // Each file begins with a line about the game.
    let files: Vec<&[&str]> = lines.chunk_by(|_, next| !next.starts_with("{\"id\"")).collect();
    let numbers = [2, 87, 100, 55, 60, 45];
    assert_eq!(files.len(), numbers.len());
    let games = games();
    for (number, file) in numbers.into_iter().zip(files) {
        let recorded = &games[number - 1];
        let recording = recording::read(file.concat().as_bytes()).unwrap();
        let (own, other) = (recording.game.rules(), &recorded.rules);
        assert_eq!((own.width, own.ruleset), (other.width, other.ruleset));
        compare(recording, recorded);
    }
}

#[test]
fn exported_games_can_be_imported() {
    for recorded in games() {
        for text in [recorded.output(), recorded.replies(), recorded.messages()] {
            let recording = recording::read(text.as_bytes()).unwrap();
            assert_eq!(recording.names, recorded.official().names);
            compare(recording, &recorded);
        }
    }
}

#[test]
fn damaged_recordings_are_refused() {
    let text = games()[5].output();
    let lines: Vec<&str> = text.lines().collect();
    let check = |text: &str, expected: &str| {
        let error = recording::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    for (line, from, to, expected) in [
        (
            4,
            "health\":98",
            "health\":9",
            "turn 2: snake `snake 0` has health 9, its head at (6, 0)",
        ),
        (4, "turn\":2", "turn\":3", "turn 3: expected turn 2"),
        (3, "id\":\"0", "id\":\"7", "turn 1: the snake `7` is new"),
        (2, "food\":[{", "food\":[{\"x\":-1,\"y\":1},{", "wanted: food on different"),
        (3, "food\":[", "food\":[{\"x\":5,\"y\":5},", "turn 1: wanted: food on different"),
        (2, "id\":\"1", "id\":\"0", "two snakes have the same id"),
        (2, "standard", "squad", "unknown variant `squad`"),
        (2, "width\":11", "width\":60", "width: "),
    ] {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        assert!(lines[line - 1].contains(from), "{}", lines[line - 1]);
        lines[line - 1] = lines[line - 1].replacen(from, to, 1);
        check(&lines.join("\n"), &format!("line {line}: {expected}"));
    }
    check(&lines[4..].join("\n"), "line 1: the recording starts with turn 3, not with 0");
    check(&text[..text.len() - 200], "the recording: EOF while parsing");
    check("{}", "the recording: it holds no state of a game");
    check("{\"Frames\":[{\"Snakes\":[]}]}", "line 1: the settings are missing");
    check("{\"Frames\":[{\"Turn\":\"0\"}]}", "the recording: invalid type: string");
    check("PNG", "the recording: expected value at line 1");
    let snake = json!({ "id": "0", "health": 100, "body": [] });
    let many = json!({ "game": {}, "board": { "snakes": vec![snake; 17] } });
    check(&many.to_string(), "the recording: a list has more than 16 entries");

    let cut = recording::read(lines[..5].join("\n").as_bytes()).unwrap();
    assert_eq!((cut.answers.len(), cut.game.rules().turns), (3, 1_000));
}
