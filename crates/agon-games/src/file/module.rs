//! [`Module`]: the rules of a game from a file, as calls that may fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use agon_core::{Purpose, Seed};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::message::{MAX_REPLY, Malformed, Op, Reader, Writer};
use super::record::Record;
use super::state::Answer;
use super::{Manifest, message::MAX_POSITION};

/// Calls a module, which runs somewhere else.
pub trait Caller: Send + Sync {
    /// Sends a request that lets the module play so many steps, and returns its reply.
    ///
    /// # Errors
    /// If the module fails: it crashes, does not end, or has no memory left.
    fn call(&self, request: &[u8], steps: usize) -> Result<Vec<u8>, String>;
}

/// The rules of a game.
pub struct Module {
    pub(super) manifest: Manifest,
    caller: Box<dyn Caller>,
    about: OnceLock<Result<About, String>>,
    /// The answers of the settings that were asked for last.
    tables: Mutex<Vec<(TableKey, Arc<Table>)>>,
}

/// Settings and the number of players.
type TableKey = (Vec<i64>, usize);

/// What a module says of itself.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    /// The fields of positions; without them the module writes and reads JSON.
    pub(super) position: Option<Record>,
    /// The fields of views; without them the module writes JSON.
    pub(super) view: Option<Record>,
    /// The JSON Schema of views in JSON.
    #[serde(default)]
    pub(super) view_schema: Option<Value>,
}

/// All answers that could ever be legal with some settings.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) answers: Vec<Answer>,
    numbers: HashMap<String, u32>,
}

/// The most answers.
const MAX_ANSWERS: usize = 1 << 16;

/// The most tables that are kept.
const MAX_TABLES: usize = 16;

impl Table {
    /// Returns the number of an answer; `None` for the default one, and for one that there is not.
    pub(super) fn number(&self, answer: &Answer) -> Option<u32> {
        self.numbers.get(answer.text()?).copied()
    }
}

/// Why there is no reply: the module refuses what it was asked, or fails.
#[derive(Debug)]
pub(super) enum Lack {
    /// The settings or the position do not fit the rules.
    Refused(String),
    /// The rules have failed.
    Failed(String),
}

impl Lack {
    pub(super) fn text(self) -> String {
        match self {
            Lack::Refused(text) | Lack::Failed(text) => text,
        }
    }
}

impl From<Malformed> for Lack {
    fn from(error: Malformed) -> Lack {
        Lack::Failed(format!("its reply cannot be read: {error}"))
    }
}

/// The match that a request is about.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) rules: Map<String, Value>,
    pub(super) seed: Seed,
    /// As the module gets it, before the number of players.
    front: Arc<[u8]>,
    numbers: Vec<i64>,
}

impl Module {
    /// Makes a module of what `game.toml` says and of calls.
    ///
    /// # Errors
    /// Names the part that does not fit.
    pub fn new(manifest: Manifest, caller: Box<dyn Caller>) -> Result<Module, String> {
        manifest.check()?;
        Ok(Module { manifest, caller, about: OnceLock::new(), tables: Mutex::default() })
    }

    /// Returns the terms of a match with full settings.
    pub(super) fn terms(&self, rules: Map<String, Value>, seed: Seed) -> Terms {
        let numbers = self.manifest.numbers(&rules);
        let mut front = Writer::default();
        front.bytes(Value::Object(rules.clone()).to_string().as_bytes());
        front.count(numbers.len());
        numbers.iter().for_each(|&number| front.i64(number));
        front.u64(seed.number());
        front.u32(seed.is_plain().into());
        // Other languages draw from these, because they do not know the streams of seeds.
        let mut chance = seed.stream(Purpose::Setup, u64::MAX);
        (0..4).for_each(|_| front.u64(chance.bits()));
        Terms { rules, seed, front: front.0.into(), numbers }
    }

    /// Asks the module, and returns its reply behind the first byte.
    pub(super) fn ask(
        &self,
        op: Op,
        terms: Option<(&Terms, usize)>,
        steps: usize,
        write: impl FnOnce(&mut Writer),
    ) -> Result<Vec<u8>, Lack> {
        let mut request = Writer::default();
        request.u32(op as u32);
        if let Some((terms, players)) = terms {
            request.0.extend_from_slice(&terms.front);
            request.count(players);
        }
        write(&mut request);
        let mut reply = self.caller.call(&request.0, steps).map_err(Lack::Failed)?;
        if reply.len() > MAX_REPLY {
            return Err(Malformed("it is too long").into());
        }
        match reply.first() {
            Some(0) => {
                reply.remove(0);
                Ok(reply)
            }
            Some(1) => {
                let text = String::from_utf8_lossy(&reply[1..]);
                let text: String = agon_core::text::escape(&text).chars().take(1000).collect();
                Err(Lack::Refused(text))
            }
            _ => Err(Malformed("it starts with another byte").into()),
        }
    }

    /// Returns what the module says of itself.
    pub(super) fn about(&self) -> Result<&About, Lack> {
        let read = || {
            let reply = self.ask(Op::About, None, 1, |_| ()).map_err(Lack::text)?;
            let about: About = serde_json::from_slice(&reply)
                .map_err(|error| format!("what it says of itself cannot be read: {error}"))?;
            for record in about.position.iter().chain(&about.view) {
                record.check(MAX_POSITION).map_err(|error| error.to_string())?;
            }
            Ok(about)
        };
        self.about.get_or_init(read).as_ref().map_err(|error| Lack::Failed(error.clone()))
    }

    /// Returns all answers of a match.
    pub(super) fn table(&self, terms: &Terms, players: usize) -> Result<Arc<Table>, Lack> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            |((numbers, count), _): &&(TableKey, _)| (numbers, *count) == (&terms.numbers, players);
        if let Some((_, table)) = tables.iter().find(same) {
            return Ok(table.clone());
        }
        let reply = self.ask(Op::Answers, Some((terms, players)), 1, |_| ())?;
        let table = Arc::new(read_table(&reply)?);
        if tables.len() == MAX_TABLES {
            tables.remove(0);
        }
        tables.push(((terms.numbers.clone(), players), table.clone()));
        Ok(table)
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Module").field(&self.manifest.name).finish()
    }
}

fn read_table(reply: &[u8]) -> Result<Table, Lack> {
    let mut input = Reader(reply);
    let count = input.count(4)?;
    if count == 0 || count > MAX_ANSWERS {
        return Err(Malformed("there are no answers, or too many").into());
    }
    let mut table = Table { answers: Vec::with_capacity(count), numbers: HashMap::new() };
    for number in 0..count {
        let answer: Answer = serde_json::from_str(input.text()?)
            .map_err(|error| Lack::Failed(format!("an answer cannot be read: {error}")))?;
        let text = answer.text().ok_or(Malformed("an answer is null"))?.to_owned();
        if table.numbers.insert(text, number as u32).is_some() {
            return Err(Malformed("an answer is there twice").into());
        }
        table.answers.push(answer);
    }
    input.end()?;
    Ok(table)
}
