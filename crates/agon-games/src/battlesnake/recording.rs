//! Games of other programs: reads what the official command line (`--output`) and the game engine's
//! API have recorded, and writes what official tools and the official board read.
//!
//! Both forms were learned from recorded files and from the public documentation of the API.

use std::{collections::BTreeSet, time::Duration};

use agon_core::{Game as _, Player, Seed, SetupError, text::escape, text::shown_name};
use serde::{Deserialize, Deserializer, de::IgnoredAny};
use serde_json::{Value, json, value::RawValue};

use super::{Answer, Battlesnake, Board, Direction, Map, Point, Rules, Snake, Spawn};
use super::{board::without, web::WebMatch};
use crate::{bounded_list::at_most, settings};

/// The longest game.
const MAX_TURNS: u32 = 100_000;

/// The most bytes of a game's settings.
const MAX_SETTINGS: usize = 1 << 16;

/// The most combinations of moves that are tried in a turn: those of six snakes.
const MAX_TRIES: usize = 4_usize.pow(6);

/// A recorded game, which Agon can play again.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The start, with all that appears later.
    pub game: Battlesnake,
    /// The names of the snakes, in order of player number.
    pub names: Vec<String>,
    /// The answers of each turn, one for each snake that is left.
    pub answers: Vec<Vec<Answer>>,
}

/// Reads a recorded game, and compares each of its states with the rules.
///
/// `bytes` are JSON values one after the other: the lines of an `--output` file, or the engine's
/// reply to `/games/ID` and then those to `/games/ID/frames`, page by page, or the messages of
/// `/games/ID/events`.
///
/// # Errors
/// If it cannot be read, or the rules lead to another state. The error names line, turn and snake.
pub fn read(bytes: &[u8]) -> Result<Recording, SetupError> {
    let wrong = |reason| SetupError::new("the recording", reason);
    let mut documents = serde_json::Deserializer::from_slice(bytes).into_iter::<Document>();
    let mut reader = Reader::default();
    loop {
        let before = documents.byte_offset();
        let Some(document) = documents.next() else { break };
        let document = document.map_err(|error| wrong(plain(&error)))?;
        reader.document(document).map_err(|reason| {
            let blank = bytes[before..].iter().take_while(|byte| byte.is_ascii_whitespace());
            let before = &bytes[..before + blank.count()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            SetupError::new(format!("line {line}"), reason)
        })?;
    }
    let none = "it holds no state of a game, such as `battlesnake play --output` writes";
    let rerun = reader.rerun.ok_or_else(|| wrong(none.to_owned()))?;
    rerun.finish()
}

fn plain(error: &serde_json::Error) -> String {
    settings::plain(&escape(&error.to_string()))
}

/// A line of an `--output` file, a reply of the engine, or a message of it.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Document {
    #[serde(alias = "Game")]
    game: Option<Box<RawValue>>,
    turn: Option<u64>,
    board: Option<Frame>,
    /// One of the snakes, even after it has left.
    you: Option<Seen>,
    #[serde(rename = "Frames")]
    frames: Option<Frames>,
    #[serde(rename = "Type")]
    kind: Option<String>,
    /// A state if the type is `frame`.
    #[serde(rename = "Data")]
    data: Option<Frame>,
}

