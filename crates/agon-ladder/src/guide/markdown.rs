//! Finds links and sections in Markdown texts.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

/// A link or picture in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The whole link.
    pub all: Range<usize>,
    /// Its text, between the brackets.
    pub text: Range<usize>,
    /// Where it leads.
    pub to: String,
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Returns the links and pictures that are written in place, `[text](to)`. No page has others.
pub fn links(text: &str) -> Vec<Link> {
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

/// Returns the text below a heading of the second level, up to the next one.
pub fn section<'a>(text: &'a str, title: &str) -> Option<&'a str> {
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
pub fn first_section(text: &str) -> usize {
    let mut events = parser(text).into_offset_iter();
    let found = events.find(|(event, _)| {
        matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }))
    });
    found.map_or(text.len(), |(_, range)| range.start)
}

/// Leaves the texts of links, and no comments.
pub fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut done = 0;
    for link in links(text) {
        plain.push_str(&text[done..link.all.start]);
        plain.push_str(&text[link.text.clone()]);
        done = link.all.end;
    }
    plain.push_str(&text[done..]);
    let lines = plain.lines().filter(|line| !line.starts_with("<!--"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Leaves out the title of a page, and makes its sections those of a section.
pub(crate) fn below_heading(text: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        match line {
            line if is_code => lines.push(line.to_owned()),
            line if line.starts_with("# ") => {}
            line if line.starts_with('#') => lines.push(format!("#{line}")),
            line => lines.push(line.to_owned()),
        }
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\n\nfirst\n\n```sh\n## no heading\n```\n\n## Two words\n\nsecond\n\n\
        ### Below\n\n## Last\n\nthird\n";

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        assert_eq!(section(TEXT, "Two words"), Some("second\n\n### Below"));
        assert_eq!(section(TEXT, "Last"), Some("third"));
        assert_eq!(section(TEXT, "no heading"), None);
        assert!(TEXT[first_section(TEXT)..].starts_with("## Two words"));
        assert_eq!(first_section("no sections"), 11);
    }

    #[test]
    fn a_page_becomes_a_section() {
        let text = "first\n\n```sh\n## no heading\n```\n\n### Two words\n\nsecond\n\n\
            #### Below\n\n### Last\n\nthird";
        assert_eq!(below_heading(TEXT), text);
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

    #[test]
    fn plain_text_has_no_links_and_comments() {
        let text = "a [b](c.md) and ![d](e.png)\n<!-- x -->\nf";
        assert_eq!(without_links(text), "a b and d\nf");
    }
}
