//! The game's own protocol: a file with the question, which the bot's runner (a program started
//! once per turn) overwrites with its reply. This file reads replies; `question.rs` writes
//! questions.
//!
//! Nothing here touches files: the host in `agon-bots` writes and reads them, and starts the
//! runner.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Answer, Direction, Move, View};

pub use super::question::send_question;

/// The most warnings that are reported one by one.
const MAX_WARNINGS: usize = 20;

/// What a runner wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The moves that count, at most one per own cell, in order of rows, then columns.
    pub answer: Answer,
    /// The data that the bot gets back in its next question, any JSON.
    pub blob: Value,
    /// A sentence for each ignored move: what is wrong with it. A long list ends with the number of
    /// the rest.
    pub warnings: Vec<String>,
    /// How many moves are ignored.
    pub ignored: u64,
}

/// Why a reply cannot be used. The bot makes no move, and its blob becomes empty.
#[derive(Debug, Error)]
pub enum ReplyError {
    /// There are no bytes.
    #[error("the file is empty: the reply has to be written into it")]
    Empty,
    /// The file is not JSON.
    #[error("the reply is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is JSON, but no object.
    #[error("the reply is {0}, not an object with `moves` and `blob`")]
    NotAnObject(&'static str),
    /// The runner wrote nothing.
    #[error("the file still holds the question: the runner has to overwrite it with its reply")]
    Question,
    /// `moves` or `blob` is not there.
    #[error("the reply has no `{0}`")]
    Missing(&'static str),
    /// `moves` is something else.
    #[error("`moves` is {0}, not a list")]
    NoList(&'static str),
}

/// The blob of a bot that has not saved one: `{}`.
pub fn empty_blob() -> Value {
    Value::Object(Map::new())
}

/// Returns the text of a runner's question file, as [`send_question`] writes it.
///
/// # Panics
/// If a player has no name.
pub fn write_question(view: &View<'_>, names: &[String], blob: &Value) -> String {
    let mut out = Vec::new();
    send_question(view, names, blob, &mut out).expect("memory can always be written");
    String::from_utf8(out).expect("JSON is text")
}

/// Reads the file after the runner has ended.
///
/// # Errors
/// If the reply as a whole is unusable. A single bad move is only ignored, with a warning.
pub fn parse_reply(bytes: &[u8], view: &View<'_>) -> Result<Reply, ReplyError> {
    match read_usual(bytes, view) {
        Some(reply) => Ok(reply),
        None => read_carefully(bytes, view),
    }
}

/// A reply with a list of moves and a blob.
#[derive(Deserialize)]
struct UsualReply {
    moves: Vec<UsualMove>,
    blob: Value,
    // With a flattened field, serde takes objects only, and no lists in their place.
    #[serde(flatten)]
    _others: IgnoredAny,
}

/// A move with three whole numbers, the last of them a direction.
#[derive(Deserialize)]
struct UsualMove {
    x: u32,
    y: u32,
    direction: Direction,
    #[serde(flatten)]
    _others: IgnoredAny,
}

/// Reads a reply without any mistake; `None` for others.
fn read_usual(bytes: &[u8], view: &View<'_>) -> Option<Reply> {
    let UsualReply { moves, blob, .. } = serde_json::from_slice(bytes).ok()?;
    let order = |UsualMove { x, y, direction, .. }: UsualMove| Move { x, y, direction };
    let mut moves: Vec<Move> = moves.into_iter().map(order).collect();
    if !moves.iter().all(|order| view.owns(order.x, order.y)) {
        return None;
    }
    let place = |order: &Move| (order.y, order.x);
    if !moves.is_sorted_by(|a, b| place(a) < place(b)) {
        // Reversed, so that the last of several moves for a cell comes first and stays.
        moves.reverse();
        moves.sort_by_key(place);
        moves.dedup_by_key(|order| place(order));
    }
    Some(Reply { answer: Answer { moves }, blob, warnings: Vec::new(), ignored: 0 })
}

/// Reads a reply value by value, with a reason for everything that does not count.
fn read_carefully(bytes: &[u8], view: &View<'_>) -> Result<Reply, ReplyError> {
    if bytes.trim_ascii().is_empty() {
        return Err(ReplyError::Empty);
    }
    let mut reply = match serde_json::from_slice(bytes)? {
        Value::Object(reply) => reply,
        other => return Err(ReplyError::NotAnObject(kind(&other))),
    };
    if reply.contains_key("cells") && !reply.contains_key("moves") {
        return Err(ReplyError::Question);
    }
    let mut take = |key| reply.remove(key).ok_or(ReplyError::Missing(key));
    let moves = match take("moves")? {
        Value::Array(moves) => moves,
        other => return Err(ReplyError::NoList(kind(&other))),
    };
    let blob = take("blob")?;
    let (answer, warnings, ignored) = read_moves(&moves, view);
    Ok(Reply { answer, blob, warnings, ignored: ignored as u64 })
}

/// The moves that count, the warnings, and how many moves are ignored.
fn read_moves(moves: &[Value], view: &View<'_>) -> (Answer, Vec<String>, usize) {
    let mut wanted = BTreeMap::new();
    let mut warnings = Vec::new();
    let mut bad = 0;
    for (i, value) in moves.iter().enumerate() {
        match read_move(value, view) {
            Ok(order) => {
                wanted.insert((order.y, order.x), order);
            }
            Err(reason) => {
                bad += 1;
                if bad <= MAX_WARNINGS {
                    warnings.push(format!("moves[{i}] is ignored: {reason}"));
                }
            }
        }
    }
    if bad > MAX_WARNINGS {
        warnings.push(format!("{} more moves are ignored", bad - MAX_WARNINGS));
    }
    (Answer { moves: wanted.into_values().collect() }, warnings, bad)
}

fn read_move(value: &Value, view: &View<'_>) -> Result<Move, String> {
    let Value::Object(object) = value else {
        return Err(format!("it is {}, not an object with `x`, `y` and `direction`", kind(value)));
    };
    let number = |key: &str| {
        let value = object.get(key).ok_or_else(|| format!("it has no `{key}`"))?;
        whole(value).ok_or_else(|| match value {
            Value::Number(number) => {
                format!("`{key}` is {number}, not a whole number of the field")
            }
            other => format!("`{key}` is {}, not a number", kind(other)),
        })
    };
    let x = number("x")?;
    let y = number("y")?;
    let direction = number("direction")?;
    let direction = match u8::try_from(direction) {
        Ok(number) => Direction::try_from(number)?,
        Err(_) => {
            return Err(format!(
                "direction {direction} is not 0 (up), 1 (right), 2 (down) or 3 (left)"
            ));
        }
    };
    if !view.owns(x, y) {
        return Err(format!("cell ({x}, {y}) is not the bot's"));
    }
    Ok(Move { x, y, direction })
}

/// Returns a whole number that fits. `4.0` counts, because some languages have no other numbers.
fn whole(value: &Value) -> Option<u32> {
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    let number = value.as_f64()?;
    let fits = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    fits.then_some(number as u32)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Decision, Game, Player, Seed};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::binfection::{Binfection, Cell, Position, Rules};

    /// alice in two corners of 5x4, bob next to one of them.
    fn game() -> Binfection {
        let rules = Rules { field_width: 5, field_height: 4, ..Rules::default() };
        let cell = |x, y, owner, units| Cell { x, y, owner: Some(Player(owner)), units };
        let cells = vec![cell(0, 0, 0, 5), cell(1, 1, 1, 3), cell(4, 3, 0, 8), cell(4, 0, 1, 1)];
        let position = Position { turn: 0, players: 2, cells, fallen: Vec::new() };
        Binfection::from_position(&rules, Seed(0), position).unwrap()
    }

    fn alice(game: &Binfection) -> View<'_> {
        game.view(Decision::new(Player(0), 0))
    }

    fn parse(text: &str) -> Result<Reply, ReplyError> {
        parse_reply(text.as_bytes(), &alice(&game()))
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_question_shows_own_cells_and_their_surroundings_once() {
        let names = ["alice".to_owned(), "bob \"b\"".to_owned()];
        let text = write_question(&alice(&game()), &names, &json!({"n": 1}));
        let start = concat!(
            r#"{"cells":[{"owner":"alice","units":5,"x":0,"y":0},"#,
            r#"{"owner":null,"units":0,"x":1,"y":0},"#
        );
        assert!(text.starts_with(start), "{text}");
        let question: Value = serde_json::from_str(&text).unwrap();
        let places: Vec<_> =
            question["cells"].as_array().unwrap().iter().map(|c| (&c["x"], &c["y"])).collect();
        let expect = [(0, 0), (1, 0), (0, 1), (1, 1), (3, 2), (4, 2), (3, 3), (4, 3)];
        assert_eq!(places.len(), expect.len());
        assert!(
            places.iter().zip(expect).all(|(&(x, y), (ex, ey))| x == ex && y == ey),
            "{places:?}"
        );
        assert_eq!(question["cells"][3], json!({"owner": "bob \"b\"", "units": 3, "x": 1, "y": 1}));
        assert_eq!(question["blob"], json!({"n": 1}));
    }

    #[test]
    fn the_page_shows_a_real_exchange() {
        let mut blocks = Binfection::META.page.split("```json\n").skip(1);
        let mut block = || blocks.next().unwrap().split("```").next().unwrap();
        let cell = |x, owner, units| Cell { x, y: 3, owner: Some(Player(owner)), units };
        let cells = vec![cell(0, 0, 8), cell(1, 1, 3)];
        let position = Position { turn: 0, players: 2, cells, fallen: Vec::new() };
        let game = Binfection::from_position(&Rules::default(), Seed(0), position).unwrap();
        let names = ["alice".to_owned(), "bob".to_owned()];
        let question = write_question(&alice(&game), &names, &json!({"plan": "wait"}));
        let compact = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(compact(&question), compact(block()));
        let reply = parse_reply(block().as_bytes(), &alice(&game)).unwrap();
        assert_eq!(reply.answer.moves, [Move { x: 0, y: 3, direction: Direction::Right }]);
        assert_eq!((reply.blob, reply.warnings.len()), (json!({"plan": "bite"}), 0));
    }

    #[test]
    fn a_good_reply_is_read() {
        let reply = parse(
            r#" {"moves": [{"x": 4, "y": 3, "direction": 3},
                 {"x": 0, "y": 0, "direction": 2.0, "why": "fun"}],
                 "blob": {"turn": 7}, "note": 1}"#,
        )
        .unwrap();
        let order = |x, y, direction| Move { x, y, direction };
        assert_eq!(
            reply.answer.moves,
            [order(0, 0, Direction::Down), order(4, 3, Direction::Left)]
        );
        assert_eq!((reply.blob, reply.warnings), (json!({"turn": 7}), Vec::new()));
    }

