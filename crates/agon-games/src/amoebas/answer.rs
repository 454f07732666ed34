//! [`Answer`]: what a bot decides for one amoeba, and its form in JSON. The hosts of all kinds of
//! bots make answers, `turn.rs` carries them out, and replays keep them.
//!
//! Answers as bytes, for replays: one byte for nearly every answer.
//!
//! The low five bits hold the command's code. The three flags above them say which blobs follow,
//! each with its length in front.

use std::fmt;

use agon_core::codec::{put_varint, take_byte, take_bytes, take_varint};
use agon_core::{Blob, Codec, DecodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};

use super::Dir;

/// An answer. In JSON: `{"cmd":"move","dir":4,"data":"x"}`; `data`, `function` and `child_data` may
/// be left out.
///
/// It is small, since a match has millions of them: blobs, which few bring, lie apart.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Record", into = "Record")]
pub struct Answer {
    /// The command's code. Lists of answers are written and read as such codes, many at a time.
    pub(super) code: u8,
    /// The blobs; `None` if there are none. Blobs that the command cannot use are never here.
    pub(super) baggage: Option<Box<Baggage>>,
}

/// An action. If its conditions are not met, it becomes a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// No usable answer: the amoeba rests and keeps its data. In JSON: `{"cmd":"fault"}`.
    Fault,
    /// Eats from the cell and recovers.
    Rest,
    /// Goes to an empty neighbouring cell.
    Move {
        /// Where to.
        dir: Dir,
    },
    /// Hurts the amoeba on a neighbouring cell, friend or foe.
    Hit {
        /// Where it is.
        dir: Dir,
    },
    /// Puts a child on an empty neighbouring cell.
    Divide {
        /// Where to.
        dir: Dir,
    },
}

/// The blobs of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baggage {
    /// The amoeba's new data; `None` forgets the old data.
    pub data: Option<Blob>,
    /// Of a division: the child's amoeba function; `None`: the parent's.
    pub function: Option<Blob>,
    /// Of a division: the child's data.
    pub child_data: Option<Blob>,
}

impl Baggage {
    /// Copies a blob that a bot has written, or just enough of it to show that it is too long. Many
    /// answers may refer to the same bytes, and uncut copies of these could fill the memory.
    pub fn blob(bytes: &[u8], data_limit: u32) -> Blob {
        Blob::from(&bytes[..bytes.len().min(data_limit as usize + 1)])
    }
}

impl Answer {
    /// No usable answer.
    pub const FAULT: Answer = Answer::plain(Command::Fault);

    /// Rests, with no data.
    pub const REST: Answer = Answer::plain(Command::Rest);

    /// Makes an answer. Drops blobs that the command cannot use: all of a fault, and the child's
    /// unless it is a division.
    pub fn new(command: Command, baggage: Baggage) -> Answer {
        let Baggage { data, function, child_data } = baggage;
        let baggage = match command {
            Command::Fault => Baggage::default(),
            Command::Divide { .. } => Baggage { data, function, child_data },
            _ => Baggage { data, ..Baggage::default() },
        };
        let baggage = (baggage != Baggage::default()).then(|| Box::new(baggage));
        Answer { code: command.code(), baggage }
    }

    /// The action, with no data for anybody.
    #[inline]
    pub const fn plain(command: Command) -> Answer {
        Answer { code: command.code(), baggage: None }
    }

    /// Moves, with no data.
    pub const fn step(dir: Dir) -> Answer {
        Answer::plain(Command::Move { dir })
    }

    /// Hits, with no data.
    pub const fn hit(dir: Dir) -> Answer {
        Answer::plain(Command::Hit { dir })
    }

    /// Divides into a child like the parent, with no data for either.
    pub const fn divide(dir: Dir) -> Answer {
        Answer::plain(Command::Divide { dir })
    }

    /// The same with other data for the amoeba.
    pub fn with_data(self, data: Option<Blob>) -> Answer {
        let (command, baggage) = self.into_parts();
        Answer::new(command, Baggage { data, ..baggage })
    }

    /// The action.
    #[inline]
    pub fn command(&self) -> Command {
        COMMANDS[usize::from(self.code)]
    }

    /// The amoeba's new data.
    #[inline]
    pub fn data(&self) -> Option<&Blob> {
        self.baggage.as_ref()?.data.as_ref()
    }

    /// The child's amoeba function, if it has one of its own.
    #[inline]
    pub fn function(&self) -> Option<&Blob> {
        self.baggage.as_ref()?.function.as_ref()
    }

