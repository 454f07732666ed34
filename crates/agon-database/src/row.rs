//! Rows for the database of a tournament, which the arena sends to `agon-database-host`.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A bot of the plan. Its number is its place in the list, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotRow {
    /// Its name.
    pub name: String,
    /// As it stands in the plan.
    pub spec: String,
}

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRow {
    /// Its id, as in the journal.
    pub id: String,
    /// The round, from 0.
    pub round: u32,
    /// The group of the round, from 0.
    pub group: u32,
    /// The pairing in the group, from 0.
    pub pairing: u32,
    /// The number of the match in its pairing, from 0.
    pub number: u32,
    /// The hash of all that the result depends on.
    pub key: String,
    /// The seed.
    pub seed: u64,
    /// How often the match was played before and was void.
    pub void: u32,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The file name of its replay.
    pub replay: Option<String>,
    /// Who played.
    pub seats: Vec<SeatRow>,
}

/// A seat of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatRow {
    /// The number of the bot.
    pub bot: u32,
    /// Its place, from 1.
    pub place: u32,
    /// Its score.
    pub score: i64,
    /// Twice its points.
    pub half_points: u32,
    /// The kind of its first fault.
    pub fault: Option<String>,
    /// How many faults there were, of all kinds.
    pub faults: u64,
    /// The first fault in short.
    pub detail: Option<String>,
    /// Whether the bot forfeited the match. If any of its bots did, it was not played.
    pub forfeit: bool,
}

/// Packs rows into the bytes of a message. There may be more of them than fit its value.
pub fn pack<T: Serialize>(rows: &[T]) -> Vec<u8> {
    postcard::to_stdvec(rows).expect("rows are plain data, and memory has no limit")
}

/// Returns the rows that were packed; `None` if the bytes are something else.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<Vec<T>> {
    postcard::from_bytes(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let rows = [("a", 1), ("b", 2)]
            .map(|(name, spec)| BotRow { name: name.into(), spec: spec.to_string() });
        assert_eq!(unpack::<BotRow>(&pack(&rows)).as_deref(), Some(&rows[..]));
        assert_eq!(unpack::<BotRow>(&pack::<BotRow>(&[])), Some(vec![]));
        assert_eq!(unpack::<BotRow>(b"\x05more was promised"), None);
    }
}
