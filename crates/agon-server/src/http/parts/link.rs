//! Addresses of pages.

use std::fmt::Write;

use agon_games::GameId;
use agon_ladder::api::BotRef;
use agon_web::bundle;

/// Encodes a text, except ASCII letters, digits, `-._~` and the bytes in `plain`.
fn encode(text: &str, plain: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if unreserved || plain.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Returns a text as a part of a path.
pub(crate) fn segment(text: &str) -> String {
    // Browsers remove these parts from paths, even if they are encoded.
    match text {
        "." | ".." => text.replace('.', "%252E"),
        text => encode(text, &[]),
    }
}

/// Returns a text as the value of a parameter.
pub(crate) fn value(text: &str) -> String {
    encode(text, b"/")
}

/// Returns the address of an arena.
pub(crate) fn arena(arena: &str) -> String {
    format!("/arenas/{}", segment(arena))
}

/// Returns the address of a page below an arena.
pub(crate) fn below(arena_slug: &str, page: &str) -> String {
    format!("{}/{page}", arena(arena_slug))
}

/// Returns the address of a bot.
pub(crate) fn bot(arena_slug: &str, slug: &str) -> String {
    format!("{}/bots/{}", arena(arena_slug), segment(slug))
}

/// Returns the address of a version of a bot.
pub(crate) fn version(arena_slug: &str, slug: &str, number: u32) -> String {
    format!("{}/versions/{number}", bot(arena_slug, slug))
}

/// Returns the address of the list of matches of two bots.
pub(crate) fn between(arena_slug: &str, one: &BotRef, other: &BotRef) -> String {
    let (one, other) = (value(&one.slug), value(&other.slug));
    format!("{}?bot={one}&against={other}", below(arena_slug, "matches"))
}

/// Returns the address of a match.
pub(crate) fn match_page(arena_slug: &str, number: u64) -> String {
    format!("{}/matches/{number}", arena(arena_slug))
}

/// Returns the address of a replay.
pub(crate) fn replay(arena_slug: &str, number: u64) -> String {
    format!("{}/replay.agon", match_page(arena_slug, number))
}

/// Returns the address of a person.
pub(crate) fn person(name: &str) -> String {
    format!("/people/{}", segment(name))
}

/// Returns the address of a person for administrators.
pub(crate) fn admin_person(name: &str, action: &str) -> String {
    format!("/admin/people/{}/{action}", segment(name))
}

/// Returns the address of an arena for organisers.
pub(crate) fn admin_arena(slug: &str) -> String {
    format!("/admin/arenas/{}", segment(slug))
}

/// Returns the address of the viewer with a replay of a game, from a turn.
pub(crate) fn viewer(game: GameId, replay: &str, turn: Option<u64>) -> String {
    let scenes = if bundle::knows(game.meta().id) { "" } else { "?scenes" };
    let turn = turn.map(|turn| format!("&turn={turn}")).unwrap_or_default();
    format!("/viewer/?replay={}{}{turn}", value(replay), value(scenes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_in_its_part_of_an_address() {
        assert_eq!(bot("a b", "../x?y#z"), "/arenas/a%20b/bots/..%2Fx%3Fy%23z");
        assert_eq!(person(".."), "/people/%252E%252E");
        assert_eq!(person("Zoë"), "/people/Zo%C3%AB");
        let bot = |slug: &str| BotRef { slug: slug.to_owned(), ..BotRef::default() };
        let between = between("a b", &bot("x&y"), &bot("z"));
        assert_eq!(between, "/arenas/a%20b/matches?bot=x%26y&against=z");
        let replay = replay("a b", 7);
        assert_eq!(
            viewer(GameId::Cluster, &replay, Some(3)),
            "/viewer/?replay=/arenas/a%2520b/matches/7/replay.agon&turn=3"
        );
    }
}
