//! The colours of inks: a [`Theme`] is a name (dark, light, classic) applied to a game.
//!
//! Scenes name inks, and the painter looks their colours up here. The option `--theme` chooses the
//! name.

mod palette;

use std::{fmt, str::FromStr};

use agon_core::{Player, did_you_mean};
use agon_games::any::GameKind;
use agon_games::scene::{Hue, Ink};
use palette::{Palette, second};

use crate::paint::canvas::blend;
use crate::paint::{Area, Rgb};

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

/// What people choose about the colours of boards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appearance {
    /// The theme.
    pub theme: ThemeName,
    /// Whether all players have a pattern.
    pub patterns: bool,
}

impl From<ThemeName> for Appearance {
    fn from(theme: ThemeName) -> Appearance {
        Appearance { theme, patterns: false }
    }
}

impl FromStr for ThemeName {
    type Err = String;

    fn from_str(text: &str) -> Result<ThemeName, String> {
        let known = ThemeName::ALL.into_iter().find(|name| name.to_string() == text);
        known.ok_or_else(|| {
            let hint = match did_you_mean(text, ["dark", "light", "classic"]) {
                Some(meant) => format!("; did you mean `{meant}`?"),
                None => " (there are: dark, light, classic)".to_owned(),
            };
            format!("there is no theme `{text}`{hint}")
        })
    }
}

/// The colours of all inks, and of a board's surroundings.
#[derive(Clone, Debug)]
pub struct Theme {
    /// The game with these colours.
    pub kind: &'static dyn GameKind,
    /// The background of everything.
    pub paper: Rgb,
    /// Text.
    pub text: Rgb,
    /// Text of less importance, lines, edges.
    pub faint: Rgb,
    /// Lines between the cells of a grid.
    pub line: Rgb,
    /// Whether all players have a pattern. Players after the sixth always have one, because nobody
    /// can tell so many colours apart.
    pub patterns: bool,
    /// Whether players' inks stand out from food, too.
    is_food_ground: bool,
    /// The colour of each ink by its index, as pixels.
    pub(crate) inks: Vec<[u8; 4]>,
}

impl Theme {
    /// Returns the colours of a theme for a game.
    pub fn new(name: ThemeName, kind: &'static dyn GameKind) -> Theme {
        let colors = kind.colors();
        let palette = match name {
            ThemeName::Dark => Palette::DARK.of(colors),
            ThemeName::Light => Palette::LIGHT.of(colors),
            ThemeName::Classic => Palette::classic(colors),
        };
        let Palette { paper, text, faint, line, .. } = palette;
        let mut theme = Theme {
            kind,
            paper,
            text,
            faint,
            line,
            patterns: false,
            is_food_ground: name != ThemeName::Classic,
            inks: vec![[0, 0, 0, 255]; Ink::COUNT],
        };
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
        let other = if self.is_food_ground { self.color(Ink::new(Hue::Food)) } else { ground };
        self.set(Hue::PlayerSecondary(player), second(color, [ground, other]), ground);
    }

    /// Returns the colour of an ink.
    pub fn color(&self, ink: Ink) -> Rgb {
        let [red, green, blue, _] = self.inks[ink.index()];
        Rgb(red, green, blue)
    }

    /// Returns whether the things with an ink have a pattern: those of some or all players.
    pub fn has_pattern(&self, ink: Ink) -> bool {
        match ink.hue() {
            Hue::Player(player) | Hue::PlayerSecondary(player) => {
                self.patterns || player.index() >= COLOR_ALONE
            }
            _ => false,
        }
    }

    /// Returns the pattern of an ink, if it has one.
    pub(crate) fn motif(&self, ink: Ink) -> Option<Motif> {
        if self.has_pattern(ink) { Motif::of(ink.hue()) } else { None }
    }

    /// Returns whether things of one of so many players may have a pattern.
    pub(crate) fn has_patterns(&self, players: usize) -> bool {
        self.patterns || players > COLOR_ALONE
    }

    /// Sets all strengths of a hue; the weakest is nearly the ground.
    fn set(&mut self, hue: Hue, color: Rgb, ground: Rgb) {
        let is_player = matches!(hue, Hue::Player(_) | Hue::PlayerSecondary(_));
        let faint = is_player.then(|| self.faintest(color, ground));
        for strength in 0..=Ink::FULL {
            let strong = f32::from(strength) / FULL;
            let part = match (faint, hue) {
                (Some(faint), _) => fade(f32::from(strength), faint),
                (None, Hue::Food) => 0.04 + 0.96 * strong,
                (None, _) => WEAKEST + (1.0 - WEAKEST) * strong,
            };
            let Rgb(red, green, blue) = blend(ground, color, part);
            self.inks[Ink::faded(hue, strength).index()] = [red, green, blue, 255];
        }
    }

