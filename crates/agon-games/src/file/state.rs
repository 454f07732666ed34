//! [`FileGame`]: a position with what the module says about it, as a game of the kit.

use std::sync::{Arc, OnceLock};
use std::{cell::RefCell, collections::HashMap};

use agon_core::codec::{put_varint, take_bytes, take_varint};
use agon_core::{
    Codec, Decision, DecodeError, Meta, Outcome, Player, PlayerStanding, Progress, Seed, Standing,
    error::Problems,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value, value::RawValue};

use super::kind::FileKind;
use super::manifest::MAX_PLAYERS;
use super::message::{DEFAULT_ANSWER, MAX_POSITION, Malformed, Op, Reader, Writer};
use super::module::{Lack, Table, Terms};
use crate::any::GameKind;
use crate::kit::{Grid, SmallGame};
use crate::scene::{Arrow, Ink, Shape};

/// The most decisions of a step.
const MAX_DECISIONS: usize = 1 << 16;

/// The most squares of a picture, and the most marks.
const MAX_SQUARES: usize = 1 << 18;

/// The most bytes of an answer.
const MAX_ANSWER: usize = 256;

/// A state of a match whose rules come from a file.
#[derive(Clone)]
pub struct FileGame(Arc<State>);

struct State {
    kind: &'static FileKind,
    terms: Arc<Terms>,
    table: Arc<Table>,
    position: Vec<u8>,
    hash: u64,
    progress: Progress,
    out: Vec<bool>,
    decisions: Vec<Decision>,
    /// A mask over all answers for each decision, one after the other.
    legal: Vec<u64>,
    /// What is asked for later, and kept: views of all decisions, and how the players stand.
    views: OnceLock<Vec<Value>>,
    standing: OnceLock<Standing>,
    /// Why the module has failed.
    failure: OnceLock<String>,
}

/// The settings of a match, with the game that they belong to.
#[derive(Clone, Default)]
pub struct FileSettings {
    pub(super) rules: Map<String, Value>,
    pub(super) kind: Option<&'static FileKind>,
}

/// An answer, as its JSON.
#[derive(Clone, Default)]
pub struct Answer(Option<Arc<RawValue>>);

/// What a decision sees.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct View(Value);

impl FileGame {
    /// Asks the module for the start of a match.
    pub(super) fn begin(
        kind: &'static FileKind,
        terms: Arc<Terms>,
        players: usize,
    ) -> Result<FileGame, Lack> {
        let reply = kind.module.ask(Op::Start, Some((&terms, players)), 1, |_| ())?;
        FileGame::read(kind, terms, &mut Reader(&reply), None)
    }

    /// Asks the module about a position, in its own form or as JSON.
    pub(super) fn load(
        kind: &'static FileKind,
        terms: Arc<Terms>,
        position: &[u8],
        is_json: bool,
    ) -> Result<FileGame, Lack> {
        let request = |out: &mut Writer| {
            out.u32(is_json.into());
            out.bytes(position);
        };
        let reply = kind.module.ask(Op::Load, Some((&terms, 0)), 1, request)?;
        FileGame::read(kind, terms, &mut Reader(&reply), None)
    }

