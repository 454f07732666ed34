//! Plain text for programs that read: `llms.txt` lists the pages, `agents.txt` has all that a
//! coding agent needs to write, check and compare a bot.

use std::fmt::Write;

use anyhow::{Context, Result};

use crate::contents::Contents;

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

/// Returns `agents.txt`.
pub(crate) fn for_agents(contents: &Contents) -> Result<String> {
    agon_ladder::guide::for_site(contents.games())
        .context("docs/protocol.md needs a section about each game")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn agents_get_a_conversation_of_each_game() {
        let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let contents = Contents::of(repository).unwrap();
        let text = for_agents(&contents).unwrap();
        for game in contents.games() {
            assert!(text.contains(&format!("\n## {game}\n")), "{game}");
            assert!(text.contains(&format!("\"game\":\"{game}\"")), "{game}");
        }
        assert!(!text.contains("]("), "{text}");
    }
}
