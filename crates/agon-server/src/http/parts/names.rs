//! Names of bots and people, with links.

use std::{borrow::Cow, fmt::Write};

use agon_core::text::escape;
use agon_ladder::api::BotRef;
use maud::{Markup, html};

use super::{badge, link};

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

/// Rows and columns of the pattern.
const SIZE: u64 = 5;

/// A pattern, and its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pattern {
    /// A bit for each cell of the left three columns, row by row.
    cells: u64,
    /// The hue in degrees.
    hue: u64,
}

impl Pattern {
    /// Returns the pattern of a name, the same on every machine.
    fn new(name: &str) -> Pattern {
        // FNV-1a, then the last step of SplitMix64, because FNV barely mixes the upper bits.
        let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let mut hash = mix(name.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, fnv));
        let hue = hash % 24 * 15;
        // Patterns that are nearly empty or nearly full look alike.
        while !(6..=10).contains(&(hash >> 40 & 0x7fff).count_ones()) {
            hash = mix(hash);
        }
        Pattern { cells: hash >> 40 & 0x7fff, hue }
    }

    /// Returns the cells as the path of an SVG.
    fn path(self) -> String {
        let mut path = String::new();
        for row in 0..SIZE {
            for column in 0..SIZE {
                let mirrored = column.min(SIZE - 1 - column);
                if self.cells >> (3 * row + mirrored) & 1 == 1 {
                    // Writing to a string cannot fail.
                    let _ = write!(path, "M{} {}h1v1h-1z", column + 1, row + 1);
                }
            }
        }
        path
    }

    /// Returns the colours of ground and cells. Both stand out against each other, so the avatar
    /// can be seen on light and on dark pages.
    fn colors(self) -> [String; 2] {
        [hex(self.hue, 45, 22), hex(self.hue, 75, 74)]
    }
}

/// The last step of SplitMix64: <https://prng.di.unimi.it/splitmix64.c>.
fn mix(hash: u64) -> u64 {
    let hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// Returns a colour of HSL, in degrees and per cent, as `#rrggbb`.
fn hex(hue: u64, saturation: u64, lightness: u64) -> String {
    let [red, green, blue] = rgb(hue as i64, saturation as i64, lightness as i64);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Converts HSL with whole numbers: <https://www.w3.org/TR/css-color-4/#hsl-to-rgb>.
fn rgb(hue: i64, saturation: i64, lightness: i64) -> [u8; 3] {
    // In ten thousandths; k in thousandths of a twelfth of the circle.
    let amount = saturation * lightness.min(100 - lightness);
    let part = |offset: i64| {
        let k = (offset * 1_000 + hue * 1_000 / 30) % 12_000;
        let ramp = (k - 3_000).min(9_000 - k).clamp(-1_000, 1_000);
        ((lightness * 100 - amount * ramp / 1_000) * 255 / 10_000).clamp(0, 255) as u8
    };
    [part(0), part(8), part(4)]
}

/// Draws the avatar of a name, as a part of a page. It has no text: the name stands beside it.
pub(crate) fn avatar(name: &str) -> Markup {
    let pattern = Pattern::new(name);
    let [ground, cells] = pattern.colors();
    html! {
        svg.avatar viewBox="0 0 7 7" width="20" height="20" aria-hidden="true" focusable="false" {
            rect width="7" height="7" rx="1.2" fill=(ground) {}
            path d=(pattern.path()) fill=(cells) {}
        }
    }
}

/// Returns the same as a file, for `/avatars/{slug}.svg`.
pub(crate) fn avatar_svg(name: &str) -> String {
    let pattern = Pattern::new(name);
    let [ground, cells] = pattern.colors();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 7 7\" width=\"140\" \
         height=\"140\"><rect width=\"7\" height=\"7\" rx=\"1.2\" fill=\"{ground}\"/>\
         <path d=\"{}\" fill=\"{cells}\"/></svg>\n",
        pattern.path()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance of WCAG.
    fn luminance(color: [u8; 3]) -> f64 {
        let linear = color.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn patterns_stand_out_in_every_hue() {
        for hue in (0..360).step_by(15) {
            let ground = luminance(rgb(hue, 45, 22));
            let cells = luminance(rgb(hue, 75, 74));
            let contrast = (cells + 0.05) / (ground + 0.05);
            assert!(contrast > 4.5, "{hue}: {contrast}");
        }
        assert_eq!(rgb(120, 100, 50), [0, 255, 0]);
        assert_eq!(rgb(240, 100, 50), [0, 0, 255]);
    }

    #[test]
    fn patterns_are_the_same_everywhere_and_differ() {
        assert_eq!(Pattern::new("fox"), Pattern::new("fox"));
        let names: Vec<_> = (0..200).map(|n| avatar_svg(&format!("bot-{n}"))).collect();
        let mut different = names.clone();
        different.sort();
        different.dedup();
        assert!(different.len() > 195, "{}", different.len());
    }
}