    /// The child's data.
    #[inline]
    pub fn child_data(&self) -> Option<&Blob> {
        self.baggage.as_ref()?.child_data.as_ref()
    }

    /// The command and its blobs.
    pub fn into_parts(mut self) -> (Command, Baggage) {
        (self.command(), self.baggage.take().map(|baggage| *baggage).unwrap_or_default())
    }

    /// All blobs in it, with their names in JSON.
    pub fn blobs(&self) -> impl Iterator<Item = (&'static str, &Blob)> {
        self.baggage.iter().flat_map(|baggage| {
            let Baggage { data, function, child_data } = &**baggage;
            let named = [("data", data), ("function", function), ("child_data", child_data)];
            named.into_iter().filter_map(|(name, blob)| Some((name, blob.as_ref()?)))
        })
    }
}

impl Default for Answer {
    fn default() -> Answer {
        Answer::FAULT
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut answer = f.debug_tuple("Answer");
        answer.field(&self.command());
        self.baggage.iter().for_each(|baggage| _ = answer.field(baggage));
        answer.finish()
    }
}

impl Drop for Answer {
    /// Lists of answers are dropped all the time, and nearly all answers own nothing. This inlined
    /// check saves a call for each.
    #[inline]
    fn drop(&mut self) {
        if let Some(baggage) = self.baggage.take() {
            discard(baggage);
        }
    }
}

#[cold]
#[inline(never)]
fn discard(baggage: Box<Baggage>) {
    drop(baggage);
}

/// An answer in the form of JSON and other serde formats.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Answer")]
struct Record {
    /// The action; "fault" stands for an answer that could not be used.
    cmd: Cmd,
    /// Direction, 0 (north-west) to 7 (west), clockwise; needed by move, hit and divide.
    #[serde(default)]
    dir: Option<i64>,
    /// The amoeba's new data; left out: none.
    #[serde(default)]
    data: Option<Blob>,
    /// Of a division: the child's amoeba function; left out: the parent's.
    #[serde(default)]
    function: Option<Blob>,
    /// Of a division: the child's data; left out: none.
    #[serde(default, alias = "child-data")]
    child_data: Option<Blob>,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Cmd {
    Fault,
    Rest,
    Move,
    Hit,
    Divide,
}

impl Serialize for Record {
    /// JSON leaves empty fields out; binary formats write all fields.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return (self.cmd, self.dir, &self.data, &self.function, &self.child_data)
                .serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("cmd", &self.cmd)?;
        if let Some(dir) = self.dir {
            map.serialize_entry("dir", &dir)?;
        }
        let blobs =
            [("data", &self.data), ("function", &self.function), ("child_data", &self.child_data)];
        for (name, blob) in blobs {
            if let Some(blob) = blob {
                map.serialize_entry(name, blob)?;
            }
        }
        map.end()
    }
}

impl From<Answer> for Record {
    fn from(answer: Answer) -> Record {
        let (command, Baggage { data, function, child_data }) = answer.into_parts();
        let (cmd, dir) = match command {
            Command::Fault => (Cmd::Fault, None),
            Command::Rest => (Cmd::Rest, None),
            Command::Move { dir } => (Cmd::Move, Some(dir)),
            Command::Hit { dir } => (Cmd::Hit, Some(dir)),
            Command::Divide { dir } => (Cmd::Divide, Some(dir)),
        };
        Record { cmd, dir: dir.map(|dir| dir.number().into()), data, function, child_data }
    }
}

impl TryFrom<Record> for Answer {
    type Error = String;

    fn try_from(record: Record) -> Result<Answer, String> {
        let Record { cmd, dir, data, function, child_data } = record;
        let dir = || {
            let number = dir
                .ok_or("a direction is missing: \"dir\", 0 (north-west) to 7 (west), clockwise")?;
            Dir::try_from(number)
        };
        let command = match cmd {
            Cmd::Fault => Command::Fault,
            Cmd::Rest => Command::Rest,
            Cmd::Move => Command::Move { dir: dir()? },
            Cmd::Hit => Command::Hit { dir: dir()? },
            Cmd::Divide => Command::Divide { dir: dir()? },
        };
        Ok(Answer::new(command, Baggage { data, function, child_data }))
    }
}

/// Codes of commands: 0 fault, 1 rest, then eight each of move, hit and divide, by direction.
pub(super) const REST: u8 = 1;
const MOVE: u8 = 2;
const HIT: u8 = 10;
pub(super) const DIVIDE: u8 = 18;
pub(super) const CODES: u8 = 26;

