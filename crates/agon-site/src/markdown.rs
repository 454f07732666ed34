//! Finds links and sections in Markdown texts.

use std::ops::Range;

use mdbook_markdown::pulldown_cmark::{
    Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd,
};

/// A link or picture in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The whole link.
    pub(crate) all: Range<usize>,
    /// Its text, between the brackets.
    pub(crate) text: Range<usize>,
    /// Where it leads.
    pub(crate) to: String,
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Returns the links and pictures that are written in place, `[text](to)`. No page has others.
pub(crate) fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for (event, all) in parser(text).into_offset_iter() {
        let (Event::Start(Tag::Link { link_type, dest_url, .. })
        | Event::Start(Tag::Image { link_type, dest_url, .. })) = event
        else {
            continue;
        };
        let whole = &text[all.clone()];
        let end = whole.rfind(&format!("]({dest_url}"));
        if let (LinkType::Inline, Some(end)) = (link_type, end) {
            let begin = all.start + if whole.starts_with('!') { 2 } else { 1 };
            found.push(Link { text: begin..all.start + end, to: dest_url.into_string(), all });
        }
    }
    found
}

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

/// Returns the text below a heading of the second level, up to the next one.
pub(crate) fn section<'a>(text: &'a str, title: &str) -> Option<&'a str> {
    let mut begin = None;
    let mut heading = None;
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                if let Some(begin) = begin {
                    return Some(text[begin..range.start].trim());
                }
                heading = Some(String::new());
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2))
                if heading.take().is_some_and(|heading| heading == title) =>
            {
                begin = Some(range.end);
            }
            _ => {}
        }
    }
    begin.map(|begin| text[begin..].trim())
}

/// Returns where the first heading of the second level is, or the end of the text.
pub(crate) fn first_section(text: &str) -> usize {
    let mut events = parser(text).into_offset_iter();
    let found = events.find(|(event, _)| {
        matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }))
    });
    found.map_or(text.len(), |(_, range)| range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\n\nfirst\n\n```sh\n## no heading\n```\n\n## Two words\n\nsecond\n\n\
        ### Below\n\n## Last\n\nthird\n";

    #[test]
    fn code_in_unknown_languages_is_plain() {
        let text = "a\n```clojure\n(f)\n```\n```c\nint x;\n```\n";
        assert_eq!(known_fences(text), "a\n```text\n(f)\n```\n```c\nint x;\n```\n");
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        assert_eq!(section(TEXT, "Two words"), Some("second\n\n### Below"));
        assert_eq!(section(TEXT, "Last"), Some("third"));
        assert_eq!(section(TEXT, "no heading"), None);
        assert!(TEXT[first_section(TEXT)..].starts_with("## Two words"));
        assert_eq!(first_section("no sections"), 11);
    }

    #[test]
    fn links_have_their_places() {
        let text = "a [b `c`](d.md#e) ![f](g.png) <https://h.org>";
        let found = links(text);
        let parts: Vec<_> =
            found.iter().map(|link| (&text[link.text.clone()], link.to.as_str())).collect();
        assert_eq!(parts, [("b `c`", "d.md#e"), ("f", "g.png")]);
        assert_eq!(&text[found[1].all.clone()], "![f](g.png)");
    }
}
