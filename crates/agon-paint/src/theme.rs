//! What inks look like.

use std::{fmt, str::FromStr};

use agon_core::{Player, did_you_mean};
use agon_games::{
    GameId,
    scene::{Hue, Ink},
};
use thiserror::Error;

use crate::Rgb;

/// A theme by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// Dark ground, colours that people who see fewer colours can tell apart.
    #[default]
    Dark,
    /// The same on light ground, for paper.
    Light,
    /// The colours that the game is known by.
    Classic,
}

impl ThemeName {
    /// All themes.
    pub const ALL: [ThemeName; 3] = [ThemeName::Dark, ThemeName::Light, ThemeName::Classic];
}

impl fmt::Display for ThemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ThemeName::Dark => "dark",
            ThemeName::Light => "light",
            ThemeName::Classic => "classic",
        })
    }
}

/// A name that no theme has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no theme `{name}`{}", match .suggestion {
    Some(s) => format!("; did you mean `{s}`?"),
    None => " (there are: dark, light, classic)".to_owned(),
})]
pub struct UnknownTheme {
    /// The name given.
    pub name: String,
    /// The theme that was probably meant.
    pub suggestion: Option<&'static str>,
}

impl FromStr for ThemeName {
    type Err = UnknownTheme;

    fn from_str(text: &str) -> Result<ThemeName, UnknownTheme> {
        ThemeName::ALL.into_iter().find(|name| name.to_string() == text).ok_or_else(|| UnknownTheme {
            name: text.to_owned(),
            suggestion: did_you_mean(text, ["dark", "light", "classic"]),
        })
    }
}

/// The colours of all inks, and of what surrounds a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Behind everything.
    pub paper: Rgb,
    /// Text.
    pub text: Rgb,
    /// Text that matters less, lines, edges.
    pub faint: Rgb,
    inks: Vec<Rgb>,
}

impl Theme {
    /// The colours of a theme for a game.
    pub fn new(name: ThemeName, game: GameId) -> Theme {
        let _ = game;
        let (paper, text, faint) = match name {
            ThemeName::Light => (Rgb(255, 255, 255), Rgb(20, 24, 32), Rgb(150, 156, 168)),
            ThemeName::Dark | ThemeName::Classic => (Rgb(14, 17, 23), Rgb(230, 233, 240), Rgb(110, 118, 132)),
        };
        let mut theme = Theme { paper, text, faint, inks: vec![Rgb::default(); Ink::COUNT] };
        for ink in (0..Ink::COUNT).filter_map(Ink::from_index) {
            let color = match ink.hue() {
                Hue::Ground => paper,
                Hue::Player(player) | Hue::Second(player) => PLAYERS[player.index() % PLAYERS.len()],
                _ => faint,
            };
            theme.inks[ink.index()] = mix(paper, color, ink.strength());
        }
        theme
    }

    /// Gives a player another colour.
    pub fn set_player(&mut self, player: Player, color: Rgb) {
        for strength in 0..=Ink::FULL {
            let ink = Ink::faded(Hue::Player(player), strength);
            self.inks[ink.index()] = mix(self.paper, color, strength);
        }
    }

    /// The colour of an ink.
    pub fn color(&self, ink: Ink) -> Rgb {
        self.inks[ink.index()]
    }
}

/// Eight colours that people who see fewer colours can tell apart (Okabe and Ito, "Color Universal Design", 2008).
const PLAYERS: [Rgb; 8] = [
    Rgb(0, 114, 178),
    Rgb(213, 94, 0),
    Rgb(0, 158, 115),
    Rgb(230, 159, 0),
    Rgb(86, 180, 233),
    Rgb(204, 121, 167),
    Rgb(240, 228, 66),
    Rgb(150, 150, 150),
];

fn mix(from: Rgb, to: Rgb, strength: u8) -> Rgb {
    let part = |from: u8, to: u8| {
        let (from, to, strength, full) =
            (i32::from(from), i32::from(to), i32::from(strength), i32::from(Ink::FULL));
        (from + (to - from) * strength / full) as u8
    };
    Rgb(part(from.0, to.0), part(from.1, to.1), part(from.2, to.2))
}