    /// Reads a state, and checks it against the one before.
    fn read(
        kind: &'static FileKind,
        terms: Arc<Terms>,
        input: &mut Reader<'_>,
        before: Option<&State>,
    ) -> Result<FileGame, Lack> {
        let position = input.bytes()?.to_vec();
        let hash = input.u64()?;
        let turn = input.u64()?;
        let limit = Some(input.u64()?).filter(|&limit| limit != u64::MAX);
        let players = input.count(1)?;
        let out: Vec<bool> = input.take(players)?.iter().map(|&flag| flag != 0).collect();
        let wrong = |text| Err(Lack::from(Malformed(text)));
        if position.len() > MAX_POSITION || players == 0 || players > MAX_PLAYERS {
            return wrong("the position or the number of players is too large");
        }
        if let Some(before) = before {
            let comes_back = |(was, is): (&bool, &bool)| *was && !is;
            if out.len() != before.out.len() || before.out.iter().zip(&out).any(comes_back) {
                return wrong("players have come back");
            }
            if turn < before.progress.turn {
                return wrong("the turn goes back");
            }
        }
        let table = kind.module.table(&terms, players)?;
        let words = table.answers.len().div_ceil(64);
        let count = input.count(8 + 8 * words)?;
        if count > MAX_DECISIONS {
            return wrong("there are too many decisions");
        }
        let mut decisions = Vec::with_capacity(count);
        let mut legal = Vec::with_capacity(count * words);
        for _ in 0..count {
            let (player, unit) = (input.u32()?, input.u32()?);
            if player as usize >= players || out[player as usize] {
                return wrong("a player that is not there decides");
            }
            let decision = Decision::new(Player(player as u16), unit);
            if decisions.last().is_some_and(|&last| last >= decision) {
                return wrong("decisions are not in order");
            }
            decisions.push(decision);
            let start = legal.len();
            for _ in 0..words {
                legal.push(input.u64()?);
            }
            let spare = (words * 64 - table.answers.len()) as u32;
            let last = legal.last_mut().expect("there are answers");
            *last &= u64::MAX.checked_shr(spare).unwrap_or_default();
            if legal[start..].iter().all(|&word| word == 0) {
                return wrong("a decision has no legal answer");
            }
        }
        Ok(FileGame(Arc::new(State {
            kind,
            terms,
            table,
            position,
            hash,
            progress: Progress { turn, limit },
            out,
            decisions,
            legal,
            views: OnceLock::new(),
            standing: OnceLock::new(),
            failure: OnceLock::new(),
        })))
    }

    /// A state with nothing to decide, because the module has failed.
    fn failed(kind: &'static FileKind, terms: Arc<Terms>, players: usize, why: Lack) -> FileGame {
        FileGame(Arc::new(State {
            kind,
            terms,
            table: Arc::default(),
            position: Vec::new(),
            hash: 0,
            progress: Progress { turn: 0, limit: None },
            out: vec![false; players],
            decisions: Vec::new(),
            legal: Vec::new(),
            views: OnceLock::new(),
            standing: OnceLock::new(),
            failure: OnceLock::from(why.text()),
        }))
    }

    /// Asks something about the position. A lack is kept as the reason why the rules have failed.
    fn ask<T: Default>(
        &self,
        op: Op,
        write: impl FnOnce(&mut Writer),
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, Lack>,
    ) -> T {
        let State { kind, terms, position, out, .. } = &*self.0;
        let request = |out: &mut Writer| {
            out.bytes(position);
            write(out);
        };
        let reply = kind.module.ask(op, Some((terms, out.len())), 1, request);
        let done = reply.and_then(|reply| {
            let input = &mut Reader(&reply);
            let done = read(input)?;
            input.end()?;
            Ok(done)
        });
        done.unwrap_or_else(|lack| {
            self.0.failure.get_or_init(|| lack.text());
            T::default()
        })
    }

    /// Plays the steps with these numbers of answers, and returns the hash after each and the
    /// last state.
    pub(super) fn steps(&self, steps: &[Vec<u32>]) -> Result<(Vec<u64>, FileGame), Lack> {
        let State { kind, terms, position, out, .. } = &*self.0;
        let request = |out: &mut Writer| {
            out.count(1);
            out.bytes(position);
            out.count(steps.len());
            for numbers in steps {
                out.count(numbers.len());
                numbers.iter().for_each(|&number| out.u32(number));
            }
        };
        let terms_now = Some((&**terms, out.len()));
        let reply = kind.module.ask(Op::Step, terms_now, steps.len(), request)?;
        let input = &mut Reader(&reply);
        let mut hashes = Vec::with_capacity(steps.len());
        for _ in steps {
            hashes.push(input.u64()?);
        }
        let next = FileGame::read(kind, terms.clone(), input, Some(&self.0))?;
        input.end()?;
        Ok((hashes, next))
    }

    /// The number of an answer for the module.
    pub(super) fn number(&self, answer: &Answer) -> u32 {
        self.0.table.number(answer).unwrap_or(DEFAULT_ANSWER)
    }

    fn stands(&self) -> &Standing {
        self.0.standing.get_or_init(|| self.ask(Op::Standing, |_| (), read_standing))
    }

    fn picture(&self, player: Option<Player>) -> Option<Grid> {
        let number = player.map_or(u32::MAX, |player| player.0.into());
        self.ask(Op::Scene, |out| out.u32(number), read_grid)
    }

