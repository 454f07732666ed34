//! [`Ink`]: a colour by its meaning, such as "wall" or "player 2", with a strength. Games colour
//! their scenes with inks; the themes of `agon-view` turn them into real colours.

use agon_core::Player;
use serde::{Deserialize, Serialize};

/// A colour by what it means: a hue and its strength. A theme says what it looks like.
///
/// Ten bits of hue, six of strength, so that a table of all colours stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct Ink(u16);

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hue {
    /// Nothing is there.
    Ground,
    /// Nothing can be there: rocks, walls.
    Wall,
    /// Food of players, such as fuel.
    Food,
    /// Conductor.
    Wire,
    /// Electron.
    Head,
    /// Tail of an electron.
    Tail,
    /// Photon.
    Light,
    /// Hidden from the viewer.
    Hidden,
    /// A selection or a hint.
    Accent,
    /// A player's things.
    Player(Player),
    /// A player's things of a second kind, such as the second colour of its pellets.
    PlayerSecondary(Player),
}

const FIRST_PLAYER: u16 = 16;
const MAX_PLAYERS: u16 = 256;
const STRENGTHS: u16 = 64;

impl Ink {
    /// How many different inks there are; see [`Ink::index`].
    pub const COUNT: usize = ((FIRST_PLAYER + 2 * MAX_PLAYERS) * STRENGTHS) as usize;

    /// The greatest strength.
    pub const FULL: u8 = STRENGTHS as u8 - 1;

    /// Empty ground.
    pub const GROUND: Ink = Ink::new(Hue::Ground);

    /// A hue at full strength.
    ///
    /// # Panics
    /// If it belongs to a player after the 256th: no game has as many.
    pub const fn new(hue: Hue) -> Ink {
        Ink::faded(hue, Ink::FULL)
    }

    /// A hue with a strength from 0, barely visible, to [`Ink::FULL`].
    ///
    /// # Panics
    /// As [`Ink::new`], and if the strength is greater.
    pub const fn faded(hue: Hue, strength: u8) -> Ink {
        assert!(strength <= Ink::FULL, "there is no such strength");
        let number = match hue {
            Hue::Ground => 0,
            Hue::Wall => 1,
            Hue::Food => 2,
            Hue::Wire => 3,
            Hue::Head => 4,
            Hue::Tail => 5,
            Hue::Light => 6,
            Hue::Hidden => 7,
            Hue::Accent => 8,
            Hue::Player(player) => FIRST_PLAYER + checked(player),
            Hue::PlayerSecondary(player) => FIRST_PLAYER + MAX_PLAYERS + checked(player),
        };
        Ink(number * STRENGTHS + strength as u16)
    }

    /// A hue that grows stronger from `least` to [`Ink::FULL`] as `value` grows from 0 to `full`.
    ///
    /// Greater values are as strong as `full`.
    ///
    /// # Panics
    /// As [`Ink::faded`].
    pub fn graded(hue: Hue, least: u8, value: u32, full: u32) -> Ink {
        assert!(least <= Ink::FULL, "there is no such strength");
        let more =
            u64::from(Ink::FULL - least) * u64::from(value.min(full)) / u64::from(full.max(1));
        Ink::faded(hue, least + more as u8)
    }

    /// An ink that is readable on this one: ground on a strong ink, the full hue on a faded one.
    pub fn contrast(self) -> Ink {
        if self.strength() > Ink::FULL / 2 { Ink::GROUND } else { Ink::new(self.hue()) }
    }

    /// The ink of a player at full strength.
    ///
    /// # Panics
    /// As [`Ink::new`].
    pub const fn player(player: Player) -> Ink {
        Ink::new(Hue::Player(player))
    }

    /// What it means.
    pub fn hue(self) -> Hue {
        match self.0 / STRENGTHS {
            0 => Hue::Ground,
            1 => Hue::Wall,
            2 => Hue::Food,
            3 => Hue::Wire,
            4 => Hue::Head,
            5 => Hue::Tail,
            6 => Hue::Light,
            7 => Hue::Hidden,
            8 => Hue::Accent,
            n if n < FIRST_PLAYER + MAX_PLAYERS => Hue::Player(Player(n - FIRST_PLAYER)),
            n => Hue::PlayerSecondary(Player(n - FIRST_PLAYER - MAX_PLAYERS)),
        }
    }

    /// Its strength, from 0 to [`Ink::FULL`].
    pub fn strength(self) -> u8 {
        (self.0 % STRENGTHS) as u8
    }

    /// A number below [`Ink::COUNT`], for tables of colours.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The ink with this [`index`](Ink::index); `None` if there is none.
    pub fn from_index(index: usize) -> Option<Ink> {
        let ink = Ink(u16::try_from(index).ok()?);
        let hue = ink.0 / STRENGTHS;
        let unused = (9..FIRST_PLAYER).contains(&hue) || index >= Ink::COUNT;
        (!unused).then_some(ink)
    }
}

impl From<Ink> for u16 {
    fn from(ink: Ink) -> u16 {
        ink.0
    }
}

impl TryFrom<u16> for Ink {
    type Error = &'static str;

    fn try_from(index: u16) -> Result<Ink, &'static str> {
        Ink::from_index(index.into()).ok_or("there is no such ink")
    }
}

const fn checked(player: Player) -> u16 {
    assert!(player.0 < MAX_PLAYERS, "there is ink for 256 players");
    player.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inks_tell_what_they_were_made_of() {
        let mut inks = 0;
        for ink in (0..Ink::COUNT).filter_map(Ink::from_index) {
            assert_eq!(Ink::faded(ink.hue(), ink.strength()), ink);
            assert_eq!(Ink::from_index(ink.index()), Some(ink));
            inks += 1;
        }
        assert_eq!(inks, (9 + 2 * 256) * 64);
        assert_eq!(Ink::from_index(Ink::COUNT), None);
    }

    #[test]
    fn grades_go_from_least_to_full() {
        let strength = |value, full| Ink::graded(Hue::Food, 23, value, full).strength();
        assert_eq!([0, 50, 100, 101].map(|value| strength(value, 100)), [23, 43, 63, 63]);
        assert_eq!((strength(0, 0), strength(u32::MAX, u32::MAX)), (23, 63));
    }

    #[test]
    fn what_is_written_on_an_ink_differs_from_it() {
        for ink in
            (0..Ink::COUNT).filter_map(Ink::from_index).filter(|ink| ink.hue() != Hue::Ground)
        {
            let on_it = ink.contrast();
            assert!(on_it.hue() != ink.hue() || on_it.strength() > ink.strength() + 20, "{ink:?}");
        }
    }
}
