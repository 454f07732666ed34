//! What a person at the board sees and can do: their units, the buttons, the keys in between.

use std::{sync::mpsc, time::Duration};

use agon_core::{Game, Player, Prompter as _, Seed};
use agon_games::{
    amoebas::{self, Amoebas},
    binfection::{self, Binfection},
    cluster::{self, Cluster},
    human::HumanInput,
    jsonl::JsonGame,
};
use agon_paint::Frame;
use agon_view::{
    App, HumanPlayer, Input, Key, LiveStates, Notes, PromptOutcome, PromptQueue, Redraw,
    SharedStates, Viewer,
};

/// A match in a thread of its own, in which the first player is a person, and the second answers
/// once it may.
struct Table<G: HumanInput + JsonGame> {
    viewer: Viewer<G>,
    now: Duration,
    /// Lets the second player answer.
    other: Option<mpsc::Sender<()>>,
}

impl<G: HumanInput + JsonGame> Table<G> {
    fn new(game: G, turns: usize, answer: fn(&G) -> G::Answer) -> Table<G> {
        let shared = SharedStates::new(game.clone());
        let names = vec!["rosa".to_owned(), "searcher".to_owned()];
        let prompts = PromptQueue::default();
        let person = HumanPlayer::new(prompts.clone(), names.clone(), vec![Player(0)]);
        let viewer = Viewer::new(LiveStates::new(shared.clone(), names), Notes::default())
            .with_overlay(Box::new(person));
        let (other, may) = mpsc::channel();
        std::thread::spawn(move || {
            let mut game = game;
            for step in 0..turns {
                let mut answers = vec![];
                for decision in game.decisions().to_vec() {
                    if decision.player == Player(0) {
                        let outcome = prompts.ask(&game, step as u64, Player(0), &[decision], None);
                        let PromptOutcome::Answers(given) = outcome else { return };
                        answers.extend(given);
                    } else {
                        if may.recv().is_err() {
                            return;
                        }
                        answers.push(answer(&game));
                    }
                }
                game.step(&answers);
                shared.push(&answers, &game);
            }
        });
        let mut table = Table { viewer, now: Duration::ZERO, other: Some(other) };
        table.viewer.paint(&mut Frame::new(960, 640));
        table
    }

    fn tick(&mut self) {
        self.now += Duration::from_millis(16);
        self.viewer.tick(self.now);
        std::thread::sleep(Duration::from_millis(1));
    }

    /// Ticks until the status is as wanted.
    fn until(&mut self, what: &str, is_there: impl Fn(&agon_view::Status) -> bool) {
        for _ in 0..5_000 {
            if is_there(&self.viewer.status()) {
                return;
            }
            self.tick();
        }
        panic!("{what}: {:?}", self.viewer.status());
    }

    fn key(&mut self, key: Key) -> Redraw {
        self.viewer.input(Input::Key(key))
    }
}

fn cluster() -> Cluster {
    Cluster::new(&cluster::Rules { side: 5, ..cluster::Rules::default() }, 2, Seed(4)).unwrap()
}

/// Drops a pellet into the middle column.
fn place(game: &Cluster) -> cluster::Answer {
    cluster::Answer::Place { column: 4, color: game.hand()[0] }
}

fn binfection(side: u32, spawns: u32) -> Binfection {
    let rules = binfection::Rules {
        field_width: side,
        field_height: side,
        spawns_number: spawns,
        ..binfection::Rules::default()
    };
    Binfection::new(&rules, 2, Seed(1)).unwrap()
}