    /// Returns the position as JSON; null if the module fails.
    fn json(&self) -> Value {
        let made = self.0.kind.module.about().and_then(|about| match &about.position {
            Some(record) => Ok(Some(record.to_json(&self.0.position)?)),
            None => Ok(None),
        });
        match made {
            Ok(Some(json)) => json,
            Ok(None) => self.ask(
                Op::Json,
                |_| (),
                |input| {
                    let json = serde_json::from_slice(input.bytes()?);
                    json.map_err(|_| Malformed("a position is no JSON").into())
                },
            ),
            Err(lack) => {
                self.0.failure.get_or_init(|| lack.text());
                Value::Null
            }
        }
    }

    /// The mask of a decision.
    fn mask(&self, decision: Decision) -> Option<&[u64]> {
        let words = self.0.table.answers.len().div_ceil(64);
        let at = self.0.decisions.binary_search(&decision).ok()?;
        Some(&self.0.legal[at * words..(at + 1) * words])
    }
}

fn read_standing(input: &mut Reader<'_>) -> Result<Standing, Lack> {
    let text = |input: &mut Reader<'_>| -> Result<String, Lack> {
        let text: String = input.text()?.chars().take(200).collect();
        Ok(agon_core::text::escape(&text).into_owned())
    };
    let count = input.count(17)?;
    let mut standing = Standing::default();
    for _ in 0..count {
        let place = input.u32()?;
        let score = input.i64()?;
        let out = input.take(1)? != [0];
        let measures = input.count(12)?.min(64);
        let mut player = PlayerStanding { place, score, measures: Vec::new(), out };
        for _ in 0..measures {
            player.measures.push((text(input)?, input.i64()?));
        }
        standing.players.push(player);
    }
    let winners = input.count(4)?;
    let mut outcome = Outcome { winners: Vec::new(), reason: String::new() };
    for _ in 0..winners {
        let winner = input.u32()?;
        if winner as usize >= count {
            return Err(Malformed("a player wins that is not there").into());
        }
        outcome.winners.push(Player(winner as u16));
    }
    outcome.reason = text(input)?;
    standing.outcome = Some(outcome).filter(|outcome| !outcome.reason.is_empty());
    Ok(standing)
}

fn read_grid(input: &mut Reader<'_>) -> Result<Option<Grid>, Lack> {
    let (width, height) = (input.u32()?, input.u32()?);
    let squares = u64::from(width) * u64::from(height);
    if squares == 0 {
        return Ok(None);
    }
    if squares > MAX_SQUARES as u64 {
        return Err(Malformed("the picture is too large").into());
    }
    let mut grid = Grid::new(width, height);
    if input.u32()? != 0 {
        grid = grid.wrapping();
    }
    let ink = |input: &mut Reader<'_>| Ink::try_from(input.u16()?).map_err(Malformed);
    for place in 0..squares as u32 {
        grid.fill(place % width, place / width, ink(input)?);
    }
    let marks = input.count(12)?;
    if marks > MAX_SQUARES {
        return Err(Malformed("the picture has too many marks").into());
    }
    for _ in 0..marks {
        let (place, shape, ink, number) = (input.u32()?, input.u16()?, ink(input)?, input.u32()?);
        let shape = match shape {
            0 => Shape::Disc(number.min(100) as u8),
            1 => Shape::Ring,
            2 => Shape::Square,
            3 => Shape::Pointer(Arrow((number % 8) as u8)),
            4 => Shape::Flag,
            5 => Shape::Cross,
            6 => Shape::Number(number.into()),
            _ => return Err(Malformed("there is no such shape").into()),
        };
        if u64::from(place) >= squares {
            return Err(Malformed("a mark is outside of the picture").into());
        }
        grid.mark(place % width, place / width, shape, ink);
    }
    Ok(Some(grid))
}

impl SmallGame for FileGame {
    /// Only what limits all games from files: each has its own facts.
    const META: Meta = Meta {
        id: "file",
        rules_version: 1,
        min_players: 1,
        max_players: MAX_PLAYERS,
        turn_name: "turn",
        summary: "A game from a file.",
        page: "",
    };

    type Settings = FileSettings;
    type Answer = Answer;
    type View = View;

    fn check_settings(settings: &FileSettings, players: usize, problems: &mut Problems) {
        let Some(kind) = settings.kind else { return };
        let terms = Arc::new(kind.module.terms(settings.rules.clone(), Seed(0)));
        if let Err(lack) = FileGame::begin(kind, terms, players) {
            problems.require(false, "settings", || lack.text());
        }
    }

