//! The look of cluster, for viewers and films: the hexagon with its pellets, turned so that they
//! fall downwards.
//!
//! Pellets are pieces with the number of their placement as id: a painter can let them fall, one by
//! one, and after a rotation all at once. A player's two colours are its ink and its second ink.
//! When runs have ended the game, rings mark them, because nobody would find them on a full board.

use std::{cmp::Ordering, collections::BTreeSet};

use agon_core::{Decision, Game, Player};

use super::{Cell, Cluster, End, longest_runs, owner, pellets::chances};
use crate::scene::{
    Board, ColorPair, Colors, Fact, Hue, Ink, LegendEntry, Mark, Piece, Place, Render, Scene,
    Series, Shape, player_lines, title,
};

/// A pellet takes 85 % of its cell's width, so neighbours hardly touch.
const PELLET: Shape = Shape::Disc(85);

impl Render for Cluster {
    const SERIES: &'static [Series<Cluster>] = &[
        Series {
            id: "run",
            title: "longest run",
            sample: |game, values| {
                let runs = longest_runs(&game.board, &game.pellets);
                values.extend(runs.map(|run| i64::from(run.length)));
            },
        },
        Series {
            id: "pellets",
            title: "pellets on the board",
            sample: |game, values| {
                values.extend(
                    [Player(0), Player(1)].map(|player| i64::from(game.pellets_of(player))),
                );
            },
        },
        Series {
            id: "left",
            title: "pellets left to place",
            sample: |game, values| {
                values.extend(
                    [Player(0), Player(1)].map(|player| i64::from(game.pellets_left(player))),
                );
            },
        },
    ];

    const COLORS: Colors = COLORS;

    const LEGEND: &'static [LegendEntry] = &[
        LegendEntry::piece(PELLET, Ink::player(Player(0)), "color 0"),
        LegendEntry::piece(PELLET, Ink::player(Player(1)), "color 1"),
        LegendEntry::piece(PELLET, Ink::new(Hue::PlayerSecondary(Player(0))), "color 2"),
        LegendEntry::piece(PELLET, Ink::new(Hue::PlayerSecondary(Player(1))), "color 3"),
        LegendEntry::piece(Shape::Ring, Ink::new(Hue::Accent), "run that ended the game"),
    ];

    fn scene(&self) -> Scene {
        let pellets = self.pellets.iter().zip(0..);
        let piece = |(pellet, id): (super::Pellet, u32)| Piece {
            id,
            place: pellet.cell.into(),
            shape: PELLET,
            ink: ink(pellet.color),
        };
        let mark = |cell: Cell| Mark {
            place: cell.into(),
            shape: Shape::Ring,
            ink: Ink::new(Hue::Accent),
        };
        Scene {
            board: Board::Hexagon {
                side: self.board.side() as u32,
                cells: self.board.all_coordinates().clone(),
                down: self.gravity,
            },
            cells: vec![Ink::GROUND; self.board.cells()],
            marks: self.deciding_runs().into_iter().map(mark).collect(),
            pieces: pellets.map(piece).collect(),
            title: self.scene_title(),
            players: self.player_lines(),
        }
    }

    /// Hides the opponent's hand.
    fn scene_for(&self, player: Player) -> Scene {
        let mut scene = self.scene();
        for (i, line) in scene.players.iter_mut().enumerate() {
            if i != player.index() {
                line.hand.clear();
            }
        }
        scene
    }

    /// Columns are numbered anew after each rotation.
    fn columns(&self) -> Vec<(Place, u32)> {
        let top = |column: usize| self.board.top(column, self.gravity).into();
        (0..self.board.columns()).map(|column| (top(column), column as u32)).collect()
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        assert!((place as usize) < self.board.cells(), "the board has no place {place}");
        let cell = place as Cell;
        let mut facts = vec![
            Fact::new("cell", cell),
            Fact::new("column", self.board.column(cell, self.gravity)),
        ];
        if let Some(number) = self.pellets.number_at(cell) {
            let color = self.pellets.get(number).color;
            let run =
                self.board.run_through(cell, |cell| self.pellets.color_at(cell) == Some(color));
            facts.extend([
                Fact::new("player", owner(color)),
                Fact::new("color", color),
                Fact::new("run", run),
                Fact::new("pellet", number),
            ]);
        }
        facts
    }

    /// The player to move decides about the whole board.
    /// The longer run leads; of equally long ones, more of them.
    fn leaders(&self) -> Vec<Player> {
        let [first, second] = chances(&self.board, &self.pellets);
        match first.cmp(&second) {
            _ if self.end.is_some() => self.standing().leaders(),
            Ordering::Greater => vec![Player(0)],
            Ordering::Less => vec![Player(1)],
            Ordering::Equal => Player::all(2).collect(),
        }
    }

    fn decision_at(&self, place: Place) -> Option<Decision> {
        assert!((place as usize) < self.board.cells(), "the board has no place {place}");
        self.decisions().first().copied()
    }
}

