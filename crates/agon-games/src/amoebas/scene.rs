//! The look of amoebas, for viewers and films: fuel, and amoebas in their species' colour. Stronger
//! colours mean more fuel or energy.
//!
//! Amoebas are no pieces: they are clones without a number of their own, so nobody could follow
//! one.

use agon_core::{Decision, Game, Player};

use super::{Amoebas, Answer, turn::arrival};
use crate::scene::{
    Board, ColorPair, Colors, Fact, Hue, Ink, LegendEntry, Mark, Place, Render, Scene, Series,
    Travel, blob, counted, grid_place, number_marks, player_lines, thousands, title,
};

/// The strength of an amoeba without energy: it must stand out from full cells.
const FAINTEST: u8 = 26;

impl Render for Amoebas {
    const SERIES: &'static [Series<Amoebas>] = &[
        Series {
            id: "population",
            title: "amoebas",
            sample: |game, values| {
                values.extend(game.population().size.iter().map(|&size| i64::from(size)))
            },
        },
        Series {
            id: "energy",
            title: "energy of all amoebas",
            sample: |game, values| {
                values.extend(game.population().energy.iter().map(|&energy| energy as i64))
            },
        },
    ];

    const COLORS: Colors = COLORS;

    const LEGEND: &'static [LegendEntry] = &[
        LegendEntry::cell(Ink::player(Player(0)), "amoeba with much energy"),
        LegendEntry::cell(Ink::faded(Hue::Player(Player(0)), FAINTEST), "with little"),
        LegendEntry::cell(Ink::new(Hue::Food), "much fuel"),
        LegendEntry::cell(Ink::faded(Hue::Food, 0), "no fuel"),
    ];

    fn scene(&self) -> Scene {
        let side = self.rules().world_size;
        let score = |player: Player| {
            let size = self.population().size[player.index()];
            let energy = self.population().energy[player.index()];
            format!("{}, energy {}", counted(size.into(), "amoeba"), thousands(energy))
        };
        let cells = self.inks();
        Scene {
            board: Board::Grid { width: side, height: side, wraps: true },
            marks: self.numbers(&cells),
            cells,
            pieces: Vec::new(),
            title: title(self),
            players: player_lines(self, score),
        }
    }

    /// All that a player's amoebas see together; everything once the game is over.
    fn scene_for(&self, player: Player) -> Scene {
        let scene = self.scene();
        if self.decisions().is_empty() {
            return scene;
        }
        let torus = &self.setup.torus;
        let reach = torus.view_distance();
        let around = |cell: usize| {
            let place = torus.place(cell);
            (-reach..=reach).flat_map(move |dy| {
                (-reach..=reach).map(move |dx| torus.cell(place, (dx, dy)) as Place)
            })
        };
        let own = (0..self.board.cells().len())
            .filter(|&cell| self.board.content(cell).species() == Some(player.index()));
        scene.seen_by(player, own.flat_map(around))
    }

    /// Amoebas that move, and children on their way to their cell. Amoebas asked together cannot
    /// meet, so the present board decides which of these actions are possible.
    fn travels(&self, answers: &[Answer]) -> Vec<Travel> {
        assert_eq!(answers.len(), self.decisions().len(), "one answer per decision");
        let travel = |(decision, answer): (&Decision, &Answer)| {
            let to = arrival(
                self.rules(),
                &self.setup.torus,
                &self.board,
                decision.unit as usize,
                answer,
            )?;
            Some(Travel { from: decision.unit, to: to as Place, ink: Ink::player(decision.player) })
        };
        self.decisions().iter().zip(answers).filter_map(travel).collect()
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        let rules = self.rules();
        let cell = place as usize;
        let fuel = Fact::new(
            "fuel",
            format!("{} of {}", self.board.content(cell).fuel(), rules.max_cell_energy),
        );
        let mut facts = Vec::new();
        if let Some(species) = self.board.content(cell).species() {
            let amoeba = self.board.amoeba(cell);
            facts.extend([
                Fact::new("player", species),
                Fact::new("energy", format!("{} of {}", amoeba.energy, rules.max_amoeba_energy)),
                Fact::new("health", format!("{} of {}", amoeba.health, rules.max_amoeba_health)),
            ]);
            facts.extend(amoeba.data.map(|data| Fact::new("data", blob(&data))));
            facts.extend(amoeba.function.map(|function| Fact::new("function", blob(&function))));
            facts
                .push(Fact::new("this round", if amoeba.acted { "has acted" } else { "will act" }));
        }
        facts.extend([fuel, Fact::new("cell", grid_place(place, rules.world_size))]);
        facts
    }

    /// Also for amoebas that will be asked later in the round.
    fn decision_at(&self, place: Place) -> Option<Decision> {
        if self.decisions().is_empty() { None } else { self.waiting(place) }
    }
}

impl Amoebas {
    /// Uses tables, because a world has few amounts and many cells.
    fn inks(&self) -> Vec<Ink> {
        let table = |hue, least, full: u32| -> Vec<Ink> {
            (0..=full).map(|amount| Ink::graded(hue, least, amount, full)).collect()
        };
        let food = table(Hue::Food, 0, self.rules().max_cell_energy);
        let amoeba = |player| table(Hue::Player(player), FAINTEST, self.rules().max_amoeba_energy);
        let amoebas: Vec<Vec<Ink>> = Player::all(self.players()).map(amoeba).collect();
        let cells = self.board.cells().iter();
        cells
            .map(|content| match content.species() {
                None => food[content.fuel() as usize],
                Some(species) => amoebas[species][content.energy() as usize],
            })
            .collect()
    }