#[test]
fn keys_during_a_movement_count_for_the_next_turn_and_never_seek() {
    let mut table = Table::new(cluster(), 6, place);
    table.until("a question", |status| !status.choices.is_empty());
    table.key(Key::Char('1'));
    table.key(Key::Enter);
    table.until("it waits", |status| {
        status.message.as_deref() == Some("Your orders are given: waiting for searcher")
    });
    // While the other one thinks, and while its move is shown.
    table.key(Key::Left);
    table.other.as_ref().unwrap().send(()).unwrap();
    table.until("the other has moved", |status| status.steps == 2);
    table.key(Key::Char('1'));
    let status = table.viewer.status();
    assert!(status.following && status.step == 2, "it looks back: {status:?}");
    table.key(Key::Enter);
    table.until("the third move", |status| status.steps == 3);
    assert!(table.viewer.status().following);
    // Keys of the viewer stay what they are.
    table.key(Key::Char('?'));
    assert!(table.viewer.status().help);
}

#[test]
fn whoever_looks_back_keeps_the_keys_of_the_viewer() {
    let mut table = Table::new(cluster(), 6, place);
    table.until("a question", |status| !status.choices.is_empty());
    table.key(Key::Char('1'));
    table.key(Key::Enter);
    table.until("a move", |status| status.step == 1);
    table.key(Key::Home);
    assert!(!table.viewer.status().following);
    table.key(Key::Right);
    assert_eq!(table.viewer.status().step, 1);
    table.key(Key::Left);
    assert_eq!(table.viewer.status().step, 0);
}

#[test]
fn a_large_board_opens_at_the_own_units_and_keeps_the_chosen_one_in_sight() {
    let mut table = Table::new(binfection(200, 2), 4, |_| Default::default());
    table.until("a question", |status| !status.choices.is_empty());
    table.until("it is zoomed", |status| !status.fits);
    // The whole board is asked for, and stays.
    table.key(Key::Char('f'));
    assert!(table.viewer.status().fits);
    for _ in 0..10 {
        table.tick();
    }
    assert!(table.viewer.status().fits, "it zooms again");
}

#[test]
fn a_small_board_is_shown_as_a_whole() {
    let mut table = Table::new(binfection(12, 1), 4, |_| Default::default());
    table.until("a question", |status| !status.choices.is_empty());
    for _ in 0..10 {
        table.tick();
    }
    assert!(table.viewer.status().fits);
}

#[test]
fn the_button_that_gives_the_orders_is_always_there() {
    for (width, height, scale) in [
        (390, 844, 1.0),
        (844, 390, 1.0),
        (1280, 800, 1.0),
        (1280, 800, 2.0),
        (320, 240, 1.0),
        (1170, 2532, 3.0),
    ] {
        let mut table = Table::new(binfection(12, 1), 4, |_| Default::default());
        table.viewer.input(Input::Scale(scale));
        table.viewer.input(Input::Touch);
        let mut frame = Frame::new(width, height);
        table.viewer.paint(&mut frame);
        table.until("a question", |status| !status.choices.is_empty());
        table.key(Key::Char('*'));
        table.viewer.paint(&mut frame);
        let mut seen = std::collections::BTreeSet::new();
        let all = table.viewer.status().choices.len();
        // Page after page, every choice has its button.
        for _ in 0..=all {
            let status = table.viewer.status();
            let has_confirm = status.choices.iter().any(|c| c.key == "Return" && c.at.is_some());
            assert!(has_confirm, "{width}x{height} at {scale}: {:?}", status.choices);
            seen.extend(status.choices.iter().filter(|c| c.at.is_some()).map(|c| c.key.clone()));
            let Some((x, y)) = status.more else { break };
            table.viewer.input(Input::Move { x: x as f32, y: y as f32 });
            table.viewer.input(Input::Press(agon_view::Button::Left));
            table.viewer.input(Input::Release(agon_view::Button::Left));
        }
        assert_eq!(seen.len(), all, "{width}x{height} at {scale}");
    }
}

#[test]
fn the_help_of_a_person_has_the_goal_and_the_keys_of_the_game() {
    let mut table = Table::new(cluster(), 2, place);
    table.until("a question", |status| !status.choices.is_empty());
    table.key(Key::Char('?'));
    let app: &mut dyn App = &mut table.viewer;
    let text = app.in_characters().unwrap();
    text.lay_out(100, 40);
    let help = text.sheet().help.unwrap();
    assert_eq!(help[0].0, "Goal");
    assert!(help[0].1.contains("Four in a row"), "{help:?}");
    assert!(help.iter().any(|(key, _)| key == "Return"), "{help:?}");
    assert!(!help.iter().any(|(key, _)| key == "Space"), "a key of replays: {help:?}");
}

