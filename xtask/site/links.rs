//! Adapts the links of a page to the site.
//!
//! A link to another page leads to that page in the site. Pictures and schemas are copied along. A
//! link to any other file of the repository becomes text, because the site does not have it.

use std::{ops::Range, path::Path};

use agon_ladder::guide::markdown::{Link, links};
use anyhow::{Result, bail};

use crate::contents::Contents;

/// Folders of the repository that are copied into the book, and their places there.
pub(crate) const COPIED: [(&str, &str); 2] =
    [("docs/pictures", "pictures"), ("docs/schemas", "schemas")];

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// The link is right as it is: a place of the same page, or another site.
    Same,
    /// A path from the page, with the anchor.
    To(String),
    /// A file of the repository that the site does not have.
    Absent(String),
}

/// Rewrites the links of a text.
///
/// `from` is the path of the text in the repository, `page` that of the page in the book.
///
/// # Errors
/// If a link leads to a file that does not exist.
pub(crate) fn rewrite(
    text: &str,
    from: &str,
    page: &str,
    contents: &Contents,
    repository: &Path,
) -> Result<String> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for link in links(text) {
        match target(&link.to, from, page, contents, repository)? {
            Target::Same => {}
            Target::To(path) => edits.push(replacement(text, &link, &path)),
            Target::Absent(path) => edits.push((link.all.clone(), in_words(text, &link, &path))),
        }
    }
    Ok(apply(text, edits))
}

fn target(
    to: &str,
    from: &str,
    page: &str,
    contents: &Contents,
    repository: &Path,
) -> Result<Target> {
    if to.starts_with('#') || to.contains("://") || to.starts_with("mailto:") {
        return Ok(Target::Same);
    }
    let (path, anchor) = to.split_once('#').map_or((to, None), |(path, at)| (path, Some(at)));
    let file = join(folder(from), path);
    let there = match file.as_deref() {
        Some(file) if repository.join(file).exists() => file,
        _ => bail!("{from}: the link `{to}` leads to no file; correct its path"),
    };
    let copied = COPIED.iter().find_map(|(folder, name)| {
        there.strip_prefix(folder).filter(|rest| rest.starts_with('/')).map(|rest| (name, rest))
    });
    let book = match (contents.page_of(there), copied) {
        (Some(book), _) => book.to_owned(),
        (None, Some((name, rest))) => format!("{name}{rest}"),
        (None, None) => return Ok(Target::Absent(there.to_owned())),
    };
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    Ok(Target::To(format!("{}{anchor}", relative(page, &book))))
}

/// Replaces the destination, which comes last in a link.
fn replacement(text: &str, link: &Link, path: &str) -> (Range<usize>, String) {
    let whole = &text[link.all.clone()];
    let begin = whole.rfind(&link.to).unwrap_or_default() + link.all.start;
    (begin..begin + link.to.len(), path.to_owned())
}

/// Returns the text of a link, and the file's path if the text does not name it.
fn in_words(text: &str, link: &Link, path: &str) -> String {
    let words = &text[link.text.clone()];
    let plain = words.trim_matches('`');
    if path.ends_with(plain) { format!("`{path}`") } else { format!("{words} (`{path}`)") }
}

fn apply(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in edits {
        // A picture in a link was part of an earlier edit.
        if range.start < done {
            continue;
        }
        result.push_str(&text[done..range.start]);
        result.push_str(&new);
        done = range.end;
    }
    result.push_str(&text[done..]);
    result
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Follows a relative path from a folder. Returns `None` if it leads above the root.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Returns the path that leads from one page to another file of the book.
pub(crate) fn relative(page: &str, to: &str) -> String {
    let own: Vec<&str> = page.split('/').collect();
    let other: Vec<&str> = to.split('/').collect();
    let most = own.len().min(other.len()) - 1;
    let common = (0..most).take_while(|&at| own[at] == other[at]).count();
    let up = "../".repeat(own.len() - 1 - common);
    format!("{up}{}", other[common..].join("/"))
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn rewritten(text: &str, from: &str, page: &str) -> Result<String> {
        let contents = Contents::of(&repository()).unwrap();
        rewrite(text, from, page, &contents, &repository())
    }

    #[test]
    fn links_lead_to_the_pages_of_the_site() {
        let own = ("docs/protocol.md", "guides/protocol.md");
        for (text, (from, page), expected) in [
            ("[a](clocks.md)", own, "[a](../concepts/clocks.md)"),
            ("x [`a`](clocks.md#strikes) y", own, "x [`a`](../concepts/clocks.md#strikes) y"),
            ("[a](folders.md)", own, "[a](folders.md)"),
            ("[a](docs/web.md)", ("README.md", "start/play.md"), "[a](../guides/web.md)"),
            (
                "[a](README.md)",
                ("CONTRIBUTING.md", "internals/contributing.md"),
                "[a](../index.md)",
            ),
            (
                "![p](pictures/watch-cellhack.png)",
                ("docs/watch.md", "guides/watch.md"),
                "![p](../pictures/watch-cellhack.png)",
            ),
            ("[s](schemas)", own, "[s](../reference/schemas.md)"),
        ] {
            assert_eq!(rewritten(text, from, page).unwrap(), expected);
        }
    }

    #[test]
    fn other_links_and_code_stay() {
        for text in [
            "[a](#words) and [b](https://example.org/x.md)",
            "`[a](clocks.md)`",
            "```text\n[a](clocks.md)\n```\n",
        ] {
            assert_eq!(rewritten(text, "docs/protocol.md", "guides/protocol.md").unwrap(), text);
        }
    }

    #[test]
    fn a_file_that_the_site_does_not_have_becomes_text() {
        let from = "docs/protocol.md";
        for (text, expected) in [
            ("[the kits](../starter-kits/golden)", "the kits (`starter-kits/golden`)"),
            ("[starter-kits/golden](../starter-kits/golden)", "`starter-kits/golden`"),
            ("[`Cargo.toml`](../Cargo.toml), [b](web.md)", "`Cargo.toml`, [b](web.md)"),
        ] {
            assert_eq!(rewritten(text, from, "guides/protocol.md").unwrap(), expected);
        }
    }

    #[test]
    fn a_link_to_no_file_is_an_error_with_page_and_link() {
        for to in ["clock.md", "../../clocks.md"] {
            let error =
                rewritten(&format!("[a]({to})"), "docs/web.md", "guides/web.md").unwrap_err();
            let expected =
                format!("docs/web.md: the link `{to}` leads to no file; correct its path");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn paths_lead_from_page_to_page() {
        for (page, to, expected) in [
            ("index.md", "index.md", "index.md"),
            ("index.md", "a/b.md", "a/b.md"),
            ("a/b.md", "index.md", "../index.md"),
            ("a/b.md", "a/c.md", "c.md"),
            ("a/b/c.md", "a/d/e.md", "../d/e.md"),
        ] {
            assert_eq!(relative(page, to), expected);
        }
        assert_eq!(join("a/b", "../c"), Some("a/c".to_owned()));
        assert_eq!(join("a", "../../c"), None);
    }

    #[test]
    fn code_in_unknown_languages_is_plain() {
        let text = "a\n```clojure\n(f)\n```\n```c\nint x;\n```\n";
        assert_eq!(known_fences(text), "a\n```text\n(f)\n```\n```c\nint x;\n```\n");
    }
}
