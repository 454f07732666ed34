//! The look of cellhack, for viewers and films: cells in their player's colour. Stronger colours
//! mean more energy.

use agon_core::{Decision, Game, Player};

use super::{Cellhack, EMPTY, ROCK, board::is_cell};
use crate::scene::{
    Board, Fact, Hue, Ink, LegendEntry, Mark, Place, Render, Scene, Series, Travel, counted,
    grid_place, number_marks, player_lines, thousands, title,
};

/// The strength of a cell without energy, which must be visible.
const FAINTEST: u8 = 24;

impl Render for Cellhack {
    const SERIES: &'static [Series<Cellhack>] = &[
        Series {
            id: "cells",
            title: "cells",
            sample: |game, values| values.extend(game.counts.iter().map(|&count| i64::from(count))),
        },
        Series {
            id: "energy",
            title: "energy of all cells",
            sample: |game, values| {
                values.extend(game.energies().into_iter().map(|energy| energy as i64))
            },
        },
    ];

    const LEGEND: &'static [LegendEntry] = &[
        LegendEntry::cell(Ink::player(Player(0)), "cell with much energy"),
        LegendEntry::cell(Ink::faded(Hue::Player(Player(0)), FAINTEST), "with little"),
        LegendEntry::cell(Ink::new(Hue::Wall), "rock"),
    ];

    fn scene(&self) -> Scene {
        let energies = self.energies();
        let score = |player: Player| {
            let cells = self.counts[player.index()];
            let energy = energies[player.index()];
            format!("{}, energy {}", counted(cells.into(), "cell"), thousands(energy))
        };
        let cells: Vec<Ink> = (0..self.board.owner.len()).map(|index| self.ink(index)).collect();
        Scene {
            board: Board::Grid { width: self.rules.width, height: self.rules.height, wraps: true },
            marks: self.numbers(&cells),
            cells,
            pieces: Vec::new(),
            title: title(self),
            players: player_lines(self, score),
        }
    }

    /// The surroundings of a player's cells, without the energy of other cells: bots do not see it
    /// either. Everything once the game is over.
    fn scene_for(&self, player: Player) -> Scene {
        let mut scene = self.scene();
        if self.decisions().is_empty() {
            return scene;
        }
        let is_own = |owner: u8| usize::from(owner) == player.index() + 1;
        for (index, owner) in self.board.cells().filter(|&(_, owner)| !is_own(owner)) {
            scene.cells[index] = Ink::player(Player(u16::from(owner) - 1));
        }
        scene.marks.retain(|mark| is_own(self.board.owner[mark.place as usize]));
        let own = self.board.cells().filter(|&(_, owner)| is_own(owner));
        let around = own
            .flat_map(|(index, _)| (0..9).map(move |at| self.board.neighbour(index, at) as Place));
        scene.seen_by(player, around)
    }

    /// Cells that move, and the halves of cells that split.
    fn travels(&self, answers: &[super::Answer]) -> Vec<Travel> {
        assert_eq!(answers.len(), self.decisions().len(), "one answer per decision");
        let mut travels = Vec::new();
        self.clone().turn(self.decisions(), answers, |from, to| {
            let player = Player(u16::from(self.board.owner[from]) - 1);
            travels.push(Travel { from: from as Place, to: to as Place, ink: Ink::player(player) });
        });
        travels
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        let (owner, energy, memory) = self.place(place as usize);
        let mut facts = match owner {
            EMPTY => Vec::new(),
            ROCK => vec![Fact::new("rock", "nothing can be here")],
            owner => vec![
                Fact::new("player", owner - 1),
                Fact::new("energy", format!("{energy} of {}", self.rules.energy_max)),
                Fact::new("memory", format!("{memory:#x}")),
            ],
        };
        let around = self.board.env(place as usize).0;
        let neighbours =
            around.iter().enumerate().filter(|&(i, &mark)| i != 4 && mark != EMPTY).count();
        facts.push(Fact::new("neighbours", format!("{neighbours} of 8 places taken")));
        facts.push(Fact::new("cell", grid_place(place, self.rules.width)));
        facts
    }

    /// Of places that its cells see, a player knows who is there, and no more of other cells.
    fn inspect_for(&self, player: Player, place: Place) -> Vec<Fact> {
        let is_seen = self.scene_for(player).cells[place as usize].hue() != Hue::Hidden;
        let is_own = self.board.owner[place as usize] == player.0 as u8 + 1;
        let mut facts = if is_seen { self.inspect(place) } else { Vec::new() };
        if !is_own && !self.decisions().is_empty() {
            facts.retain(|fact| matches!(&*fact.name, "player" | "rock" | "cell"));
        }
        facts
    }

    fn decision_at(&self, place: Place) -> Option<Decision> {
        let owner = self.board.owner[place as usize];
        let wanted = is_cell(owner) && !self.decisions().is_empty();
        wanted.then(|| Decision::new(Player(u16::from(owner) - 1), place))
    }
}