    /// The energy of each amoeba.
    fn numbers(&self, cells: &[Ink]) -> Vec<Mark> {
        let count: u32 = self.population().size.iter().sum();
        let occupied = (0..).zip(self.board.cells()).filter(|(_, content)| !content.is_empty());
        let energies = occupied.map(|(place, content)| (place, content.energy().into()));
        number_marks(cells, count as usize, energies)
    }
}

/// Red, blue, yellow, white, gray, orange, magenta, cyan.
const CLASSIC: [ColorPair; 8] = [
    ([255, 0, 0], [255, 115, 115]),
    ([0, 0, 255], [115, 115, 255]),
    ([255, 255, 0], [148, 148, 0]),
    ([255, 255, 255], [148, 148, 148]),
    ([128, 128, 128], [185, 185, 185]),
    ([255, 200, 0], [148, 116, 0]),
    ([255, 0, 255], [255, 115, 255]),
    ([0, 255, 255], [0, 148, 148]),
];

pub(super) const COLORS: Colors = Colors { classic: &CLASSIC, ..Colors::USUAL };

#[cfg(test)]
mod tests {
    use agon_core::{Blob, Seed};

    use super::*;
    use crate::amoebas::{Amoeba, Dir, Position, Rules};
    use crate::scene::Shape;
    use crate::scene::drawing::{draw, facts};

    fn amoeba(x: u32, y: u32, species: u32, energy: u32) -> Amoeba {
        Amoeba { x, y, species, energy, health: 9, data: None, function: None, acted: false }
    }

    fn game() -> Amoebas {
        let rules = Rules { world_size: 9, view_distance: 1, ..Rules::default() };
        let mut fuel = vec![0; 81];
        fuel[1] = 100;
        fuel[2] = 50;
        let known = Amoeba { data: Some(Blob::from("home")), acted: true, ..amoeba(8, 0, 0, 0) };
        let amoebas = vec![amoeba(0, 0, 0, 100), known, amoeba(3, 3, 1, 50)];
        Amoebas::from_position(&rules, Seed(1), Position { players: 2, round: 5, fuel, amoebas })
            .unwrap()
    }

    #[test]
    fn fuel_and_amoebas_are_as_strong_as_there_is_of_them() {
        let scene = game().scene();
        assert_eq!(draw(&scene)[0], "a:::::::a");
        assert_eq!(draw(&scene)[3], ":::b:::::");
        assert_eq!(
            [0, 1, 2, 3, 8, 30].map(|place| scene.cells[place].strength()),
            [63, 63, 31, 0, 26, 44]
        );
        let numbers: Vec<_> = scene.marks.iter().map(|mark| (mark.place, mark.shape)).collect();
        assert_eq!(
            numbers,
            [(0, Shape::Number(100)), (8, Shape::Number(0)), (30, Shape::Number(50))]
        );
        assert_eq!(
            (scene.title.as_str(), scene.players[0].score.as_str()),
            ("round 5 of 1000", "2 amoebas, energy 100")
        );
    }

    #[test]
    fn a_place_tells_its_amoeba_and_its_fuel() {
        let game = game();
        let amoeba = [
            "player: 0",
            "energy: 0 of 100",
            "health: 9 of 10",
            "data: \"home\"",
            "this round: has acted",
        ];
        assert_eq!(facts(&game.inspect(8))[..5], amoeba);
        assert_eq!(facts(&game.inspect(2)), ["fuel: 50 of 100", "cell: 2, 0"]);
        assert_eq!(game.decision_at(0), Some(Decision::new(Player(0), 0)));
        assert_eq!([1, 8].map(|place| game.decision_at(place)), [None, None]);
    }

    #[test]
    fn moves_and_children_travel_and_what_is_not_possible_does_not() {
        let game = game();
        let units: Vec<u32> = game.decisions().iter().map(|decision| decision.unit).collect();
        assert_eq!(units, [0, 30], "far enough from each other to be asked together");
        let ways = |answer: Answer| {
            let travels = game.travels(&[answer, Answer::step(Dir::SE)]);
            travels.iter().map(|way| (way.from, way.to)).collect::<Vec<_>>()
        };
        let other = (30, 40);
        assert_eq!(ways(Answer::step(Dir::N)), [(0, 72), other]);
        assert_eq!(ways(Answer::divide(Dir::NE)), [(0, 73), other]);
        for nothing in
            [Answer::step(Dir::W), Answer::divide(Dir::W), Answer::hit(Dir::N), Answer::REST]
        {
            assert_eq!(ways(nothing), [other]);
        }
    }

    #[test]
    fn players_see_what_their_amoebas_see() {
        let scene = game().scene_for(Player(1));
        let seen: Vec<usize> =
            (0..81).filter(|&place| scene.cells[place].hue() != Hue::Hidden).collect();
        assert_eq!(seen, [20, 21, 22, 29, 30, 31, 38, 39, 40]);
        assert_eq!(scene.marks.len(), 1);
    }
}
