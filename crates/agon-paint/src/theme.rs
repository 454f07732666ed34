//! The colours of inks: a [`Theme`] is a name (dark, light, classic) applied to a game.
//!
//! Scenes name inks, and the painter looks their colours up here. The option `--theme` chooses the
//! name.

mod palette;
mod players;
#[cfg(test)]
mod vision;

use std::{fmt, str::FromStr};

use agon_core::{Player, did_you_mean};
use agon_games::{
    GameId,
    scene::{Hue, Ink},
};
use thiserror::Error;

use crate::{Rgb, canvas::blend};
use palette::{Palette, second};

/// The name of a theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// Dark ground, with colours that colour-blind people can tell apart.
    #[default]
    Dark,
    /// The same on light ground, for paper.
    Light,
    /// The well-known colours of the game.
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

/// An unknown name of a theme.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no theme `{name}`{}", match .suggestion {
    Some(s) => format!("; did you mean `{s}`?"),
    None => " (there are: dark, light, classic)".to_owned(),
})]
pub struct UnknownTheme {
    /// The given name.
    pub name: String,
    /// The theme that was probably meant.
    pub suggestion: Option<&'static str>,
}

impl FromStr for ThemeName {
    type Err = UnknownTheme;

    fn from_str(text: &str) -> Result<ThemeName, UnknownTheme> {
        ThemeName::ALL.into_iter().find(|name| name.to_string() == text).ok_or_else(|| {
            UnknownTheme {
                name: text.to_owned(),
                suggestion: did_you_mean(text, ["dark", "light", "classic"]),
            }
        })
    }
}

/// The colours of all inks, and of a board's surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The game with these colours.
    pub game: GameId,
    /// The background of everything.
    pub paper: Rgb,
    /// Text.
    pub text: Rgb,
    /// Text of less importance, lines, edges.
    pub faint: Rgb,
    /// Lines between the cells of a grid.
    pub line: Rgb,
    /// The colour of each ink by its index, as pixels.
    inks: Vec<[u8; 4]>,
}

impl Theme {
    /// Returns the colours of a theme for a game.
    pub fn new(name: ThemeName, game: GameId) -> Theme {
        let palette = match name {
            ThemeName::Dark => Palette::DARK.of(game),
            ThemeName::Light => Palette::LIGHT.of(game),
            ThemeName::Classic => Palette::classic(game),
        };
        let Palette { paper, text, faint, line, .. } = palette;
        let mut theme =
            Theme { game, paper, text, faint, line, inks: vec![[0, 0, 0, 255]; Ink::COUNT] };
        let mut hues: Vec<Hue> = vec![
            Hue::Ground,
            Hue::Wall,
            Hue::Food,
            Hue::Wire,
            Hue::Head,
            Hue::Tail,
            Hue::Light,
            Hue::Hidden,
            Hue::Accent,
        ];
        for player in (0..MAX_PLAYERS).map(Player) {
            hues.extend([Hue::Player(player), Hue::PlayerSecondary(player)]);
        }
        for hue in hues {
            theme.set(hue, palette.color(hue), palette.ground);
        }
        theme
    }

    /// Gives a player another colour, with a matching second one.
    pub fn set_player(&mut self, player: Player, color: Rgb) {
        let ground = self.color(Ink::GROUND);
        self.set(Hue::Player(player), color, ground);
        self.set(Hue::PlayerSecondary(player), second(color, ground), ground);
    }

    /// Returns the colour of an ink.
    pub fn color(&self, ink: Ink) -> Rgb {
        let [red, green, blue, _] = self.inks[ink.index()];
        Rgb(red, green, blue)
    }

    /// Returns the colours of all inks by [`Ink::index`], as pixels.
    pub(crate) fn table(&self) -> &[[u8; 4]] {
        &self.inks
    }

    /// Sets all strengths of a hue; the weakest is nearly the ground.
    fn set(&mut self, hue: Hue, color: Rgb, ground: Rgb) {
        let least = match hue {
            Hue::Food => 0.04,
            _ => 0.12,
        };
        for strength in 0..=Ink::FULL {
            let part = least + (1.0 - least) * f32::from(strength) / f32::from(Ink::FULL);
            let Rgb(red, green, blue) = blend(ground, color, part);
            self.inks[Ink::faded(hue, strength).index()] = [red, green, blue, 255];
        }
    }
}

