//! Plain texts for programs that read, such as coding agents: how to write a bot, and how to take
//! part in an arena of a ladder.
//!
//! The documentation as a site and the ladder server serve them as `agents.txt`. What both say
//! comes from here: the files in `text`, and the page of the protocol.
//!
//! The text of the documentation has the commands, then the protocol, then a conversation of each
//! game. An arena's text ([`ArenaGuide`]) has the same parts.

mod arena;
pub mod markdown;

pub use arena::{ArenaGuide, Starter, ranks, sources};

use crate::guide::markdown::{section, without_links};

/// How to get Agon, and how to write, check and compare a bot of `GAME`.
pub(crate) const WRITE: &str = include_str!("text/write.txt");

/// The limits of bots that are the same everywhere.
pub(crate) const LIMITS: &str = include_str!("text/limits.txt");

/// How a ladder ranks bots, in paragraphs.
pub const RANKING: [&str; 3] = [
    "Agon pairs bots of similar strength and plays without a break. A new version plays its first \
     matches at once. Each bot gets a share of the time, so a slow bot plays fewer matches and \
     delays nobody. Names in matches are new each time, unless the organisers want bots to know \
     whom they meet.",
    "Live ratings change after each match, and are provisional. Published ones are for prizes and \
     grades: they explain all matches at once, with 95 % intervals. The range of ranks says which \
     ranks the results allow. An open end, as in ≥ 1800, means that no result bounds the rating on \
     that side. Bots whose ratings are the same share a rank. A version that has not played has no \
     rating. Files that were handed in before make no new version: the earlier one plays again.",
    "In a match with more than two bots, each pair counts as a result. A match in which the server \
     itself stood still is void, and counts for nobody. Only the rules of the game punish faults. \
     A bot that keeps failing is paused until its author hands in a new version.",
];

const HEAD: &str = include_str!("text/site.txt");

/// The limits as they are where nobody sets others.
const OWN_LIMITS: &str = include_str!("text/site_limits.txt");

const INTRODUCTION: &str = "The rest of this file is the JSON Lines protocol, with a recorded \
    conversation of each game. In\nconversations, lines of the bot start with `>`.\n";

/// The page of the JSON Lines protocol.
const PROTOCOL: &str = include_str!("../../../../docs/protocol.md");

/// Its sections that hold for all games.
const COMMON: [&str; 4] =
    ["A complete bot", "How it runs", "Messages", "Time, and what goes wrong"];

/// Returns everything that is needed to write, check and compare a bot; `None` if a game has no
/// section in the page of the protocol.
pub fn for_site<'a>(games: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut text = format!("{HEAD}\n{WRITE}\n## Limits\n\n{LIMITS}{OWN_LIMITS}\n{INTRODUCTION}");
    text.push_str(&protocol());
    for game in games {
        text.push_str(&protocol_of(game)?);
    }
    Some(text)
}

/// Returns the sections of the protocol that hold for all games.
pub(crate) fn protocol() -> String {
    let part = |title| protocol_of(title).expect("a test reads these sections");
    COMMON.into_iter().map(part).collect()
}

/// Returns a section of the protocol without links, such as what a game's messages are, with a
/// conversation.
pub(crate) fn protocol_of(title: &str) -> Option<String> {
    Some(format!("\n## {title}\n\n{}\n", without_links(section(PROTOCOL, title)?)))
}

/// Replaces a word of commands, and keeps what stands in columns behind it where it is.
pub(crate) fn replaced(text: &str, word: &str, by: &str) -> String {
    let line = |line: &str| {
        let mut new = line.replace(word, by);
        let grown = new.len() as isize - line.len() as isize;
        // Two spaces begin the column with what a command does.
        if let Some(at) = new.rfind("  ").filter(|_| grown != 0)
            && !new[..at].trim().is_empty()
        {
            let gap = new[..at + 2].len() - new[..at + 2].trim_end().len();
            let wanted = gap.saturating_add_signed(-grown).max(2);
            new.replace_range(at + 2 - gap..at + 2, &" ".repeat(wanted));
        }
        new.push('\n');
        new
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_needs_a_conversation() {
        assert!(for_site(["no game"]).is_none());
        let text = for_site([]).unwrap_or_default();
        assert!(COMMON.iter().all(|title| text.contains(&format!("\n## {title}\n"))), "{text}");
        assert!(!text.contains("]("), "{text}");
    }

    #[test]
    fn columns_stay_where_they_are() {
        let text = "1. agon rules GAME      the rules\n   agon play GAME fox\n      of GAME\n";
        let new = "1. agon rules a         the rules\n   agon play a fox\n      of a\n";
        assert_eq!(replaced(text, "GAME", "a"), new);
        let new = replaced("agon GAME  rules", "GAME", "longer");
        assert_eq!(new, "agon longer  rules\n");
    }
}
