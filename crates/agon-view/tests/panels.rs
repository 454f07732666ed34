//! The panels that say what happened in a match and why, with inputs like those of a person.

use agon_core::{Evidence, Fault, FaultKind, Player, Seed};
use agon_games::GameId;
use agon_games::amoebas::{self, Amoebas};
use agon_games::any::{AnyGame, FullGame};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use agon_match::replay::{BotRecord, BotTotals, Diagnosis, End, Replay, Talk, TurnTalk};
use agon_view::paint::{Frame, ThemeName};
use agon_view::{
    App, EventKind, HumanPlayer, Input, Key, LiveStates, Notes, Prompt, PromptQueue, Rematch,
    ReplayStates, SharedStates, Status, Viewer, open,
};

use crate::support::{Time, cells, keep, replay, written};

fn small_cluster() -> cluster::Rules {
    cluster::Rules { side: 4, ..cluster::Rules::default() }
}

/// The first state of a match of two players.
fn start<G: FullGame>(rules: &G::Rules) -> AnyGame {
    AnyGame::of(G::new(rules, 2, Seed(3)).unwrap())
}

/// A viewer after its pass through the match, painted with this size.
fn watched(file: &Replay, width: u32, height: u32) -> (Box<dyn App>, Frame, Time) {
    let mut app = open(file, ThemeName::Dark).unwrap();
    let mut frame = Frame::new(width, height);
    app.paint(&mut frame);
    let mut time = Time::default();
    time.pass(&mut *app, 1.5);
    app.paint(&mut frame);
    (app, frame, time)
}

fn press(app: &mut dyn App, key: Key) -> Status {
    app.input(Input::Key(key));
    app.status()
}

fn click(app: &mut dyn App, (x, y): (i32, i32)) -> Status {
    crate::support::click(app, (x as f32, y as f32));
    app.status()
}

/// The replay of a match of cluster in which the second bot fails and writes to stderr.
fn faulty() -> Replay {
    let (game, mut writer) = written::<Cluster>(&small_cluster(), 2, 16);
    let fault = |step, kind| Fault {
        player: Player(1),
        step,
        kind,
        detail: "expected a reply".into(),
        evidence: Evidence { last_output: "hello?".into(), ..Evidence::default() },
        count: 1,
    };
    for step in [3, 5, 7] {
        writer.fault(&fault(step, FaultKind::Garbage)).unwrap();
    }
    writer.fault(&fault(11, FaultKind::Timeout)).unwrap();
    let talk = |step: u64, text: &str| TurnTalk {
        step: Some(step),
        bytes: text.len() as u64,
        text: text.to_owned(),
    };
    let first = vec![talk(1, "I begin\n"), talk(5, "what is this?\n  no idea\n")];
    let stderr = Talk { first, ..Talk::default() };
    let record =
        BotRecord { player: Player(1), totals: BotTotals::default(), slowest: vec![], stderr };
    writer.diagnosis(&Diagnosis { bots: vec![record] }).unwrap();
    Replay::open(writer.finish(&game, End::Limit, &[]).unwrap()).unwrap()
}

#[test]
fn a_replay_opens_playing_and_ends_in_about_a_minute() {
    let file = replay::<Cellhack>(&cells(), 2, 10_000);
    let mut app = open(&file, ThemeName::Dark).unwrap();
    assert!(!app.status().playing, "only people who open it want it to play");
    app.open_at(None, true);
    assert!(app.status().playing);
    let mut time = Time::default();
    time.pass(&mut *app, 40.0);
    assert!(app.status().playing && app.status().turn > 30, "{:?}", app.status());
    time.pass(&mut *app, 30.0);
    let status = app.status();
    assert_eq!((status.playing, status.turn), (false, 60));
}

#[test]
fn a_replay_opens_at_a_turn() {
    let rules = amoebas::Rules { world_size: 20, rounds: 30, ..amoebas::Rules::default() };
    let file = replay::<Amoebas>(&rules, 2, 10_000);
    let mut app = open(&file, ThemeName::Dark).unwrap();
    for (turn, plays) in [(7, false), (21, true), (0, false)] {
        app.open_at(Some(turn), plays);
        let status = app.status();
        assert_eq!((status.turn, status.playing), (turn, plays));
        let before = press(&mut *app, Key::Char(','));
        assert!(before.turn < turn || turn == 0, "it was the first step of the turn");
    }
    app.open_at(Some(1 << 60), true);
    let status = app.status();
    assert_eq!((status.step, status.playing), (status.steps, false));
    app.open_at_step(u64::MAX);
    assert_eq!(app.status().step, status.steps);
    app.open_at(Some(5), true);
    app.open_at(None, false);
    let status = app.status();
    assert_eq!((status.turn, status.playing), (5, false));
    app.open_at_step(2);
    let status = app.status();
    assert_eq!((status.step, status.playing), (2, false));
}

