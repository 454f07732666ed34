//! The viewer of games, with inputs like those of a person.

use agon_games::GameId;
use agon_games::amoebas::{self, Amoebas};
use agon_games::any::FullGame;
use agon_games::cellhack::Cellhack;
use agon_games::cluster::{self, Cluster};
use agon_view::paint::{Frame, ThemeName};
use agon_view::{App, Button, Input, Key, open};

use crate::support::{Time, cells, click, replay};

/// Opens a viewer at the first state, painted once with this size.
fn viewer<G: FullGame>(rules: &G::Rules, width: u32, height: u32) -> (Box<dyn App>, Frame) {
    let mut app = open(&replay::<G>(rules, 2, 10_000), ThemeName::Dark).expect("it can be shown");
    let mut frame = Frame::new(width, height);
    app.paint(&mut frame);
    (app, frame)
}

fn press(app: &mut dyn App, keys: &[Key]) {
    for &key in keys {
        app.input(Input::Key(key));
    }
}

#[test]
fn buttons_play_and_pause_and_go_on() {
    let (mut app, frame) = viewer::<Cellhack>(&cells(), 960, 640);
    // The buttons at the lower edge, from the left: start, back, play, forward, end.
    let button = |index: f32| (4.0 + 28.0 * (index + 0.5), 622.0);
    let mut time = Time::default();
    let at = button(2.0);
    click(&mut *app, at);
    assert!(app.status().playing);
    time.pass(&mut *app, 5.0);
    assert!((4..=5).contains(&app.status().turn), "{:?}", app.status());
    click(&mut *app, at);
    let turn = app.status().turn;
    time.pass(&mut *app, 5.0);
    assert_eq!((app.status().turn, app.status().playing), (turn, false));
    for (index, expected) in [(3.0, turn + 1), (1.0, turn), (4.0, 60), (0.0, 0)] {
        let at = button(index);
        click(&mut *app, at);
        assert_eq!(app.status().turn, expected, "button {index}");
    }
    assert_eq!(frame.width(), 960);
}

#[test]
fn keys_do_what_the_list_of_keys_says() {
    let (mut app, mut frame) = viewer::<Cellhack>(&cells(), 640, 480);
    let app = &mut *app;
    press(app, &[Key::Right, Key::Right, Key::Char('.'), Key::Left]);
    assert_eq!(app.status().step, 2);
    press(app, &[Key::End]);
    assert_eq!(app.status().step, 60);
    press(app, &[Key::Char(','), Key::Char(']'), Key::Char(']'), Key::Char('['), Key::Char('t')]);
    let status = app.status();
    assert_eq!((status.step, &*status.speed, &*status.theme), (59, "2/s", "light"));
    press(app, &[Key::Char('+'), Key::ShiftLeft]);
    assert!(!app.status().fits);
    press(app, &[Key::Char('f')]);
    assert!(app.status().fits);
    let before = {
        app.paint(&mut frame);
        frame.clone()
    };
    press(app, &[Key::Char('?')]);
    assert!(app.status().help);
    app.paint(&mut frame);
    assert!(frame != before, "the list of keys is seen");
    press(app, &[Key::Right]);
    assert_eq!(
        (app.status().help, app.status().step),
        (false, 59),
        "a key closes the list, and does no more"
    );
    app.paint(&mut frame);
    assert!(frame == before);
    press(app, &[Key::Char('q')]);
    assert!(app.is_closed());
}

#[test]
fn the_seek_bar_can_be_dragged() {
    let (mut app, _) = viewer::<Cellhack>(&cells(), 960, 640);
    press(&mut *app, &[Key::Char(' ')]);
    app.input(Input::Move { x: 500.0, y: 622.0 });
    app.input(Input::Press(Button::Left));
    let middle = app.status().step;
    assert!((20..40).contains(&middle) && !app.status().playing, "{:?}", app.status());
    app.input(Input::Move { x: 300.0, y: 100.0 });
    assert!(app.status().step < middle, "the bar is held, wherever the pointer is");
    app.input(Input::Move { x: 5000.0, y: 622.0 });
    assert_eq!(app.status().step, 60);
    app.input(Input::Move { x: -5.0, y: 622.0 });
    assert_eq!(app.status().step, 0);
    app.input(Input::Release(Button::Left));
    assert!(app.status().playing, "it goes on as before");
    app.input(Input::Move { x: 500.0, y: 622.0 });
    assert_eq!(app.status().step, 0);
}

#[test]
fn a_click_looks_into_a_cell_and_a_drag_does_not() {
    let (mut app, _) = viewer::<Cellhack>(&cells(), 960, 640);
    let app = &mut *app;
    // Beside a column of 288 pixels the board has cells of 15 pixels, and starts 36 pixels to
    // the right.
    click(app, (36.0 + 15.5 * 15.0, 7.5 + 4.5 * 15.0));
    assert_eq!(app.status().selected, Some(4 * 40 + 15));
    assert!(
        app.status().inspector.contains(&"cell: 15, 4".to_owned()),
        "{:?}",
        app.status().inspector
    );
    press(app, &[Key::Right]);
    assert_eq!(app.status().selected, Some(4 * 40 + 15), "it stays in the next turn");
    press(app, &[Key::Escape]);
    assert_eq!((app.status().selected, app.status().inspector.len()), (None, 0));
    press(app, &[Key::Char('+'), Key::Char('+')]);
    app.input(Input::Move { x: 300.0, y: 300.0 });
    app.input(Input::Press(Button::Left));
    app.input(Input::Move { x: 350.0, y: 310.0 });
    app.input(Input::Release(Button::Left));
    assert_eq!(app.status().selected, None);
}