/// The commands, by code.
pub(super) const COMMANDS: [Command; CODES as usize] = {
    let mut commands = [Command::Rest; CODES as usize];
    commands[0] = Command::Fault;
    let mut number = 0;
    while number < 8 {
        let dir = Dir::ALL[number];
        commands[MOVE as usize + number] = Command::Move { dir };
        commands[HIT as usize + number] = Command::Hit { dir };
        commands[DIVIDE as usize + number] = Command::Divide { dir };
        number += 1;
    }
    commands
};

impl Command {
    const fn code(self) -> u8 {
        match self {
            Command::Fault => 0,
            Command::Rest => REST,
            Command::Move { dir } => MOVE + dir.number(),
            Command::Hit { dir } => HIT + dir.number(),
            Command::Divide { dir } => DIVIDE + dir.number(),
        }
    }
}

const CODE: u8 = 0x1F;
const DATA: u8 = 0x20;
const CHILD_DATA: u8 = 0x40;
const FUNCTION: u8 = 0x80;

/// Answers that are written and read together.
const CHUNK: usize = 64;

impl Codec for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        let Some(baggage) = &self.baggage else { return out.push(self.code) };
        let Baggage { data, function, child_data } = &**baggage;
        let blobs = [(DATA, data), (CHILD_DATA, child_data), (FUNCTION, function)];
        let flags = |code, &(flag, blob): &(u8, &Option<Blob>)| {
            if blob.is_some() { code | flag } else { code }
        };
        out.push(blobs.iter().fold(self.code, flags));
        for blob in blobs.iter().filter_map(|(_, blob)| blob.as_ref()) {
            put_varint(out, blob.bytes().len() as u64);
            out.extend_from_slice(blob.bytes());
        }
    }

    fn decode(input: &mut &[u8]) -> Result<Answer, DecodeError> {
        let byte = take_byte(input)?;
        let code = byte & CODE;
        let allowed = match code {
            0 => 0,
            REST..DIVIDE => DATA,
            _ => DATA | CHILD_DATA | FUNCTION,
        };
        let command = COMMANDS.get(usize::from(code)).filter(|_| byte & !CODE & !allowed == 0);
        let command = *command.ok_or(DecodeError::Unknown(byte))?;
        if byte == code {
            return Ok(Answer::plain(command));
        }
        let mut blob = |flag| if byte & flag != 0 { take_blob(input).map(Some) } else { Ok(None) };
        let data = blob(DATA)?;
        let child_data = blob(CHILD_DATA)?;
        let function = blob(FUNCTION)?;
        Ok(Answer::new(command, Baggage { data, function, child_data }))
    }

    /// Nearly all answers are one byte; these are written many at a time.
    fn encode_all(values: &[Answer], out: &mut Vec<u8>) {
        for chunk in values.chunks(CHUNK) {
            if chunk.iter().any(|answer| answer.baggage.is_some()) {
                chunk.iter().for_each(|answer| answer.encode(out));
            } else {
                out.extend(chunk.iter().map(|answer| answer.code));
            }
        }
    }

    fn decode_all(
        input: &mut &[u8],
        count: u64,
        values: &mut Vec<Answer>,
    ) -> Result<(), DecodeError> {
        let mut left = count;
        while left > 0 {
            let most = CHUNK.min(left.try_into().unwrap_or(CHUNK));
            let plain = input.iter().take(most).take_while(|&&code| code < CODES).count();
            let (codes, rest) = input.split_at(plain);
            values.extend(codes.iter().map(|&code| Answer { code, baggage: None }));
            *input = rest;
            left -= plain as u64;
            if plain < most {
                values.push(Answer::decode(input)?);
                left -= 1;
            }
        }
        Ok(())
    }
}

fn take_blob(input: &mut &[u8]) -> Result<Blob, DecodeError> {
    let length = usize::try_from(take_varint(input)?).map_err(|_| DecodeError::TooLarge)?;
    take_bytes(input, length).map(Blob::from)
}

#[cfg(test)]
mod tests {
    use agon_core::Blob;
    use proptest::prelude::*;

    use super::*;
    use crate::amoebas::Dir;

    #[test]
    fn an_answer_is_two_words() {
        assert!(size_of::<Answer>() <= 2 * size_of::<u64>());
    }