    #[test]
    fn a_blob_is_any_data_and_moves_beside_it_count() {
        // The second move is read by the careful reading.
        for direction in ["1", "1.0"] {
            for blob in [json!("north"), json!(7), json!(null), json!(false), json!([1, {}])] {
                let moves = format!(r#"[{{"x": 0, "y": 0, "direction": {direction}}}]"#);
                let reply = parse(&format!(r#"{{"moves": {moves}, "blob": {blob}}}"#)).unwrap();
                assert_eq!((reply.answer.moves.len(), &reply.blob), (1, &blob));
                let names = ["alice".to_owned(), "bob".to_owned()];
                let question = write_question(&alice(&game()), &names, &reply.blob);
                let question: Value = serde_json::from_str(&question).unwrap();
                assert_eq!(question["blob"], blob);
            }
        }
    }

    #[test]
    fn of_two_moves_for_a_cell_the_last_counts() {
        let reply = parse(
            r#"{"moves": [{"x": 0, "y": 0, "direction": 1}, {"x": 0, "y": 0, "direction": 2},
                          {"x": 0, "y": 0, "direction": 9}], "blob": {}}"#,
        )
        .unwrap();
        assert_eq!(reply.answer.moves, [Move { x: 0, y: 0, direction: Direction::Down }]);
        assert_eq!(reply.warnings.len(), 1, "the third is bad and does not count");
    }

    #[test]
    fn bad_moves_are_ignored_one_by_one() {
        let reply = parse(
            r#"{"blob": {}, "moves": [5, {"x": 0, "y": 0}, {"x": 0, "y": 0, "direction": 4},
                {"x": 1, "y": 1, "direction": 0}, {"x": 2, "y": 2, "direction": 0},
                {"x": -1, "y": 0, "direction": 0}, {"x": 0.5, "y": 0, "direction": 0},
                {"x": 1e300, "y": 0, "direction": 0},
                {"x": 99999999999999999999, "y": 0, "direction": 0},
                {"x": "0", "y": 0, "direction": 0}, {"x": 0, "y": 0, "direction": 4000000000},
                {"x": 4, "y": 3, "direction": 0}]}"#,
        )
        .unwrap();
        assert_eq!(reply.answer.moves, [Move { x: 4, y: 3, direction: Direction::Up }]);
        let expect = [
            "moves[0] is ignored: it is a number, not an object with `x`, `y` and `direction`",
            "moves[1] is ignored: it has no `direction`",
            "moves[2] is ignored: direction 4 is not 0 (up), 1 (right), 2 (down) or 3 (left)",
            "moves[3] is ignored: cell (1, 1) is not the bot's",
            "moves[4] is ignored: cell (2, 2) is not the bot's",
            "moves[5] is ignored: `x` is -1, not a whole number of the field",
            "moves[6] is ignored: `x` is 0.5, not a whole number of the field",
            "moves[7] is ignored: `x` is 1e+300, not a whole number of the field",
            "moves[8] is ignored: `x` is 1e+20, not a whole number of the field",
            "moves[9] is ignored: `x` is a string, not a number",
            "moves[10] is ignored: direction 4000000000 is not 0 (up), 1 (right), 2 (down) or 3 \
             (left)",
        ];
        assert_eq!(reply.warnings, expect);
    }

    #[test]
    fn a_flood_of_bad_moves_is_told_shortly() {
        let moves = vec![json!(0); 1_000];
        let reply = parse(&json!({"moves": moves, "blob": {}}).to_string()).unwrap();
        assert_eq!(reply.warnings.len(), MAX_WARNINGS + 1);
        assert_eq!(reply.warnings.last().unwrap(), "980 more moves are ignored");
        assert_eq!(reply.ignored, 1_000);
    }

    #[test]
    fn unusable_replies_say_why() {
        assert_eq!(error(" \n"), "the file is empty: the reply has to be written into it");
        assert_eq!(error("[]"), "the reply is a list, not an object with `moves` and `blob`");
        assert_eq!(error(r#"{"blob": {}}"#), "the reply has no `moves`");
        assert_eq!(error(r#"{"moves": []}"#), "the reply has no `blob`");
        assert_eq!(error(r#"{"moves": {}, "blob": {}}"#), "`moves` is an object, not a list");
        assert!(error(r#"{"moves": [],"#).starts_with("the reply is not JSON: EOF"));
        assert!(error(r#"{"moves": [], "blob": {"n": 1e999}}"#).contains("number out of range"));
        let names = ["alice".to_owned(), "bob".to_owned()];
        let question = write_question(&alice(&game()), &names, &empty_blob());
        assert!(error(&question).starts_with("the file still holds the question"));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep =
            format!(r#"{{"moves": [], "blob": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(error(&deep).contains("recursion limit"));
    }

    /// A value that could be where a move, or a part of one, should be.
    fn any_part() -> impl Strategy<Value = String> {
        let number = prop_oneof![
            Just("0"),
            Just("4"),
            Just("3"),
            Just("1"),
            Just("2"),
            Just("1.0"),
            Just("-1")
        ];
        let strange =
            prop_oneof![Just("null"), Just("[0,0,1]"), Just("1e999"), Just("\"0\""), Just("{}")];
        prop_oneof![9 => number, 1 => strange].prop_map(str::to_owned)
    }

    fn any_move() -> impl Strategy<Value = String> {
        let key = prop_oneof![12 => Just("direction"), 1 => Just("x"), 1 => Just("why")];
        let object = (any_part(), any_part(), key, any_part())
            .prop_map(|(x, y, key, part)| format!(r#"{{"x":{x},"y":{y},"{key}":{part}}}"#));
        let good = (prop_oneof![Just((0, 0)), Just((4, 3))], 0..4u8)
            .prop_map(|((x, y), d)| format!(r#"{{"x":{x},"y":{y},"direction":{d}}}"#));
        prop_oneof![8 => good, 4 => object, 1 => any_part()]
    }

    fn any_reply() -> impl Strategy<Value = String> {
        let moves = proptest::collection::vec(any_move(), 0..4)
            .prop_map(|moves| format!("[{}]", moves.join(",")));
        let moves = prop_oneof![12 => moves, 1 => any_part()];
        let blob = prop_oneof![8 => Just(r#"{"n":[1]}"#.to_owned()), 1 => any_part()];
        let keys = prop_oneof![
            12 => Just(["moves", "blob"]),
            1 => Just(["moves", "moves"]),
            1 => Just(["blob", "cells"])
        ];
        let form = prop_oneof![
            12 => Just(["{", "}"]),
            1 => Just(["[", "]"]),
            1 => Just(["{", ""]),
            1 => Just(["{\"a\":1e999,", "}"])
        ];
        (moves, blob, keys, form).prop_map(|(moves, blob, keys, form)| {
            format!(r#"{}"{}":{moves},"{}":{blob}{}"#, form[0], keys[0], keys[1], form[1])
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_usual_is_read_as_the_careful_reading_does(text in any_reply()) {
            let game = game();
            let careful = read_carefully(text.as_bytes(), &alice(&game));
            if let Some(usual) = read_usual(text.as_bytes(), &alice(&game)) {
                prop_assert_eq!(Some(usual), careful.ok(), "{}", text);
            } else if let Ok(reply) = careful {
                prop_assert!(reply.ignored > 0 || text.contains("1.0"), "{}", text);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, text in r#"[\[\]{}:,"0-9a-z.-]{0,40}"#) {
            let game = game();
            let _ = parse_reply(&bytes, &alice(&game));
            let reply = format!(r#"{{"blob": {{}}, "moves": [{text}]}}"#);
            let _ = parse_reply(reply.as_bytes(), &alice(&game));
        }
    }
}
