//! Sessions without a page: replays and running matches of all games.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use agon_core::{BotInfo, Player, Seed};
use agon_games::GameId;
use agon_games::any::{AnyAnswers, AnyGame, GameKind, kind_of};
use agon_games::cluster::Cluster;
use agon_games::human::{ArrowKey, Gesture, Reaction};
use agon_games::kit::Kit;
use agon_match::replay::{End, Replay, Writer};
use agon_view::{Input, Key, paint::ThemeName};
use agon_web::{Session, bundle, live, message, scenes::Scenes};
use serde_json::json;

/// States of a short match with random answers, and the answers between them.
struct Match {
    states: Vec<AnyGame>,
    answers: Vec<AnyAnswers>,
}

const STEPS: usize = 40;

impl Match {
    fn new(kind: &dyn GameKind) -> Match {
        let players = kind.meta().min_players.max(2);
        let mut game = kind.start(&kind.default_rules(), players, Seed::plain(5)).unwrap();
        let mut states = vec![game.clone()];
        let mut answers = vec![];
        while answers.len() < STEPS && !game.decisions().is_empty() {
            let step = game.scripted_answers(Seed::plain(5), answers.len() as u64);
            game.step(&step);
            answers.push(step);
            states.push(game.clone());
        }
        Match { states, answers }
    }

    fn of_cluster() -> Match {
        Match::new(GameId::Cluster.kind())
    }

    fn players(&self) -> Vec<BotInfo> {
        (0..self.states[0].players())
            .map(|player| BotInfo::new(format!("bot {player}"), "builtin"))
            .collect()
    }

    fn replay(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), &self.states[0], &self.players()).unwrap();
        for (answers, after) in self.answers.iter().zip(&self.states[1..]) {
            writer.step(answers, after).unwrap();
        }
        let last = self.states.last().unwrap();
        let end = if last.decisions().is_empty() { End::Over } else { End::Limit };
        writer.finish(last, end, &[]).unwrap()
    }

    fn messages(&self) -> Vec<u8> {
        let mut bytes = live::begin(&self.states[0], &self.players(), 0).unwrap();
        for (answers, after) in self.answers.iter().zip(&self.states[1..]) {
            bytes.extend(live::step(answers, after));
        }
        bytes.extend(live::end());
        bytes
    }
}

#[test]
fn replays_are_verified_beside_what_is_shown() {
    for kind in GameId::OWN.map(GameId::kind) {
        let played = Match::new(kind);
        let steps = played.answers.len();
        let mut session = Session::open(played.replay(), ThemeName::Dark).unwrap();
        session.app().unwrap().input(Input::Key(Key::End));
        assert_eq!(session.state()["shown"]["step"], steps);
        for verified in 0..steps {
            assert!(session.verify());
            assert_eq!(
                session.state()["verified"],
                json!({ "steps": verified, "done": false, "problem": null })
            );
        }
        assert!(!session.verify());
        assert_eq!(
            session.state()["verified"],
            json!({ "steps": steps, "done": true, "problem": null })
        );
        assert!(session.app().unwrap().title().starts_with(kind.meta().id));
        let frame = session.paint(320, 200);
        assert!(frame.data().as_chunks::<4>().0.iter().any(|pixel| *pixel != [0, 0, 0, 255]));
    }
}

#[test]
fn a_match_arrives_in_any_pieces() {
    for kind in GameId::OWN.map(GameId::kind) {
        let played = Match::new(kind);
        let messages = played.messages();
        for size in [1, 7, 1000, messages.len()] {
            let mut session = Session::live(ThemeName::Light, true);
            assert_eq!(session.state(), json!({ "waiting": true }));
            messages.chunks(size).for_each(|piece| {
                session.feed(piece).unwrap();
            });
            session.app().unwrap().tick(Duration::from_secs(1));
            let state = session.state();
            let steps = played.answers.len();
            assert_eq!(state["verified"], json!({ "steps": steps, "done": true, "problem": null }));
            assert_eq!(state["shown"]["steps"], steps);
            assert_eq!(state["shown"]["live"], false);
        }
    }
}

