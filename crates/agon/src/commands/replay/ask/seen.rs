//! What a decision sees as people read it: the form of the JSON Lines protocol, cut where it is
//! long.

use agon_console::cut;
use agon_core::{Decision, Game};
use agon_games::jsonl::JsonGame;
use anyhow::Result;
use serde_json::Value;

/// What a decision sees.
pub(super) fn seen<G: JsonGame>(game: &G, decision: Decision) -> Result<Value> {
    Ok(serde_json::to_value(G::observe(&Game::view(game, decision)))?)
}

/// What a decision sees, a line for each of its parts; parts that are rows of text get a line for
/// each row.
pub(super) fn seen_lines(seen: &Value) -> Vec<(String, String)> {
    let Value::Object(parts) = seen else { return vec![(String::new(), cut(&seen.to_string()))] };
    let lines = |(name, value): (&String, &Value)| match rows(value) {
        Some(rows) => {
            let label = |(i, row): (usize, &str)| {
                (if i == 0 { name.clone() } else { String::new() }, row.to_owned())
            };
            rows.into_iter().enumerate().map(label).collect()
        }
        None => vec![(name.clone(), cut(&value.to_string()))],
    };
    parts.iter().flat_map(lines).collect()
}

/// The rows of a value that is a list of texts.
fn rows(value: &Value) -> Option<Vec<&str>> {
    value.as_array().filter(|rows| !rows.is_empty())?.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_of_text_get_lines() {
        let lines = seen_lines(&json!({ "energy": 3, "rows": ["#.", ".."], "damage": [[0]] }));
        let expected = [("energy", "3"), ("rows", "#."), ("", ".."), ("damage", "[[0]]")];
        assert_eq!(lines, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }
}
