//! The colours of a theme at full strength, for one game.
//!
//! [`Theme`](super::Theme) computes all its inks from them.

use agon_core::Player;
use agon_games::scene::{ColorPair, Colors, Hue};

use crate::{paint::Rgb, paint::canvas::blend};

/// The colours of everything; those of players come from a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    pub(super) paper: Rgb,
    pub(super) text: Rgb,
    pub(super) faint: Rgb,
    pub(super) line: Rgb,
    pub(super) ground: Rgb,
    wall: Rgb,
    food: Rgb,
    wire: Rgb,
    head: Rgb,
    tail: Rgb,
    light: Rgb,
    hidden: Rgb,
    accent: Rgb,
    /// First and second colours of players that the game brings along.
    own: &'static [ColorPair],
    /// First and second colours of players in games without their own.
    players: &'static [(Rgb, Rgb)],
}

impl Palette {
    pub(super) const DARK: Palette = Palette {
        paper: Rgb(11, 14, 19),
        text: Rgb(230, 233, 240),
        faint: Rgb(122, 130, 146),
        line: Rgb(13, 16, 22),
        ground: Rgb(21, 26, 34),
        wall: Rgb(82, 90, 104),
        food: Rgb(30, 60, 28),
        wire: Rgb(84, 92, 108),
        head: Rgb(255, 250, 225),
        tail: Rgb(142, 126, 88),
        light: Rgb(160, 255, 250),
        hidden: Rgb(38, 43, 54),
        accent: Rgb::WHITE,
        own: &[],
        players: &DARK,
    };

    pub(super) const LIGHT: Palette = Palette {
        paper: Rgb::WHITE,
        text: Rgb(20, 24, 32),
        faint: Rgb(116, 122, 136),
        line: Rgb(226, 229, 235),
        ground: Rgb(245, 246, 249),
        wall: Rgb(136, 142, 156),
        food: Rgb(206, 232, 188),
        wire: Rgb(192, 197, 208),
        head: Rgb(32, 34, 40),
        tail: Rgb(128, 132, 142),
        light: Rgb(0, 172, 176),
        hidden: Rgb(214, 217, 224),
        accent: Rgb::BLACK,
        own: &[],
        players: &LIGHT,
    };

    /// Returns the game's colours from before Agon.
    pub(super) fn classic(colors: Colors) -> Palette {
        let black = Palette {
            paper: Rgb(8, 8, 10),
            line: Rgb(26, 26, 30),
            ground: Rgb::BLACK,
            wall: Rgb(96, 96, 96),
            food: Rgb(0, 176, 0),
            wire: Rgb(127, 127, 127),
            head: Rgb(255, 255, 0),
            tail: Rgb(64, 64, 0),
            light: Rgb::WHITE,
            hidden: Rgb(32, 32, 36),
            players: &BRIGHT,
            ..Palette::DARK
        };
        let ground = colors.classic_ground.map_or(black.ground, rgb);
        Palette { ground, own: colors.classic, ..black }
    }

    /// Adapts the colours to a game: single cells stand out from the paper.
    pub(super) fn of(self, colors: Colors) -> Palette {
        let lifted = blend(self.ground, self.text, 0.07);
        let ground = if colors.are_cells_single { lifted } else { self.ground };
        let own = if self.is_light() { colors.light } else { colors.dark };
        Palette { ground, own, ..self }
    }

    pub(super) fn color(&self, hue: Hue) -> Rgb {
        match hue {
            Hue::Ground => self.ground,
            Hue::Wall => self.wall,
            Hue::Food => self.food,
            Hue::Wire => self.wire,
            Hue::Head => self.head,
            Hue::Tail => self.tail,
            Hue::Light => self.light,
            Hue::Hidden => self.hidden,
            Hue::Accent => self.accent,
            Hue::Player(player) => self.player(player).0,
            Hue::PlayerSecondary(player) => self.player(player).1,
        }
    }

    fn is_light(&self) -> bool {
        self.ground.luminance() > 0.5
    }

    fn player(&self, player: Player) -> (Rgb, Rgb) {
        let number = player.index();
        if let Some(&(first, second)) = self.own.get(number) {
            return (rgb(first), rgb(second));
        }

        // A game with colours of its own has them for as many players as are usual in it.
        let players = if self.own.is_empty() { self.players } else { &[] };
        let general = if self.is_light() { &LIGHT } else { &DARK };
        let known = players.get(number).or_else(|| general.get(number));
        known.copied().unwrap_or_else(|| {
            let grounds = [self.ground, self.food];
            let color = further(player, grounds);
            (color, second(color, grounds))
        })
    }
}

fn rgb([red, green, blue]: [u8; 3]) -> Rgb {
    Rgb(red, green, blue)
}

/// Returns a colour for a player beyond all tables.
///
/// Hues a golden angle apart are far from those before them.
fn further(player: Player, grounds: [Rgb; 2]) -> Rgb {
    let number = player.index() as f32;
    let hue = (number * 137.507_77).rem_euclid(360.0);
    let color = hsl(
        hue,
        [0.85, 0.55, 0.7][player.index() % 3],
        [0.5, 0.62, 0.42, 0.7, 0.56][player.index() % 5],
    );
    let away = if grounds[0].luminance() > 0.5 { Rgb::BLACK } else { Rgb::WHITE };
    let mut steps = (0..=10).map(|tenth| blend(color, away, tenth as f32 / 10.0));
    steps.find(|&color| stands_out(color, grounds)).unwrap_or(away)
}

/// Returns a colour by hue in degrees, saturation and lightness (CSS Color Module Level 4, 7.1).
fn hsl(hue: f32, saturation: f32, lightness: f32) -> Rgb {
    let amount = saturation * lightness.min(1.0 - lightness);
    let part = |at: f32| {
        let k = (at + hue / 30.0) % 12.0;
        ((lightness - amount * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)) * 255.0 + 0.5) as u8
    };
    Rgb(part(0.0), part(8.0), part(4.0))
}

