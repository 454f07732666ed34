//! What a person at the board sees and can do: their units, the buttons, the keys in between.

use std::{sync::mpsc, time::Duration};

use agon_core::{Game as _, Player, Seed};
use agon_games::amoebas::{self, Amoebas};
use agon_games::any::{AnswersMut, AnyGame};
use agon_games::binfection::{self, Binfection};
use agon_games::cluster::{self, Cluster};
use agon_games::{human::Prompter as _, kit::Kit};
use agon_view::{
    App, HumanPlayer, Input, Key, LiveStates, Notes, Prompt, PromptOutcome, PromptQueue, Redraw,
    SharedStates, TextApp, Viewer, paint::Frame,
};

/// A match in a thread of its own, in which the first player is a person, and the second answers
/// once it may.
struct Table {
    viewer: Viewer,
    now: Duration,
    /// Lets the second player answer.
    other: Option<mpsc::Sender<()>>,
}

impl Table {
    /// `answer` fills in the second player's answers in a list of default ones.
    fn new(game: AnyGame, turns: u64, answer: fn(&AnyGame, AnswersMut<'_>)) -> Table {
        let shared = SharedStates::new(game.clone());
        let names = vec!["rosa".to_owned(), "searcher".to_owned()];
        let prompts = PromptQueue::default();
        let person = HumanPlayer::new(prompts.clone(), names.clone(), vec![Player(0)]);
        let viewer = Viewer::new(LiveStates::new(shared.clone(), names), Notes::default())
            .with_person(person);
        let (other, may) = mpsc::channel();
        std::thread::spawn(move || {
            let mut game = game;
            let mut answers = game.kind().no_answers();
            for step in 0..turns {
                answers.reset(game.decisions().len());
                for (at, &decision) in game.decisions().iter().enumerate() {
                    let mut own = answers.part_mut(at..at + 1);
                    if decision.player == Player(0) {
                        let outcome = prompts.ask(&game, step, Player(0), &[decision], None);
                        let PromptOutcome::Answers(given) = outcome else { return };
                        own.copy_from(&given);
                    } else {
                        if may.recv().is_err() {
                            return;
                        }
                        answer(&game, own);
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

/// Leaves the default answer.
fn nothing(_: &AnyGame, _: AnswersMut<'_>) {}

fn cluster() -> AnyGame {
    let rules = cluster::Rules { side: 5, ..cluster::Rules::default() };
    AnyGame::of(Cluster::new(&rules, 2, Seed(4)).unwrap())
}

/// Drops a pellet into the middle column.
fn place(game: &AnyGame, mut answers: AnswersMut<'_>) {
    let color = game.of_game::<Cluster>().hand()[0];
    answers.of_game::<Cluster>()[0] = cluster::Answer::Place { column: 4, color };
}

fn binfection(side: u32, spawns: u32) -> AnyGame {
    let rules = binfection::Rules {
        field_width: side,
        field_height: side,
        spawns_number: spawns,
        ..binfection::Rules::default()
    };
    AnyGame::of(Binfection::new(&rules, 2, Seed(1)).unwrap())
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
    let mut table = Table::new(binfection(200, 2), 4, nothing);
    table.until("a question", |status| !status.choices.is_empty());
    table.until("it is zoomed", |status| !status.fits);
    // The whole board is asked for, and stays.
    table.key(Key::Char('f'));
    assert!(table.viewer.status().fits);
    for _ in 0..10 {
        table.tick();
    }
    assert!(table.viewer.status().fits, "it zooms again");
    // A small board is shown as a whole.
    let mut table = Table::new(binfection(12, 1), 4, nothing);
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
        let mut table = Table::new(binfection(12, 1), 4, nothing);
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
    table.viewer.lay_out(100, 40);
    let help = table.viewer.sheet().help.unwrap();
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
    let picture = |table: &mut Table| {
        let mut frame = Frame::new(960, 640);
        table.viewer.paint(&mut frame);
        frame.data().to_vec()
    };
    let before = picture(&mut table);
    let (x, y) = table.viewer.status().choices[0].at.unwrap();
    let point = |table: &mut Table, x: i32, y: i32| {
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
    let game = AnyGame::of(Amoebas::new(&rules, 2, Seed(1)).unwrap());
    let mut table = Table::new(game, 6, |_, mut answers| {
        answers.of_game::<Amoebas>()[0] = amoebas::Answer::REST;
    });
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

/// Asks a player of a match for whom two people sit at the screen, and checks what they see.
fn at_one_screen(game: &AnyGame, players: [Player; 2], check: impl Fn(&mut Viewer, Player)) {
    let names = vec!["rosa".to_owned(), "emil".to_owned()];
    let prompts = PromptQueue::default();
    let person = HumanPlayer::new(prompts.clone(), names.clone(), vec![Player(0), Player(1)]);
    let states = LiveStates::new(SharedStates::new(game.clone()), names);
    let mut viewer = Viewer::new(states, Notes::default()).with_person(person);
    for player in players {
        let number = 1 + u64::from(player.0);
        let own = game.decisions().iter().filter(|decision| decision.player == player);
        let decisions = own.copied().collect();
        prompts.open(Prompt { number, game: game.clone(), step: 0, player, decisions });
        viewer.tick(Duration::ZERO);
        check(&mut viewer, player);
        assert!(prompts.give(number, vec![], Box::new(|_, _, _| ())));
        viewer.tick(Duration::ZERO);
    }
}

#[test]
fn two_people_at_one_screen_hand_it_over() {
    let game = binfection(20, 2);
    at_one_screen(&game, [Player(0), Player(1)], |viewer, player| {
        if player == Player(1) {
            let status = viewer.status();
            assert_eq!(
                status.message.as_deref(),
                Some("Hand over to emil, who then presses a key")
            );
            assert_eq!(status.choices.len(), 1);
            assert_eq!(*viewer.playback().scene(), game.scene_for(player).unwrap().covered());
            viewer.input(Input::Key(Key::Char('x')));
        }
        viewer.tick(Duration::ZERO);
        assert_eq!(viewer.playback().eyes, Some(player));
        assert_eq!(*viewer.playback().scene(), game.scene_for(player).unwrap());
        assert!(viewer.status().choices.len() > 1);
    });
}

mod hidden_dice {
    //! A game of the kit without a board: own dice, and more answers than keys. No game of Agon has
    //! its name.

    use agon_core::{Decision, Meta, Player, Seed, error::Problems};
    use agon_games::{kit::SmallGame, postcard_codec};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub(super) struct Dice {
        dice: [u8; 2],
        turn: u64,
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    pub(super) struct NoSettings {}

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub(super) struct Bid {
        count: u8,
        face: u8,
    }

    #[derive(Debug, Serialize, JsonSchema)]
    pub(super) struct Seen {
        own_dice: u8,
    }

    postcard_codec!(Bid);

    impl SmallGame for Dice {
        const META: Meta = Meta {
            id: "hidden-dice",
            rules_version: 1,
            min_players: 2,
            max_players: 2,
            turn_name: "turn",
            summary: "Hidden dice.",
            page: "# dice\n",
        };

        type Settings = NoSettings;
        type Answer = Bid;
        type View = Seen;

        fn check_settings(_: &NoSettings, _: usize, _: &mut Problems) {}

        fn check(&self, _: &NoSettings, _: &mut Problems) {}

        fn start(_: &NoSettings, _: usize, _: Seed) -> Dice {
            Dice { dice: [31, 47], turn: 0 }
        }

        fn players(&self) -> usize {
            2
        }

        fn turn(&self) -> u64 {
            self.turn
        }

        /// At first both players bid, then one after the other.
        fn decisions(&self, _: &NoSettings) -> Vec<Decision> {
            let bids = |player: &Player| self.turn == 0 || self.turn % 2 == u64::from(player.0);
            Player::all(2).filter(bids).map(|player| Decision::new(player, 0)).collect()
        }

        fn answers(_: &NoSettings, _: usize) -> Vec<Bid> {
            (1..=10).flat_map(|count| (1..=6).map(move |face| Bid { count, face })).collect()
        }

        fn view(&self, _: &NoSettings, decision: Decision) -> Seen {
            Seen { own_dice: self.dice[decision.player.index()] }
        }

        fn step(&mut self, _: &NoSettings, _: Seed, _: &[(Decision, Bid)]) {
            self.turn += 1;
        }

        fn score(&self, _: &NoSettings, _: Player) -> i64 {
            0
        }

        fn ending(&self, _: &NoSettings) -> String {
            "never".into()
        }
    }
}

#[test]
fn whoever_waits_in_a_game_without_a_board_still_sees_what_they_saw_last() {
    let start = hidden_dice::NoSettings {};
    let game = AnyGame::of(Kit::<hidden_dice::Dice>::new(&start, 2, Seed(1)).unwrap());
    let mut table = Table::new(game, 3, nothing);
    let own = "own dice: 31".to_owned();
    table.until("a question", |status| !status.choices.is_empty() && status.inspector == [&*own]);
    table.key(Key::Enter);
    table.other.as_ref().unwrap().send(()).unwrap();
    table.until("it waits", |status| {
        let waits = |message: &String| message.ends_with("aiting for searcher");
        status.step == 1 && status.message.as_ref().is_some_and(waits)
    });
    let panel = table.viewer.status().inspector;
    assert_eq!(panel, ["When you were asked last".to_owned(), own.clone()]);
    table.other.as_ref().unwrap().send(()).unwrap();
    table.until("the next question", |status| !status.choices.is_empty() && status.step == 2);
    assert_eq!(table.viewer.status().inspector, [own]);
}

/// In a window, in a terminal and in a page alike.
#[test]
fn in_a_game_without_a_board_a_person_sees_what_a_bot_would_and_reaches_all_answers() {
    let start = hidden_dice::NoSettings {};
    let game = AnyGame::of(Kit::<hidden_dice::Dice>::new(&start, 2, Seed(1)).unwrap());
    at_one_screen(&game, [Player(0), Player(1)], |viewer, player| {
        let [own, other] = if player == Player(0) { ["31", "47"] } else { ["47", "31"] };
        let text = |viewer: &Viewer| {
            let status = viewer.status();
            let labels = status.choices.into_iter().map(|choice| choice.label);
            status.inspector.into_iter().chain(labels).collect::<Vec<_>>().join("\n")
        };
        if player == Player(1) {
            assert!(!text(viewer).contains(own) && !text(viewer).contains(other));
            viewer.input(Input::Key(Key::Enter));
        }
        viewer.tick(Duration::ZERO);
        assert!(text(viewer).contains(&format!("own dice: {own}")), "{}", text(viewer));
        for columns in [80, 120, 200] {
            viewer.lay_out(columns, 30);
            let sheet = viewer.sheet();
            let panel = sheet.layout.inspector.expect("it is open");
            assert!(panel.height >= 6, "{columns}: {panel:?}");
            assert!(!sheet.choices.is_empty());
            for choice in &sheet.choices {
                assert!(choice.area.intersection(panel).is_empty(), "{columns}: {choice:?}");
            }
        }
        for key in "9 FACE 4".chars() {
            viewer.input(Input::Key(Key::Char(key)));
        }
        viewer.paint(&mut Frame::new(960, 640));
        assert!(text(viewer).contains("count 9, face 4"), "{}", text(viewer));
        assert!(!text(viewer).contains(other), "{}", text(viewer));
    });
}
