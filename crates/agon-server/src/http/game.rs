//! The rules of games, from the pages in the program.

use agon_console::kits::Kit;
use agon_games::GameId;
use agon_ladder::archive::Files;
use axum::{extract::Path, response::Response};
use maud::{PreEscaped, html};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use super::{
    matches::attachment,
    parts::layout,
    reply::{Shown, not_found},
    visitor::Visitor,
};

/// The head of a table that has none.
const NO_HEAD: &str = "<thead><tr><th></th><th></th></tr></thead>";

pub(super) async fn page(Path(name): Path<String>, visitor: Visitor) -> Shown<Response> {
    let game: GameId = name.parse().map_err(|_| not_found("game"))?;
    let title = format!("Rules of {game}");
    let main = html! {
        h1 { (title) }
        div.prose { (PreEscaped(to_html(game.meta().page))) }
    };
    Ok(layout::page(&visitor, &title, main))
}

/// A starter kit as an archive.
pub(super) async fn kit(Path((game, language)): Path<(String, String)>) -> Shown<Response> {
    let game: GameId = game.parse().map_err(|_| not_found("game"))?;
    let kit = Kit::find(&language).ok().filter(|kit| kit.games().contains(&game));
    let kit = kit.ok_or_else(|| not_found("starter kit"))?;
    let name = format!("{}-{}", game.meta().id, kit.id);
    let mut files = Files::default();
    for (path, text) in kit.files(game, "bot") {
        let is_script = path.ends_with(".sh");
        let added = files.add(&format!("{name}/{path}"), text.into_bytes(), is_script);
        added.map_err(anyhow::Error::from)?;
    }
    let archive = agon_ladder::archive::zip(&files).map_err(anyhow::Error::from)?;
    Ok(attachment(archive, &format!("{name}.zip")))
}

/// Returns the address of the page with the rules of a game.
pub(super) fn address(game: GameId) -> String {
    format!("/games/{}", game.meta().id)
}

/// Makes HTML of a page in Markdown, without its first heading, and without links to files: these
/// are in the source of Agon.
fn to_html(markdown: &str) -> String {
    let mut is_title = false;
    let mut links = Vec::new();
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| {
        match &event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => is_title = true,
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
                is_title = false;
                return None;
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push(dest_url.starts_with("https://"));
                return links.last().is_some_and(|is_kept| *is_kept).then_some(event);
            }
            Event::End(TagEnd::Link) => return links.pop().unwrap_or(false).then_some(event),
            // Markup of its own is shown as text.
            Event::Html(text) | Event::InlineHtml(text) => return Some(Event::Text(text.clone())),
            _ => {}
        }
        (!is_title).then_some(event)
    });
    let mut html = String::new();
    push_html(&mut html, events);
    // Heads of tables may be empty, which screen readers would read as headings. Long code can be
    // scrolled with the keyboard.
    html.replace(NO_HEAD, "")
        .replace("<th></th>", "<td></td>")
        .replace("<pre>", "<pre tabindex=\"0\" role=\"group\" aria-label=\"Code\">")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_games_become_html() {
        for game in GameId::ALL {
            let html = to_html(game.meta().page);
            assert!(html.contains("<h2>") && html.contains("<table>"), "{game}");
            assert!(!html.contains("<h1>") && !html.contains(".md\""), "{game}");
            assert!(!html.contains("<th></th>"), "{game}");
        }
    }

    #[test]
    fn links_to_files_are_just_words() {
        let html = to_html("# T\n\nsee [a](../b.md) and [c](https://x.example/), <b>d</b>\n");
        let link = "<a href=\"https://x.example/\">c</a>";
        assert_eq!(html, format!("<p>see a and {link}, &lt;b&gt;d&lt;/b&gt;</p>\n"));
    }
}
