//! The look of binfection, for viewers and films: stacks in their owner's colour. Stronger colours
//! mean more units.
//!
//! Units usually double every turn, so strength counts doublings: a stack that has grown once looks
//! one step stronger, be it small or large.

use agon_core::{Decision, Game, Player};

use super::{Answer, Binfection, View};
use crate::scene::{
    Board, Fact, Hue, Ink, LegendEntry, Place, Render, Scene, Series, Travel, counted, grid_place,
    number_marks, player_lines, thousands, title,
};

/// The strength of a single unit, which must be visible.
const FAINTEST: u8 = 20;

impl Render for Binfection {
    const SERIES: &'static [Series<Binfection>] = &[
        Series {
            id: "units",
            title: "units",
            sample: |game, values| {
                values.extend(
                    Player::all(game.players()).map(|player| game.holdings.units(player) as i64),
                );
            },
        },
        Series {
            id: "cells",
            title: "cells",
            sample: |game, values| {
                values.extend(
                    Player::all(game.players()).map(|player| game.holdings.cells(player) as i64),
                );
            },
        },
    ];

    const LEGEND: &'static [LegendEntry] = &[
        LegendEntry::cell(Ink::player(Player(0)), "many units"),
        LegendEntry::cell(Ink::faded(Hue::Player(Player(0)), FAINTEST), "a single unit"),
    ];

    fn scene(&self) -> Scene {
        let (width, height) = (self.field.width, self.field.height);
        let score = |player| {
            let units = self.holdings.units(player);
            let cells = self.holdings.cells(player);
            format!("{}, {}", counted(units, "unit"), counted(cells as u64, "cell"))
        };
        let mut cells = vec![Ink::GROUND; (width * height) as usize];
        for slot in 0..self.field.len() {
            cells[self.field.index(slot) as usize] = self.ink(slot);
        }
        let slots = 0..self.field.len();
        let units = slots.map(|slot| (self.field.index(slot), self.field.units(slot)));
        Scene {
            board: Board::Grid { width, height, wraps: false },
            marks: number_marks(&cells, self.field.len(), units),
            cells,
            pieces: Vec::new(),
            title: title(self),
            players: player_lines(self, score),
        }
    }

    /// The surroundings of a player's cells, as bots see them; everything once the game is over.
    fn scene_for(&self, player: Player) -> Scene {
        let scene = self.scene();
        if self.decisions().is_empty() {
            return scene;
        }
        let seen = View::new(self, player).seen();
        scene.seen_by(player, seen.into_iter().map(|cell| cell.y * self.field.width + cell.x))
    }

    /// Units that leave their cell. Units that leave the field are lost and not shown.
    fn travels(&self, answers: &[Answer]) -> Vec<Travel> {
        let orders = self.directions(answers);
        let travel = |(slot, order): (usize, &Option<super::Direction>)| {
            let from = self.field.index(slot);
            let to = self.field.next(from, (*order)?)?;
            let moves = self.field.units(slot) / 2 > 0;
            moves.then(|| Travel { from, to, ink: Ink::player(self.field.owner(slot)) })
        };
        orders.iter().enumerate().filter_map(travel).collect()
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        assert!(place < self.field.width * self.field.height, "the field has no place {place}");
        let cell = self.field.cell_at(place);
        let mut facts = Vec::new();
        if let Some(owner) = cell.owner {
            let cap = self.rules.cap();
            let grown = cell.units.saturating_mul(self.rules.grow_coefficient).min(cap);
            facts.extend([
                Fact::new("player", owner),
                Fact::new("units", format!("{} of {}", thousands(cell.units), thousands(cap))),
                Fact::new("grows by", thousands(grown.saturating_sub(cell.units))),
            ]);
        }
        facts.push(Fact::new("cell", grid_place(place, self.field.width)));
        facts
    }

    /// A bot decides for all of its cells at once.
    fn decision_at(&self, place: Place) -> Option<Decision> {
        assert!(place < self.field.width * self.field.height, "the field has no place {place}");
        let owner = self.field.cell_at(place).owner?;
        self.decisions().iter().copied().find(|decision| decision.player == owner)
    }
}

