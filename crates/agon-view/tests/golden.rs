//! Pictures of scenes stay the same.
//!
//! `AGON_REWRITE_GOLDEN=1 cargo test -p agon-view --test all golden` rewrites the known pictures.
//! Look at them before you commit them.

use agon_games::GameId;
use agon_games::scene::{Board, Ink, Travel};
use agon_view::paint::ThemeName::{Classic, Dark, Light};
use agon_view::paint::{Area, Camera, Frame, Instant, Rgb, Screenshot, Theme, ThemeName};

use crate::paint_support::check;
use crate::scenes::{FALLEN, TURNED, grid, grid_after, hexagons};

/// Compares a picture.
fn compare(
    name: &str,
    theme: &Theme,
    (zoom, names): (f32, Option<&[String]>),
    instant: &Instant<'_>,
) {
    let mut frame = Frame::new(1, 1);
    Screenshot { zoom, names }.paint(theme, instant, &mut frame);
    check(name, &frame);
}

#[test]
fn grids_at_all_sizes_in_all_themes_and_on_their_way() {
    let (before, scene) = (grid(), grid_after());
    let still = Instant::still(&before);
    let dark = Theme::new(Dark, GameId::Rezzo.kind());
    for zoom in [1.0, 4.0, 16.0, 40.0] {
        compare(&format!("grid-{zoom}"), &dark, (zoom, None), &still);
    }
    for name in [Light, Classic] {
        let theme = Theme::new(name, GameId::Rezzo.kind());
        compare(&format!("grid-{name}"), &theme, (20.0, None), &still);
    }
    let travel = |from, to| Travel { from, to, ink: Ink::player(agon_core::Player(1)) };
    let travels = [travel(100, 101), travel(96, 107), travel(106, 10)];
    let way = Instant { scene: &scene, before: Some(&before), travels: &travels, done: 0.4 };
    compare("grid-way", &dark, (20.0, None), &way);
}

#[test]
fn a_part_of_a_grid_beside_other_things() {
    let mut frame = Frame::new(120, 90);
    frame.fill(frame.area(), Rgb(90, 30, 60));
    let area = Area { x: 13, y: 11, width: 90, height: 60 };
    let camera = Camera { center: (4.3, 6.1), zoom: 17.5 };
    let theme = Theme::new(Dark, GameId::Rezzo.kind());
    theme.paint_board(&mut frame, area, &Instant::still(&grid()), &camera);
    check("grid-part", &frame);
}

#[test]
fn hexagons_in_all_themes_turn_and_pellets_fall() {
    let [before, scene] = [hexagons(5, 0, &FALLEN), hexagons(5, 1, &TURNED)];
    for name in ThemeName::ALL {
        let theme = Theme::new(name, GameId::Cluster.kind());
        let still = Instant::still(&before);
        compare(&format!("hexagons-{name}"), &theme, (20.0, None), &still);
    }
    let dark = Theme::new(Dark, GameId::Cluster.kind());
    for (name, zoom, done) in [
        ("hexagons-turned", 12.0, 1.0),
        ("hexagons-small", 4.0, 1.0),
        ("hexagons-turning", 12.0, 0.2),
        ("hexagons-falling", 12.0, 0.75),
    ] {
        let instant = Instant { scene: &scene, before: Some(&before), travels: &[], done };
        compare(name, &dark, (zoom, None), &instant);
    }
}

#[test]
fn captions_right_and_below_and_with_what_is_in_hand() {
    let names = ["greedy", "a bot with a long name 2.0", "wanderer", "./my_bot.py"];
    let names = names.map(String::from);
    let dark = Theme::new(Dark, GameId::Cellhack.kind());
    let caption = Some(&names[..]);
    compare("caption-right", &dark, (16.0, caption), &Instant::still(&grid()));
    let mut wide = grid();
    wide.board = Board::Grid { width: 108, height: 1, wraps: true };
    (wide.marks, wide.pieces) = (Vec::new(), Vec::new());
    let light = Theme::new(Light, GameId::Binfection.kind());
    compare("caption-below", &light, (4.0, caption), &Instant::still(&wide));
    let names = ["searcher", "greedy"].map(String::from);
    let dark = Theme::new(Dark, GameId::Cluster.kind());
    let scene = hexagons(5, 0, &FALLEN);
    compare("caption-hand", &dark, (20.0, Some(&names[..])), &Instant::still(&scene));
}

#[test]
fn what_a_viewer_draws() {
    let mut frame = Frame::new(220, 110);
    let paper = Rgb(11, 14, 19);
    let text = Rgb(230, 233, 240);
    let blue = Rgb(44, 157, 255);
    frame.fill(frame.area(), paper);
    frame.rounded(Area { x: 6, y: 6, width: 100, height: 44 }, 8.0, blue, 255);
    frame.outline(Area { x: 112, y: 6, width: 100, height: 44 }, 2, blue);
    frame.blend(Area { x: 90, y: 20, width: 40, height: 20 }, Rgb(255, 130, 24), 128);
    frame.disc((130.0, 66.5), 9.0, blue);
    frame.ring((155.0, 66.5), 9.0, 2.0, text);
    frame.lines(&[(170.0, 60.0), (190.0, 74.0)], 3.0, Rgb(255, 130, 24));
    frame.polygon(&[(196.0, 58.0), (196.0, 76.0), (212.0, 67.0)], text);
    frame.text(12, 10, "Agon äöß", 16, true, paper);
    frame.text(12, 30, "small 0123 →▲●", 12, false, paper);
    frame.text(6, 54, "32 px", 32, false, text);
    frame.text(6, 86, "20 px: …→←↑↓█▀▄■", 20, false, text);
    check("drawing", &frame);
}
