//! Reads the usual reply of a runner fast: without a tree of JSON values, of which a large field
//! would need millions.
//!
//! Everything unusual, from `4.0` instead of `4` to a file that is no reply, is left to the careful
//! reading in `protocol.rs`, which can say what is wrong.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::Value;

use super::{Direction, Move};

/// A reply that is an object with a list of moves and a blob.
pub(super) struct UsualReply {
    pub(super) moves: Vec<Move>,
    pub(super) blob: Value,
}

/// A move that is an object with three whole numbers, the last of them a direction.
struct UsualMove(Move);

/// Written by hand, because derived implementations would also accept lists as objects.
struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = UsualReply;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `moves` and `blob`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UsualReply, A::Error> {
        let mut moves = None;
        let mut blob = None;
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Moves => moves = Some(map.next_value::<Vec<UsualMove>>()?),
                Key::Blob => blob = Some(map.next_value()?),
                _ => drop(map.next_value::<Value>()?),
            }
        }
        let moves = moves.ok_or_else(|| A::Error::missing_field("moves"))?;
        let blob = blob.ok_or_else(|| A::Error::missing_field("blob"))?;
        Ok(UsualReply { moves: moves.into_iter().map(|UsualMove(order)| order).collect(), blob })
    }
}

struct MoveReader;

impl<'de> Visitor<'de> for MoveReader {
    type Value = UsualMove;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `x`, `y` and `direction`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UsualMove, A::Error> {
        let mut x = None;
        let mut y = None;
        let mut direction = None;
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::X => x = Some(map.next_value()?),
                Key::Y => y = Some(map.next_value()?),
                Key::Direction => direction = Some(map.next_value::<Direction>()?),
                _ => drop(map.next_value::<Value>()?),
            }
        }
        match (x, y, direction) {
            (Some(x), Some(y), Some(direction)) => Ok(UsualMove(Move { x, y, direction })),
            _ => Err(A::Error::custom("a key is missing")),
        }
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Moves,
    Blob,
    X,
    Y,
    Direction,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for UsualReply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UsualReply, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

impl<'de> Deserialize<'de> for UsualMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UsualMove, D::Error> {
        deserializer.deserialize_map(MoveReader)
    }
}
