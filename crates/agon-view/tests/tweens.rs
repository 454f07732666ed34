//! Pictures between two scenes.

use agon_core::Player;
use agon_games::GameId;
use agon_games::scene::{Board, Ink, Piece, Scene, Shape, Travel};
use agon_view::paint::{Area, Camera, Frame, Instant, Rgb, Theme, ThemeName};

fn theme() -> Theme {
    Theme::new(ThemeName::Dark, GameId::Cluster.kind())
}

fn paint(instant: &Instant<'_>, zoom: f32) -> Frame {
    let mut frame = Frame::new(300, 280);
    let area = frame.area();
    let camera = Camera { zoom, ..Camera::fit(&instant.scene.board, area) };
    theme().paint_board(&mut frame, area, instant, &camera);
    frame
}

fn pairs() -> Vec<[Scene; 2]> {
    let hexagons = |down, pellets: &[_]| crate::scenes::hexagons(5, down, pellets);
    vec![
        [crate::scenes::grid(), crate::scenes::grid_after()],
        [crate::scenes::grid_after(), crate::scenes::grid()],
        [hexagons(0, &crate::scenes::FALLEN), hexagons(1, &crate::scenes::TURNED)],
        [hexagons(5, &crate::scenes::TURNED[..3]), hexagons(5, &crate::scenes::TURNED)],
    ]
}

const TRAVELS: [Travel; 2] = [
    Travel { from: 3, to: 4, ink: Ink::player(Player(1)) },
    Travel { from: 0, to: 11, ink: Ink::player(Player(0)) },
];

/// Returns the mean difference of two pictures, in 255ths.
fn difference(one: &Frame, other: &Frame) -> f64 {
    let sum: f64 =
        one.data().iter().zip(other.data()).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
    sum / one.data().len() as f64
}

#[test]
fn both_ends_are_the_scenes_there() {
    for [before, scene] in pairs() {
        for zoom in [0.6, 1.0, 4.0, 7.3, 20.0] {
            let at = |done| {
                paint(
                    &Instant { scene: &scene, before: Some(&before), travels: &TRAVELS, done },
                    zoom,
                )
            };
            assert!(
                at(0.0) == paint(&Instant::still(&before), zoom),
                "the beginning at zoom {zoom}"
            );
            assert!(at(1.0) == paint(&Instant::still(&scene), zoom), "the end at zoom {zoom}");
            assert!(at(0.5) != at(0.0) && at(0.5) != at(1.0), "the middle at zoom {zoom}");
        }
    }
}

#[test]
fn nothing_jumps() {
    for [before, scene] in pairs() {
        let at = |done| {
            paint(&Instant { scene: &scene, before: Some(&before), travels: &TRAVELS, done }, 20.0)
        };
        let whole = difference(&at(0.0), &at(1.0));
        let ends = [difference(&at(0.0), &at(0.002)), difference(&at(0.998), &at(1.0))];
        assert!(ends.iter().all(|&step| step < whole * 0.06), "{ends:?} of {whole}");
    }
}

/// Makes a row of places with a piece on one of them.
fn row(place: u32) -> Scene {
    Scene {
        board: Board::Grid { width: 10, height: 1, wraps: true },
        cells: vec![Ink::GROUND; 10],
        marks: Vec::new(),
        pieces: vec![Piece { id: 4, place, shape: Shape::Square, ink: Ink::player(Player(0)) }],
        title: String::new(),
        players: Vec::new(),
    }
}

/// Returns the columns of pixels in which a piece is visible.
fn seen(from: u32, to: u32, done: f32) -> Vec<u32> {
    let before = row(from);
    let scene = row(to);
    let mut frame = Frame::new(40, 4);
    let area = frame.area();
    let camera = Camera::fit(&scene.board, area);
    let theme = theme();
    theme.paint_board(
        &mut frame,
        area,
        &Instant { scene: &scene, before: Some(&before), travels: &[], done },
        &camera,
    );
    let ground = theme.color(Ink::GROUND);
    (0..40).filter(|&x| frame.pixel(x, 2) != ground).collect()
}

#[test]
fn pieces_move_the_shorter_way() {
    assert_eq!(seen(2, 3, 0.5), (10..14).collect::<Vec<_>>());
    assert_eq!(seen(2, 6, 0.5), (16..20).collect::<Vec<_>>());
    assert_eq!(seen(9, 0, 0.5), [0, 1, 38, 39], "over the edge");
    assert_eq!(seen(0, 9, 0.25), [0, 1, 2, 39], "over the edge");
}

#[test]
fn new_pellets_fall_from_above_faster_and_faster() {
    let none = crate::scenes::hexagons(5, 0, &[]);
    let mut scene = crate::scenes::hexagons(5, 0, &crate::scenes::FALLEN[..1]);
    scene.marks.clear();
    let color = theme().color(Ink::player(Player(0)));
    // The middle of the pellet above the lower corner.
    let height = |done| {
        let frame =
            paint(&Instant { scene: &scene, before: Some(&none), travels: &[], done }, 20.0);
        let rows: Vec<u32> = (0..280).filter(|&y| frame.pixel(150, y) == color).collect();
        rows.iter().sum::<u32>() as f32 / rows.len() as f32
    };
    let heights = [0.2, 0.4, 0.6, 0.8, 1.0].map(height);
    let steps: Vec<f32> = heights.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.is_sorted_by(|a, b| *a > 0.0 && b > a), "{heights:?}");
    assert!(heights[0] < 140.0 - 80.0, "{heights:?}");
}

#[test]
fn nothing_is_painted_beside_the_area() {
    let beside = Rgb(1, 2, 3);
    for [before, scene] in pairs() {
        for (done, zoom) in [(1.0, 45.0), (0.4, 45.0), (0.4, 20.0), (0.9, 3.3), (0.4, 0.7)] {
            let mut frame = Frame::new(200, 150);
            frame.fill(frame.area(), beside);
            let area = Area { x: 61, y: 33, width: 77, height: 59 };
            let instant = Instant { scene: &scene, before: Some(&before), travels: &TRAVELS, done };
            for center in [(0.0, 0.0), (5.2, 4.1), (-400.0, 3.0)] {
                theme().paint_board(&mut frame, area, &instant, &Camera { center, zoom });
            }
            for (x, y) in (0..150).flat_map(|y| (0..200).map(move |x| (x, y))) {
                let inside = (61..138).contains(&x) && (33..92).contains(&y);
                assert_eq!(frame.pixel(x, y) != beside, inside, "{x},{y} at zoom {zoom}");
            }
        }
    }
}