#[derive(Deserialize)]
struct Frames(#[serde(deserialize_with = "at_most::<_, _, 100_001>")] Vec<Frame>);

/// The state after a turn.
#[derive(Deserialize)]
struct Frame {
    #[serde(default, alias = "Turn")]
    turn: u64,
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
    #[serde(default, alias = "Snakes", deserialize_with = "at_most::<_, _, 16>")]
    snakes: Vec<Seen>,
    #[serde(default, alias = "Food", deserialize_with = "points")]
    food: Vec<Point>,
    #[serde(default, alias = "Hazards", deserialize_with = "points")]
    hazards: Vec<Point>,
}

#[derive(Deserialize)]
struct Seen {
    #[serde(alias = "ID")]
    id: String,
    #[serde(default, alias = "Name")]
    name: String,
    #[serde(alias = "Health")]
    health: i64,
    #[serde(alias = "Body", deserialize_with = "points")]
    body: Vec<Point>,
    #[serde(alias = "Death")]
    death: Option<IgnoredAny>,
}

/// Reads squares. Null stands for none.
fn points<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Point>, D::Error> {
    #[derive(Deserialize)]
    struct At {
        #[serde(alias = "X")]
        x: i16,
        #[serde(alias = "Y")]
        y: i16,
    }
    let list = Option::<Vec<At>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(list.into_iter().map(|At { x, y }| Point { x, y }).collect())
}

/// Returns the rules of a game. A map that Agon does not know becomes `standard`: what it does is
/// recorded.
fn rules(game: &RawValue, first: &Frame) -> Result<Rules, String> {
    if game.get().len() > MAX_SETTINGS {
        return Err(format!("the settings have more than {MAX_SETTINGS} bytes"));
    }
    let game: Value = serde_json::from_str(game.get()).map_err(|error| plain(&error))?;
    let either = |one: &Value, other: &Value| if one.is_null() { other } else { one }.clone();
    let mut rules = json!(Rules { turns: MAX_TURNS, ..Rules::default() });
    rules["width"] = either(&game["Width"], &first.width.into());
    rules["height"] = either(&game["Height"], &first.height.into());
    let map = either(&game["Map"], &game["map"]);
    if serde_json::from_value::<Map>(map.clone()).is_ok() {
        rules["map"] = map;
    }
    // The command line has settings in three levels, the engine in one, as text.
    let ruleset = either(&game["Ruleset"], &game["ruleset"]);
    let settings = &ruleset["settings"];
    for (own, name) in [
        ("ruleset", "name"),
        ("food_spawn_chance", "foodSpawnChance"),
        ("minimum_food", "minimumFood"),
        ("hazard_damage_per_turn", "damagePerTurn"),
        ("hazard_damage_per_turn", "hazardDamagePerTurn"),
        ("shrink_every_n_turns", "shrinkEveryNTurns"),
    ] {
        let places = [&ruleset[name], &settings[name], &settings["royale"][name]];
        let Some(found) = places.into_iter().find(|place| !place.is_null()) else { continue };
        let number = found.as_str().and_then(|text| text.parse::<i64>().ok());
        rules[own] = number.map_or_else(|| found.clone(), Value::from);
    }
    // Games that do not shrink may have 0 here.
    if rules["shrink_every_n_turns"] == 0 {
        rules["shrink_every_n_turns"] = 1.into();
    }
    serde_json::from_value(rules).map_err(|error| plain(&error))
}

#[derive(Default)]
struct Reader {
    game: Option<Box<RawValue>>,
    rerun: Option<Rerun>,
}

impl Reader {
    fn document(&mut self, document: Document) -> Result<(), String> {
        self.game = self.game.take().or(document.game);
        let mut frames = document.frames.map_or_else(Vec::new, |frames| frames.0);
        frames.extend(document.data.filter(|_| document.kind.as_deref() == Some("frame")));
        if let Some(mut frame) = document.board {
            frame.turn = document.turn.unwrap_or_default();
            // The list of snakes has only those that are left.
            let gone = document.you.filter(|you| frame.of(&you.id).is_none());
            frame.snakes.extend(gone.map(|gone| Seen { death: Some(IgnoredAny), ..gone }));
            frames.push(frame);
        }
        for frame in frames {
            let turn = frame.turn;
            if let Some(rerun) = &mut self.rerun {
                rerun.turn(&frame).map_err(|reason| format!("turn {turn}: {reason}"))?;
                continue;
            }
            let missing = "the settings are missing: begin with the reply to `/games/ID`";
            let game = self.game.as_ref().ok_or(missing)?;
            self.rerun = Some(Rerun::new(rules(game, &frame)?, frame)?);
        }
        Ok(())
    }
}

impl Frame {
    fn of(&self, id: &str) -> Option<&Seen> {
        self.snakes.iter().find(|seen| seen.id == id)
    }

    /// Checks the squares, so that comparing them takes little time.
    fn check(&self, rules: &Rules) -> Result<(), String> {
        let mut food = rules.inside(&self.food);
        food.sort_unstable();
        food.dedup();
        let fits = food.len() == self.food.len() && self.hazards.len() <= 100 * rules.area();
        let wanted =
            "wanted: food on different squares of the board, and 100 hazards on each at most";
        fits.then_some(()).ok_or_else(|| wanted.to_owned())
    }
}

/// A recorded game while it is played again.
struct Rerun {
    rules: Rules,
    ids: Vec<String>,
    names: Vec<String>,
    start: Board,
    board: Board,
    spawns: Vec<Spawn>,
    answers: Vec<Vec<Answer>>,
}

impl Rerun {
    fn new(rules: Rules, first: Frame) -> Result<Rerun, String> {
        if first.turn != 0 {
            return Err(format!("the recording starts with turn {}, not with 0", first.turn));
        }
        first.check(&rules)?;
        let ids: Vec<String> = first.snakes.iter().map(|seen| seen.id.clone()).collect();
        if ids.iter().collect::<BTreeSet<_>>().len() < ids.len() {
            return Err("two snakes have the same id".to_owned());
        }
        let names = first.snakes.iter().map(|seen| seen.name.clone()).collect();
        let snake = |seen: Seen| Snake {
            health: u8::try_from(seen.health).unwrap_or_default(),
            body: seen.body,
            eliminated: None,
        };
        let start = Board {
            turn: 0,
            snakes: first.snakes.into_iter().map(snake).collect(),
            food: first.food,
            hazards: rules.inside(&first.hazards),
            recorded: None,
        };
        let checked = Battlesnake::from_position(&rules, Seed(0), start.clone());
        let board = checked.map_err(|error| error.to_string())?.position();
        Ok(Rerun { rules, ids, names, start, board, spawns: Vec::new(), answers: Vec::new() })
    }

    /// Plays the turn that led to a state.
    fn turn(&mut self, frame: &Frame) -> Result<(), String> {
        if let Some(seen) = frame.snakes.iter().find(|seen| !self.ids.contains(&seen.id)) {
            return Err(format!("the snake `{}` is new", shown_name(&seen.id)));
        }
        if self.board.is_over(&self.rules) {
            // The last state may be there again.
            return self.compare(&self.board, frame).map_err(|_| "the game is over".to_owned());
        }
        if frame.turn != self.board.turn + 1 {
            return Err(format!("expected turn {}", self.board.turn + 1));
        }
        frame.check(&self.rules)?;

        let snakes = 0..self.board.snakes.len();
        let left = snakes.filter(|at| self.board.snakes[*at].eliminated.is_none());
        let left: Vec<usize> = left.collect();
        let ways: Vec<_> = left.iter().map(|at| self.ways(*at, frame)).collect();
        let tries: usize = ways.iter().map(Vec::len).product();
        if tries > MAX_TRIES {
            return Err("the moves of more than six snakes are not recorded".to_owned());
        }
        let mut problem = None;
        for number in 0..tries {
            let mut rest = number;
            let mut board = self.board.clone();
            let mut moves = Vec::with_capacity(left.len());
            for (&snake, ways) in left.iter().zip(&ways) {
                let way = ways[rest % ways.len()];
                rest /= ways.len();
                board.snakes[snake].advance(&self.rules, Some(way));
                moves.push(way.into());
            }
            board.resolve(&self.rules);
            match self.compare(&board, frame) {
                Ok(()) => {
                    self.answers.push(moves);
                    self.accept(board, frame);
                    return Ok(());
                }
                Err(text) => problem = problem.or(Some(text)),
            }
        }
        Err(problem.unwrap_or_default())
    }

    /// Returns the directions in which a snake may have moved, the most likely one first.
    fn ways(&self, at: usize, frame: &Frame) -> Vec<Direction> {
        let snake = &self.board.snakes[at];
        let head = frame.of(&self.ids[at]).and_then(|seen| seen.body.first());
        let way = head.and_then(|head| self.rules.direction(snake.head(), *head));
        // Of a snake that leaves, the recording may not say where to.
        let mut ways = way.map_or_else(|| Direction::ALL.to_vec(), |way| vec![way]);
        let ahead = snake.heading(&self.rules);
        ways.sort_by_key(|way| *way != ahead);
        ways
    }

    /// Compares a state with the recorded one, except for what appears.
    fn compare(&self, board: &Board, frame: &Frame) -> Result<(), String> {
        for (at, snake) in board.snakes.iter().enumerate() {
            let own = Some((i64::from(snake.health), &snake.body));
            let own = own.filter(|_| snake.eliminated.is_none());
            let seen = frame.of(&self.ids[at]).filter(|seen| seen.death.is_none());
            let other = seen.map(|seen| (seen.health, &seen.body));
            if own != other {
                let (name, [own, other]) = (shown_name(&self.names[at]), [own, other].map(state));
                return Err(format!("snake `{name}` {other}, but by the rules it {own}"));
            }
        }
        match without(&board.food, &frame.food).first() {
            Some(Point { x, y }) => Err(format!("the food at ({x}, {y}) is gone, but not eaten")),
            None => Ok(()),
        }
    }

    /// Adds what appears, and continues from there.
    fn accept(&mut self, mut board: Board, frame: &Frame) {
        let hazards = self.rules.inside(&frame.hazards);
        let spawn = Spawn {
            turn: board.turn,
            food: without(&frame.food, &board.food),
            hazards: without(&hazards, &board.hazards),
            gone: without(&board.hazards, &hazards),
        };
        board.food.extend(&spawn.food);
        board.hazards = hazards;
        self.board = board;
        if [&spawn.food, &spawn.hazards, &spawn.gone].iter().any(|list| !list.is_empty()) {
            self.spawns.push(spawn);
        }
    }

    fn finish(self) -> Result<Recording, SetupError> {
        let Rerun { names, answers, spawns, .. } = self;
        let turns = answers.len() as u32;
        let rules = Rules { turns: turns.max(Rules::default().turns), ..self.rules };
        let start = Board { recorded: Some(spawns), ..self.start };
        let game = Battlesnake::from_position(&rules, Seed(0), start)?;
        Ok(Recording { game, names, answers })
    }
}

/// Says how a snake is, from its health and body; `None` if it is out.
fn state(of: Option<(i64, &Vec<Point>)>) -> String {
    let Some((health, body)) = of else { return "is out".to_owned() };
    let head = body.first().map_or_else(String::new, |Point { x, y }| format!(" at ({x}, {y})"));
    format!("has health {health}, its head{head} and {} squares", body.len())
}

/// A match in the words of the official programs.
#[derive(Clone, Debug)]
pub struct Official {
    /// What they call the match.
    pub id: String,
    /// The settings.
    pub rules: Rules,
    /// The names of the snakes, in order of player number.
    pub names: Vec<String>,
    /// The colours of the snakes, as `#rrggbb`.
    pub colors: Vec<String>,
}

impl Official {
    /// Returns the line of a state in an `--output` file. The first line of the file is its `game`.
    pub fn output_state(&self, game: &Battlesnake) -> Value {
        let (id, names) = (self.id.clone(), self.names.clone());
        let request = WebMatch { id, names, timeout: Duration::from_millis(500) };
        let body = request.body(game, Player(0), Duration::ZERO);
        serde_json::from_slice(&body).expect("requests are JSON")
    }

    /// Returns the last line of an `--output` file.
    pub fn output_end(&self, board: &Board) -> Value {
        let has_rivals = board.snakes.len() > 1;
        let mut left = (0..board.snakes.len()).filter(|at| board.snakes[*at].eliminated.is_none());
        let winner = left.next().filter(|_| left.next().is_none() && has_rivals);
        json!({
            "winnerId": winner.map_or_else(String::new, |at| at.to_string()),
            "winnerName": winner.map_or("", |at| &self.names[at]),
            "isDraw": winner.is_none() && has_rivals,
        })
    }

    /// Returns the engine's reply to `/games/ID`, for a match with this last state.
    pub fn engine_game(&self, last: &Board) -> Value {
        json!({ "Game": self.engine_facts(), "LastFrame": self.engine_frame(last) })
    }

    fn engine_facts(&self) -> Value {
        let rules = &self.rules;
        let settings = json!({
            "name": rules.ruleset,
            "foodSpawnChance": rules.food_spawn_chance.to_string(),
            "minimumFood": rules.minimum_food.to_string(),
            "hazardDamagePerTurn": rules.hazard_damage_per_turn.to_string(),
            "shrinkEveryNTurns": rules.shrink_every_n_turns.to_string(),
        });
        json!({
            "ID": self.id, "Status": "complete", "Width": rules.width, "Height": rules.height,
            "Ruleset": settings, "RulesetName": rules.ruleset, "RulesStages": [],
            "Map": rules.map, "SnakeTimeout": 500, "Source": "",
        })
    }

    fn engine_frame(&self, board: &Board) -> Value {
        let squares = |squares: &[Point]| -> Value {
            squares.iter().map(|Point { x, y }| json!({ "X": x, "Y": y })).collect()
        };
        let snake = |(at, snake): (usize, &Snake)| {
            let death = snake.eliminated.map(|out| {
                let by = out.by.map_or_else(String::new, |by| by.to_string());
                json!({ "Cause": out.cause, "Turn": out.turn, "EliminatedBy": by })
            });
            json!({
                "ID": at.to_string(), "Name": self.names[at], "URL": "", "Author": "",
                "Body": squares(&snake.body), "Health": snake.health, "Death": death,
                "Color": self.colors[at], "HeadType": "default", "TailType": "default",
                "Latency": "", "Shout": "", "Squad": "", "APIVersion": "1", "StatusCode": 200,
                "Error": "", "IsBot": false, "IsEnvironment": false,
            })
        };
        let snakes: Vec<Value> = board.snakes.iter().enumerate().map(snake).collect();
        let (food, hazards) = (squares(&board.food), squares(&board.hazards));
        json!({ "Turn": board.turn, "Snakes": snakes, "Food": food, "Hazards": hazards })
    }

    /// Returns what the engine sends for a state to those who follow a match.
    pub fn event(&self, board: &Board) -> Value {
        json!({ "Type": "frame", "Data": self.engine_frame(board) })
    }

    /// Returns what the engine sends after the last state.
    pub fn end_event(&self) -> Value {
        json!({ "Type": "game_end", "Data": self.engine_facts() })
    }
}