#[test]
fn a_followed_match_can_be_saved() {
    for kind in GameId::OWN.map(GameId::kind) {
        let played = Match::new(kind);
        let mut session = Session::live(ThemeName::Dark, true);
        assert!(session.replay().is_err(), "it has not begun");
        let messages = played.messages();
        // The last message says that the match is over.
        session.feed(&messages[..messages.len() - 5]).unwrap();
        assert_eq!(session.replay().unwrap_err(), "the match is not over yet");
        session.feed(&messages[messages.len() - 5..]).unwrap();
        let saved = session.replay().unwrap();
        let mut again = Session::open(saved, ThemeName::Dark).unwrap();
        while again.verify() {}
        let steps = played.answers.len();
        let verified = json!({ "steps": steps, "done": true, "problem": null });
        assert_eq!(again.state()["verified"], verified, "{}", kind.meta().id);
        assert_eq!(again.state()["shown"]["players"], json!(["bot 0", "bot 1"]));
    }
}

#[test]
fn a_void_match_begins_again() {
    let played = Match::of_cluster();
    let mut session = Session::live(ThemeName::Dark, false);
    session.feed(&played.messages()).unwrap();
    session.feed(&live::begin(&played.states[0], &played.players(), 0).unwrap()).unwrap();
    let state = session.state();
    assert_eq!(state["shown"]["steps"], 0);
    assert_eq!(state["shown"]["live"], true);
    assert_eq!(state["verified"], json!({ "steps": 0, "done": false, "problem": null }));
}

/// Makes a page in which player 0 is a person, who is asked at once.
fn asked(game: &AnyGame) -> Session {
    let mut players: Vec<BotInfo> = (0..game.players())
        .map(|player| BotInfo::new(format!("bot {player}"), "builtin"))
        .collect();
    players[0].kind = "human".to_owned();
    let mut session = Session::live(ThemeName::Dark, false);
    session.feed(&live::begin(game, &players, 0).unwrap()).unwrap();
    session.feed(&live::question(&question(1))).unwrap();
    session.app().unwrap().tick(Duration::from_secs(1));
    session
}

fn question(question: u64) -> live::Question {
    live::Question { question, step: 0, player: 0, left_ms: Some(500) }
}

#[test]
fn orders_of_a_person_are_what_was_done() {
    for kind in GameId::OWN.map(GameId::kind) {
        let game = &Match::new(kind).states[0];
        let mut session = asked(game);
        let state = session.state();
        assert_eq!(
            state["question"],
            json!({ "question": 1, "step": 0, "player": 0, "left_ms": 500 })
        );
        assert_ne!(state["shown"]["choices"], json!([]), "{state}");
        assert_eq!(session.take_orders(), None);
        // Some of these keys give orders in each of the games.
        let mut keys = [Key::Char('1'), Key::Char('*'), Key::Up, Key::Enter].into_iter();
        let given = loop {
            session.app().unwrap().input(Input::Key(keys.next().unwrap()));
            if let Some(given) = session.take_orders() {
                break given;
            }
        };
        assert_eq!((given.question, session.take_orders()), (1, None));
        assert_eq!(session.state()["shown"]["choices"], json!([]));
        let mut orders = game.orders(Player(0));
        let (last, before) = given.acts.split_last().unwrap();
        assert!(before.iter().all(|&act| game.act(&mut orders, act) != Reaction::Submitted));
        assert_eq!(game.act(&mut orders, *last), Reaction::Submitted);
        let text = serde_json::to_string(&given).unwrap();
        assert_eq!(serde_json::from_str::<live::Orders>(&text).unwrap(), given);

        // They did not arrive.
        session.ask_again();
        session.app().unwrap().tick(Duration::from_secs(2));
        assert_ne!(session.state()["shown"]["choices"], json!([]));
        session.feed(&live::closed()).unwrap();
        session.app().unwrap().tick(Duration::from_secs(3));
        assert_eq!(session.state()["question"], json!(null));
        assert_eq!(session.state()["shown"]["choices"], json!([]));
    }
}

