//! The page of the JSON Lines protocol, in sections without links.

use crate::guide::markdown::{section, without_links};

const PAGE: &str = include_str!("../../../../docs/protocol.md");

/// The sections that hold for all games.
const COMMON: [&str; 4] =
    ["A complete bot", "How it runs", "Messages", "Time, and what goes wrong"];

fn with_title(title: &str) -> Option<String> {
    Some(format!("\n## {title}\n\n{}\n", without_links(section(PAGE, title)?)))
}

/// Returns the sections that hold for all games.
///
/// # Panics
/// Never: a test reads them.
pub(crate) fn common() -> String {
    let part = |title| with_title(title).expect("a test reads these sections");
    COMMON.into_iter().map(part).collect()
}

/// Returns what a game's messages are, with a conversation; `None` if the page does not say it.
pub(crate) fn of_game(game: &str) -> Option<String> {
    with_title(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_sections_are_there() {
        let text = common();
        for title in COMMON {
            assert!(text.contains(&format!("\n## {title}\n")), "{title}");
        }
    }
}
