//! Markdown for mdBook.

pub(crate) use agon_ladder::guide::markdown::{Link, first_section, links};

/// Languages that mdBook's highlighter does not know. It warns of them in the browser's console.
const UNKNOWN: [&str; 1] = ["clojure"];

/// Marks code in languages that the highlighter does not know as plain text.
pub(crate) fn known_fences(text: &str) -> String {
    let mut known = text.to_owned();
    for language in UNKNOWN {
        known = known.replace(&format!("\n```{language}\n"), "\n```text\n");
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_unknown_languages_is_plain() {
        let text = "a\n```clojure\n(f)\n```\n```c\nint x;\n```\n";
        assert_eq!(known_fences(text), "a\n```text\n(f)\n```\n```c\nint x;\n```\n");
    }
}