    #[test]
    fn blobs_without_use_are_dropped() {
        let blob = || Some(Blob::from("x"));
        let all = || Baggage { data: blob(), function: blob(), child_data: blob() };
        assert_eq!(Answer::new(Command::Fault, all()), Answer::FAULT);
        assert_eq!(Answer::new(Command::Rest, all()), Answer::REST.with_data(blob()));
        assert_eq!(Answer::new(Command::Rest, all()).with_data(None), Answer::REST);
        let division = Answer::new(Command::Divide { dir: Dir::N }, all());
        assert_eq!(division.into_parts(), (Command::Divide { dir: Dir::N }, all()));
    }

    #[test]
    fn json_is_short_and_its_errors_help() {
        let json = r#"{"cmd":"move","dir":4,"data":"x"}"#;
        let answer: Answer = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&answer).unwrap(), json);
        let error = |json: &str| serde_json::from_str::<Answer>(json).unwrap_err().to_string();
        assert!(
            error(r#"{"cmd":"hit","dir":8}"#)
                .starts_with("direction 8 is not one of 0 (north-west)")
        );
        assert!(error(r#"{"cmd":"hit"}"#).starts_with("a direction is missing"));
        assert!(error(r#"{"cmd":"eat"}"#).contains("expected one of `fault`, `rest`, `move`"));
        let renamed: Answer =
            serde_json::from_str(r#"{"cmd":"divide","dir":1,"child-data":"home"}"#).unwrap();
        assert_eq!(renamed.blobs().collect::<Vec<_>>(), [("child_data", &Blob::from("home"))]);
    }

    fn plain() -> impl Strategy<Value = Answer> {
        prop::sample::select(&COMMANDS).prop_map(Answer::plain)
    }

    fn answers() -> impl Strategy<Value = Answer> {
        let blob = || proptest::option::of(any::<Vec<u8>>().prop_map(Blob::from));
        let parts = (prop::sample::select(&COMMANDS), blob(), blob(), blob());
        parts.prop_map(|(command, data, function, child_data)| {
            Answer::new(command, Baggage { data, function, child_data })
        })
    }

    proptest! {
        #[test]
        fn answers_come_back_from_bytes_json_and_postcard(answer in answers()) {
            let mut bytes = Vec::new();
            answer.encode(&mut bytes);
            let mut input = bytes.as_slice();
            prop_assert_eq!(Answer::decode(&mut input), Ok(answer.clone()));
            prop_assert!(input.is_empty());
            let json = serde_json::to_string(&answer).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Answer>(&json).unwrap(), &answer);
            let binary = postcard::to_stdvec(&answer).unwrap();
            prop_assert_eq!(&postcard::from_bytes::<Answer>(&binary).unwrap(), &answer);
        }

        #[test]
        fn many_are_written_and_read_as_one_by_one(
            mut written in
                prop::collection::vec(prop_oneof![20 => plain(), 1 => answers()], 0..300),
            cut: prop::sample::Index,
        ) {
            let mut all = Vec::new();
            let mut each = Vec::new();
            Answer::encode_all(&written, &mut all);
            written.iter().for_each(|answer| answer.encode(&mut each));
            prop_assert_eq!(&all, &each);
            let mut read = Vec::new();
            let input = &mut all.as_slice();
            prop_assert_eq!(Answer::decode_all(input, written.len() as u64, &mut read), Ok(()));
            prop_assert!(input.is_empty());
            prop_assert_eq!(&read, &written);
            // Answers that are whole before the cut are read.
            read.clear();
            let short = cut.index(all.len() + 1);
            let result = Answer::decode_all(&mut &all[..short], written.len() as u64, &mut read);
            prop_assert_eq!(result.is_ok(), short == all.len());
            written.truncate(read.len());
            prop_assert_eq!(read, written);
        }
    }

    #[test]
    fn plain_answers_take_one_byte() {
        for answer in [Answer::FAULT, Answer::REST, Answer::step(Dir::W), Answer::divide(Dir::W)] {
            let mut bytes = Vec::new();
            answer.encode(&mut bytes);
            assert_eq!(bytes.len(), 1, "{answer:?}");
        }
    }

    #[test]
    fn bytes_without_meaning_are_refused() {
        let decode = |bytes: &[u8]| Answer::decode(&mut &bytes[..]);
        assert_eq!(decode(&[26]), Err(DecodeError::Unknown(26)));
        assert_eq!(decode(&[DATA]), Err(DecodeError::Unknown(DATA)));
        assert_eq!(decode(&[REST | FUNCTION, 0]), Err(DecodeError::Unknown(REST | FUNCTION)));
        assert_eq!(decode(&[REST | DATA, 2, b'x']), Err(DecodeError::Truncated));
        assert_eq!(decode(&[]), Err(DecodeError::Truncated));
    }
}