#[test]
fn a_question_is_about_the_newest_state() {
    let played = Match::of_cluster();
    let mut session = asked(&played.states[0]);
    let error =
        session.feed(&live::question(&live::Question { step: 3, ..question(2) })).unwrap_err();
    assert!(error.to_string().contains("nothing to decide"), "{error}");
    let error = session.feed(&live::question(&live::Question { player: 1, ..question(2) }));
    assert!(error.unwrap_err().to_string().contains("nothing to decide"));
    let error = session.feed(&[4, 1, 0, 0, 0, b'x']).unwrap_err();
    assert!(error.to_string().starts_with("a question cannot be read"), "{error}");
    session.feed(&live::step(&played.answers[0], &played.states[1])).unwrap();
    assert_eq!(session.state()["question"], json!(null));
}

/// The picture does not show things that a player must not see.
#[test]
fn a_person_sees_what_its_bot_would_see() {
    let played = Match::new(GameId::Rezzo.kind());
    let mut session = asked(&played.states[0]);
    let shown = session.paint(640, 480).data().to_vec();
    let mut viewport = Session::live(ThemeName::Dark, true);
    viewport.feed(&live::begin(&played.states[0], &played.players(), 0).unwrap()).unwrap();
    assert!(viewport.paint(640, 480).data() != shown, "whoever only looks sees all");
    session.feed(&live::end()).unwrap();
    session.app().unwrap().tick(Duration::from_secs(2));
    assert!(session.paint(640, 480).data() != shown, "all is seen when it is over");
}

#[test]
fn other_rules_are_noticed() {
    let played = Match::of_cluster();
    let mut session = Session::live(ThemeName::Dark, false);
    session.feed(&live::begin(&played.states[0], &played.players(), 0).unwrap()).unwrap();
    session.feed(&live::step(&played.answers[0], &played.states[1])).unwrap();
    let error = session.feed(&live::step(&played.answers[1], &played.states[3])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "step 1: the state is another; the arena and this page do not play by the same rules"
    );
    assert_eq!(session.state()["verified"]["problem"], error.to_string());
    let answer = played.answers[1].as_slice::<Cluster>().unwrap();
    let many = AnyAnswers::of::<Cluster>([answer, answer].concat());
    let error = session.feed(&live::step(&many, &played.states[2])).unwrap_err();
    assert!(error.to_string().contains("another number of decisions"), "{error}");
}

#[test]
fn nonsense_is_refused() {
    let open =
        |bytes: &[u8]| Session::open(bytes.to_vec(), ThemeName::Dark).err().unwrap().to_string();
    assert!(open(b"").contains("no replay of Agon"));
    assert!(open(b"\x8FAGON\r\n\x1A\x09").contains("format version 9"));
    let feed =
        |bytes: &[u8]| Session::live(ThemeName::Dark, false).feed(bytes).unwrap_err().to_string();
    assert!(feed(&[9, 0, 0, 0, 0]).contains("kind 9"));
    assert!(feed(&[2, 0, 0, 0, 0]).contains("kind 2"));
    assert!(feed(&[1, 1, 0, 0, 0, 7]).contains("no replay of Agon"));
}

/// A game that pages do not know.
#[path = "../../agon/src/commands/game/new/rust/lib.rs"]
#[allow(unreachable_pub, dead_code, reason = "it is a library elsewhere")]
mod coins;

