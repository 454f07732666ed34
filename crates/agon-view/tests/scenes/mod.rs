//! Handmade scenes with every element that a scene can have.

use std::sync::Arc;

use agon_core::Player;
use agon_games::cluster::Board as Hexagons;
use agon_games::scene::{Arrow, Board, Hue, Ink, Mark, Piece, PlayerLine, Scene, Shape};

fn lines(scores: &[&str], hand: &[Ink]) -> Vec<PlayerLine> {
    let line = |(player, score): (usize, &&str)| PlayerLine {
        ink: Ink::player(Player(player as u16)),
        score: (*score).to_owned(),
        hand: if player == 0 { hand.to_vec() } else { Vec::new() },
        to_move: player == 0,
        out: player == 2,
    };
    scores.iter().enumerate().map(line).collect()
}

fn ink(player: u16) -> Ink {
    Ink::player(Player(player))
}

/// Makes 12×9 places with all hues, strengths, shapes and numbers.
pub(crate) fn grid() -> Scene {
    let (width, height) = (12u32, 9);
    let mut cells = vec![Ink::GROUND; (width * height) as usize];
    let at = |x: u32, y: u32| (y * width + x) as usize;
    let hues = [
        Hue::Wall,
        Hue::Food,
        Hue::Wire,
        Hue::Head,
        Hue::Tail,
        Hue::Light,
        Hue::Hidden,
        Hue::Accent,
    ];
    for (x, hue) in (0..).zip(hues) {
        cells[at(x, 0)] = Ink::new(hue);
    }
    for player in 0..8 {
        cells[at(player, 1)] = Ink::new(Hue::Player(Player(player as u16)));
        cells[at(player, 2)] = Ink::new(Hue::PlayerSecondary(Player(player as u16)));
    }
    for step in 0..12u32 {
        let strength = (step * 63 / 11) as u8;
        cells[at(step, 3)] = Ink::faded(Hue::Food, strength);
        cells[at(step, 4)] = Ink::faded(Hue::Player(Player(0)), strength);
        cells[at(step, 5)] = Ink::faded(Hue::Player(Player(3)), strength);
    }
    let mark = |x, y, shape, ink| Mark { place: at(x, y) as u32, shape, ink };
    let numbers =
        [0, 7, 42, 120, 999, 1_500, 12_345, 999_999, 1_200_000, 34_000_000, 7_000_000_000, 1];
    let mut marks: Vec<_> =
        (0..).zip(numbers).map(|(x, n)| mark(x, 4, Shape::Number(n), Ink::GROUND)).collect();
    marks.push(mark(0, 1, Shape::Number(88), Ink::GROUND));
    marks.extend([
        mark(3, 1, Shape::Ring, Ink::GROUND),
        mark(4, 1, Shape::Flag, Ink::GROUND),
        mark(5, 1, Shape::Cross, Ink::GROUND),
        mark(6, 1, Shape::Disc(40), Ink::GROUND),
        mark(9, 1, Shape::Ring, Ink::new(Hue::Accent)),
        mark(10, 1, Shape::Square, ink(1)),
        mark(11, 1, Shape::Cross, Ink::new(Hue::Accent)),
    ]);
    let piece =
        |id: u32, x, y, shape, color| Piece { id, place: at(x, y) as u32, shape, ink: color };
    let mut pieces: Vec<_> = (0..8u8)
        .map(|eighth| {
            piece(
                eighth.into(),
                eighth.into(),
                7,
                Shape::Pointer(Arrow(eighth)),
                ink(eighth.into()),
            )
        })
        .collect();
    pieces.extend([
        piece(8, 9, 7, Shape::Disc(80), ink(1)),
        piece(9, 10, 7, Shape::Square, ink(2)),
        piece(10, 11, 7, Shape::Flag, ink(3)),
        piece(11, 0, 8, Shape::Ring, ink(4)),
        piece(12, 2, 8, Shape::Cross, ink(5)),
        piece(13, 4, 8, Shape::Number(25), ink(6)),
    ]);
    Scene {
        board: Board::Grid { width, height, wraps: true },
        cells,
        marks,
        pieces,
        title: "turn 12 of 500".to_owned(),
        players: lines(&["312 cells, energy 1 200", "77 cells, energy 40 210", "", "1 cell"], &[]),
    }
}

/// Makes the scene after [`grid`]: pieces have moved, turned, crossed the edge, come and gone.
pub(crate) fn grid_after() -> Scene {
    let mut scene = grid();
    scene.cells.rotate_right(1);
    for piece in &mut scene.pieces {
        piece.place = if piece.id == 11 { 11 + 8 * 12 } else { piece.place - 12 };
        if let Shape::Pointer(Arrow(eighth)) = &mut piece.shape {
            *eighth = (*eighth + 1) % 8;
        }
    }
    scene.pieces[0].place = 7 * 12 + 11;
    scene.pieces.remove(9);
    scene.pieces.push(Piece { id: 99, place: 6 * 12 + 8, shape: Shape::Disc(60), ink: ink(7) });
    scene
}

/// Makes a board of cluster with some pellets.
pub(crate) fn hexagons(side: u32, down: u8, pellets: &[(u32, (i16, i16), u16, bool)]) -> Scene {
    let board = Hexagons::new(side);
    let cells: Arc<[_]> = (0..board.cells() as u16).map(|cell| board.coordinates(cell)).collect();
    let piece = |&(id, at, player, second): &(u32, (i16, i16), u16, bool)| {
        let player = Player(player);
        let ink = Ink::new(if second { Hue::PlayerSecondary(player) } else { Hue::Player(player) });
        let place = cells.iter().position(|&cell| cell == at).expect("the board has it") as u32;
        Piece { id, place, shape: Shape::Disc(85), ink }
    };
    let mut scene = Scene {
        cells: vec![Ink::GROUND; cells.len()],
        marks: Vec::new(),
        pieces: pellets.iter().map(piece).collect(),
        title: "turn 7 of 200, player 0 to move".to_owned(),
        players: lines(
            &["189 left", "190 left"],
            &[ink(0), Ink::new(Hue::PlayerSecondary(Player(0)))],
        ),
        board: Board::Hexagon { side, cells, down },
    };
    if let Some(last) = scene.pieces.last() {
        scene.marks.push(Mark {
            place: last.place,
            shape: Shape::Ring,
            ink: Ink::new(Hue::Accent),
        });
    }
    scene
}

/// Pellets at the bottom of a board of side 5 whose down is South.
pub(crate) const FALLEN: [(u32, (i16, i16), u16, bool); 7] = [
    (0, (0, 4), 0, false),
    (1, (0, 3), 1, false),
    (2, (1, 3), 0, true),
    (3, (-1, 4), 1, true),
    (4, (-2, 4), 0, false),
    (5, (0, 2), 1, true),
    (6, (2, 2), 1, false),
];

/// The same pellets after gravity has turned to SouthWest.
pub(crate) const TURNED: [(u32, (i16, i16), u16, bool); 7] = [
    (0, (0, 4), 0, false),
    (1, (-1, 4), 1, false),
    (2, (0, 3), 0, true),
    (3, (-4, 4), 1, true),
    (4, (-3, 4), 0, false),
    (5, (-2, 4), 1, true),
    (6, (-1, 3), 1, false),
];
