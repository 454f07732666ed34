//! Patterns tell players apart without colour.

use agon_core::Player;
use agon_games::GameId;
use agon_games::scene::{Arrow, Board, Hue, Ink, Mark, Piece, PlayerLine, Scene, Shape};
use agon_view::paint::{Area, Camera, Frame, Instant, Rgb, Screenshot, Theme, ThemeName};

/// Makes a scene of so many players: a row of cells with a cell of each.
fn row(players: u16) -> Scene {
    let inks = || (0..players).map(|player| Ink::player(Player(player)));
    let line = |ink| PlayerLine {
        ink,
        score: "1 cell".to_owned(),
        hand: Vec::new(),
        to_move: false,
        out: false,
    };
    Scene {
        board: Board::Grid { width: players.into(), height: 1, wraps: false },
        cells: inks().collect(),
        marks: Vec::new(),
        pieces: Vec::new(),
        title: String::new(),
        players: inks().map(line).collect(),
    }
}

fn theme(patterns: bool, name: ThemeName) -> Theme {
    let mut theme = Theme::new(name, GameId::Amoebas.kind());
    theme.patterns = patterns;
    theme
}

fn paint(theme: &Theme, scene: &Scene, zoom: f32) -> Frame {
    let mut frame = Frame::new(1, 1);
    Screenshot { zoom, names: None }.paint(theme, &Instant::still(scene), &mut frame);
    frame
}

/// Returns the pixels of a cell whose colour is not that of most of its pixels.
fn marked(frame: &Frame, column: u32, zoom: u32) -> Vec<(u32, u32)> {
    let pixels = || (0..zoom).flat_map(|y| (0..zoom).map(move |x| (x, y)));
    // Lines between cells belong to nobody.
    let line = u32::from(zoom >= 12);
    let inner = pixels().filter(|&(x, y)| x >= line && y >= line);
    let color = |(x, y): (u32, u32)| frame.pixel(column * zoom + x, y);
    // The corner of a cell with a margin has no part of a pattern.
    let own = color((line, line));
    inner.filter(|&at| color(at) != own).collect()
}

#[test]
fn the_seventh_player_is_the_first_with_a_pattern() {
    for (patterns, first) in [(false, 6), (true, 0)] {
        let frame = paint(&theme(patterns, ThemeName::Dark), &row(9), 10.0);
        let found: Vec<u32> = (0..9).filter(|&at| !marked(&frame, at, 10).is_empty()).collect();
        assert_eq!(found, (first..9).collect::<Vec<_>>());
    }
}

#[test]
fn twelve_players_differ_without_any_colour() {
    for zoom in [6, 9, 10, 16, 40] {
        let mut scene = row(12);
        // All have the same colour; only whose cell it is differs.
        let mut theme = theme(true, ThemeName::Light);
        for player in (0..12).map(Player) {
            theme.set_player(player, Rgb(30, 90, 200));
        }
        let frame = paint(&theme, &scene, zoom as f32);
        let shapes: Vec<_> = (0..12).map(|column| marked(&frame, column, zoom)).collect();
        for (one, shape) in shapes.iter().enumerate() {
            assert!(!shape.is_empty(), "player {one} at zoom {zoom}");
            assert!(!shapes[..one].contains(shape), "player {one} at zoom {zoom}");
        }
        scene.cells.reverse();
        let mirrored = paint(&theme, &scene, zoom as f32);
        assert_eq!(marked(&mirrored, 11, zoom), shapes[0]);
    }
}

#[test]
fn small_cells_have_no_pattern_and_cells_of_three_pixels_have_one() {
    let plain = theme(false, ThemeName::Dark);
    let patterned = theme(true, ThemeName::Dark);
    for (zoom, differs) in [(0.5, false), (1.0, false), (2.0, false), (3.0, true), (4.5, true)] {
        let scene = row(6);
        let same = paint(&plain, &scene, zoom) == paint(&patterned, &scene, zoom);
        assert_eq!(!same, differs, "zoom {zoom}");
    }
}