/// Returns a second colour for a player: the same, but darker or lighter, and as visible.
pub(super) fn second(color: Rgb, grounds: [Rgb; 2]) -> Rgb {
    let bright = if grounds[0].luminance() > 0.5 { 0.1 } else { 0.3 };
    let (darker, lighter) = (blend(color, Rgb::BLACK, 0.42), blend(color, Rgb::WHITE, 0.4));
    let (wanted, other) =
        if color.luminance() > bright { (darker, lighter) } else { (lighter, darker) };
    if !stands_out(wanted, grounds) && stands_out(other, grounds) { other } else { wanted }
}

/// Returns whether a colour is easy to see on all of these.
fn stands_out(color: Rgb, grounds: [Rgb; 2]) -> bool {
    grounds.iter().all(|&ground| color.contrast(ground) >= 3.1)
}

type Pairs<const COUNT: usize> = [(Rgb, Rgb); COUNT];

/// Colours on dark ground, found by a search (`docs/colours.md`).
///
/// The first six differ by colour alone, for colour-blind people as well. The others were added
/// one by one, each in the largest gap between the earlier ones. They have patterns, too.
const DARK: Pairs<24> = [
    (Rgb(71, 204, 246), Rgb(43, 155, 191)),
    (Rgb(253, 90, 24), Rgb(244, 142, 124)),
    (Rgb(220, 252, 107), Rgb(142, 148, 79)),
    (Rgb(220, 137, 173), Rgb(251, 215, 220)),
    (Rgb(133, 130, 255), Rgb(192, 212, 243)),
    (Rgb(113, 172, 120), Rgb(197, 233, 196)),
    (Rgb(254, 178, 38), Rgb(166, 132, 16)),
    (Rgb(226, 19, 234), Rgb(249, 162, 255)),
    (Rgb(91, 138, 144), Rgb(146, 196, 175)),
    (Rgb(252, 18, 85), Rgb(247, 170, 177)),
    (Rgb(201, 194, 241), Rgb(117, 126, 161)),
    (Rgb(253, 184, 159), Rgb(181, 134, 97)),
    (Rgb(169, 169, 8), Rgb(232, 218, 142)),
    (Rgb(146, 139, 144), Rgb(208, 196, 186)),
    (Rgb(10, 142, 222), Rgb(162, 219, 234)),
    (Rgb(44, 246, 133), Rgb(15, 146, 83)),
    (Rgb(171, 112, 103), Rgb(193, 166, 176)),
    (Rgb(152, 114, 175), Rgb(195, 158, 205)),
    (Rgb(170, 184, 181), Rgb(118, 133, 113)),
    (Rgb(89, 142, 17), Rgb(172, 200, 123)),
    (Rgb(194, 114, 0), Rgb(214, 178, 131)),
    (Rgb(64, 186, 178), Rgb(58, 142, 124)),
    (Rgb(102, 196, 19), Rgb(179, 242, 149)),
    (Rgb(135, 181, 255), Rgb(89, 127, 201)),
];

/// Colours on light ground, found in the same way.
const LIGHT: Pairs<24> = [
    (Rgb(22, 68, 145), Rgb(0, 18, 58)),
    (Rgb(103, 49, 1), Rgb(138, 102, 43)),
    (Rgb(50, 0, 52), Rgb(145, 115, 130)),
    (Rgb(117, 111, 10), Rgb(75, 64, 0)),
    (Rgb(167, 16, 245), Rgb(116, 0, 177)),
    (Rgb(0, 119, 91), Rgb(0, 73, 48)),
    (Rgb(251, 2, 62), Rgb(121, 2, 41)),
    (Rgb(133, 73, 89), Rgb(53, 33, 47)),
    (Rgb(36, 59, 13), Rgb(109, 132, 95)),
    (Rgb(184, 104, 24), Rgb(147, 67, 30)),
    (Rgb(7, 107, 127), Rgb(3, 54, 72)),
    (Rgb(236, 20, 149), Rgb(101, 20, 68)),
    (Rgb(56, 14, 13), Rgb(104, 77, 67)),
    (Rgb(36, 120, 252), Rgb(14, 98, 172)),
    (Rgb(29, 145, 4), Rgb(12, 96, 5)),
    (Rgb(136, 7, 124), Rgb(181, 88, 180)),
    (Rgb(167, 1, 20), Rgb(195, 78, 102)),
    (Rgb(125, 99, 158), Rgb(72, 52, 102)),
    (Rgb(49, 0, 142), Rgb(97, 75, 184)),
    (Rgb(52, 40, 20), Rgb(89, 96, 60)),
    (Rgb(169, 108, 95), Rgb(90, 50, 53)),
    (Rgb(87, 89, 86), Rgb(106, 129, 128)),
    (Rgb(134, 122, 98), Rgb(53, 58, 45)),
    (Rgb(10, 47, 42), Rgb(64, 98, 91)),
];

/// Bright colours for games without colours of their own.
const BRIGHT: Pairs<8> = [
    (Rgb(255, 60, 50), Rgb(255, 148, 142)),
    (Rgb(50, 205, 50), Rgb(29, 119, 29)),
    (Rgb(90, 130, 255), Rgb(164, 186, 255)),
    (Rgb(255, 225, 0), Rgb(148, 130, 0)),
    (Rgb(230, 80, 255), Rgb(241, 159, 255)),
    (Rgb(0, 225, 225), Rgb(0, 130, 130)),
    (Rgb(255, 150, 30), Rgb(148, 87, 17)),
    (Rgb(235, 235, 235), Rgb(136, 136, 136)),
];