#[test]
fn everything_is_beside_the_board_without_a_click() {
    fn check<G: FullGame>(name: &str, rules: &G::Rules) {
        let file = replay::<G>(rules, 2, 10_000);
        // Large frames take long, so one game has all sizes.
        let sizes = [(960, 640), (400, 300), (480, 900), (1280, 720), (1920, 1080), (3840, 2160)];
        for (width, height) in sizes.into_iter().take(if name == "cellhack" { 6 } else { 3 }) {
            let (mut app, mut frame, _) = watched(&file, width, height);
            let status = app.status();
            let turns = status.curves.unwrap();
            assert!(turns > 5, "{name} {width}: {turns}");
            let has_panels = (width, height) != (400, 300);
            assert_eq!(!status.events.is_empty(), has_panels, "{name} {width}");
            assert_eq!(status.banner, None);
            keep(&frame, &format!("{name}-{width}x{height}-start"));
            app.input(Input::Key(Key::End));
            app.paint(&mut frame);
            let status = app.status();
            let (banner, message) = (status.banner.unwrap(), status.message.unwrap());
            assert!(banner.contains(" wins: ") || banner.starts_with("tie"), "{banner}");
            // The terminal shows the same result as a line.
            let reason = banner.split(": ").last().unwrap();
            assert!(message.contains(reason.split(" (").next().unwrap()), "{banner} / {message}");
            keep(&frame, &format!("{name}-{width}x{height}-end"));
            if has_panels {
                assert_eq!(status.events.last().unwrap().kind, EventKind::End, "{name} {width}");
            }
        }
    }
    check::<Cellhack>("cellhack", &cells());
    check::<Cluster>("cluster", &small_cluster());
    let rules = binfection::Rules { turns_limit: 40, ..binfection::Rules::default() };
    check::<Binfection>("binfection", &rules);
    let rules = rezzo::Rules { width: 200, height: 120, max_ticks: 200, ..Default::default() };
    check::<Rezzo>("rezzo", &rules);
    let rules = amoebas::Rules { world_size: 40, rounds: 30, ..amoebas::Rules::default() };
    check::<Amoebas>("amoebas", &rules);
}

#[test]
fn a_click_on_an_event_goes_there() {
    let (mut app, mut frame, _) = watched(&faulty(), 960, 640);
    let status = app.status();
    // 16 moves, changes of the lead, and two groups of faults.
    assert!(status.all_events > 18, "{status:?}");
    let event = status.events.iter().find(|event| event.kind == EventKind::Move).unwrap();
    let words: Vec<&str> = event.text.split(' ').collect();
    assert!(words[0] == "ann" && ["place", "rotate"].contains(&words[1]), "{words:?}");
    let status = click(&mut *app, event.at);
    assert_eq!((status.step, status.playing, status.selected), (event.step, false, None));
    assert!(status.events.iter().any(|other| other.current && other.step == event.step));
    app.paint(&mut frame);
    keep(&frame, "event");
    // The wheel over the list scrolls the list.
    let before = app.status().events;
    app.input(Input::Wheel(-2.0));
    let status = app.status();
    assert!(status.fits && status.events[0].step > before[0].step);
    // Where the list has no event, nothing happens.
    let step = status.step;
    let last = status.events.last().unwrap().at;
    assert_eq!(click(&mut *app, (last.0, last.1 + 18)).step, step);
}

