//! Whole screens of characters as drawn on a terminal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use agon_core::{Player, Seed};
use agon_games::{GameId, scene::Hue};
use agon_show::terminal::{Capabilities, Colors, draw};
use agon_view::{
    App, Button, Input, Key, LiveStates, Notes, SharedStates, TextApp, Viewer, paint::Frame,
};
use ratatui_core::{backend::TestBackend, style::Color, terminal::Terminal};

use crate::client::stage::{cluster, viewer};

const ASCII: Capabilities = Capabilities { colors: Colors::None, unicode: false };
const TRUE: Capabilities = Capabilities { colors: Colors::True, unicode: true };

fn screen(
    app: &mut dyn TextApp,
    look: Capabilities,
    columns: u16,
    rows: u16,
) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(app, look, &mut Frame::new(1, 1), frame.buffer_mut())).unwrap();
    terminal
}

fn text(terminal: &Terminal<TestBackend>) -> String {
    terminal.backend().to_string()
}

#[test]
fn hexagons_are_staggered() {
    let text = text(&screen(&mut cluster(3), ASCII, 60, 16));
    let board: Vec<&str> =
        text.lines().map(|line| line[1..].split('|').next().unwrap().trim_end()).collect();
    let places: usize = board[..14].iter().map(|line| line.matches('.').count()).sum();
    assert_eq!(places, 19, "{text}");
    assert!(text.contains("|< ") && text.contains(" play ") && text.contains("one"), "{text}");
    assert!(text.is_ascii());
}

#[test]
fn small_terminals_show_all_or_say_so() {
    let least = text(&screen(&mut cluster(3), ASCII, 24, 8));
    assert!(least.contains("play") && least.contains("turn 0"), "{least}");
    let smaller = text(&screen(&mut cluster(3), ASCII, 23, 8));
    assert!(smaller.contains("Too small") && smaller.contains("24x8"), "{smaller}");
    for (columns, rows) in [(1, 1), (3, 2), (500, 3), (2, 200)] {
        screen(&mut cluster(3), TRUE, columns, rows);
    }
}

#[test]
fn places_have_the_colours_of_their_inks() {
    let rules = serde_json::json!({ "field_width": 24, "field_height": 16 });
    let mut viewer = viewer(GameId::Binfection, &rules);
    let terminal = screen(&mut viewer, TRUE, 100, 30);
    let sheet = viewer.sheet();
    assert_eq!(sheet.camera.zoom, 2.0);
    for (place, &ink) in sheet.scene.cells.iter().enumerate() {
        let (x, y) = sheet.camera.pixel_of(&sheet.scene.board, place as u32, sheet.layout.board);
        let cell = &terminal.backend().buffer()[((x - 0.5) as u16, (y / 2.0) as u16)];
        let color = sheet.theme.color(ink);
        assert_eq!(
            (cell.symbol(), cell.bg),
            (" ", Color::Rgb(color.0, color.1, color.2)),
            "{place}"
        );
    }
    let indexed =
        screen(&mut viewer, Capabilities { colors: Colors::Indexed, unicode: true }, 100, 30);
    let is_true = |color| matches!(color, Color::Rgb(..));
    assert!(
        !indexed.backend().buffer().content.iter().any(|cell| is_true(cell.fg) || is_true(cell.bg))
    );
}

