//! `agents.txt` of the documentation: the commands, then the protocol, then a conversation of each
//! game.

use crate::guide::{
    protocol,
    texts::{LIMITS, WRITE},
};

const HEAD: &str = include_str!("text/site.txt");

/// The limits as they are where nobody sets others.
const OWN_LIMITS: &str = include_str!("text/site_limits.txt");

const PROTOCOL: &str = "The rest of this file is the JSON Lines protocol, with a recorded \
    conversation of each game. In\nconversations, lines of the bot start with `>`.\n";

/// Returns everything that is needed to write, check and compare a bot; `None` if a game has no
/// section in the page of the protocol.
pub fn for_site<'a>(games: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut text = format!("{HEAD}\n{WRITE}\n## Limits\n\n{LIMITS}{OWN_LIMITS}\n{PROTOCOL}");
    text.push_str(&protocol::common());
    for game in games {
        text.push_str(&protocol::of_game(game)?);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_needs_a_conversation() {
        assert!(for_site(["no game"]).is_none());
        let text = for_site([]).unwrap_or_default();
        assert!(text.contains("\n## Messages\n") && !text.contains("]("), "{text}");
    }
}