#[test]
fn patterns_are_seen_and_numbers_on_them_stay_readable() {
    for name in ThemeName::ALL {
        let theme = theme(true, name);
        let players = 24;
        let frame = paint(&theme, &row(players), 10.0);
        for player in 0..players {
            let own = theme.color(Ink::player(Player(player)));
            let (x, y) = marked(&frame, player.into(), 10)[0];
            let mark = frame.pixel(u32::from(player) * 10 + x, y);
            let seen = mark.contrast(own);
            assert!(seen >= 1.3, "{name}, player {player}: {seen}");
            let readable = own.contrasting().contrast(mark);
            assert!(readable >= 2.0, "{name}, player {player}: {readable}");
        }
    }
}

#[test]
fn numbers_and_patterns_do_not_cover_each_other() {
    let paint = |number: Option<u64>, patterns, zoom| {
        let mut scene = row(1);
        scene.marks.extend(number.map(|number| Mark {
            place: 0,
            shape: Shape::Number(number),
            ink: Ink::GROUND,
        }));
        paint(&theme(patterns, ThemeName::Dark), &scene, zoom)
    };
    // In a small cell there is only the pattern, in a larger one both.
    assert!(paint(Some(7), false, 18.0) != paint(None, false, 18.0));
    assert!(paint(Some(7), true, 18.0) == paint(None, true, 18.0));
    let [both, number, pattern] = [(Some(7), true), (Some(7), false), (None, true)]
        .map(|(number, patterns)| paint(number, patterns, 30.0));
    assert!(both != number && both != pattern);
    for (x, y) in (9..30).flat_map(|y| (9..30).map(move |x| (x, y))) {
        assert_eq!(both.pixel(x, y), number.pixel(x, y), "the number is all there");
    }
}

#[test]
fn terminals_get_boards_without_patterns() {
    let scene = row(12);
    let board = |patterns: bool, plain: bool| {
        let theme = theme(patterns, ThemeName::Dark);
        let mut frame = Frame::new(130, 20);
        let area = frame.area();
        let camera = Camera { zoom: 10.0, ..Camera::fit(&scene.board, area) };
        let instant = Instant::still(&scene);
        match plain {
            true => theme.paint_plain_board(&mut frame, area, &instant, &camera),
            false => theme.paint_board(&mut frame, area, &instant, &camera),
        }
        frame
    };
    assert!(board(true, true) == board(false, true));
    assert!(board(true, true) != board(false, false), "the seventh player has a pattern");
    assert!(board(true, false) != board(false, false));
}

#[test]
fn pieces_have_patterns_as_far_as_their_shape_has_room() {
    let with = |shape, patterns: bool, board| {
        let mut scene = row(1);
        scene.cells = vec![Ink::GROUND];
        scene.board = board;
        scene.pieces.push(Piece { id: 0, place: 0, shape, ink: Ink::player(Player(0)) });
        paint(&theme(patterns, ThemeName::Dark), &scene, 24.0)
    };
    let square = Board::Grid { width: 1, height: 1, wraps: false };
    let hexagon = Board::Hexagon { side: 1, cells: [(0, 0)].into(), down: 0 };
    for board in [square, hexagon] {
        for (shape, has_room) in [
            (Shape::Disc(85), true),
            (Shape::Square, true),
            (Shape::Pointer(Arrow(3)), true),
            (Shape::Disc(5), false),
            (Shape::Ring, false),
        ] {
            let differs = with(shape, true, board.clone()) != with(shape, false, board.clone());
            assert_eq!(differs, has_room, "{shape:?} on {board:?}");
        }
    }
}

#[test]
fn swatches_show_the_pattern_of_their_player() {
    let mut frame = Frame::new(30, 30);
    let theme = theme(true, ThemeName::Dark);
    let swatch = Area { x: 4, y: 4, width: 10, height: 20 };
    for ink in [Ink::player(Player(3)), Ink::new(Hue::PlayerSecondary(Player(3))), Ink::GROUND] {
        frame.fill(frame.area(), theme.color(ink));
        let before = frame.clone();
        theme.draw_pattern(&mut frame, swatch, ink);
        assert_eq!(frame != before, ink != Ink::GROUND, "{ink:?}");
    }
    let tiny = Area { x: 4, y: 4, width: 2, height: 0 };
    let before = frame.clone();
    theme.draw_pattern(&mut frame, tiny, Ink::player(Player(3)));
    assert!(frame == before);
}
