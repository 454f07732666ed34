//! A part of the inspector's text, and how it becomes lines.
//!
//! `inspector` and `reports` make them.

use std::{borrow::Cow, iter};

use serde_json::Value;

use super::super::{json, theme_painter::wrapped};

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
                lines.extend(json::lines(value, columns).into_iter().map(|line| (line, false)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_keeps_its_lines_and_spaces() {
        let mut lines = vec![];
        Item::Output("a  b\n\n  cdefgh\n".into()).write(5, 0, &mut lines);
        let lines: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, ["a  b", "", "  cde", "fgh"]);
    }
}