impl Cluster {
    /// The title leaves the limit of turns out, because matches rarely come near it.
    fn scene_title(&self) -> String {
        if self.end.is_some() {
            return title(self);
        }
        format!("turn {}, player {} to move", self.progress().turn, self.to_move())
    }

    fn player_lines(&self) -> Vec<crate::scene::PlayerLine> {
        let runs = longest_runs(&self.board, &self.pellets);
        let score = |player: Player| {
            format!("run {}, {} left", runs[player.index()].length, self.pellets_left(player))
        };
        let mut lines = player_lines(self, score);
        if self.end.is_none() {
            let line = &mut lines[self.to_move().index()];
            line.to_move = true;
            line.hand = self.hand.iter().map(|&color| ink(color)).collect();
        }
        lines
    }

    /// The cells of the runs that have decided the game, in order: the winner's, or both players'
    /// if they tie.
    fn deciding_runs(&self) -> BTreeSet<Cell> {
        let mut cells = BTreeSet::new();
        let (deciding, winner) = match self.end {
            Some(End::Run { winner, length }) => (length, Some(winner)),
            Some(End::EqualRunsMorePellets { length, .. } | End::EqualRuns { length }) => {
                (length, None)
            }
            _ => return cells,
        };
        for axis in 0..3 {
            for line in self.board.lines(axis) {
                let runs =
                    line.chunk_by(|&a, &b| self.pellets.color_at(a) == self.pellets.color_at(b));
                for run in runs.filter(|run| run.len() as u32 == deciding) {
                    let owner = self.pellets.color_at(run[0]).map(owner);
                    if owner.is_some() && (winner.is_none() || owner == winner) {
                        cells.extend(run);
                    }
                }
            }
        }
        cells
    }
}

/// The ink of a colour: the player's ink for its first colour, its second ink for the other.
pub(super) fn ink(color: u8) -> Ink {
    let player = owner(color);
    Ink::new(if color < 2 { Hue::Player(player) } else { Hue::PlayerSecondary(player) })
}

/// Blue and light blue, red and orange.
const CLASSIC: [ColorPair; 2] = [([48, 80, 255], [130, 190, 255]), ([235, 30, 30], [255, 150, 70])];

/// Four colours that everybody can tell apart, found by a search (`docs/colours.md`).
const DARK: [ColorPair; 2] = [([134, 140, 245], [0, 235, 255]), ([255, 99, 19], [255, 228, 128])];

/// The same on light ground.
const LIGHT: [ColorPair; 2] = [([23, 7, 73], [158, 42, 230]), ([83, 0, 0], [167, 86, 0])];