#[test]
fn patterns_are_letters() {
    let rules = serde_json::json!({ "field_width": 24, "field_height": 16 });
    let mut viewer = viewer(GameId::Binfection, &rules);
    // The letters on cells of each player.
    let letters = |viewer: &mut Viewer| {
        let terminal = screen(viewer, TRUE, 100, 30);
        let sheet = viewer.sheet();
        let mut found = [0; 2];
        for (place, &ink) in (0..).zip(&sheet.scene.cells) {
            let (x, y) = sheet.camera.pixel_of(&sheet.scene.board, place, sheet.layout.board);
            let cell = &terminal.backend().buffer()[((x - 0.5) as u16, (y / 2.0) as u16)];
            for (player, letter) in [(0, "A"), (1, "B")] {
                if ink.hue() == Hue::Player(Player(player)) {
                    found[usize::from(player)] +=
                        usize::from(cell.symbol().eq_ignore_ascii_case(letter));
                }
            }
        }
        let caption = text(&terminal);
        (found, caption.contains("A one") && caption.contains("B other"))
    };
    assert_eq!(letters(&mut viewer), ([0, 0], false));
    viewer.input(Input::Key(Key::Char('p')));
    let (found, is_told) = letters(&mut viewer);
    assert!(found.iter().all(|&count| count > 0) && is_told, "{found:?}");
    viewer.input(Input::Key(Key::Char('t')));
    assert_eq!(letters(&mut viewer), (found, true), "another theme keeps patterns");
    viewer.input(Input::Key(Key::Char('p')));
    assert_eq!(letters(&mut viewer), ([0, 0], false));
}

#[test]
fn a_click_inspects_what_is_seen_there() {
    let mut viewer = cluster(3);
    screen(&mut viewer, ASCII, 80, 24);
    let sheet = viewer.sheet();
    for place in 0..19 {
        let (x, y) = sheet.camera.pixel_of(&sheet.scene.board, place, sheet.layout.board);
        let mut viewer = cluster(3);
        screen(&mut viewer, ASCII, 80, 24);
        viewer.input(Input::Move { x: x.floor() + 0.5, y: 2.0 * (y / 2.0).floor() + 0.99 });
        viewer.input(Input::Press(Button::Left));
        viewer.input(Input::Release(Button::Left));
        assert_eq!(viewer.status().selected, Some(place));
        let text = text(&screen(&mut viewer, ASCII, 80, 24));
        assert!(text.contains('[') && text.contains(&format!("{place}")), "{text}");
    }
}

#[test]
fn events_are_listed_below_the_players_and_a_click_goes_there() {
    let rules = serde_json::json!({ "side": 3 });
    let mut game = GameId::Cluster.kind().start(&rules, 2, Seed(1)).unwrap();
    let states = SharedStates::new(game.clone());
    for step in 0..12 {
        let answers = game.scripted_answers(Seed(4), step);
        game.step(&answers);
        states.push(&answers, &game);
    }
    states.complete();
    let names = vec!["one".to_owned(), "other".to_owned()];
    let mut viewer = Viewer::new(LiveStates::new(states, names), Notes::default());
    for frame in 0..100 {
        viewer.tick(Duration::from_millis(16 * frame));
    }
    for (look, columns, rows) in [(ASCII, 80, 24), (TRUE, 100, 30)] {
        viewer.input(Input::Key(Key::Home));
        let screen = text(&screen(&mut viewer, look, columns, rows));
        assert!(screen.contains("Events") && screen.contains("one "), "{screen}");
        assert!(screen.contains("place column") || screen.contains("rotate"), "{screen}");
        let (area, turn) = (viewer.sheet().layout.events.unwrap(), viewer.sheet().events[2].turn);
        assert_eq!(turn, viewer.status().events[2].turn);
        // The fourth line: it has the third event, below the heading.
        viewer.input(Input::Move { x: area.x as f32 + 5.5, y: area.y as f32 + 6.99 });
        viewer.input(Input::Press(Button::Left));
        viewer.input(Input::Release(Button::Left));
        assert_eq!(viewer.status().turn, turn);
    }
    // The inspector takes the place of the list.
    viewer.input(Input::Key(Key::Char('i')));
    let screen = text(&screen(&mut viewer, ASCII, 80, 24));
    assert!(!screen.contains("Events") && screen.contains("Click on a cell"), "{screen}");
    // There is no space for a list.
    viewer.input(Input::Key(Key::Char('i')));
    let least = self::screen(&mut viewer, ASCII, 24, 8);
    assert!(text(&least).contains("play"));
    assert_eq!(viewer.sheet().layout.events, None);
}