/// The number of players with inks.
const MAX_PLAYERS: u16 = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use vision::{Vision, distance};

    /// Returns the first and the second colour of some players.
    fn players(theme: &Theme, count: u16) -> Vec<[Rgb; 2]> {
        let colors = |player| {
            [Hue::Player(player), Hue::PlayerSecondary(player)]
                .map(|hue| theme.color(Ink::new(hue)))
        };
        (0..count).map(Player).map(colors).collect()
    }

    fn designed() -> [Theme; 2] {
        [ThemeName::Dark, ThemeName::Light].map(|name| Theme::new(name, GameId::Cellhack))
    }

    #[test]
    fn players_stand_out_from_the_ground() {
        for theme in designed() {
            let ground = theme.color(Ink::GROUND);
            for (player, [first, second]) in players(&theme, MAX_PLAYERS).into_iter().enumerate() {
                // WCAG 2.2, 1.4.11: graphical objects.
                assert!(
                    first.contrast(ground) >= 3.0,
                    "player {player}: {first:?} {}",
                    first.contrast(ground)
                );
                assert!(
                    second.contrast(ground) >= 1.9,
                    "player {player}: {second:?} {}",
                    second.contrast(ground)
                );
            }
            assert!(theme.text.contrast(theme.paper) >= 7.0);
            assert!(theme.faint.contrast(theme.paper) >= 3.0);
        }
    }

    #[test]
    fn the_first_players_can_be_told_apart_by_whoever_looks() {
        for theme in designed() {
            let colors = players(&theme, 8);
            for (one, [first, _]) in colors.iter().enumerate() {
                for (other, [color, _]) in colors[..one].iter().enumerate() {
                    for (vision, least) in [
                        (Vision::Usual, 0.12),
                        (Vision::Deuteranopia, 0.08),
                        (Vision::Protanopia, 0.08),
                    ] {
                        let distance = distance(*first, *color, vision);
                        assert!(
                            distance >= least,
                            "players {other} and {one}, {vision:?}: {distance}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_player_has_a_colour_of_another_one() {
        for theme in designed() {
            let colors = players(&theme, 24);
            for (one, own) in colors.iter().enumerate() {
                assert!(distance(own[0], own[1], Vision::Usual) >= 0.09, "player {one}: {own:?}");
                for (other, colors) in colors[..one].iter().enumerate() {
                    for (color, theirs) in
                        own.iter().flat_map(|c| colors.map(|theirs| (*c, theirs)))
                    {
                        let distance = distance(color, theirs, Vision::Usual);
                        assert!(
                            distance >= 0.07,
                            "players {other} and {one}: {color:?} {theirs:?} {distance}"
                        );
                    }
                }
            }
            let mut all: Vec<_> =
                players(&theme, MAX_PLAYERS).iter().map(|[Rgb(r, g, b), _]| (*r, *g, *b)).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), usize::from(MAX_PLAYERS));
        }
    }

    #[test]
    fn pellets_of_cluster_stand_out_whatever_their_colour() {
        for name in [ThemeName::Dark, ThemeName::Light] {
            let theme = Theme::new(name, GameId::Cluster);
            let colors: Vec<Rgb> = players(&theme, 2).concat();
            for (index, color) in colors.iter().enumerate() {
                assert!(color.contrast(theme.color(Ink::GROUND)) >= 1.8, "{name}: {color:?}");
                for (other, vision) in colors[..index].iter().flat_map(|c| {
                    [Vision::Usual, Vision::Deuteranopia, Vision::Protanopia].map(|v| (*c, v))
                }) {
                    let distance = distance(*color, other, vision);
                    assert!(distance >= 0.08, "{name}: {color:?} {other:?} {vision:?} {distance}");
                }
            }
        }
    }

    #[test]
    fn classic_colours_are_those_of_the_game() {
        let theme = Theme::new(ThemeName::Classic, GameId::Rezzo);
        let color = |hue| theme.color(Ink::new(hue));
        assert_eq!(color(Hue::Wire), Rgb(127, 127, 127));
        assert_eq!(color(Hue::Tail), Rgb(64, 64, 0));
        assert_eq!(color(Hue::Player(Player(1))), Rgb(64, 64, 255));
        assert_eq!(color(Hue::Ground), Rgb::BLACK);
    }

    #[test]
    fn a_given_colour_comes_with_a_second_one() {
        let mut theme = Theme::new(ThemeName::Dark, GameId::Cluster);
        for color in [Rgb(250, 250, 250), Rgb(10, 60, 200), Rgb(200, 30, 30), Rgb(128, 128, 128)] {
            theme.set_player(Player(1), color);
            let [first, second] = players(&theme, 2)[1];
            assert_eq!(first, color);
            assert!(distance(first, second, Vision::Usual) > 0.09, "{first:?} {second:?}");
        }
    }

    #[test]
    fn weaker_inks_are_nearer_to_the_ground() {
        for name in ThemeName::ALL {
            let theme = Theme::new(name, GameId::Amoebas);
            let ground = theme.color(Ink::GROUND);
            for hue in [Hue::Food, Hue::Player(Player(0)), Hue::Wall] {
                let far = |strength| {
                    distance(theme.color(Ink::faded(hue, strength)), ground, Vision::Usual)
                };
                assert!(
                    far(0) < far(20) && far(20) < far(40) && far(40) < far(Ink::FULL),
                    "{name} {hue:?}"
                );
            }
        }
    }
}
