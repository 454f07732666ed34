//! Forms and their fields.

use std::fmt::Write;

use agon_core::text::is_hidden;
use maud::{Markup, PreEscaped, Render, html};

use super::values::sentence;
use crate::http::visitor::Visitor;

/// The most characters of a name; the server decides, this only helps people.
pub(crate) const MAX_NAME: u32 = 40;

/// The most characters of the message of a version.
pub(crate) const MAX_MESSAGE: u32 = 200;

/// Returns the text of a field.
///
/// Hidden characters become references, which the browser decodes. So the last step of
/// [`framed`](super::layout::framed), which shows hidden characters, does not change what is sent
/// back.
pub(crate) fn raw(text: &str) -> PreEscaped<String> {
    let mut escaped = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            // HTML has no references of control characters; the page shows them with escapes.
            c if is_hidden(c) && !c.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "&#x{:x};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    PreEscaped(escaped)
}

/// Writes the hidden field against forged requests.
pub(crate) fn csrf(visitor: &Visitor) -> Markup {
    hidden("csrf", &visitor.form_value())
}

/// Writes a hidden field.
pub(crate) fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(raw(value)); }
}

/// Writes a form of fields and buttons.
pub(crate) fn form(visitor: &Visitor, action: &str, contents: Markup) -> Markup {
    asking(visitor, action, "", contents)
}

/// Writes a form whose last step a question precedes, in browsers with scripts.
pub(crate) fn asking(visitor: &Visitor, action: &str, question: &str, contents: Markup) -> Markup {
    html! {
        form.fields method="post" action=(action) data-confirm=[some(question)] {
            (csrf(visitor)) (contents)
        }
    }
}

/// Writes a form that is a single button. `question` may be empty.
pub(crate) fn button(visitor: &Visitor, action: &str, words: &str, question: &str) -> Markup {
    html! {
        form.single method="post" action=(action) data-confirm=[some(question)] {
            (csrf(visitor))
            button type="submit" { (words) }
        }
    }
}

/// Writes a form to search a list. `kept` are hidden fields.
pub(crate) fn search(
    action: &str,
    label: &str,
    placeholder: &str,
    value: &str,
    kept: Markup,
) -> Markup {
    html! {
        form.search method="get" action=(action) role="search" {
            (kept)
            label.unseen for="q" { (label) }
            input #q name="q" type="search" value=(raw(value)) placeholder=(placeholder)
                autocomplete="off";
            button type="submit" { "Find" }
        }
    }
}

/// A field with a line of text, a number, a password or a date; or with several lines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field<'a> {
    /// What people read.
    pub(crate) label: &'a str,
    /// The name in the form; with `prefix` also the id.
    pub(crate) name: &'a str,
    /// What makes the id unique, if a page has several fields with this name.
    pub(crate) prefix: &'a str,
    /// The type: `text` if it is empty.
    pub(crate) kind: &'a str,
    /// The value.
    pub(crate) value: &'a str,
    /// A line below.
    pub(crate) hint: &'a str,
    /// What is wrong with the value.
    pub(crate) error: &'a str,
    /// The value of `autocomplete`.
    pub(crate) autocomplete: &'a str,
    /// Whether it must be filled.
    pub(crate) required: bool,
    /// Whether it cannot be changed.
    pub(crate) readonly: bool,
    /// The most characters; 0: any number.
    pub(crate) most: u32,
    /// The lines of a text; 0 for a single one.
    pub(crate) rows: u32,
}

/// Returns a value for an attribute that is left out if it is empty.
fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

impl Render for Field<'_> {
    /// Writes label, field, hint and error.
    fn render(&self) -> Markup {
        let id = match self.prefix {
            "" => self.name.to_owned(),
            prefix => format!("{prefix}-{}", self.name),
        };
        let kind = if self.kind.is_empty() { "text" } else { self.kind };
        let is_described = !self.hint.is_empty() || !self.error.is_empty();
        let about = is_described.then(|| format!("{id}-about"));
        let is_invalid = (!self.error.is_empty()).then_some("true");
        let most = (self.most > 0).then_some(self.most);
        html! {
            div.field {
                label for=(id) { (self.label) }
                @if self.rows > 0 {
                    // Browsers drop the first line end in here.
                    textarea id=(id) name=(self.name) rows=(self.rows) readonly[self.readonly]
                        aria-describedby=[&about] aria-invalid=[is_invalid]
                        { "\n" (raw(self.value)) }
                } @else {
                    input id=(id) name=(self.name) type=(kind) value=(raw(self.value))
                        autocomplete=[some(self.autocomplete)] required[self.required]
                        readonly[self.readonly] maxlength=[most]
                        min=[(kind == "number").then_some("0")]
                        aria-describedby=[&about] aria-invalid=[is_invalid];
                }
                @if let Some(about) = &about {
                    p.hint id=(about) {
                        @if is_invalid.is_some() { strong.error { (sentence(self.error)) } " " }
                        (sentence(self.hint))
                    }
                }
            }
        }
    }
}

/// Writes a box or a round button with its words.
pub(crate) fn check(id: &str, kind: &str, field: (&str, &str), on: bool, words: Markup) -> Markup {
    let (name, value) = field;
    html! {
        div.check {
            input id=(id) type=(kind) name=(name) value=(raw(value)) checked[on];
            label for=(id) { (words) }
        }
    }
}

/// Writes the question before a text of the editor replaces a version that it did not open.
pub(crate) fn replaces(prefix: &str, why: Option<&str>) -> Markup {
    let id = format!("{prefix}-replace");
    html! {
        @if let Some(why) = why {
            div.notice.warning {
                p { (why) }
                div.check {
                    input id=(id) type="checkbox" name="replace" value="yes" required;
                    label for=(id) { "Replace it" }
                }
            }
        }
    }
}

/// Writes a text that people copy, with a button for it that the script shows.
pub(crate) fn copied(id: &str, label: &str, text: &str) -> Markup {
    html! {
        div.field.copied {
            label for=(id) { (label) }
            div.row {
                input id=(id) type="text" readonly value=(raw(text));
                button type="button" data-copy=(id) hidden { "Copy" }
            }
        }
    }
}

/// Writes what is wrong with a form as a whole.
pub(crate) fn problem(error: Option<&str>) -> Markup {
    html! {
        @if let Some(error) = error {
            div.notice.problem role="alert" {
                @let (first, rest) = error.split_once("\n\n").unwrap_or((error, ""));
                p { strong { "Not done. " } (sentence(first)) }
                @if !rest.is_empty() { pre { code { (rest) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_of_fields_are_sent_back_unchanged() {
        assert_eq!(raw("a\u{200b}<b>\"&\u{202e}").0, "a&#x200b;&lt;b&gt;&quot;&amp;&#x202e;");
        assert_eq!(raw("if x:\r\n\ty\n").0, "if x:\n\ty\n");
    }
}
