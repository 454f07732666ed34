//! Measures frames of whole boards per second on one core. Each frame must be the known one.

use std::{hint::black_box, sync::Arc};

use agon_core::Player;
use agon_games::scene::{Board, Hue, Ink, Piece, Scene, Shape};
use agon_games::{GameId, cluster::Board as Hexagons};
use agon_view::paint::{Camera, Frame, Instant, Theme, ThemeName};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn scene(board: Board, cells: Vec<Ink>) -> Scene {
    Scene {
        board,
        cells,
        marks: Vec::new(),
        pieces: Vec::new(),
        title: String::new(),
        players: Vec::new(),
    }
}

/// Makes a grid on which hardly any two neighbours are alike.
fn grid(side: u32, seed: u32) -> Scene {
    let mut number = seed;
    let mut next = || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        number >> 16
    };
    let cell = |_| match next() % 3 {
        0 => Ink::GROUND,
        1 => Ink::faded(Hue::Food, (next() % 64) as u8),
        _ => Ink::faded(Hue::Player(Player((next() % 4) as u16)), (next() % 64) as u8),
    };
    scene(
        Board::Grid { width: side, height: side, wraps: true },
        (0..side * side).map(cell).collect(),
    )
}

/// Makes a board of cluster of the usual size, half full.
fn hexagons() -> Scene {
    let board = Hexagons::new(12);
    let cells: Arc<[_]> = (0..board.cells() as u16).map(|cell| board.coordinates(cell)).collect();
    let piece = |place: u32| Piece {
        id: place,
        place,
        shape: Shape::Disc(85),
        ink: Ink::player(Player((place % 2) as u16)),
    };
    let pieces = (0..cells.len() as u32).step_by(2).map(piece).collect();
    let inks = vec![Ink::GROUND; cells.len()];
    Scene { pieces, ..scene(Board::Hexagon { side: 12, cells, down: 0 }, inks) }
}

/// Returns FNV-1a of all pixels, eight bytes at a time.
fn hash(frame: &Frame) -> u64 {
    let chunks = frame.data().as_chunks::<8>().0;
    chunks.iter().fold(0xcbf2_9ce4_8422_2325, |hash, bytes| {
        (hash ^ u64::from_le_bytes(*bytes)).wrapping_mul(0x100_0000_01b3)
    })
}

fn frames(c: &mut Criterion) {
    let large = grid(320, 1);
    let after = grid(320, 2);
    let usual = grid(200, 3);
    let way = Instant { scene: &after, before: Some(&large), travels: &[], done: 0.5 };
    let hexagons = hexagons();
    let still = Instant::still(&large);
    let cases = [
        ("320x320 at 4 pixels", still, 1280, Some(0x74f2_e060_db0e_e5f5)),
        ("320x320 at 4 pixels, between two", way, 1280, Some(0x145b_1c3d_dc08_2225)),
        ("200x200 at 4 pixels", Instant::still(&usual), 800, Some(0x8dbd_b104_2d57_8155)),
        ("320x320 at half a pixel", Instant::still(&large), 160, Some(0xc1f7_1d62_5f3a_9b9c)),
        ("320x320 at 3.3 pixels", Instant::still(&large), 1056, Some(0xc017_5dfc_ceb3_0ab1)),
        // Discs and hexagons use floats, which other processors may round differently.
        ("cluster at 24 pixels", Instant::still(&hexagons), 576, None),
    ];
    let theme = Theme::new(ThemeName::Dark, GameId::Cellhack.kind());
    let mut group = c.benchmark_group("frames");
    group.throughput(Throughput::Elements(1));
    let mut wrong = Vec::new();
    for (name, instant, side, known) in cases {
        let mut frame = Frame::new(side, side);
        let area = frame.area();
        let zoom = match instant.scene.board {
            Board::Grid { width, .. } => side as f32 / width as f32,
            Board::Hexagon { side: places, .. } => side as f32 / (2 * places) as f32,
        };
        let camera = Camera { zoom, ..Camera::fit(&instant.scene.board, area) };
        group.bench_function(name, |b| {
            b.iter(|| theme.paint_board(black_box(&mut frame), area, black_box(&instant), &camera));
        });
        theme.paint_board(&mut frame, area, &instant, &camera);
        if known.is_some_and(|known| known != hash(&frame)) {
            wrong.push(format!("{name}: {:#x}", hash(&frame)));
        }
    }
    group.finish();
    assert!(wrong.is_empty(), "other frames than known: {wrong:#?}");
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = frames
}
criterion_main!(benches);