    fn check(&self, _: &FileSettings, _: &mut Problems) {}

    fn start(settings: &FileSettings, players: usize, seed: Seed) -> FileGame {
        let kind = settings.kind.expect("a match has a game");
        let terms = Arc::new(kind.module.terms(settings.rules.clone(), seed));
        let begun = FileGame::begin(kind, terms.clone(), players);
        begun.unwrap_or_else(|why| FileGame::failed(kind, terms, players, why))
    }

    fn players(&self) -> usize {
        self.0.out.len()
    }

    fn turn(&self) -> u64 {
        self.0.progress.turn
    }

    fn progress(&self, _: &FileSettings) -> Progress {
        self.0.progress
    }

    fn decisions(&self, _: &FileSettings) -> Vec<Decision> {
        self.0.decisions.clone()
    }

    fn answers(settings: &FileSettings, players: usize) -> Vec<Answer> {
        let kind = settings.kind.expect("a match has a game");
        let terms = kind.module.terms(settings.rules.clone(), Seed(0));
        kind.module
            .table(&terms, players)
            .map_or_else(|_| Vec::new(), |table| table.answers.clone())
    }

    fn illegal(&self, _: &FileSettings, at: Decision, answer: &Answer) -> Option<String> {
        let text = answer.text()?;
        let Some(number) = self.0.table.number(answer) else {
            return Some(format!("there is no answer {}", agon_core::text::escape(text)));
        };
        let number = number as usize;
        let is_legal =
            self.mask(at).is_some_and(|mask| mask[number / 64] >> (number % 64) & 1 == 1);
        (!is_legal).then(|| format!("{text} is not allowed now"))
    }

    fn view(&self, _: &FileSettings, decision: Decision) -> View {
        let views = self.0.views.get_or_init(|| {
            let request = |out: &mut Writer| {
                out.count(self.0.decisions.len());
                for decision in &self.0.decisions {
                    out.u32(decision.player.0.into());
                    out.u32(decision.unit);
                }
            };
            self.ask(Op::Look, request, |input| {
                let record = &self.0.kind.module.about()?.view;
                let view = |_: &Decision| -> Result<Value, Lack> {
                    let bytes = input.bytes()?;
                    Ok(match record {
                        Some(record) => record.to_json(bytes)?,
                        None => serde_json::from_slice(bytes)
                            .map_err(|_| Malformed("a view is no JSON"))?,
                    })
                };
                self.0.decisions.iter().map(view).collect()
            })
        });
        let at = self.0.decisions.binary_search(&decision).ok();
        View(at.and_then(|at| views.get(at)).cloned().unwrap_or_default())
    }

    fn step(&mut self, _: &FileSettings, _: Seed, answers: &[(Decision, Answer)]) {
        let numbers = answers.iter().map(|(_, answer)| self.number(answer)).collect();
        *self = match self.steps(&[numbers]) {
            Ok((_, next)) => next,
            Err(why) => FileGame::failed(self.0.kind, self.0.terms.clone(), self.0.out.len(), why),
        };
    }

    fn score(&self, _: &FileSettings, player: Player) -> i64 {
        self.stands().players.get(player.index()).map_or(0, |player| player.score)
    }

    fn standing(&self, _: &FileSettings) -> Option<Standing> {
        let mut standing = self.stands().clone();
        let missing = PlayerStanding::new(0, &[], false);
        standing.players.resize(self.0.out.len(), missing);
        for (player, &out) in standing.players.iter_mut().zip(&self.0.out) {
            player.out = out;
        }
        // Ranked again, so that the places are those of a ranking.
        let ranks: Vec<i64> =
            standing.players.iter().map(|player| -i64::from(player.place)).collect();
        let told = standing.outcome.take().filter(|_| self.0.decisions.is_empty());
        let mut standing = Standing::ranked(standing.players, &ranks, None);
        if self.0.decisions.is_empty() {
            let told = told.unwrap_or(Outcome { winners: Vec::new(), reason: String::new() });
            let winners = match told.winners {
                none if none.is_empty() => standing.leaders(),
                winners => winners,
            };
            standing.outcome = Some(match self.0.out.len() {
                1 => Outcome::alone(told.reason),
                _ => Outcome::new(winners, told.reason),
            });
        }
        Some(standing)
    }