    /// Returns the smallest share of a player's colour on the ground that stands out.
    ///
    /// A colour that hardly stands out itself keeps some of its contrast, so that it can fade.
    fn faintest(&self, color: Rgb, ground: Rgb) -> f32 {
        let food = self.is_food_ground.then(|| self.color(Ink::new(Hue::Food)));
        let contrast = |color: Rgb| {
            let on_ground = color.contrast(ground);
            food.map_or(on_ground, |food| on_ground.min(color.contrast(food)))
        };
        let least = match contrast(color) {
            full if full >= FAINT_CONTRAST => FAINT_CONTRAST,
            full => 1.0 + 0.6 * (full - 1.0),
        };
        let parts = (13..=100).map(|percent| percent as f32 / 100.0);
        parts.into_iter().find(|&part| contrast(blend(ground, color, part)) >= least).unwrap_or(1.0)
    }
}

/// The number of players with inks.
const MAX_PLAYERS: u16 = 256;

/// The share of a colour in its weakest ink.
const WEAKEST: f32 = 0.12;

/// The strength from which on a player's ink stands out. Games of Agon use no weaker one.
const VISIBLE: f32 = 16.0;

/// The greatest strength.
const FULL: f32 = Ink::FULL as f32;

/// The contrast of players' inks to the ground: 3 is enough for graphical objects (WCAG 2.2,
/// 1.4.11), and a little more makes up for rounded colours.
const FAINT_CONTRAST: f32 = 3.03;

/// Returns the share of a player's colour at a strength, if `visible` is its share at [`VISIBLE`].
fn fade(strength: f32, visible: f32) -> f32 {
    if strength < VISIBLE {
        WEAKEST + (visible - WEAKEST) * strength / VISIBLE
    } else {
        visible + (1.0 - visible) * (strength - VISIBLE) / (FULL - VISIBLE)
    }
}

/// The number of players who differ by colour alone. Those after them always have a pattern.
pub(super) const COLOR_ALONE: usize = 6;

/// A pattern of three by three fields, some of which are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Motif(u16);

/// The motifs of players, one after the other. No motif is the negative of another.
const MOTIFS: [Motif; 12] = [
    Motif(0b000_010_000),
    Motif(0b000_111_000),
    Motif(0b010_010_010),
    Motif(0b010_111_010),
    Motif(0b100_010_001),
    Motif(0b101_010_101),
    Motif(0b001_010_100),
    Motif(0b111_010_010),
    Motif(0b100_100_111),
    Motif(0b101_101_111),
    Motif(0b101_111_101),
    Motif(0b111_100_111),
];

impl Motif {
    /// Returns the motif of a hue: a player's own one, or its negative for the second colour.
    pub(super) fn of(hue: Hue) -> Option<Motif> {
        let motif = |player: Player| MOTIFS[player.index() % MOTIFS.len()];
        match hue {
            Hue::Player(player) => Some(motif(player)),
            Hue::PlayerSecondary(player) => Some(Motif(!motif(player).0 & 0b111_111_111)),
            _ => None,
        }
    }

    /// Returns the marked parts of an area. It needs at least three pixels on both sides.
    pub(crate) fn parts(self, area: Area) -> impl Iterator<Item = Area> {
        let edge = |start: i32, length: u32, at: u32| {
            (start + (length * at / 3) as i32, length * (at + 1) / 3 - length * at / 3)
        };
        let marked = (0..9).filter(move |field| self.0 >> (8 - field) & 1 == 1);
        marked.map(move |field| {
            let (x, width) = edge(area.x, area.width, field % 3);
            let (y, height) = edge(area.y, area.height, field / 3);
            Area { x, y, width, height }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_motif_is_that_of_somebody_else() {
        let hues = |player| {
            let player = Player(player);
            [Hue::Player(player), Hue::PlayerSecondary(player)]
        };
        let mut motifs: Vec<u16> = (0..MOTIFS.len() as u16)
            .flat_map(hues)
            .map(|hue| Motif::of(hue).expect("players have motifs").0)
            .collect();
        motifs.sort_unstable();
        motifs.dedup();
        assert_eq!(motifs.len(), 2 * MOTIFS.len());
        assert!(!motifs.contains(&0) && !motifs.contains(&0b111_111_111));
        assert_eq!(Motif::of(Hue::Player(Player(12))), Motif::of(Hue::Player(Player(0))));
        assert_eq!(Motif::of(Hue::Food), None);
    }

    #[test]
    fn parts_fill_their_area_without_overlap() {
        for (width, height) in [(3, 3), (4, 5), (7, 3), (40, 41)] {
            let area = Area { x: -2, y: 9, width, height };
            let both = [Hue::Player(Player(5)), Hue::PlayerSecondary(Player(5))];
            let parts: Vec<Area> = both
                .into_iter()
                .flat_map(|hue| Motif::of(hue).expect("players have motifs").parts(area))
                .collect();
            assert!(parts.iter().all(|part| area.contains(*part) && !part.is_empty()));
            let pixels: u32 = parts.iter().map(|part| part.width * part.height).sum();
            assert_eq!(pixels, width * height);
            for (at, part) in parts.iter().enumerate() {
                assert!(parts[..at].iter().all(|other| other.intersection(*part).is_empty()));
            }
        }
    }
}