#[test]
fn the_list_says_who_lost_what_and_who_is_out() {
    let file = replay::<Cellhack>(&cells(), 2, 10_000);
    let (mut app, ..) = watched(&file, 1280, 2000);
    let mut kinds = std::collections::BTreeMap::new();
    app.input(Input::Key(Key::End));
    for event in app.status().events {
        *kinds.entry(format!("{:?}", event.kind)).or_insert(0) += 1;
        let text = &event.text;
        match event.kind {
            EventKind::Loss => assert!(text.contains(" loses ") && text.ends_with(" cells")),
            EventKind::Lead => assert!(text.ends_with("takes the lead")),
            EventKind::Out => assert!(text.ends_with("is out")),
            EventKind::End => assert!(text.contains("wins") || text.contains("tie")),
            EventKind::Move | EventKind::Fault => panic!("{text}"),
        }
    }
    assert_eq!(kinds["End"], 1);
    assert!(kinds.len() > 1, "{kinds:?}");
}

#[test]
fn faults_are_gone_through_by_key_and_by_button() {
    let (mut app, mut frame, _) = watched(&faulty(), 960, 640);
    assert_eq!(app.status().faults, 4);
    let steps: Vec<u64> = (0..6).map(|_| press(&mut *app, Key::Char('n')).step).collect();
    assert_eq!(steps, [3, 5, 7, 11, 3, 5]);
    let steps: Vec<u64> = (0..3).map(|_| press(&mut *app, Key::Char('N')).step).collect();
    assert_eq!(steps, [3, 11, 7]);
    app.paint(&mut frame);
    keep(&frame, "fault");
    // The button is beside the seek bar: some click there is the next fault.
    press(&mut *app, Key::Home);
    let hit = (700..940).step_by(4).any(|x| {
        press(&mut *app, Key::Home);
        let status = click(&mut *app, (x, 622));
        status.step == 3 && !status.help
    });
    assert!(hit);
    // In a match without faults the key does nothing.
    let (mut app, ..) = watched(&replay::<Cluster>(&small_cluster(), 2, 99), 960, 640);
    assert_eq!(press(&mut *app, Key::Char('n')).step, 0);
}

#[test]
fn faults_and_stderr_of_the_step_are_beside_the_board() {
    let (mut app, ..) = watched(&faulty(), 960, 640);
    assert_eq!(app.status().reports, Vec::<String>::new());
    press(&mut *app, Key::Right);
    assert_eq!(app.status().reports, ["bob wrote now", "I begin "]);
    press(&mut *app, Key::Char('n'));
    let reports = app.status().reports.join("|");
    assert!(reports.starts_with("fault of bob|answered garbage: expected a reply"), "{reports}");
    assert!(reports.contains("its last answer|hello?"), "{reports}");
    assert!(reports.ends_with("bob wrote in step 1|I begin "), "{reports}");
    press(&mut *app, Key::Char('n'));
    let reports = app.status().reports.join("|");
    assert!(reports.ends_with("bob wrote now|what is this?   no idea "), "{reports}");
}

#[test]
fn a_match_that_was_stopped_says_so() {
    let (mut app, mut frame, _) = watched(&faulty(), 960, 640);
    app.input(Input::Key(Key::End));
    app.paint(&mut frame);
    let banner = app.status().banner.unwrap();
    assert!(banner.contains("stopped after 16 turns"), "{banner}");
    // A click on the banner closes it, and it comes back at the next end.
    let status = click(&mut *app, (336, 30));
    assert_eq!((status.banner, status.selected), (None, None));
    press(&mut *app, Key::Left);
    assert!(press(&mut *app, Key::End).banner.is_some());
    assert_eq!(press(&mut *app, Key::Escape).banner, None);
}

#[test]
fn names_are_used_instead_of_numbers() {
    let (mut app, ..) = watched(&replay::<Cellhack>(&cells(), 2, 99), 960, 640);
    // Some cell of the board belongs to somebody.
    let owner = (0..40).flat_map(|row| (0..40).map(move |column| (row, column))).find_map(
        |(row, column)| {
            let status = click(&mut *app, (36 + column * 15 + 7, 7 + row * 15 + 7));
            let line = status.inspector.iter().find(|line| line.starts_with("player: "))?;
            Some(line.clone())
        },
    );
    assert!(["player: ann (0)", "player: bob (1)"].contains(&&*owner.unwrap()));
}

#[test]
fn the_curves_lead_through_the_match() {
    let (mut app, ..) = watched(&replay::<Cellhack>(&cells(), 2, 99), 960, 640);
    // Somewhere in the column are the curves; a click there goes to a turn.
    let turn = (150..400).step_by(10).find_map(|y| {
        press(&mut *app, Key::Home);
        press(&mut *app, Key::Escape);
        let status = click(&mut *app, (816, y));
        let is_event = app.status().events.iter().any(|event| (event.at.1 - y).abs() <= 10);
        (status.turn > 0 && !is_event).then_some(status.turn)
    });
    assert!((25..35).contains(&turn.unwrap()), "{turn:?}");
}

