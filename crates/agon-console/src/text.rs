//! Sentences, and answers of bots in words: cut where they are long, and two of them side by side.

use std::error::Error;

use serde_json::Value;

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

/// So many characters of an answer, or of a value that it saw, are shown.
const MAX_SHOWN: usize = 160;

/// So many characters are shown before the first difference.
const BEFORE: usize = 40;

/// So many things that only one of two lists has are shown.
const MAX_ITEMS: usize = 5;

/// Two different answers, a labelled line each, and what only one of two lists has.
pub fn difference(recorded: &Value, now: &Value) -> Vec<(&'static str, String)> {
    let [recorded_text, now_text] = [recorded, now].map(Value::to_string);
    if let (Some((key, old)), Some((_, new))) = (list(recorded), list(now)) {
        let only_old = missing(old, new);
        let only_new = missing(new, old);
        let mut lines = vec![
            ("recorded", format!("{key}: {}", old.len())),
            ("now", format!("{key}: {}", new.len())),
            ("only recorded", items(&only_old)),
            ("only now", items(&only_new)),
        ];
        lines.retain(|(_, text)| !text.is_empty());
        if only_old.is_empty() && only_new.is_empty() {
            lines.push(("", "the same in another order".to_owned()));
        }
        return lines;
    }
    let same = recorded_text.chars().zip(now_text.chars()).take_while(|(a, b)| a == b).count();
    vec![("recorded", around(&recorded_text, same)), ("now", around(&now_text, same))]
}

/// A text as far as it is shown.
pub fn cut(text: &str) -> String {
    around(text, 0)
}

/// The list that an answer consists of, if it does.
fn list(answer: &Value) -> Option<(&str, &[Value])> {
    let map = answer.as_object().filter(|map| map.len() == 1)?;
    let (key, value) = map.iter().next()?;
    Some((key, value.as_array()?))
}

/// What is in one list and not, or not as often, in another.
fn missing<'a>(these: &'a [Value], others: &[Value]) -> Vec<&'a Value> {
    let mut others: Vec<&Value> = others.iter().collect();
    let is_missing = |item: &&Value| match others.iter().position(|other| other == item) {
        Some(place) => {
            others.swap_remove(place);
            false
        }
        None => true,
    };
    these.iter().filter(is_missing).collect()
}

fn items(items: &[&Value]) -> String {
    let mut texts: Vec<String> =
        items.iter().take(MAX_ITEMS).map(|item| item.to_string()).collect();
    if items.len() > MAX_ITEMS {
        texts.push(format!("and {} more", items.len() - MAX_ITEMS));
    }
    texts.join(" ")
}

/// The part of a text around a character, with dots where something is left out.
fn around(text: &str, place: usize) -> String {
    let length = text.chars().count();
    if length <= MAX_SHOWN {
        return text.to_owned();
    }
    let start = place.saturating_sub(BEFORE).min(length - MAX_SHOWN);
    let part: String = text.chars().skip(start).take(MAX_SHOWN).collect();
    let (before, after) =
        (if start > 0 { "…" } else { "" }, if start + MAX_SHOWN < length { "…" } else { "" });
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        let [old, new] =
            ['a', 'b'].map(|end| json!(format!("{}{end}{}", "x".repeat(500), "y".repeat(500))));
        let lines = difference(&old, &new);
        for ((label, text), (name, end)) in lines.iter().zip([("recorded", 'a'), ("now", 'b')]) {
            assert_eq!(*label, name);
            let shown =
                format!("…{}{end}{}…", "x".repeat(BEFORE), "y".repeat(MAX_SHOWN - BEFORE - 1));
            assert_eq!(*text, shown);
        }
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn of_lists_only_what_differs_is_shown() {
        let answer = |moves: &[u32]| json!({ "moves": moves });
        let lines = difference(&answer(&[1, 2, 2, 3]), &answer(&[3, 2, 1, 4]));
        let expected = [
            ("recorded", "moves: 4"),
            ("now", "moves: 4"),
            ("only recorded", "2"),
            ("only now", "4"),
        ];
        assert_eq!(lines, expected.map(|(label, text)| (label, text.to_owned())));
        let lines = difference(&answer(&[1, 2]), &answer(&[2, 1]));
        assert_eq!(lines.last().unwrap().1, "the same in another order");
        let many: Vec<u32> = (0..9).collect();
        assert_eq!(
            difference(&answer(&many), &answer(&[])).last().unwrap().1,
            "0 1 2 3 4 and 4 more"
        );
    }
}