#[test]
fn the_board_after_a_click_is_shown_before_it() {
    let mut table = Table::new(cluster(), 6, place);
    table.until("a question", |status| !status.choices.is_empty());
    table.key(Key::Char('1'));
    table.key(Key::Enter);
    table.other.as_ref().unwrap().send(()).unwrap();
    table.until("the second question", |status| status.steps == 2 && !status.choices.is_empty());
    for _ in 0..200 {
        table.tick();
    }
    table.key(Key::Char('r'));
    let picture = |table: &mut Table<Cluster>| {
        let mut frame = Frame::new(960, 640);
        table.viewer.paint(&mut frame);
        frame.data().to_vec()
    };
    let before = picture(&mut table);
    let (x, y) = table.viewer.status().choices[0].at.unwrap();
    let point = |table: &mut Table<Cluster>, x: i32, y: i32| {
        table.viewer.input(Input::Move { x: x as f32, y: y as f32 })
    };
    assert_eq!(point(&mut table, x, y), Redraw::Yes, "another board is to be shown");
    assert_eq!(point(&mut table, x + 1, y), Redraw::No, "the same button");
    let turned = picture(&mut table);
    assert_ne!(turned, before);
    let (x, y) = table.viewer.status().choices[1].at.unwrap();
    assert_eq!(point(&mut table, x, y), Redraw::Yes);
    assert_ne!(picture(&mut table), turned, "another rotation looks differently");
    assert_eq!(point(&mut table, -1, -1), Redraw::Yes);
    assert_eq!(picture(&mut table), before, "nothing has happened");
    assert_eq!(table.viewer.status().steps, 2);
    // A finger points at nothing before it clicks.
    table.viewer.input(Input::Touch);
    let before = picture(&mut table);
    let (x, y) = table.viewer.status().choices[0].at.unwrap();
    assert_eq!(point(&mut table, x, y), Redraw::No);
    assert_eq!(picture(&mut table), before);
}

#[test]
fn directions_lie_on_the_buttons_as_on_the_board() {
    let rules = amoebas::Rules { world_size: 12, ..amoebas::Rules::default() };
    let game = Amoebas::new(&rules, 2, Seed(1)).unwrap();
    let mut table = Table::new(game, 6, |_| amoebas::Answer::REST);
    table.until("a question", |status| !status.choices.is_empty());
    table.key(Key::Char('*'));
    for (width, height, touch) in [(960, 640, false), (390, 844, true), (1920, 1080, true)] {
        if touch {
            table.viewer.input(Input::Touch);
        }
        table.viewer.paint(&mut Frame::new(width, height));
        let status = table.viewer.status();
        let at = |key: &str| {
            let offer = status.choices.iter().find(|offer| offer.key == key);
            offer.and_then(|offer| offer.at).unwrap_or_else(|| panic!("{width}: no {key}"))
        };
        let rows = [["7", "8", "9"], ["4", "", "6"], ["1", "2", "3"]];
        for row in rows {
            let ys: Vec<i32> =
                row.iter().filter(|key| !key.is_empty()).map(|key| at(key).1).collect();
            assert!(ys.iter().all(|y| *y == ys[0]), "{width}: {row:?} {ys:?}");
        }
        for column in ["741", "963"] {
            let xs: Vec<i32> = column.chars().map(|key| at(&key.to_string()).0).collect();
            assert!(xs.iter().all(|x| *x == xs[0]), "{width}: {column} {xs:?}");
        }
        assert!(at("8").1 < at("4").1 && at("4").1 < at("2").1, "{width}");
        assert!(at("4").0 < at("8").0 && at("8").0 < at("6").0, "{width}");
    }
}