#[test]
fn a_game_that_the_page_does_not_know_is_shown_but_not_verified() {
    let played = Match::new(kind_of::<Kit<coins::Coins>>());
    let players = played.players();
    let mut messages = live::begin_shown(&played.states[0], &players, 0);
    for (answers, after) in played.answers.iter().zip(&played.states[1..]) {
        messages.extend(live::step_shown(answers, after, &players));
    }
    let mut session = Session::live(ThemeName::Dark, true);
    session.feed(&messages).unwrap();
    let step = live::step(&played.answers[0], &played.states[1]);
    assert!(session.feed(&step).unwrap_err().to_string().contains("kind 2"));
    session.feed(&live::end()).unwrap();
    assert!(session.replay().unwrap_err().contains("--replay"));

    let replay = played.replay();
    let scenes = |file: &[u8]| bundle::scenes(&Replay::open(file).unwrap(), file);
    assert!(scenes(&replay).unwrap_err().to_string().contains("no game `coins`"));
    GameId::register(kind_of::<Kit<coins::Coins>>()).unwrap();
    assert!(scenes(&Match::of_cluster().replay()).unwrap().is_none(), "pages know it");
    let Scenes { messages: file, problem } = scenes(&replay).unwrap().unwrap();
    assert_eq!(problem, None);
    assert!(Session::open(file[..9].to_vec(), ThemeName::Dark).is_err());
    let mut saved = Session::open(file, ThemeName::Dark).unwrap();
    assert_eq!(saved.replay().unwrap(), replay);
    assert_eq!(saved.state()["damage"], json!(null));
    let mut cut = live::begin_shown(&played.states[0], &players, 0);
    cut.extend(live::step_shown(&played.answers[0], &played.states[1], &players));
    cut.extend(message::message(message::REPLAY, &replay));
    cut.extend(live::end());
    let cut = Session::open(cut, ThemeName::Dark).unwrap();
    assert_eq!(cut.state()["damage"], "shown up to step 1 of 40 only");
    for session in [&mut session, &mut saved] {
        session.app().unwrap().input(Input::Key(Key::End));
        assert!(session.app().unwrap().title().starts_with("coins: bot 0, bot 1"));
        let state = session.state();
        assert_eq!((&state["verified"], &state["shown"]["live"]), (&json!(null), &json!(false)));
        assert_eq!((&state["shown"]["step"], &state["shown"]["steps"]), (&json!(40), &json!(40)));
        let frame = session.paint(640, 480);
        assert!(frame.data().as_chunks::<4>().0.iter().any(|pixel| *pixel != [0, 0, 0, 255]));
    }
}

#[test]
fn the_arena_composes_the_orders_in_a_game_that_the_page_does_not_know() {
    let played = Match::of_cluster();
    let game = &played.states[0];
    let mut players = played.players();
    players[0].kind = "human".to_owned();
    let mut session = Session::live(ThemeName::Dark, false);
    session.feed(&live::begin_shown(game, &players, 0)).unwrap();
    session.feed(&live::question(&question(1))).unwrap();
    let mut orders = game.orders(Player(0));
    let mut acts = vec![];
    for (now, (key, act)) in
        (1..).zip([(Key::Right, Gesture::Go(ArrowKey::Right)), (Key::Enter, Gesture::Confirm)])
    {
        session.app().unwrap().tick(Duration::from_millis(10 * now));
        assert_eq!(session.state()["shown"]["choices"], json!([]));
        session.feed(&live::hints(&acts, &game.hints(&orders))).unwrap();
        session.app().unwrap().tick(Duration::from_millis(10 * now + 5));
        assert_ne!(session.state()["shown"]["choices"], json!([]));
        session.app().unwrap().input(Input::Key(key));
        let given = session.take_orders().unwrap();
        acts.push(act);
        assert_eq!((&given.acts, session.take_orders()), (&acts, None));
        let is_complete = game.act(&mut orders, act) == Reaction::Submitted;
        assert_eq!(is_complete, act == Gesture::Confirm);
    }
    assert!(session.feed(&message::message(message::HINTS, b"[1, {}]")).is_err());
}
