//! Rules that are a program in any language: it reads and writes lines of JSON, confined like a
//! bot. Nobody can prove that it answers the same way twice.
//!
//! `docs/game-files.md` describes the lines. This module turns the requests to a module into lines,
//! and the replies back.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agon_core::{Fold, Player};
use agon_games::file::Caller;
use agon_games::file::message::{DEFAULT_ANSWER, Malformed, Op, Reader, Writer};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::clock::{Clock, Timer};
use crate::game_file;
use crate::process::{FaultSite, Launch, Process, Sees};

/// The time for a reply.
const PATIENCE: Clock = Clock { wall_factor: 4, ..Clock::cpu(Duration::from_secs(10)) };

/// Rules that are a program.
pub(crate) struct ProgramHost {
    /// The program and its arguments; the last one is its file.
    pub(crate) words: Vec<String>,
    /// The folder with a copy of the file.
    pub(crate) folder: PathBuf,
    pub(crate) running: Mutex<Option<Process>>,
}

/// A state as the program writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    position: Value,
    turn: u64,
    #[serde(default)]
    limit: Option<u64>,
    players: usize,
    #[serde(default)]
    out: Vec<u32>,
    decisions: Vec<Wanted>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    player: u32,
    #[serde(default)]
    unit: u32,
    /// All answers, unless it lists some.
    legal: Option<Vec<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Standing {
    players: Vec<Place>,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    place: u32,
    score: i64,
}

/// What every line says of the match.
struct Terms {
    line: Map<String, Value>,
}

impl Terms {
    fn set(&mut self, key: &str, value: Value) {
        self.line.insert(key.to_owned(), value);
    }
}

fn unreadable(error: impl std::fmt::Display) -> String {
    format!("its line cannot be read: {error}")
}

impl Caller for ProgramHost {
    fn call(&self, request: &[u8], _: usize) -> Result<Vec<u8>, String> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = match running.take() {
            Some(process) => process,
            None => self.start()?,
        };
        let reply = answer(&mut process, request)?;
        *running = Some(process);
        Ok(match reply {
            Ok(out) => [&[0], &out.0[..]].concat(),
            Err(refused) => [&[1], refused.as_bytes()].concat(),
        })
    }
}

impl ProgramHost {
    fn start(&self) -> Result<Process, String> {
        let args: Vec<OsString> = self.words[1..].iter().map(Into::into).collect();
        let mut launch = Launch::new(&self.words[0], &args);
        launch.folder = Some(self.folder.clone());
        launch.sandbox.launcher = game_file::OWN.get().cloned();
        launch.sees = Sees::Words;
        Process::start(&launch, FaultSite::start(Player(0))).map_err(|fault| fault.detail)
    }
}

/// Sends a line and reads the reply; inside, the text with which the program refuses.
fn ask<T: for<'de> Deserialize<'de>>(
    process: &mut Process,
    line: &Map<String, Value>,
) -> Result<Result<T, String>, String> {
    let text = serde_json::to_string(line).expect("JSON can be written");
    process.send(format!("{text}\n").as_bytes());
    let timer = Timer::start(Some(PATIENCE), false, &process.meter());
    if let Err(trouble) = process.wait(&timer, |process| process.has_line()) {
        let said = process.stderr_tail();
        return Err(format!("{}\n{said}", process.describe(trouble, &timer).1));
    }
    let mut reply: Value = serde_json::from_str(&process.take_text()).map_err(unreadable)?;
    if let Some(refused) = reply.get_mut("refused") {
        return Ok(Err(refused.take().as_str().unwrap_or("it refuses").to_owned()));
    }
    Ok(Ok(serde_json::from_value(reply).map_err(unreadable)?))
}

type Reply = Result<Result<Writer, String>, String>;

