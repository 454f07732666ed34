//! Sentences with code in backticks.

use agon_text::escape;
use maud::{Markup, html};

/// Writes a sentence: what is between two backticks becomes code.
pub(crate) fn sentence(text: &str) -> Markup {
    let text = escape(text);
    let parts: Vec<&str> = text.split('`').collect();
    // The last backtick of an odd number is just a character.
    let pairs = parts.len() / 2 - usize::from(parts.len().is_multiple_of(2) && parts.len() > 1);
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 && at / 2 < pairs {
                code { (part) }
            } @else {
                @if at % 2 == 1 { "`" }
                (part)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_backticks_are_code() {
        for (text, html) in [
            ("", ""),
            ("plain", "plain"),
            ("see `agon rules`.", "see <code>agon rules</code>."),
            ("`a` and `<b>`", "<code>a</code> and <code>&lt;b&gt;</code>"),
            ("one ` alone", "one ` alone"),
            ("`a` and ` alone", "<code>a</code> and ` alone"),
        ] {
            assert_eq!(sentence(text).0, html, "{text}");
        }
    }
}
