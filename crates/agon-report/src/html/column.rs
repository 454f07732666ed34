//! Heads of columns.

use super::writer::Html;

/// Writes the head of a column: its name, and its meaning.
///
/// Also says whether a first click sorts large values first.
pub(super) fn column(html: &mut Html, class: &str, name: &str, meaning: &str) {
    html.within("th", &[("scope", "col"), ("class", class), ("title", meaning)], |html| {
        html.text(name);
    });
}
