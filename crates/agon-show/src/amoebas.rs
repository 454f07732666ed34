//! Pictures of amoebas in the colours and sizes of the original program.
//!
//! `agon amoebas` writes such a picture for each round. The viewer and films look different.

use agon_core::{Game, Player};
use agon_games::{GameId, amoebas::Amoebas, scene::Ink};
use agon_view::paint::{Area, Frame, Rgb, Theme, ThemeName};
use anyhow::Result;

use crate::film::check_pixels;

/// Pixels per cell.
const ZOOM: u32 = 4;

/// Paints rounds in the colours of the original.
///
/// An amoeba has the colour of its species. A cell without one is green: the more fuel, the
/// brighter.
#[derive(Debug)]
pub struct RoundPainter {
    /// The colour of each species, by player.
    species: Vec<Rgb>,
    frame: Frame,
}

impl RoundPainter {
    /// Makes a painter for this many species; `colors` replaces the usual colours of some.
    pub fn new(players: usize, colors: &[(Player, Rgb)]) -> RoundPainter {
        let mut theme = Theme::new(ThemeName::Classic, GameId::Amoebas.kind());
        for &(player, color) in colors {
            theme.set_player(player, color);
        }
        let species = Player::all(players).map(|player| theme.color(Ink::player(player))).collect();
        RoundPainter { species, frame: Frame::new(1, 1) }
    }

    /// Paints a state. Fails if the world is too large for a picture.
    pub fn paint(&mut self, game: &Amoebas) -> Result<&Frame> {
        let side = game.rules().world_size;
        let full = game.rules().max_cell_energy.max(1);
        let pixels = side * ZOOM;
        check_pixels((pixels, pixels))?;
        self.frame.resize(pixels, pixels);
        for (cell, (fuel, occupant)) in (0u32..).zip(game.fuel().zip(game.occupants())) {
            let color = match occupant {
                Some(species) => self.species[species],
                None => Rgb(0, (u64::from(fuel) * 255 / u64::from(full)) as u8, 0),
            };
            let corner =
                |place: u32| i32::try_from(place * ZOOM).expect("pictures have few pixels");
            let (x, y) = (corner(cell % side), corner(cell / side));
            self.frame.fill(Area { x, y, width: ZOOM, height: ZOOM }, color);
        }
        Ok(&self.frame)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;
    use agon_games::amoebas::Rules;

    use super::*;

    #[test]
    fn colors_are_those_that_are_named_whatever_the_energy() {
        let rules = Rules { world_size: 8, ..Rules::default() };
        let mut position = Amoebas::new(&rules, 2, Seed(1)).unwrap().position();
        position.fuel = (0..64).map(|cell| if cell == 63 { 50 } else { 100 }).collect();
        for (x, amoeba) in (0..).zip(&mut position.amoebas) {
            (amoeba.x, amoeba.y, amoeba.species, amoeba.energy) = (x, 3, x, 7);
        }
        let game = Amoebas::from_position(&rules, Seed(1), position).unwrap();
        let mut painter = RoundPainter::new(2, &[(Player(0), Rgb(255, 128, 0))]);
        let frame = painter.paint(&game).unwrap();
        let at = |x: u32, y: u32| frame.pixel(x * ZOOM, y * ZOOM);
        assert_eq!([at(0, 3), at(1, 3)], [Rgb(255, 128, 0), Rgb(0, 0, 255)]);
        assert_eq!([at(2, 3), at(7, 7)], [Rgb(0, 255, 0), Rgb(0, 127, 0)]);
    }
}
