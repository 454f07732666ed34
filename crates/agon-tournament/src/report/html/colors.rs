//! Colours of bots: the same as those of players in the viewer.

use std::fmt::Write;

use agon_core::Player;
use agon_games::{GameId, scene::Ink};
use agon_paint::{Rgb, Theme, ThemeName};

/// The number of bots with a colour of their own.
pub(super) const COLORS: usize = 10;

/// Returns `--c0` to `--c9` for dark and light backgrounds, as rules of a style sheet.
pub(super) fn rules(game: GameId) -> String {
    let colors = |name| {
        let theme = Theme::new(name, game);
        let mut text = String::new();
        for at in 0..COLORS {
            let Rgb(red, green, blue) = theme.color(Ink::player(Player(at as u16)));
            // Writing to a string cannot fail.
            let _ = write!(text, "--c{at}:#{red:02x}{green:02x}{blue:02x};");
        }
        text
    };
    format!(
        ":root{{{}}}@media(prefers-color-scheme:light){{:root{{{light}}}}}@media \
         print{{:root{{{light}}}}}\n",
        colors(ThemeName::Dark),
        light = colors(ThemeName::Light)
    )
}