impl Cellhack {
    fn ink(&self, index: usize) -> Ink {
        match self.board.owner[index] {
            EMPTY => Ink::GROUND,
            ROCK => Ink::new(Hue::Wall),
            owner => {
                let hue = Hue::Player(Player(u16::from(owner) - 1));
                Ink::graded(
                    hue,
                    FAINTEST,
                    self.board.energy[index] as u32,
                    self.rules.energy_max.into(),
                )
            }
        }
    }

    /// The energy of each cell.
    fn numbers(&self, cells: &[Ink]) -> Vec<Mark> {
        let count: u32 = self.counts.iter().sum();
        let living = self.board.cells();
        let energies = living.map(|(index, _)| (index as Place, self.board.energy[index] as u64));
        number_marks(cells, count as usize, energies)
    }

    /// The sum of the energy of each player's cells.
    fn energies(&self) -> Vec<u64> {
        let mut energies = vec![0; self.players()];
        for (index, owner) in self.board.cells() {
            energies[usize::from(owner) - 1] += self.board.energy[index] as u64;
        }
        energies
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;
    use crate::cellhack::{Action, Answer, Direction, Position, Rules};
    use crate::scene::Shape;
    use crate::scene::drawing::{draw, facts};

    fn game() -> Cellhack {
        let position: Position = serde_json::from_str(
            r#"{"players": 2, "turn": 3, "cells": [
                {"x": 0, "y": 0, "player": 0, "energy": 256, "memory": 255},
                {"x": 1, "y": 1, "player": 0, "energy": 20},
                {"x": 4, "y": 3, "player": 1, "energy": 100}
            ], "rocks": [{"x": 1, "y": 0}]}"#,
        )
        .unwrap();
        let rules = Rules { width: 6, height: 5, ..Rules::default() };
        Cellhack::from_position(&rules, Seed(1), position).unwrap()
    }

    #[test]
    fn cells_are_as_strong_as_their_energy() {
        let scene = game().scene();
        assert_eq!(draw(&scene), ["a#....", ".a....", "......", "....b.", "......"]);
        assert_eq!([0, 7, 22].map(|place| scene.cells[place].strength()), [63, 27, 39]);
        let numbers: Vec<_> = scene.marks.iter().map(|mark| (mark.place, mark.shape)).collect();
        assert_eq!(
            numbers,
            [(0, Shape::Number(256)), (7, Shape::Number(20)), (22, Shape::Number(100))]
        );
        assert_eq!(scene.title, "turn 3 of 500");
        assert_eq!(scene.players[0].score, "2 cells, energy 276");
    }

    #[test]
    fn a_place_tells_what_is_there() {
        let game = game();
        let cell =
            ["player: 0", "energy: 256 of 256", "memory: 0xff", "neighbours: 2 of 8 places taken"];
        assert_eq!(facts(&game.inspect(0))[..4], cell);
        assert_eq!(facts(&game.inspect(6)), ["neighbours: 3 of 8 places taken", "cell: 0, 1"]);
        assert_eq!(facts(&game.inspect(1))[0], "rock: nothing can be here");
        assert_eq!(game.decision_at(22), Some(Decision::new(Player(1), 22)));
        assert_eq!([1, 2].map(|place| game.decision_at(place)), [None, None]);
    }

    #[test]
    fn only_what_happens_travels() {
        let game = game();
        let answers = [
            Action::Move(Direction::Left),
            Action::Split(Direction::Down),
            Action::Split(Direction::Up),
        ];
        let travels = game.travels(&answers.map(Answer::new));
        let mut ways: Vec<_> =
            travels.iter().map(|way| (way.from, way.to, way.ink.hue())).collect();
        ways.sort_unstable();
        assert_eq!(ways, [(0, 5, Hue::Player(Player(0))), (22, 16, Hue::Player(Player(1)))]);
        let wall = [Action::Move(Direction::Right), Action::Rest, Action::Die].map(Answer::new);
        assert_eq!(game.travels(&wall), []);
    }

    #[test]
    fn players_see_what_is_around_their_cells() {
        let scene = game().scene_for(Player(1));
        assert_eq!(draw(&scene), ["??????", "??????", "???...", "???.b.", "???..."]);
        assert_eq!((scene.marks.len(), scene.players[0].score.as_str()), (1, ""));
        assert_eq!(game().inspect_for(Player(1), 0), []);
        assert_eq!(game().inspect_for(Player(1), 22), game().inspect(22));
        // Of another cell in sight, bots see the owner and neither energy nor memory.
        let mut position = game().position();
        position.cells[1].player = 1;
        let close = Cellhack::from_position(game().rules(), game().seed(), position).unwrap();
        assert_eq!(facts(&close.inspect_for(Player(0), 7)), ["player: 1", "cell: 1, 1"]);
        let scene = close.scene_for(Player(0));
        assert_eq!((scene.cells[7], scene.marks.len()), (Ink::player(Player(1)), 1));
    }
}
