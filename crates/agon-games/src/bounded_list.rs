//! Reads lists of limited length with serde. The positions of all games use it, because a foreign
//! file must not fill the memory.

use std::{fmt, marker::PhantomData};

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Bytes to allocate before the first entry is read.
const ROOM: usize = 1 << 20;

/// Reads a list of at most `MOST` entries, for `#[serde(deserialize_with = "...")]`.
///
/// An entry may take one byte in a file and a hundred in memory. So a list that is too long for any
/// board must be refused while it is read, before the position is checked.
///
/// # Errors
/// If there are more, or one cannot be read.
pub(crate) fn at_most<'de, D, T, const MOST: usize>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(List::<T, MOST>(PhantomData))
}

struct List<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for List<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST} entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<T>, A::Error> {
        let room = ROOM / size_of::<T>().max(1);
        let mut list = Vec::with_capacity(entries.size_hint().unwrap_or(0).min(room).min(MOST));
        while let Some(entry) = entries.next_element()? {
            if list.len() == MOST {
                return Err(de::Error::custom(format_args!("a list has more than {MOST} entries")));
            }
            list.push(entry);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Three(#[serde(deserialize_with = "at_most::<_, _, 3>")] Vec<String>);

    #[test]
    fn longer_lists_are_refused() {
        let three = Three(vec![String::new(), String::new(), String::new()]);
        assert_eq!(serde_json::from_str::<Three>(r#"["", "", ""]"#).unwrap(), three);
        assert_eq!(postcard::from_bytes::<Three>(&[3, 0, 0, 0]).unwrap(), three);
        let error = serde_json::from_str::<Three>(r#"["", "", "", ""]"#).unwrap_err().to_string();
        assert!(error.starts_with("a list has more than 3 entries"), "{error}");
        assert!(postcard::from_bytes::<Three>(&[4, 0, 0, 0, 0]).is_err());
        let error = serde_json::from_str::<Three>("7").unwrap_err().to_string();
        assert!(error.contains("expected a list of at most 3 entries"), "{error}");
    }
}
