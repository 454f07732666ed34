//! Formats JSON for people: short values stay on one line.
//!
//! The inspector shows what a bot was asked and what it answered in this form.

use serde_json::Value;

/// The depth below which values are left out.
const DEEPEST: usize = 12;

/// Returns the lines of a value, if possible with at most `columns` characters.
pub(crate) fn lines(value: &Value, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    write(value, columns.max(12), 0, String::new(), "", &mut lines);
    lines
}

/// Writes a value after `prefix` and before `suffix`.
fn write(
    value: &Value,
    columns: usize,
    depth: usize,
    prefix: String,
    suffix: &str,
    lines: &mut Vec<String>,
) {
    let indent = " ".repeat(depth);
    let flat = value.to_string();
    if indent.len() + prefix.len() + flat.chars().count() + suffix.len() <= columns
        || depth == DEEPEST
    {
        lines.push(format!("{indent}{prefix}{flat}{suffix}"));
        return;
    }
    match value {
        Value::Object(map) => {
            lines.push(format!("{indent}{prefix}{{"));
            for (index, (key, value)) in map.iter().enumerate() {
                let comma = if index + 1 < map.len() { "," } else { "" };
                write(value, columns, depth + 1, format!("{key}: "), comma, lines);
            }
            lines.push(format!("{indent}}}{suffix}"));
        }
        Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
            lines.push(format!("{indent}{prefix}["));
            for (index, item) in list.iter().enumerate() {
                let comma = if index + 1 < list.len() { "," } else { "" };
                write(item, columns, depth + 1, String::new(), comma, lines);
            }
            lines.push(format!("{indent}]{suffix}"));
        }
        Value::Array(list) => {
            lines.push(format!("{indent}{prefix}["));
            wrap(list, columns, &format!("{indent} "), lines);
            lines.push(format!("{indent}]{suffix}"));
        }
        _ => {
            let mut text = format!("{indent}{prefix}{flat}{suffix}");
            // A long text continues on more lines.
            while let Some((at, _)) = text.char_indices().nth(columns) {
                let rest = text.split_off(at);
                lines.push(std::mem::replace(&mut text, format!("{indent} {rest}")));
            }
            lines.push(text);
        }
    }
}

/// Writes as many numbers on a line as fit.
fn wrap(list: &[Value], columns: usize, indent: &str, lines: &mut Vec<String>) {
    let mut line = indent.to_owned();
    for (index, item) in list.iter().enumerate() {
        let comma = if index + 1 < list.len() { "," } else { "" };
        let item = format!("{item}{comma}");
        if line.len() > indent.len() && line.chars().count() + item.chars().count() > columns {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        }
        line.push_str(&item);
    }
    lines.push(line);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_short_stays_on_a_line() {
        let fuel = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        let value = json!({ "energy": 3, "fuel": fuel, "others": [{ "dx": 1 }] });
        assert_eq!(
            lines(&value, 20),
            [
                "{",
                " energy: 3,",
                " fuel: [",
                "  1,2,3,4,5,6,7,8,9,",
                "  10",
                " ],",
                " others: [{\"dx\":1}]",
                "}"
            ]
        );
        assert_eq!(lines(&value, 200).len(), 1);
        assert!(lines(&json!("ä".repeat(50)), 20).iter().all(|line| line.chars().count() <= 20));
    }
}