    fn is_out(&self, player: Player) -> bool {
        self.0.out[player.index()]
    }

    fn ending(&self, _: &FileSettings) -> String {
        String::new()
    }

    fn grid(&self, _: &FileSettings) -> Option<Grid> {
        self.picture(None)
    }

    fn grid_for(&self, _: &FileSettings, player: Player) -> Option<Grid> {
        self.picture(Some(player))
    }

    fn hash(&self) -> u64 {
        self.0.hash
    }

    fn kind(&self) -> Option<&'static dyn GameKind> {
        Some(self.0.kind)
    }

    fn failure(&self) -> Option<String> {
        self.0.failure.get().cloned()
    }
}

impl std::fmt::Debug for FileGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let State { progress, decisions, .. } = &*self.0;
        f.debug_struct("FileGame")
            .field("progress", progress)
            .field("decisions", decisions)
            .finish()
    }
}

/// All else follows from the position and the terms, which [`Kit`](crate::kit::Kit) compares.
impl PartialEq for FileGame {
    fn eq(&self, other: &FileGame) -> bool {
        self.0.position == other.0.position
    }
}

impl Eq for FileGame {}

/// JSON from the module; in binary formats the module's own bytes.
impl Serialize for FileGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let position = &self.0.position;
        if !serializer.is_human_readable() {
            let mut bytes = serializer.serialize_tuple(position.len())?;
            position.iter().try_for_each(|byte| bytes.serialize_element(byte))?;
            return bytes.end();
        }
        Value::serialize(&self.json(), serializer)
    }
}

impl<'de> Deserialize<'de> for FileGame {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<FileGame, D::Error> {
        Err(D::Error::custom("only its module reads a position"))
    }
}

impl std::fmt::Debug for FileSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.rules.fmt(f)
    }
}

impl PartialEq for FileSettings {
    fn eq(&self, other: &FileSettings) -> bool {
        self.rules == other.rules
    }
}

impl Serialize for FileSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rules.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FileSettings {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<FileSettings, D::Error> {
        Err(D::Error::custom("only its game reads settings"))
    }
}

impl Answer {
    /// Returns the answer as JSON; `None` for the default one.
    pub(super) fn text(&self) -> Option<&str> {
        Some(self.0.as_ref()?.get())
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text().unwrap_or("null"))
    }
}

impl PartialEq for Answer {
    fn eq(&self, other: &Answer) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The order of keys does not matter.
impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Answer, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Answer::default());
        }
        value.sort_all_objects();
        let text = value.to_string();
        if text.len() > MAX_ANSWER {
            return Err(D::Error::custom(format!("an answer has at most {MAX_ANSWER} bytes")));
        }
        let raw = RawValue::from_string(text).map_err(D::Error::custom)?;
        Ok(Answer(Some(Arc::from(raw))))
    }
}

thread_local! {
    /// Answers that have been read, by their bytes.
    static READ: RefCell<HashMap<Box<[u8]>, Answer>> = RefCell::default();
}

/// The most of them.
const MAX_READ: usize = 4096;

impl Codec for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        let text = self.text().unwrap_or_default();
        put_varint(out, text.len() as u64);
        out.extend_from_slice(text.as_bytes());
    }

    fn decode(input: &mut &[u8]) -> Result<Answer, DecodeError> {
        let unknown = DecodeError::Unknown(input.first().copied().unwrap_or_default());
        let length = take_varint(input)?;
        if length > MAX_ANSWER as u64 {
            return Err(unknown);
        }
        let text = take_bytes(input, length as usize)?;
        if text.is_empty() {
            return Ok(Answer::default());
        }
        // A match has few answers, but many of each.
        READ.with_borrow_mut(|read| match read.get(text) {
            Some(answer) => Ok(answer.clone()),
            None => {
                let answer: Answer = serde_json::from_slice(text).map_err(|_| unknown)?;
                if read.len() < MAX_READ {
                    read.insert(text.into(), answer.clone());
                }
                Ok(answer)
            }
        })
    }
}

macro_rules! any_schema {
    ($($name:ident)*) => {
        $(
            impl JsonSchema for $name {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!(true)
                }
            }
        )*
    };
}

any_schema! { FileGame FileSettings Answer View }
