//! Plain text for programs that read: `llms.txt` lists the pages, `agents.txt` has all that a
//! coding agent needs to write, check and compare a bot.

use std::{fmt::Write, path::Path};

use anyhow::{Context, Result};

use crate::{contents::Contents, files, markdown};

const AGENTS: &str = include_str!("../pages/agents.txt");

/// The page of the protocol, and its sections that hold for all games.
const PROTOCOL: &str = "docs/protocol.md";
const SECTIONS: [&str; 4] =
    ["A complete bot", "How it runs", "Messages", "Time, and what goes wrong"];

/// Returns `llms.txt`.
pub(crate) fn index(contents: &Contents) -> String {
    let mut text = "# Agon\n\n> An arena for programming games: people write bots, Agon lets them \
                    play, shows the matches, and can prove every result.\n\n\
                    - [agents.txt](agents.txt): all that is needed to write, check and compare a \
                    bot\n"
        .to_owned();
    for page in contents.pages() {
        let path = page.path.replace(".md", ".html");
        let _ = writeln!(text, "- [{}]({path})", page.title);
    }
    text
}

/// Returns `agents.txt`: the commands, then the protocol, then a conversation of each game.
pub(crate) fn for_agents(contents: &Contents, repository: &Path) -> Result<String> {
    let protocol = files::read(&repository.join(PROTOCOL))?;
    let mut text = AGENTS.to_owned();
    for title in SECTIONS.into_iter().chain(contents.games()) {
        let section = markdown::section(&protocol, title);
        let section = section.with_context(|| format!("{PROTOCOL} has no section `{title}`"))?;
        let _ = write!(text, "\n## {title}\n\n{}\n", without_links(section));
    }
    Ok(text)
}

/// Leaves the texts of links, and no comments.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut done = 0;
    for link in markdown::links(text) {
        plain.push_str(&text[done..link.all.start]);
        plain.push_str(&text[link.text.clone()]);
        done = link.all.end;
    }
    plain.push_str(&text[done..]);
    let lines = plain.lines().filter(|line| !line.starts_with("<!--"));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_links_and_comments() {
        let text = "a [b](c.md) and ![d](e.png)\n<!-- x -->\nf";
        assert_eq!(without_links(text), "a b and d\nf");
    }

    #[test]
    fn agents_get_a_conversation_of_each_game() {
        let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let contents = Contents::of(repository).unwrap();
        let text = for_agents(&contents, repository).unwrap();
        for game in contents.games() {
            assert!(text.contains(&format!("\n## {game}\n")), "{game}");
            assert!(text.contains(&format!("\"game\":\"{game}\"")), "{game}");
        }
        assert!(!text.contains("]("), "{text}");
    }
}
