//! Pictures of scenes stay the same.
//!
//! `AGON_REWRITE_GOLDEN=1 cargo test -p agon-view --test all golden` rewrites the known pictures.
//! Look at them before you commit them.

use agon_games::{
    GameId,
    scene::{Ink, Scene, Travel},
};
use agon_view::paint::{
    Area, Camera, Caption, Frame, Instant, Painter, Rgb, Screenshot, Theme, ThemeName,
};

fn painter(name: ThemeName, game: GameId) -> Painter {
    Painter::new(Theme::new(name, game))
}

/// Paints a picture without a caption.
fn picture(painter: &Painter, instant: &Instant<'_>, zoom: f32) -> Frame {
    let mut frame = Frame::new(1, 1);
    Screenshot { zoom, caption: Caption::None }.paint(painter, instant, &mut frame);
    frame
}

#[test]
fn grids_at_all_sizes() {
    let scene = crate::scenes::grid();
    for zoom in [1.0, 4.0, 16.0, 40.0] {
        let frame =
            picture(&painter(ThemeName::Dark, GameId::Rezzo), &Instant::still(&scene), zoom);
        crate::paint_support::check(&format!("grid-{zoom}"), &frame);
    }
}

#[test]
fn grids_in_all_themes() {
    let scene = crate::scenes::grid();
    for name in [ThemeName::Light, ThemeName::Classic] {
        let frame = picture(&painter(name, GameId::Rezzo), &Instant::still(&scene), 20.0);
        crate::paint_support::check(&format!("grid-{name}"), &frame);
    }
}

#[test]
fn grids_on_their_way() {
    let before = crate::scenes::grid();
    let scene = crate::scenes::grid_after();
    let travel = |from, to| Travel { from, to, ink: Ink::player(agon_core::Player(1)) };
    let travels = [travel(100, 101), travel(96, 107), travel(106, 10)];
    let instant = Instant { scene: &scene, before: Some(&before), travels: &travels, done: 0.4 };
    crate::paint_support::check(
        "grid-way",
        &picture(&painter(ThemeName::Dark, GameId::Rezzo), &instant, 20.0),
    );
}

#[test]
fn a_part_of_a_grid_beside_other_things() {
    let scene = crate::scenes::grid();
    let mut frame = Frame::new(120, 90);
    frame.fill(frame.area(), Rgb(90, 30, 60));
    let area = Area { x: 13, y: 11, width: 90, height: 60 };
    let camera = Camera { center: (4.3, 6.1), zoom: 17.5 };
    painter(ThemeName::Dark, GameId::Rezzo).board(
        &mut frame,
        area,
        &Instant::still(&scene),
        &camera,
    );
    crate::paint_support::check("grid-part", &frame);
}

fn hexagons() -> [Scene; 2] {
    [
        crate::scenes::hexagons(5, 0, &crate::scenes::FALLEN),
        crate::scenes::hexagons(5, 1, &crate::scenes::TURNED),
    ]
}

#[test]
fn hexagons_in_all_themes() {
    let [scene, turned] = hexagons();
    for name in ThemeName::ALL {
        let frame = picture(&painter(name, GameId::Cluster), &Instant::still(&scene), 20.0);
        crate::paint_support::check(&format!("hexagons-{name}"), &frame);
    }
    let dark = painter(ThemeName::Dark, GameId::Cluster);
    crate::paint_support::check("hexagons-turned", &picture(&dark, &Instant::still(&turned), 12.0));
    crate::paint_support::check("hexagons-small", &picture(&dark, &Instant::still(&turned), 4.0));
}

#[test]
fn hexagons_turn_and_pellets_fall() {
    let [before, scene] = hexagons();
    for (name, done) in [("hexagons-turning", 0.2), ("hexagons-falling", 0.75)] {
        let instant = Instant { scene: &scene, before: Some(&before), travels: &[], done };
        crate::paint_support::check(
            name,
            &picture(&painter(ThemeName::Dark, GameId::Cluster), &instant, 12.0),
        );
    }
}

#[test]
fn captions_right_and_below() {
    let names: Vec<_> = ["greedy", "a bot with a long name 2.0", "wanderer", "./my_bot.py"]
        .map(String::from)
        .into();
    let mut frame = Frame::new(1, 1);
    let caption = Caption::Players(&names);
    let dark = painter(ThemeName::Dark, GameId::Cellhack);
    Screenshot { zoom: 16.0, caption }.paint(
        &dark,
        &Instant::still(&crate::scenes::grid()),
        &mut frame,
    );
    crate::paint_support::check("caption-right", &frame);
    let mut wide = crate::scenes::grid();
    wide.board = agon_games::scene::Board::Grid { width: 108, height: 1, wraps: true };
    (wide.marks, wide.pieces) = (Vec::new(), Vec::new());
    let light = painter(ThemeName::Light, GameId::Binfection);
    Screenshot { zoom: 4.0, caption }.paint(&light, &Instant::still(&wide), &mut frame);
    crate::paint_support::check("caption-below", &frame);
}

#[test]
fn a_caption_with_what_is_in_hand() {
    let names = ["searcher", "greedy"].map(String::from);
    let mut frame = Frame::new(1, 1);
    let still = Screenshot { zoom: 20.0, caption: Caption::Players(&names) };
    still.paint(
        &painter(ThemeName::Dark, GameId::Cluster),
        &Instant::still(&hexagons()[0]),
        &mut frame,
    );
    crate::paint_support::check("caption-hand", &frame);
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
    frame.line((170.0, 60.0), (190.0, 74.0), 3.0, Rgb(255, 130, 24));
    frame.triangle([(196.0, 58.0), (196.0, 76.0), (212.0, 67.0)], text);
    frame.text(12, 10, "Agon äöß", 16, true, paper);
    frame.text(12, 30, "small 0123 →▲●", 12, false, paper);
    frame.text(6, 54, "32 px", 32, false, text);
    frame.text(6, 86, "20 px: …→←↑↓█▀▄■", 20, false, text);
    crate::paint_support::check("drawing", &frame);
}
