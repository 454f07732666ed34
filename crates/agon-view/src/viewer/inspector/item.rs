//! A part of the inspector's text, and how it becomes lines. Short JSON stays on one line.
//!
//! `inspector` and `reports` make them.

use std::{borrow::Cow, iter};

use serde_json::Value;

use crate::viewer::theme_painter::wrapped;

/// A part of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Heading(String),
    Text(String),
    Fact(Cow<'static, str>, String),
    Json(Value),
    /// Output of a program, whose lines and spaces matter.
    Output(String),
}

impl Item {
    /// Returns it without line breaks.
    pub(super) fn line(&self) -> String {
        match self {
            Item::Heading(text) | Item::Text(text) => text.clone(),
            Item::Output(text) => text.replace('\n', " "),
            Item::Fact(name, value) => format!("{name}: {value}"),
            Item::Json(value) => value.to_string(),
        }
    }

    /// Returns the length of a fact's name.
    pub(super) fn name_length(&self) -> Option<usize> {
        match self {
            Item::Fact(name, _) => Some(name.len()),
            _ => None,
        }
    }

    /// Adds its lines of at most `columns` characters, and whether they are headings.
    ///
    /// Names of facts get the width `widest`.
    pub(super) fn write(&self, columns: usize, widest: usize, lines: &mut Vec<(String, bool)>) {
        match self {
            Item::Heading(text) => lines.push((text.clone(), true)),
            Item::Text(text) => {
                lines.extend(wrapped(text, columns).into_iter().map(|line| (line, false)))
            }
            Item::Fact(name, value) => {
                let parts = wrapped(value, columns.saturating_sub(widest + 1).max(1));
                for (part, name) in
                    parts.into_iter().zip(iter::once(&**name).chain(iter::repeat("")))
                {
                    lines.push((format!("{name:<widest$} {part}"), false));
                }
            }
            Item::Json(value) => {
                lines.extend(json_lines(value, columns).into_iter().map(|line| (line, false)))
            }
            Item::Output(text) => lines.extend(text.lines().flat_map(|line| broken(line, columns))),
        }
    }
}

/// Breaks a line of output after every `columns` characters.
fn broken(line: &str, columns: usize) -> Vec<(String, bool)> {
    let letters: Vec<char> = line.chars().collect();
    let mut lines: Vec<(String, bool)> =
        letters.chunks(columns.max(1)).map(|part| (part.iter().collect(), false)).collect();
    if lines.is_empty() {
        lines.push((String::new(), false));
    }
    lines
}

/// The depth below which values are left out.
const DEEPEST: usize = 12;

/// Returns the lines of a value, if possible with at most `columns` characters.
fn json_lines(value: &Value, columns: usize) -> Vec<String> {
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
    fn output_keeps_its_lines_and_spaces() {
        let mut lines = vec![];
        Item::Output("a  b\n\n  cdefgh\n".into()).write(5, 0, &mut lines);
        let lines: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, ["a  b", "", "  cde", "fgh"]);
    }

    #[test]
    fn what_is_short_stays_on_a_line() {
        let fuel = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        let value = json!({ "energy": 3, "fuel": fuel, "others": [{ "dx": 1 }] });
        assert_eq!(
            json_lines(&value, 20),
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
        assert_eq!(json_lines(&value, 200).len(), 1);
        assert!(
            json_lines(&json!("ä".repeat(50)), 20).iter().all(|line| line.chars().count() <= 20)
        );
    }
}