#[test]
fn the_inspector_finds_the_batch_in_which_an_amoeba_was_asked() {
    let rules = amoebas::Rules { world_size: 20, rounds: 60, ..amoebas::Rules::default() };
    let file = replay::<Amoebas>(&rules, 2, 10_000);
    let (mut app, _) = viewer::<Amoebas>(&rules, 960, 640);
    // At the start of a round the first batch asks some units. All others are found later in
    // the round.
    for _ in 0..25 {
        app.input(Input::Key(Key::Right));
    }
    let start = app.status().step;
    let mut steps = std::collections::BTreeSet::new();
    // 20 cells of 30 pixels, beside a column of 288 pixels: the board starts at 36, 2.
    for place in 0..400u16 {
        let (x, y) = (36 + place % 20 * 30 + 15, 2 + place / 20 * 30 + 15);
        click(&mut *app, (f32::from(x), f32::from(y)));
        let status = app.status();
        assert_eq!((status.selected, status.step), (Some(place.into()), start));
        assert!(
            !status.inspector.iter().any(|line| line.contains("being asked")),
            "all answers are known"
        );
        let Some(heading) = status.inspector.iter().find(|line| line.contains(" answered")) else {
            continue;
        };
        let step = heading
            .rsplit_once("in step ")
            .map_or(start, |(_, step)| step.parse().expect("a number"));
        let game = file.seek(GameId::Amoebas.kind(), step).expect("there is such a step");
        let decision = game.decision_at(place.into()).expect("somebody is asked there");
        let view = serde_json::to_value(<Amoebas as agon_games::jsonl::JsonGame>::observe(
            &agon_core::Game::view(game.of_game::<Amoebas>(), decision),
        ));
        assert_eq!(status.inspector.last(), Some(&view.expect("views are JSON").to_string()));
        steps.insert(step);
    }
    assert!(steps.len() > 1, "{steps:?}");
}

#[test]
fn the_wheel_zooms_around_the_pointer() {
    let (mut app, _) = viewer::<Cellhack>(&cells(), 960, 640);
    let app = &mut *app;
    let at = (36.0 + 15.5 * 15.0, 7.5 + 4.5 * 15.0);
    app.input(Input::Move { x: at.0, y: at.1 });
    for _ in 0..6 {
        app.input(Input::Wheel(1.0));
    }
    click(app, (at.0, at.1));
    assert_eq!(app.status().selected, Some(4 * 40 + 15));
    for _ in 0..20 {
        app.input(Input::Wheel(-1.0));
    }
    assert!(app.status().fits);
}

#[test]
fn all_sizes_and_scales_can_be_painted() {
    let (mut app, _) =
        viewer::<Cluster>(&cluster::Rules { side: 5, ..cluster::Rules::default() }, 320, 240);
    press(&mut *app, &[Key::End, Key::Char('i')]);
    for (width, height) in [(320, 240), (1, 1), (40, 900), (900, 40), (1920, 1080)] {
        for scale in [0.5, 1.0, 2.0, f32::NAN] {
            for help in [false, true] {
                app.input(Input::Scale(scale));
                if help != app.status().help {
                    press(&mut *app, &[Key::Char('?')]);
                }
                app.paint(&mut Frame::new(width, height));
                click(&mut *app, (width as f32 / 2.0, height as f32 / 2.0));
            }
        }
    }
}

#[test]
fn a_chart_shows_the_match_and_leads_through_it() {
    for (width, height) in [(960, 640), (480, 640), (1920, 1080)] {
        let (mut app, mut frame) = viewer::<Cellhack>(&cells(), width, height);
        assert_eq!(app.status().chart, None);
        press(&mut *app, &[Key::Char('c')]);
        let mut time = Time::default();
        time.pass(&mut *app, 1.0);
        let chart = app.status().chart.unwrap();
        assert_eq!((&*chart.series, chart.turns, chart.complete), ("cells", 61, true), "{width}");
        app.paint(&mut frame);
        let at_start = frame.clone();
        // Below the board, above the bar.
        let y = height as f32 - 80.0;
        let right = if width == 480 { 450.0 } else { width as f32 * 0.68 };
        click(&mut *app, (right, y));
        let step = app.status().step;
        assert!(step > 45, "{width}: {step}");
        app.paint(&mut frame);
        assert!(frame.data() != at_start.data());
        app.input(Input::Move { x: right / 2.0, y });
        app.input(Input::Press(Button::Left));
        app.input(Input::Move { x: 1.0, y });
        app.input(Input::Release(Button::Left));
        assert_eq!((app.status().step, app.status().selected), (0, None), "{width}");
        press(&mut *app, &[Key::Char('c')]);
        assert_eq!(app.status().chart.unwrap().series, "energy");
        app.paint(&mut frame);
        assert!(frame.data() != at_start.data());
        press(&mut *app, &[Key::Char('c')]);
        assert_eq!(app.status().chart, None);
    }
    // Where there is no room for lines, nothing can be chosen.
    let (mut app, mut frame) = viewer::<Cellhack>(&cells(), 320, 240);
    press(&mut *app, &[Key::Char('c')]);
    app.paint(&mut frame);
    click(&mut *app, (200.0, 170.0));
    assert_eq!((app.status().step, app.status().selected), (0, None));
}