pub(super) const COLORS: Colors = Colors {
    classic: &CLASSIC,
    classic_ground: Some([40, 42, 48]),
    dark: &DARK,
    light: &LIGHT,
    are_cells_single: true,
};

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;
    use crate::cluster::{Answer, Board as Hexagon, Pellet, Position, Rules};
    use crate::scene::drawing::{draw, facts};

    /// A board of side 3 whose columns, by number, are filled from the floor with these colours.
    fn game(gravity: u8, columns: &[(usize, &[u8])], hand: &[u8]) -> Cluster {
        let board = Hexagon::new(3);
        let mut pellets: Vec<Pellet> = Vec::new();
        for &(column, colors) in columns {
            for &color in colors {
                let free = |cell| pellets.iter().all(|pellet| pellet.cell != cell);
                let cell = board.landing(column, gravity, free).unwrap();
                pellets.push(Pellet { cell, color });
            }
        }
        let position =
            Position { gravity, pellets, hand: Some(hand.to_vec()), ..Position::default() };
        let rules = Rules { side: 3, bag: Some(9), ..Rules::default() };
        Cluster::from_position(&rules, Seed(0), position).unwrap()
    }

    #[test]
    fn pellets_lie_on_the_hexagon_and_the_player_to_move_shows_its_hand() {
        let scene = game(0, &[(2, &[0, 1]), (0, &[2]), (4, &[3])], &[0, 2]).scene();
        let expected = ["  .", " . .", ". . .", " . .", ". . .", " . .", "A b B", " . .", "  a"];
        assert_eq!(draw(&scene), expected);
        assert_eq!(scene.title, "turn 0, player 0 to move");
        assert_eq!(
            scene.players[0].hand,
            [Ink::player(Player(0)), Ink::new(Hue::PlayerSecondary(Player(0)))]
        );
        assert_eq!((scene.players[0].to_move, scene.players[1].to_move), (true, false));
        let scores: Vec<_> = scene.players.iter().map(|line| line.score.as_str()).collect();
        assert_eq!(scores, ["run 1, 16 left", "run 1, 16 left"]);
        assert_eq!(scene.pieces.iter().map(|piece| piece.id).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn the_board_knows_what_is_down_and_shares_its_coordinates() {
        let mut game = game(0, &[(2, &[0])], &[0, 0]);
        let Board::Hexagon { cells: before, .. } = game.scene().board else { panic!("a hexagon") };
        game.step(&[Answer::Rotate { cycles: 2 }]);
        let Board::Hexagon { cells, down, .. } = game.scene().board else { panic!("a hexagon") };
        assert!(std::sync::Arc::ptr_eq(&before, &cells));
        assert_eq!(down, 2);
    }

    #[test]
    fn columns_are_numbered_at_their_tops() {
        for gravity in 0..6 {
            let game = game(gravity, &[], &[0, 0]);
            let columns = game.columns();
            assert_eq!(columns.len(), 5);
            for (number, &(top, column)) in (0..).zip(&columns) {
                assert_eq!(column, number);
                let cell = top as Cell;
                assert_eq!(game.board.column(cell, gravity), number as usize);
                assert_eq!(game.board.neighbor(cell, (gravity + 3) % 6), None);
            }
        }
    }

    #[test]
    fn hands_are_for_their_owners() {
        let game = game(0, &[], &[0, 2]);
        assert_eq!(game.scene_for(Player(0)), game.scene());
        assert!(game.scene_for(Player(1)).players.iter().all(|line| line.hand.is_empty()));
    }

    #[test]
    fn the_winning_run_is_marked() {
        let mut game = game(0, &[(2, &[0, 0, 0]), (1, &[0, 1]), (3, &[1])], &[0, 0]);
        assert_eq!(game.scene().marks, []);
        game.step(&[Answer::Place { column: 2, color: 0 }]);
        let scene = game.scene();
        let mut winning: Vec<Place> = scene.pieces[..3].iter().map(|piece| piece.place).collect();
        winning.push(scene.pieces[6].place);
        winning.sort_unstable();
        assert_eq!(scene.marks.iter().map(|mark| mark.place).collect::<Vec<_>>(), winning);
        assert_eq!(scene.title, "over: a run of 4");
        assert!(scene.players.iter().all(|line| !line.to_move && line.hand.is_empty()));
        assert!(scene.players[1].out);
        assert_eq!(game.decision_at(0), None);
    }

    #[test]
    fn a_cell_tells_its_pellet_and_its_column() {
        let game = game(4, &[(1, &[3, 3, 0])], &[0, 0]);
        let place = u32::from(game.pellets.get(1).cell);
        let expected = ["column: 1", "player: 1", "color: 3", "run: 2", "pellet: 1"];
        assert_eq!(facts(&game.inspect(place))[1..], expected);
        assert_eq!(facts(&game.inspect(0)), ["cell: 0", "column: 2"]);
        assert_eq!(game.decision_at(0), Some(game.decisions()[0]));
        for gravity in 0..6 {
            let game = self::game(gravity, &[], &[0, 0]);
            for column in 0..5 {
                assert_eq!(game.board.column(game.board.top(column, gravity), gravity), column);
            }
        }
    }
}