#[test]
fn a_unit_is_followed() {
    let rules = rezzo::Rules { width: 200, height: 120, max_ticks: 200, ..Default::default() };
    let file = replay::<Rezzo>(&rules, 2, 200);
    let (mut app, mut frame, _) = watched(&file, 960, 640);
    let place = file.seek(GameId::Rezzo.kind(), 0).unwrap().scene().pieces[0].place as i32;
    // 200 columns of 3 pixels on 672 pixels, 120 rows on 604.
    let at = (36 + place % 200 * 3 + 1, 122 + place / 200 * 3 + 1);
    let status = click(&mut *app, at);
    assert_eq!((status.selected, status.followed), (Some(place as u32), None));
    let status = press(&mut *app, Key::Char('f'));
    assert_eq!((status.followed, status.fits), (Some(place as u32), false));
    let mut seen = std::collections::BTreeSet::new();
    for step in 1..=100 {
        let status = press(&mut *app, Key::Right);
        let now = file.seek(GameId::Rezzo.kind(), step).unwrap().scene();
        let piece = now.pieces.iter().find(|piece| piece.id == 0);
        assert_eq!(status.followed, piece.map(|piece| piece.place), "{step}");
        assert_eq!(status.selected, status.followed.or(status.selected));
        seen.extend(status.followed);
    }
    assert!(seen.len() > 1, "it has moved: {seen:?}");
    app.paint(&mut frame);
    keep(&frame, "followed");
    // Whoever moves the board stops following; the board stays.
    let status = press(&mut *app, Key::ShiftLeft);
    assert_eq!((status.followed, status.fits), (None, false));
    // The map is in the lower right corner of the board.
    let selected = app.status().selected;
    click(&mut *app, (640, 570));
    assert_eq!(app.status().selected, selected, "the map was clicked, not the board");
    assert!(press(&mut *app, Key::Escape).selected.is_none());
    assert!(press(&mut *app, Key::Char('f')).fits);
}

#[test]
fn numbers_are_shown_on_demand() {
    fn check<G: FullGame>(name: &str, rules: &G::Rules) {
        let (mut app, mut frame, _) = watched(&replay::<G>(rules, 2, 20), 960, 640);
        let mut pictures = vec![frame.clone()];
        for expected in ["edges", "places", "off"] {
            assert_eq!(press(&mut *app, Key::Char('l')).numbers, expected);
            app.paint(&mut frame);
            keep(&frame, &format!("numbers-{name}-{expected}"));
            pictures.push(frame.clone());
        }
        assert!(pictures[1] != pictures[0] && pictures[0] == pictures[3], "{name}");
        assert!(pictures[1] != pictures[2], "{name}");
    }
    check::<Cluster>("cluster", &small_cluster());
    check::<Cellhack>("cellhack", &cellhack::Rules { width: 12, height: 12, ..cells() });
}

#[test]
fn pictures_do_not_depend_on_time_or_themes_of_before() {
    let file = faulty();
    let paint = |theme| {
        let mut app = open(&file, theme).unwrap();
        let mut frame = Frame::new(1000, 700);
        app.paint(&mut frame);
        Time::default().pass(&mut *app, 2.0);
        app.input(Input::Key(Key::Char('n')));
        app.paint(&mut frame);
        keep(&frame, &format!("theme-{theme}"));
        frame
    };
    for theme in ThemeName::ALL {
        assert!(paint(theme) == paint(theme), "{theme}");
    }
    assert!(paint(ThemeName::Dark) != paint(ThemeName::Light));
}