impl Binfection {
    fn ink(&self, slot: usize) -> Ink {
        let hue = Hue::Player(self.field.owner(slot));
        Ink::graded(hue, FAINTEST, doublings(self.field.units(slot)), doublings(self.rules.cap()))
    }
}

/// How often 1 must be doubled to make `units`, in eighths, roughly.
fn doublings(units: u64) -> u32 {
    let whole = units.max(1).ilog2();
    // The three binary digits after the first one.
    let eighths = (u128::from(units.max(1)) << 3 >> whole) as u32 - 8;
    whole * 8 + eighths
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;
    use crate::binfection::{Cell, Direction, Move, Position, Rules};
    use crate::scene::Shape;
    use crate::scene::drawing::{draw, facts};

    fn game() -> Binfection {
        let cell = |x, y, owner, units| Cell { x, y, owner: Some(Player(owner)), units };
        let cells = vec![cell(0, 0, 0, 100), cell(1, 0, 0, 1), cell(5, 3, 1, 10)];
        let position = Position { turn: 7, players: 2, cells, fallen: Vec::new() };
        let rules = Rules { field_width: 6, field_height: 4, ..Rules::default() };
        Binfection::from_position(&rules, Seed(0), position).unwrap()
    }

    #[test]
    fn stacks_are_as_strong_as_they_doubled() {
        let scene = game().scene();
        assert_eq!(draw(&scene), ["aa....", "......", "......", ".....b"]);
        assert_eq!([0, 1, 23].map(|place| scene.cells[place].strength()), [63, 20, 41]);
        let numbers: Vec<_> = scene.marks.iter().map(|mark| (mark.place, mark.shape)).collect();
        assert_eq!(
            numbers,
            [(0, Shape::Number(100)), (1, Shape::Number(1)), (23, Shape::Number(10))]
        );
        assert_eq!(
            (scene.title.as_str(), scene.players[0].score.as_str()),
            ("turn 7 of 100", "101 units, 2 cells")
        );
    }

    #[test]
    fn doublings_grow_with_units() {
        assert_eq!([0, 1, 2, 3, 4, 15, 16].map(doublings), [0, 0, 8, 12, 16, 31, 32]);
        assert_eq!(doublings(u64::MAX), 63 * 8 + 7);
    }

    #[test]
    fn a_place_tells_its_stack() {
        let game = game();
        assert_eq!(
            facts(&game.inspect(23)),
            ["player: 1", "units: 10 of 100", "grows by: 10", "cell: 5, 3"]
        );
        assert_eq!(facts(&game.inspect(0))[2], "grows by: 0");
        assert_eq!(facts(&game.inspect(6)), ["cell: 0, 1"]);
        assert_eq!(game.decision_at(1), Some(Decision::new(Player(0), 0)));
        assert_eq!(game.decision_at(2), None);
    }

    #[test]
    fn only_what_leaves_and_arrives_travels() {
        let order = |x, y, direction| Move { x, y, direction };
        let moves = vec![
            order(0, 0, Direction::Down),
            order(1, 0, Direction::Down),
            order(5, 3, Direction::Up),
        ];
        let lost = Answer { moves: vec![order(5, 3, Direction::Right)] };
        let travels = game().travels(&[Answer { moves }, lost]);
        assert_eq!(travels, [Travel { from: 0, to: 6, ink: Ink::player(Player(0)) }]);
    }

    #[test]
    fn players_see_what_is_around_their_cells() {
        let scene = game().scene_for(Player(1));
        assert_eq!(draw(&scene), ["??????", "??????", "????..", "????.b"]);
        assert_eq!(
            (scene.players[0].score.as_str(), scene.players[1].score.as_str()),
            ("", "10 units, 1 cell")
        );
    }
}