fn answer(process: &mut Process, request: &[u8]) -> Reply {
    let cut = |error: Malformed| error.to_string();
    let input = &mut Reader(request);
    let op = Op::ALL[input.u32().map_err(cut)? as usize];
    let mut out = Writer::default();
    if op == Op::About {
        out.0.extend(b"{}");
        return Ok(Ok(out));
    }
    let mut terms = terms(input).map_err(cut)?;
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).map_err(unreadable);
    match op {
        Op::About => {}
        Op::Answers => {
            terms.set("ask", "answers".into());
            let answers: Vec<Value> = match ask(process, &terms.line)? {
                Ok(answers) => answers,
                Err(refused) => return Ok(Err(refused)),
            };
            out.count(answers.len());
            answers.iter().for_each(|answer| out.bytes(answer.to_string().as_bytes()));
        }
        Op::Start => {
            terms.set("ask", "start".into());
            return state(process, terms, out);
        }
        Op::Load => {
            let _ = input.u32().map_err(cut)?;
            terms.set("ask", "load".into());
            terms.set("position", json(input.bytes().map_err(cut)?)?);
            return state(process, terms, out);
        }
        Op::Step => {
            let answers = answers(process, &terms)?;
            terms.set("ask", "step".into());
            for _ in 0..input.count(8).map_err(cut)? {
                let mut position = json(input.bytes().map_err(cut)?)?;
                let mut last = None;
                for _ in 0..input.count(4).map_err(cut)? {
                    let mut list = Vec::new();
                    for _ in 0..input.count(4).map_err(cut)? {
                        let number = input.u32().map_err(cut)?;
                        let is_default = number == DEFAULT_ANSWER;
                        let answer = answers.get(number as usize).filter(|_| !is_default);
                        list.push(answer.cloned().unwrap_or_default());
                    }
                    terms.set("position", position);
                    terms.set("answers", list.into());
                    let next: State = match ask(process, &terms.line)? {
                        Ok(next) => next,
                        Err(refused) => return Ok(Err(refused)),
                    };
                    out.u64(hash(&next.position));
                    position = next.position.clone();
                    last = Some(next);
                }
                if let Some(last) = last {
                    write_state(&last, &answers, &mut out)?;
                }
            }
        }
        Op::Look => {
            terms.set("ask", "look".into());
            terms.set("position", json(input.bytes().map_err(cut)?)?);
            let mut decisions = Vec::new();
            for _ in 0..input.count(8).map_err(cut)? {
                let (player, unit) = (input.u32().map_err(cut)?, input.u32().map_err(cut)?);
                decisions.push(json!({ "player": player, "unit": unit }));
            }
            let count = decisions.len();
            terms.set("decisions", decisions.into());
            let views: Vec<Value> = match ask(process, &terms.line)? {
                Ok(views) => views,
                Err(refused) => return Ok(Err(refused)),
            };
            if views.len() != count {
                return Err(format!("it shows {} views for {count} decisions", views.len()));
            }
            views.iter().for_each(|view| out.bytes(view.to_string().as_bytes()));
        }
        Op::Standing => {
            terms.set("ask", "standing".into());
            terms.set("position", json(input.bytes().map_err(cut)?)?);
            let standing: Standing = match ask(process, &terms.line)? {
                Ok(standing) => standing,
                Err(refused) => return Ok(Err(refused)),
            };
            out.count(standing.players.len());
            for Place { place, score } in standing.players {
                out.u32(place);
                out.i64(score);
                out.u8(0);
                out.u32(0);
            }
            out.u32(0);
            out.bytes(standing.reason.as_bytes());
        }
        Op::Scene => out.u64(0),
        Op::Json => {
            let position = input.bytes().map_err(cut)?;
            out.bytes(position);
        }
    }
    Ok(Ok(out))
}

fn terms(input: &mut Reader<'_>) -> Result<Terms, Malformed> {
    let settings = input.text()?;
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    let numbers = input.count(8)?;
    input.take(8 * numbers)?;
    input.take(12)?;
    // Below 2^53, which every JSON reader keeps exactly.
    let seed = input.u64()? >> 11;
    input.take(24)?;
    let players = input.u32()?;
    let line = json!({ "settings": settings, "players": players, "seed": seed });
    let Value::Object(line) = line else { unreachable!("it was made as an object") };
    Ok(Terms { line })
}

/// Asks for all answers.
fn answers(process: &mut Process, terms: &Terms) -> Result<Vec<Value>, String> {
    let mut line = terms.line.clone();
    line.insert("ask".to_owned(), "answers".into());
    ask(process, &line)?
}

fn state(process: &mut Process, mut terms: Terms, mut out: Writer) -> Reply {
    let state: State = match ask(process, &terms.line)? {
        Ok(state) => state,
        Err(refused) => return Ok(Err(refused)),
    };
    terms.line.insert("players".to_owned(), state.players.into());
    terms.line.shift_remove("position");
    let answers = answers(process, &terms)?;
    write_state(&state, &answers, &mut out)?;
    Ok(Ok(out))
}

/// The text of a position, which does not depend on the order of keys.
fn text(position: &Value) -> String {
    let mut position = position.clone();
    position.sort_all_objects();
    position.to_string()
}

fn hash(position: &Value) -> u64 {
    let mut fold = Fold::new();
    fold.add_bytes(text(position).as_bytes());
    fold.finish()
}

fn write_state(state: &State, answers: &[Value], out: &mut Writer) -> Result<(), String> {
    let numbers: HashMap<String, usize> =
        answers.iter().map(text).enumerate().map(|(number, text)| (text, number)).collect();
    if state.players > 64 {
        return Err("more than 64 players".to_owned());
    }
    out.bytes(text(&state.position).as_bytes());
    out.u64(hash(&state.position));
    out.u64(state.turn);
    out.u64(state.limit.unwrap_or(u64::MAX));
    out.count(state.players);
    for player in 0..state.players as u32 {
        out.u8(state.out.contains(&player).into());
    }
    out.count(state.decisions.len());
    for wanted in &state.decisions {
        let mut legal = vec![0; answers.len().div_ceil(64)];
        for answer in wanted.legal.as_deref().unwrap_or(answers) {
            let number = numbers.get(&text(answer));
            let number = number.ok_or_else(|| format!("{answer} is no answer of its list"))?;
            legal[number / 64] |= 1 << (number % 64);
        }
        out.u32(wanted.player);
        out.u32(wanted.unit);
        legal.iter().for_each(|&word| out.u64(word));
    }
    Ok(())
}

/// Returns the words of a program whose last one is its file, a plain name.
pub(crate) fn words(line: &str) -> Result<(Vec<String>, &Path), String> {
    let words = shlex::split(line).filter(|words| words.len() > 1);
    let file = line.rsplit_once(' ').map_or("", |(_, file)| file);
    let is_plain = !file.starts_with('.')
        && !file.is_empty()
        && file.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    match words {
        Some(words) if is_plain => Ok((words, Path::new(file))),
        _ => Err("program: a command and a file beside game.toml, as in `python3 rules.py`".into()),
    }
}
