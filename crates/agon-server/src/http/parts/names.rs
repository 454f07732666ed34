//! Names of bots and people, with links.

use std::borrow::Cow;

use agon_core::text::escape;
use agon_ladder::api::BotRef;
use maud::{Markup, html};

use super::{avatar::avatar, badge, link};

/// The name of a bot that has none.
const UNNAMED: &str = "unnamed";

/// Returns a foreign text on one line, or a word if it is empty.
pub(crate) fn shown<'a>(text: &'a str, otherwise: &'a str) -> Cow<'a, str> {
    if text.trim().is_empty() { Cow::Borrowed(otherwise) } else { escape(text) }
}

/// Writes a foreign text on one line. Its direction does not change that of its surroundings.
pub(crate) fn text(text: &str) -> Markup {
    html! { bdi { (escape(text)) } }
}

/// Returns the name of a bot with its version: `fox v3`.
pub(crate) fn title(bot: &BotRef) -> String {
    let name = shown(&bot.name, UNNAMED);
    bot.version.map_or_else(|| name.to_string(), |version| format!("{name} v{version}"))
}

/// Writes the name of a bot with avatar, link and version. A bot without an address, such as one of
/// a trial match, has neither avatar nor link.
pub(crate) fn bot(arena: &str, bot: &BotRef) -> Markup {
    html! {
        span.bot {
            @if bot.slug.is_empty() {
                span.name { bdi { (shown(&bot.name, UNNAMED)) } }
            } @else {
                (avatar(&bot.slug))
                a.name href=(link::bot(arena, &bot.slug)) { bdi { (shown(&bot.name, UNNAMED)) } }
            }
            @if let Some(version) = bot.version { span.version { "v" (version) } }
            @if bot.boss { (badge::plain("boss")) }
        }
    }
}

/// Writes the author of a bot with a link.
pub(crate) fn author(bot: &BotRef) -> Markup {
    html! {
        @if let Some(author) = &bot.author {
            (person(author))
        } @else {
            span.faint { "Agon" }
        }
    }
}

/// Writes the name of a person with a link.
pub(crate) fn person(name: &str) -> Markup {
    html! { a.person href=(link::person(name)) { bdi { (shown(name, UNNAMED)) } } }
}

/// Returns what stands for a bot that is not known any more.
pub(crate) fn unknown() -> BotRef {
    BotRef { name: "a bot".to_owned(), ..BotRef::default() }
}