#[test]
fn while_a_person_is_asked_nothing_of_this_is_shown() {
    let game = start::<Cluster>(&small_cluster());
    let prompts = PromptQueue::default();
    let names = vec!["rosa".to_owned(), "tom".to_owned()];
    let person = HumanPlayer::new(prompts.clone(), names.clone(), vec![Player(0)]);
    let shared = SharedStates::new(game.clone());
    let mut app =
        Viewer::new(LiveStates::new(shared.clone(), names), Notes::default()).with_person(person);
    let mut frame = Frame::new(960, 640);
    app.paint(&mut frame);
    let decisions = game.decisions().to_vec();
    prompts.open(Prompt { number: 1, game, step: 0, player: Player(0), decisions });
    Time::default().pass(&mut app, 1.0);
    app.open_at(Some(0), true);
    app.paint(&mut frame);
    let status = app.status();
    assert!(!status.choices.is_empty() && status.curves.is_none(), "{status:?}");
    assert!(status.events.is_empty() && status.banner.is_none());
    assert!(status.following);
    // The match is over: now everything may be seen.
    prompts.close();
    prompts.end();
    shared.complete();
    Time::default().pass(&mut app, 1.0);
    assert_eq!(app.status().curves, Some(1));
}

#[test]
fn a_match_that_is_over_offers_another_one() {
    let names = vec!["ann".to_owned(), "bob".to_owned()];
    let viewer = |rematch: Option<&Rematch>| {
        let shared = SharedStates::new(start::<Cellhack>(&cells()));
        let states = LiveStates::new(shared.clone(), names.clone());
        let mut app = Viewer::new(states, Notes::default()).with_rematch(rematch.cloned());
        app.paint(&mut Frame::new(960, 640));
        Time::default().pass(&mut app, 0.2);
        (app, shared)
    };
    let rematch = Rematch::default();
    let (mut app, shared) = viewer(Some(&rematch));
    press(&mut app, Key::Char('r'));
    assert!(!app.is_closed() && !rematch.is_asked_for(), "the match is still running");
    assert!(!app.status().message.is_some_and(|message| message.contains("rematch")));
    shared.complete();
    Time::default().pass(&mut app, 0.2);
    assert!(app.status().message.unwrap().ends_with("r: rematch"));
    press(&mut app, Key::Char('r'));
    assert!(app.is_closed() && rematch.take() && !rematch.take());
    // The last line of the banner does the same, and any other just closes it.
    for (y, is_asked) in [(30, false), (80, true)] {
        let (mut app, shared) = viewer(Some(&rematch));
        shared.complete();
        Time::default().pass(&mut app, 0.2);
        app.paint(&mut Frame::new(960, 640));
        click(&mut app, (336, y));
        assert_eq!((app.is_closed(), rematch.take()), (is_asked, is_asked), "{y}");
    }
    let (mut app, shared) = viewer(None);
    shared.complete();
    Time::default().pass(&mut app, 0.2);
    press(&mut app, Key::Char('r'));
    assert!(!app.is_closed() && app.status().message.is_none());
}

#[test]
fn matches_of_no_length_have_panels() {
    let game = start::<Cellhack>(&cells());
    let names = vec!["ann".to_owned(), "bob".to_owned()];
    let shared = SharedStates::new(game);
    shared.complete();
    let mut app = Viewer::new(LiveStates::new(shared, names), Notes::default());
    for (width, height) in [(1, 1), (960, 640), (300, 2000)] {
        app.paint(&mut Frame::new(width, height));
        Time::default().pass(&mut app, 0.2);
        for key in [Key::Char('n'), Key::Char('f'), Key::Char('l'), Key::End, Key::Escape] {
            press(&mut app, key);
            app.paint(&mut Frame::new(width, height));
        }
    }
    assert_eq!((app.status().curves, app.status().banner), (Some(1), None));
}

#[test]
fn damaged_replays_have_panels_as_far_as_they_are_good() {
    let rules = amoebas::Rules { world_size: 20, rounds: 60, ..amoebas::Rules::default() };
    let whole = crate::support::replay_bytes::<Amoebas>(&rules, 2, 10_000);
    let steps = Replay::open(whole.clone()).unwrap().steps();
    let mut damaged = 0;
    for part in 1..20 {
        let Ok(replay) = Replay::open(&whole[..whole.len() * part / 20]) else { continue };
        let Ok(states) = ReplayStates::new(&replay, GameId::Amoebas.kind()) else { continue };
        let mut app = Viewer::new(states, Notes::default());
        app.paint(&mut Frame::new(960, 640));
        Time::default().pass(&mut app, 2.0);
        app.open_at(Some(50), true);
        let status = app.status();
        assert!(status.step <= status.steps && status.curves.unwrap() >= 1, "{status:?}");
        assert_eq!(press(&mut app, Key::End).step, status.steps);
        damaged += usize::from((1..steps).contains(&status.steps));
    }
    assert!(damaged > 0);
}
