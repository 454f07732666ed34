//! Players' colours stand out from the board and can be told apart, also by colour-blind people.

use agon_core::Player;
use agon_games::GameId;
use agon_games::scene::{Hue, Ink};
use agon_view::paint::{Rgb, Theme, ThemeName};
use palette::{FromColor, Lab, LinSrgb, Srgb, color_difference::Ciede2000, white_point::D65};

/// A kind of colour vision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vision {
    /// Three kinds of cones.
    Usual,
    /// No cones for red.
    Protanopia,
    /// No cones for green.
    Deuteranopia,
    /// No cones for blue.
    Tritanopia,
}

impl Vision {
    /// All kinds.
    const ALL: [Vision; 4] =
        [Vision::Usual, Vision::Protanopia, Vision::Deuteranopia, Vision::Tritanopia];

    /// Returns the matrix from the real linear red, green and blue to the apparent ones.
    ///
    /// Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color
    /// Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009),
    /// severity 1.0.
    fn matrix(self) -> [[f64; 3]; 3] {
        match self {
            Vision::Usual => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            Vision::Protanopia => [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
            Vision::Deuteranopia => [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
            Vision::Tritanopia => [
                [1.255528, -0.076749, -0.178779],
                [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ],
        }
    }

    /// Returns how a colour looks, as CIELAB for daylight (D65).
    fn seen(self, Rgb(red, green, blue): Rgb) -> Lab<D65, f64> {
        let linear = Srgb::new(red, green, blue).into_format::<f64>().into_linear();
        let real = [linear.red, linear.green, linear.blue];
        let apparent = self.matrix().map(|row| {
            let sum: f64 = row.iter().zip(real).map(|(part, value)| part * value).sum();
            sum.clamp(0.0, 1.0)
        });
        Lab::from_color(LinSrgb::from(apparent))
    }
}

/// Returns the difference of two colours as CIEDE2000: 1 is hardly visible, black and white have
/// 100.
///
/// Source: CIE 142-2001, "Improvement to industrial colour-difference evaluation".
fn difference(one: Rgb, other: Rgb, vision: Vision) -> f64 {
    vision.seen(one).difference(vision.seen(other))
}

/// Returns the least difference of two colours for all kinds of vision.
fn least_difference(one: Rgb, other: Rgb) -> f64 {
    Vision::ALL.iter().map(|&vision| difference(one, other, vision)).fold(f64::INFINITY, f64::min)
}

/// The players who differ by colour alone; those after them have a pattern.
const ALONE: u16 = 6;

/// The players after whom patterns repeat.
const PATTERNS: usize = 12;

/// The players with colours in a table.
const TABLE: u16 = 24;

/// The weakest ink of players that games use.
const WEAKEST: u8 = 16;

/// Both themes of Agon's own design for all games.
fn designed() -> impl Iterator<Item = (String, Theme)> {
    let names = [ThemeName::Dark, ThemeName::Light];
    names.into_iter().flat_map(|name| {
        GameId::OWN
            .into_iter()
            .map(move |game| (format!("{name} {game}"), Theme::new(name, game.kind())))
    })
}

/// Returns the first and the second colour of some players.
fn players(theme: &Theme, count: u16) -> Vec<[Rgb; 2]> {
    let hues = |player| [Hue::Player(player), Hue::PlayerSecondary(player)];
    let colors = |player| hues(player).map(|hue| theme.color(Ink::new(hue)));
    (0..count).map(Player).map(colors).collect()
}

/// Returns a number of players, or as many as the game has at most.
fn at_most(theme: &Theme, count: u16) -> u16 {
    count.min(theme.kind.meta().max_players as u16)
}

/// Returns all pairs of different things with their numbers.
fn pairs<T: Copy>(things: &[T]) -> impl Iterator<Item = ((usize, T), (usize, T))> + '_ {
    let all = || things.iter().copied().enumerate();
    all().flat_map(move |one| all().take(one.0).map(move |other| (other, one)))
}

#[test]
fn grounds_are_very_dark_or_very_light() {
    for (name, theme) in designed() {
        for hue in [Hue::Ground, Hue::Food] {
            let light = theme.color(Ink::new(hue)).luminance();
            assert!(!(0.04..0.7).contains(&light), "{name} {hue:?}: {light}");
        }
        assert!(theme.text.contrast(theme.paper) >= 7.0);
        assert!(theme.faint.contrast(theme.paper) >= 3.0);
    }
}

/// WCAG 2.2, 1.4.11: graphical objects have a contrast of 3 to what is around them.
#[test]
fn players_stand_out_from_the_ground_and_from_food() {
    for (name, theme) in designed() {
        let grounds = [Hue::Ground, Hue::Food].map(|hue| theme.color(Ink::new(hue)));
        for player in (0..256).map(Player) {
            for hue in [Hue::Player(player), Hue::PlayerSecondary(player)] {
                for strength in WEAKEST..=Ink::FULL {
                    let color = theme.color(Ink::faded(hue, strength));
                    for ground in grounds {
                        let contrast = color.contrast(ground);
                        assert!(contrast >= 3.0, "{name} {hue:?} {strength}: {contrast}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_first_players_differ_by_colour_alone_for_everybody() {
    for (name, theme) in designed() {
        let count = at_most(&theme, ALONE);
        let firsts: Vec<Rgb> = players(&theme, count).iter().map(|pair| pair[0]).collect();
        for ((one, color), (other, another)) in pairs(&firsts) {
            for vision in Vision::ALL {
                let far = difference(color, another, vision);
                assert!(far >= 12.0, "{name}, players {one} and {other}, {vision:?}: {far}");
            }
        }
    }
}

#[test]
fn the_first_players_differ_from_what_belongs_to_nobody() {
    let hues = [Hue::Wall, Hue::Wire, Hue::Head, Hue::Tail, Hue::Light, Hue::Hidden, Hue::Accent];
    for (name, theme) in designed() {
        for (player, [first, _]) in players(&theme, at_most(&theme, ALONE)).into_iter().enumerate()
        {
            for hue in hues {
                let far = least_difference(first, theme.color(Ink::new(hue)));
                assert!(far >= 6.0, "{name}, player {player} and {hue:?}: {far}");
            }
        }
    }
}

#[test]
fn faded_players_can_still_be_told_apart() {
    for (name, theme) in designed() {
        let inks = |strength| {
            (0..at_most(&theme, ALONE))
                .map(move |player| Ink::faded(Hue::Player(Player(player)), strength))
        };
        for strengths in [[WEAKEST; 2], [WEAKEST, Ink::FULL], [40, Ink::FULL], [40, WEAKEST]] {
            let [one, other] = strengths.map(|strength| inks(strength).collect::<Vec<_>>());
            for (at, ink) in one.iter().enumerate() {
                for another in other.iter().enumerate().filter(|(to, _)| *to != at) {
                    let far = least_difference(theme.color(*ink), theme.color(*another.1));
                    assert!(far >= 5.0, "{name}, {ink:?} and {another:?}: {far}");
                }
            }
        }
    }
}

#[test]
fn players_with_the_same_pattern_differ_by_colour() {
    for (name, theme) in designed() {
        let colors = players(&theme, at_most(&theme, TABLE));
        for ((one, [color, _]), (other, [another, _])) in pairs(&colors) {
            if (other - one).is_multiple_of(PATTERNS) {
                let far = least_difference(color, another);
                assert!(far >= 12.0, "{name}, players {one} and {other}: {far}");
            }
        }
    }
}

#[test]
fn no_player_has_a_colour_of_another_one() {
    for (name, theme) in designed() {
        let colors = players(&theme, at_most(&theme, TABLE));
        for (player, [first, second]) in colors.iter().enumerate() {
            let far = least_difference(*first, *second);
            assert!(far >= 9.0, "{name}, both colours of player {player}: {far}");
        }
        for ((one, pair), (other, another)) in pairs(&colors) {
            for (color, theirs) in pair.iter().flat_map(|c| another.map(|theirs| (*c, theirs))) {
                let far = difference(color, theirs, Vision::Usual);
                assert!(far >= 3.0, "{name}, players {one} and {other}: {far}");
            }
        }
        let all: std::collections::BTreeSet<_> =
            players(&theme, 256).iter().map(|[Rgb(r, g, b), _]| (*r, *g, *b)).collect();
        assert_eq!(all.len(), 256);
    }
}

#[test]
fn pellets_of_cluster_differ_by_colour_alone_for_everybody() {
    for name in [ThemeName::Dark, ThemeName::Light] {
        let colors: Vec<Rgb> = players(&Theme::new(name, GameId::Cluster.kind()), 2).concat();
        for ((one, color), (other, another)) in pairs(&colors) {
            let far = least_difference(color, another);
            assert!(far >= 12.0, "{name}, colours {one} and {other}: {far}");
        }
    }
}

#[test]
fn classic_colours_are_those_of_the_game() {
    let theme = Theme::new(ThemeName::Classic, GameId::Rezzo.kind());
    let color = |hue| theme.color(Ink::new(hue));
    assert_eq!(color(Hue::Wire), Rgb(127, 127, 127));
    assert_eq!(color(Hue::Tail), Rgb(64, 64, 0));
    assert_eq!(color(Hue::Player(Player(1))), Rgb(64, 64, 255));
    assert_eq!(color(Hue::Ground), Rgb::BLACK);
}

#[test]
fn a_given_colour_comes_with_a_second_one() {
    let mut theme = Theme::new(ThemeName::Dark, GameId::Cluster.kind());
    for color in [Rgb(250, 250, 250), Rgb(10, 60, 200), Rgb(200, 30, 30), Rgb(128, 128, 128)] {
        theme.set_player(Player(1), color);
        let [first, second] = players(&theme, 2)[1];
        assert_eq!(first, color);
        let far = difference(first, second, Vision::Usual);
        assert!(far > 9.0, "{first:?} {second:?}: {far}");
    }
}

#[test]
fn weaker_inks_are_nearer_to_the_ground() {
    for name in ThemeName::ALL {
        let mut theme = Theme::new(name, GameId::Amoebas.kind());
        let ground = theme.color(Ink::GROUND);
        // Colours that people choose may hardly stand out, or not at all.
        theme.set_player(Player(1), Rgb(60, 50, 90));
        theme.set_player(Player(2), ground);
        for hue in [Hue::Food, Hue::Player(Player(0)), Hue::Player(Player(1)), Hue::Wall] {
            let far = |strength| {
                difference(theme.color(Ink::faded(hue, strength)), ground, Vision::Usual)
            };
            let steps = [0, 20, 40, Ink::FULL].map(far);
            assert!(steps.is_sorted_by(|a, b| a < b), "{name} {hue:?}: {steps:?}");
        }
        let same = theme.color(Ink::faded(Hue::Player(Player(2)), 5));
        assert_eq!(same, ground);
    }
}

#[test]
fn all_players_or_only_later_ones_have_patterns() {
    let mut theme = Theme::new(ThemeName::Dark, GameId::Amoebas.kind());
    let patterned = |theme: &Theme| -> Vec<u16> {
        let player = |player: &u16| theme.has_pattern(Ink::player(Player(*player)));
        (0..9).filter(player).collect()
    };
    assert_eq!(patterned(&theme), [6, 7, 8]);
    theme.patterns = true;
    assert_eq!(patterned(&theme), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(!theme.has_pattern(Ink::new(Hue::Food)));
}

#[test]
fn colour_blind_people_see_less_difference() {
    let sees = |one, other, vision| difference(one, other, vision);
    let (red, green) = (Rgb(200, 80, 60), Rgb(120, 125, 40));
    for vision in [Vision::Deuteranopia, Vision::Protanopia] {
        assert!(sees(red, green, vision) < sees(red, green, Vision::Usual) / 2.0, "{vision:?}");
    }
    let (blue, teal) = (Rgb(80, 110, 170), Rgb(60, 130, 110));
    let usual = sees(blue, teal, Vision::Usual);
    assert!(sees(blue, teal, Vision::Tritanopia) < usual / 2.0);
    assert!(sees(blue, teal, Vision::Deuteranopia) > usual / 2.0);
    assert!((sees(Rgb::BLACK, Rgb::WHITE, Vision::Usual) - 100.0).abs() < 1e-3);
    // Everybody sees greys as they are.
    for vision in Vision::ALL {
        for grey in [0, 90, 200, 255].map(|level| Rgb(level, level, level)) {
            let usual = Vision::Usual.seen(grey);
            assert!(usual.difference(vision.seen(grey)) < 0.01, "{vision:?} {grey:?}");
        }
    }
}
