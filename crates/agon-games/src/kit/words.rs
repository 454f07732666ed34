//! Answers and views of games of the kit in words that people read: `bid: count 3, face 5` for
//! `{"BID":{"count":3,"face":5}}`.

use serde_json::Value;

use crate::scene::Fact;

/// See [`SmallGame::LABELS`](super::SmallGame::LABELS).
type Labels = &'static [(&'static str, &'static str)];

/// Returns an answer, or a part of a view, as a line.
pub(super) fn line(value: &Value, labels: Labels) -> String {
    match value {
        Value::String(word) => name(word, labels),
        other => text(other, labels),
    }
}

/// Returns a view as facts: one for each field, and one for each object or list in a list.
pub(super) fn facts(view: &Value, labels: Labels) -> Vec<Fact> {
    let Value::Object(fields) = view else {
        return vec![Fact::new("you see", text(view, labels))];
    };
    let mut facts = Vec::new();
    for (key, value) in fields {
        let name = name(key, labels);
        match value {
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                for (number, item) in items.iter().enumerate() {
                    facts.push(Fact::new(format!("{name} {number}"), text(item, labels)));
                }
            }
            _ => facts.push(Fact::new(name, text(value, labels))),
        }
    }
    facts
}

fn text(value: &Value, labels: Labels) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => label(text, labels).unwrap_or(text).to_owned(),
        Value::Array(items) => joined(items.iter().map(|item| text(item, labels)).collect()),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                let between = if value.is_object() { ": " } else { " " };
                format!("{}{between}{}", name(key, labels), text(value, labels))
            };
            joined(fields.iter().map(field).collect())
        }
    }
}

fn label(name: &str, labels: Labels) -> Option<&'static str> {
    labels.iter().find(|(known, _)| *known == name).map(|(_, label)| *label)
}

/// Returns the label of a name, or else its words: `my_dice`, `MY_DICE` and `MyDice` are "my dice".
fn name(name: &str, labels: Labels) -> String {
    if let Some(label) = label(name, labels) {
        return label.to_owned();
    }
    let mut words = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_small {
            words.push(' ');
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
        words.push(if letter == '_' { ' ' } else { letter.to_ascii_lowercase() });
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LABELS: Labels = &[("LIAR", "call the last bid a lie"), ("own", "your dice")];

    #[test]
    fn answers_are_read_without_braces() {
        let lines = [
            (json!("LIAR"), "call the last bid a lie"),
            (json!("TURN_LEFT"), "turn left"),
            (json!("TurnLeft"), "turn left"),
            (json!({"BONUS": 7}), "bonus 7"),
            (json!({"Bid": {"count": 3, "face": 5}}), "bid: count 3, face 5"),
            (json!({"x": 1, "to": null}), "x 1, to none"),
            (json!([3, "KQ"]), "3, KQ"),
        ];
        for (answer, expected) in lines {
            assert_eq!(line(&answer, LABELS), expected);
        }
    }

    #[test]
    fn views_are_facts_with_labels() {
        let view = json!({
            "own": [1, 3, 5],
            "players": [{"dice": 3, "is_out": false}, {"dice": 0, "is_out": true}],
        });
        let facts: Vec<String> = facts(&view, LABELS)
            .iter()
            .map(|fact| format!("{}: {}", fact.name, fact.value))
            .collect();
        let expected =
            ["your dice: 1, 3, 5", "players 0: dice 3, is out no", "players 1: dice 0, is out yes"];
        assert_eq!(facts, expected);
    }
}
