//! Cursors: where the next page of a list begins.
//!
//! A cursor names the last item of the page before, not the number of items before it. So pages
//! neither repeat nor miss items when others are added.

use std::fmt::Write;

use agon_ladder::api::ProblemCode;

use crate::http::reply::{Shown, coded};

/// Cuts the items of a page to the most that it has, of which one more was read; returns the cursor
/// of the next page, if there is one. `place` is that of an item in the list.
pub(super) fn cut<T>(
    list: &str,
    items: &mut Vec<T>,
    most: usize,
    place: impl FnOnce(&T) -> String,
) -> Option<String> {
    let is_more = items.len() > most;
    items.truncate(most);
    items.last().filter(|_| is_more).map(|last| cursor(list, &place(last)))
}

/// Makes a cursor of a list.
fn cursor(list: &str, place: &str) -> String {
    let mut text = String::new();
    for byte in format!("{list}:{place}").bytes() {
        // A `String` takes everything.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Reads a cursor of a list: the place; `None` for the beginning.
///
/// # Errors
/// If it is not one of this list.
pub(super) fn place<T>(
    list: &str,
    cursor: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Shown<Option<T>> {
    if cursor.is_empty() {
        return Ok(None);
    }
    let decoded = decode(cursor);
    let place = decoded.as_deref().and_then(|text| text.strip_prefix(list)?.strip_prefix(':'));
    match place.and_then(parse) {
        Some(place) => Ok(Some(place)),
        None => Err(coded(
            ProblemCode::InvalidCursor,
            "The cursor is not one of this list",
            "Use the `next` of the page before, or leave `cursor` out.",
        )),
    }
}

fn decode(cursor: &str) -> Option<String> {
    if !cursor.len().is_multiple_of(2) || !cursor.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let bytes = (0..cursor.len()).step_by(2);
    let bytes = bytes.map(|at| u8::from_str_radix(&cursor[at..at + 2], 16).ok());
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<u64> {
        text.parse().ok()
    }

    #[test]
    fn cursors_are_read_by_their_list_only() {
        let of_list = cursor("matches", "17");
        assert_eq!(place("matches", &of_list, number).unwrap(), Some(17));
        assert_eq!(place("matches", "", number).unwrap(), None);
        for text in ["17", "zz", "a", "ä", &cursor("match", "17"), &cursor("matches", "x")] {
            assert!(place("matches", text, number).is_err(), "{text}");
        }
    }
}
