//! Sentences.

use std::error::Error;

/// Returns an error with its causes; those that the text before already tells are left out.
pub fn explain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

/// Returns a list in words: `a`, `a and b`, `a, b and c`.
pub fn listed(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, rest @ [_, ..])) => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Returns the lines of a text that are at most `width` characters long, as far as its words are.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_with_and() {
        let lists: [&[&str]; 4] = [&[], &["a"], &["a", "b"], &["a", "b", "c"]];
        assert_eq!(lists.map(listed), ["", "a", "a and b", "a, b and c"]);
    }

    #[test]
    fn lines_end_between_words() {
        assert_eq!(wrapped("a bb ccc – dddd", 6), ["a bb", "ccc –", "dddd"]);
        assert_eq!(wrapped("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert!(wrapped("  ", 4).is_empty());
    }
}
