//! Names of bots: checks the names that people give, and shortens those that come from files.
//!
//! Bot texts, tournament plans, match specs and replays share these rules, so a name never hides
//! characters from a reader.

use std::borrow::Cow;

use thiserror::Error;

use crate::text::escape::{escape, is_hidden};

/// The most bytes of a name.
pub const MAX_NAME: usize = 256;

/// The reason why a text cannot be a name, for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NameError(String);

/// Checks a name that a person has given.
///
/// # Errors
/// If it is longer than [`MAX_NAME`] bytes, or a reader would not see all of it.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let bytes = name.len();
    if bytes > MAX_NAME {
        let why = format!("a name of {bytes} bytes is too long: {MAX_NAME} are the most");
        return Err(NameError(why));
    }
    if name.contains(is_hidden) {
        let name = escape(name);
        return Err(NameError(format!(
            "the name `{name}` has control or invisible characters; leave them out"
        )));
    }
    Ok(())
}

/// Makes a name from something else, such as a file: with escapes, and cut if it is too long.
pub fn shown_name(name: &str) -> Cow<'_, str> {
    // Escapes make a text longer, never shorter.
    let front = cut(name, MAX_NAME + 1);
    let escaped = escape(front);
    if escaped.len() <= MAX_NAME {
        return escaped;
    }
    Cow::Owned(format!("{}…", cut(&escaped, MAX_NAME - '…'.len_utf8())))
}

/// Returns the beginning of a text: whole characters in at most `most` bytes.
pub fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_have_256_bytes_at_most() {
        let longest = "ä".repeat(128);
        assert_eq!(check_name(&longest), Ok(()));
        assert_eq!(shown_name(&longest), longest);
        let error = check_name(&(longest.clone() + "x")).unwrap_err().to_string();
        assert_eq!(error, "a name of 257 bytes is too long: 256 are the most");
        assert_eq!(shown_name(&(longest + "x")), format!("{}…", "ä".repeat(126)));
        let error = check_name("a\u{202e}b").unwrap_err().to_string();
        assert!(
            error.starts_with("the name `a\\u202eb` has control or invisible characters"),
            "{error}"
        );
        assert_eq!(shown_name("a\nb"), "a\\nb");
    }

    proptest! {
        #[test]
        fn what_is_shown_can_be_a_name(name: String, times in 1..100usize) {
            prop_assert_eq!(check_name(&shown_name(&name.repeat(times))), Ok(()));
        }
    }
}
