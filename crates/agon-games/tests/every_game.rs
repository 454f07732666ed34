//! Tests for every game alike, such as the conformance kit; no game is named here.
//!
//! `AGON_GAME=NAME` restricts the tests to one game, `AGON_ROUNDS=N` tries more damaged input.

use std::{collections::BTreeSet, env, fs, panic::AssertUnwindSafe};

use agon_core::{
    Codec, Decision, Game, GameExt, LegalActions, Params, Player, Purpose, Rng, Seed,
    runs_by_player,
};
use agon_games::batch::{self, Batch, Record as _};
use agon_games::human::{ArrowKey, Gesture, HumanInput, Reaction};
use agon_games::jsonl::{JsonGame, schema};
use agon_games::scene::{Board, Ink, Place, Render, Scene, Shape, Travel};
use agon_games::{BuiltinBots, GameId, Presets, jsonl::message::Decide, presets, simd, with_game};
use serde_json::Value;

use crate::secrecy;

fn games() -> Vec<GameId> {
    match env::var("AGON_GAME") {
        Ok(name) => vec![name.parse().unwrap()],
        Err(_) => GameId::ALL.to_vec(),
    }
}

fn rounds() -> u64 {
    env::var("AGON_ROUNDS").map_or(200, |text| text.parse().unwrap())
}

fn rng(number: u64) -> Rng {
    Seed(7).stream(Purpose::Script, number)
}

fn tiny<G: Presets>() -> G::Rules {
    serde_json::from_str(G::TINY).unwrap()
}

/// As near to two players as the game allows.
fn players<G: Game>() -> usize {
    2.clamp(G::META.min_players, G::META.max_players)
}

fn begin<G: Presets>(seed: u64) -> G {
    G::new(&tiny::<G>(), players::<G>(), Seed(seed)).unwrap()
}

/// Calls `check` with the states of a tiny match.
fn walk<G: Presets>(mut check: impl FnMut(&G, u64)) {
    let mut game = begin::<G>(3);
    for step in 0..60 {
        check(&game, step);
        if game.is_over() {
            return;
        }
        let answers = game.scripted_answers(Seed(5), step);
        game.step(&answers);
    }
}

#[test]
fn games_keep_their_promises() {
    fn check<G: Presets + LegalActions>() {
        let most = G::META.max_players.min(players::<G>() + 1);
        for players in [G::META.min_players, players::<G>(), most] {
            agon_testkit::conformance::check::<G>(&tiny::<G>(), players, 0..2, 10_000);
        }
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>()));
}

/// Set in a process that only writes its walks to this file.
const WALKS: &str = "AGON_TEST_WALKS";

/// The hashes of scripted games with the usual settings.
fn walks() -> String {
    fn usual<G: Presets>() -> u64 {
        let mut game = G::new(&G::Rules::default(), players::<G>(), Seed(3)).unwrap();
        game.walk(Seed(5), 100)
    }
    let line = |id: GameId| format!("{id} {:016x}\n", with_game!(id, G => usual::<G>()));
    games().into_iter().map(line).collect()
}

/// Results do not depend on the vector unit; its choice holds for a whole process.
#[test]
fn narrower_vectors_play_the_same_games() {
    if let Some(file) = env::var_os(WALKS) {
        return fs::write(file, walks()).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walks");
    let test = agon_testkit::full_name(module_path!(), "narrower_vectors_play_the_same_games");
    let expected = walks();
    for level in ["portable", "avx2"] {
        let mut narrow = agon_testkit::this_program();
        narrow.args([test.as_str(), "--exact"]).env(simd::VARIABLE, level).env(WALKS, &file);
        let output = narrow.output().unwrap();
        assert!(output.status.success(), "{level}: {output:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), expected, "{level}");
    }
}

/// Checks that a game has one name: commands, files and types spell it alike.
fn check_name(id: &str, type_name: &str) {
    let starts = id.starts_with(|first: char| first.is_ascii_lowercase());
    let is_word = starts && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    assert!(is_word, "META.id `{id}`: wanted are small letters and digits, such as `liarspit`");
    let wanted = type_name.to_lowercase();
    assert_eq!(id, wanted, "META.id of the game `{type_name}` is its type in small letters");
}

#[test]
fn a_game_has_one_name() {
    for id in games() {
        let name = id.meta().id;
        check_name(name, &format!("{id:?}"));
        assert_eq!(serde_json::to_value(id).unwrap(), name);
        assert_eq!(name.parse(), Ok(id));
    }
    assert!(std::panic::catch_unwind(|| check_name("liars-pit", "LiarsPit")).is_err());
    assert!(std::panic::catch_unwind(|| check_name("pit", "LiarsPit")).is_err());
}

#[test]
fn facts_fit_the_game() {
    fn check<G: BuiltinBots + Presets>(id: GameId) {
        let meta = G::META;
        let title = meta.page.lines().next().unwrap_or_default();
        assert_eq!(title, format!("# {id}"), "the title of the page is the name of the game");
        assert!(meta.summary.ends_with('.'), "{id}: the summary is a sentence");
        assert!(!G::BUILTINS.is_empty(), "{id}: no built-in bot");
        for builtin in G::BUILTINS {
            let params = Params::new(builtin.params, []).unwrap();
            assert!((builtin.make)(&params).is_ok(), "{id}: {}", builtin.name);
            for param in builtin.params {
                let wrong = Params::new(builtin.params, [(param.name, "?")]).unwrap();
                let error = (builtin.make)(&wrong).err().expect("`?` is no value").to_string();
                assert!(error.starts_with(&format!("parameter `{}`", param.name)), "{error}");
            }
        }
        for shown in G::SHOW {
            let name = shown.split('?').next().unwrap();
            assert!(G::BUILTINS.iter().any(|bot| bot.name == name), "{id}: no bot {name}");
        }
        let checked = presets::changed::<G>(&[G::SHORT, G::CHECKED].concat()).unwrap();
        assert!(G::new(&checked, G::SHOW.len(), Seed(1)).is_ok(), "{id}: CHECKED");
        for preset in presets::all::<G>() {
            assert!(!preset.name.is_empty(), "{id}");
            let of_a_name = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(preset.name.chars().all(of_a_name), "{id}: {}", preset.name);
            let rules = presets::rules::<G>(preset.name).unwrap();
            let players = [G::SHOW.len(), players::<G>()];
            for players in players {
                let game = G::new(&rules, players, Seed(1));
                assert!(game.is_ok(), "{id}: {} players with `{}`", players, preset.name);
            }
        }
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>(id)));
}

#[test]
fn questions_keep_to_the_schema() {
    fn check<G: JsonGame + Batch + Presets>(id: GameId) {
        let validator = jsonschema::validator_for(&schema::<G>()).unwrap();
        walk::<G>(|game, step| {
            for (_, range) in runs_by_player(game.decisions()) {
                let decisions = &game.decisions()[range];
                let question = serde_json::to_value(Decide::new(game, step, decisions)).unwrap();
                assert!(validator.is_valid(&question), "{id}: {question}");
                check_legal::<G>(game, decisions, &question);

                let mut bytes = Vec::new();
                batch::question(game, step, decisions, &mut bytes);
                assert!(bytes.len() > batch::Question::SIZE, "{id}: a question about something");
            }
        });
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>(id)));
}

/// Where replies are listed, they are replies, and they break no rule.
fn check_legal<G: JsonGame>(game: &G, decisions: &[Decision], question: &Value) {
    if !G::LISTS_LEGAL {
        return;
    }
    for (number, &decision) in decisions.iter().enumerate() {
        let legal = question["decisions"][number]["legal"].as_array().unwrap();
        assert!(!legal.is_empty(), "{decision:?} has a legal answer");
        for reply in legal {
            let reply = serde_json::from_value::<G::Reply>(reply.clone()).unwrap();
            assert_eq!(game.illegal(decision, &G::answer_from(reply)), None);
        }
    }
}

/// Damages positions until some look the same to a player's bot.
#[test]
fn what_is_hidden_changes_nothing_that_a_player_gets() {
    fn check<G: BuiltinBots + JsonGame + Batch + HumanInput + Presets>() {
        walk::<G>(|game, step| {
            let bytes = postcard::to_stdvec(&game.position()).unwrap();
            let others = (0..rounds() / 10).filter_map(|round| {
                let mut rng = rng(step << 32 | round);
                let mut bytes = bytes.clone();
                damage(&mut bytes, &mut rng);
                let position = postcard::from_bytes(&bytes).ok()?;
                G::from_position(game.rules(), Seed(round), position).ok()
            });
            secrecy::check(game, others);
        });
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>()));
}

#[test]
fn scenes_can_be_painted_and_inspected() {
    fn check<G: Render + JsonGame + Presets>(id: GameId) {
        walk::<G>(|game, step| {
            check_pictures(id, game);
            if !game.is_over() {
                let board = game.scene().board;
                let answers = game.scripted_answers(Seed(5), step);
                game.travels(&answers).iter().for_each(|travel| check_travel(&board, travel));
            }
        });
        let ids: BTreeSet<&str> = G::SERIES.iter().map(|series| series.id).collect();
        assert_eq!(ids.len(), G::SERIES.len(), "{id}: series have names of their own");
        let is_word = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_lowercase());
        assert!(ids.iter().all(|id| is_word(id)), "{id}: {ids:?}");
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>(id)));
}

fn check_pictures<G: Render + JsonGame>(id: GameId, game: &G) {
    let scene = game.scene();
    check_scene(&scene, game.players());
    for player in Player::all(game.players()) {
        let seen = game.scene_for(player);
        check_scene(&seen, game.players());
        (0..seen.board.places() as Place).for_each(|place| _ = game.inspect_for(player, place));
    }
    assert_eq!(scene.title.starts_with("over: "), game.is_over(), "{id}");
    let mut found = BTreeSet::new();
    for place in 0..scene.board.places() as Place {
        assert!(!game.inspect(place).is_empty(), "{id}: nothing to say of place {place}");
        found.extend(game.decision_at(place));
    }
    assert!(!game.is_over() || found.is_empty(), "{id}: {found:?}");
    // A board of the kit need not show which unit decides.
    let are_found = game.decisions().iter().all(|decision| found.contains(decision));
    assert!(G::LISTS_LEGAL || are_found, "{id}: {found:?}");
    for series in G::SERIES {
        let mut values = Vec::new();
        (series.sample)(game, &mut values);
        assert_eq!(values.len(), game.players(), "{id}: {}", series.id);
    }
}

/// Fails unless painters can rely on a scene.
fn check_scene(scene: &Scene, players: usize) {
    assert_eq!(scene.cells.len(), scene.board.places());
    assert!(scene.pieces.is_sorted_by(|a, b| a.id < b.id), "{:?}", scene.pieces);
    let marks = scene.marks.iter().map(|mark| (mark.place, mark.ink, mark.shape));
    let pieces = scene.pieces.iter().map(|piece| (piece.place, piece.ink, piece.shape));
    for (place, ink, shape) in marks.chain(pieces) {
        check_place(&scene.board, place);
        check_ink(ink);
        if let Shape::Pointer(arrow) = shape {
            assert!(arrow.0 < 8, "{arrow:?} is no direction");
        }
    }
    scene.cells.iter().copied().for_each(check_ink);
    assert_eq!(scene.players.len(), players);
    for line in &scene.players {
        check_ink(line.ink);
        line.hand.iter().copied().for_each(check_ink);
        assert!(line.score.len() <= 40 && line.score.is_ascii(), "{:?}", line.score);
    }
    assert!(!scene.title.is_empty() && scene.title.is_ascii(), "{:?}", scene.title);
}

fn check_place(board: &Board, place: Place) {
    assert!((place as usize) < board.places(), "{place} is not on the board");
}

fn check_ink(ink: Ink) {
    assert_eq!(Ink::from_index(ink.index()), Some(ink));
}

/// Travels lead to one of the eight neighbours.
fn check_travel(board: &Board, travel: &Travel) {
    check_place(board, travel.from);
    check_place(board, travel.to);
    check_ink(travel.ink);
    let Board::Grid { width, height, wraps } = *board else { panic!("only grids have travels") };
    let step = |from: u32, to: u32, size: u32| {
        let way = from.abs_diff(to);
        if wraps { way.min(size - way) } else { way }
    };
    let across = step(travel.from % width, travel.to % width, width);
    let down = step(travel.from / width, travel.to / width, height);
    assert_eq!(across.max(down), 1, "{travel:?}");
}

#[test]
fn any_gestures_are_taken_and_what_is_submitted_is_legal() {
    fn check<G: HumanInput + Presets>(id: GameId) {
        walk::<G>(|game, step| {
            let Some(&first) = game.decisions().first() else { return };
            let mut orders = game.orders(first.player);
            let mut rng = rng(step);
            for _ in 0..60 {
                let hints = game.hints(&orders);
                let gesture = any_gesture(&hints.choices, game.scene().cells.len(), &mut rng);
                if game.act(&mut orders, gesture) != Reaction::Submitted {
                    continue;
                }
                let own = game.decisions().iter().filter(|other| other.player == first.player);
                for &decision in own {
                    let answer = game.carry_out(&orders, decision);
                    assert_eq!(game.illegal(decision, &answer), None, "{id}");
                }
                return;
            }
        });
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>(id)));
}

/// People in all seats play a match by what they are offered: it is enough, and it is legal.
#[test]
fn what_is_offered_is_enough_to_play() {
    fn check<G: HumanInput + Presets>(id: GameId) {
        let mut game = begin::<G>(3);
        let mut rng = rng(1);
        let mut given: Vec<Option<(u64, G::Orders)>> = vec![None; game.players()];
        while !game.is_over() {
            let turn = game.progress().turn;
            let mut answers = vec![];
            for (player, range) in runs_by_player(game.decisions()) {
                let orders = match given[player.index()].take() {
                    Some((of, orders)) if of == turn => orders,
                    _ => orders_by_hints(&game, player, &mut rng),
                };
                answers.extend(game.decisions()[range].iter().map(|&decision| {
                    let answer = game.carry_out(&orders, decision);
                    assert_eq!(game.illegal(decision, &answer), None, "{id}: {orders:?}");
                    answer
                }));
                given[player.index()] = Some((turn, orders));
            }
            game.step(&answers);
        }
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>(id)));
}

/// Orders of somebody who does nothing but what is offered.
fn orders_by_hints<G: HumanInput>(game: &G, player: Player, rng: &mut Rng) -> G::Orders {
    let mut orders = game.orders(player);
    for _ in 0..20_000 {
        let hints = game.hints(&orders);
        assert!(!hints.message.is_empty(), "somebody who is asked is told what to do");
        let choices = hints.choices.iter().map(|choice| choice.act);
        let marked = hints.marks.iter().map(|mark| Gesture::Pick(mark.place));
        let acts: Vec<Gesture> =
            if rng.chance(1, 6) { marked.collect() } else { choices.collect() };
        let Some(&act) = rng.pick(&acts) else { continue };
        if game.act(&mut orders, act) == Reaction::Submitted {
            return orders;
        }
    }
    panic!("many gestures did not lead to orders: {:?}", game.hints(&orders));
}

/// Mostly one that is offered.
fn any_gesture(choices: &[agon_games::human::Choice], places: usize, rng: &mut Rng) -> Gesture {
    match rng.below(8) {
        0 => Gesture::Pick(rng.index(places) as u32),
        1 => Gesture::Type(char::from(b' ' + rng.below(95) as u8)),
        2 => Gesture::Go(ArrowKey::ALL[rng.index(4)]),
        3 => [Gesture::Confirm, Gesture::Undo, Gesture::Cancel][rng.index(3)],
        _ if choices.is_empty() => Gesture::Confirm,
        _ => choices[rng.index(choices.len())].act,
    }
}

/// Changes some bytes, or the length.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.index(bytes.len());
        match rng.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.bits() as u8),
            2 => bytes[at] ^= 1 << rng.below(8),
            3 => bytes[at] = rng.below(10) as u8,
            4 => bytes[at] = bytes[at].wrapping_add(1),
            _ => bytes[at] = rng.bits() as u8,
        }
    }
}

#[test]
fn damaged_positions_are_refused_or_can_be_played() {
    fn check<G: Presets>(id: GameId) {
        let mut positions = Vec::new();
        walk::<G>(|game, _| {
            positions.push(postcard::to_stdvec(&(tiny::<G>(), game.position())).unwrap());
        });
        for round in 0..rounds() {
            let mut rng = rng(round);
            let mut bytes = positions[rng.index(positions.len())].clone();
            damage(&mut bytes, &mut rng);
            let Ok((rules, position)) = postcard::from_bytes::<(G::Rules, G::Position)>(&bytes)
            else {
                continue;
            };
            let text = format!("{rules:?}, {position:?}");
            let play = || play_some(G::from_position(&rules, Seed(1), position), round);
            let played = std::panic::catch_unwind(AssertUnwindSafe(play));
            assert!(played.is_ok(), "{id}: this position cannot be played: {text}");
        }
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>(id)));
}

/// Plays some steps, one of them with default answers alone.
fn play_some<G: Game, E>(game: Result<G, E>, script: u64) {
    let Ok(mut game) = game else { return };
    let again = G::from_position(game.rules(), game.seed(), game.position()).unwrap();
    assert!(again == game && again.state_hash() == game.state_hash(), "the position is the same");
    for step in 0..6 {
        if game.is_over() {
            assert!(game.standing().outcome.is_some(), "a game that is over has an outcome");
            return;
        }
        let scripted = game.scripted_answers(Seed(script), step);
        match step {
            3 => game.step_with(|_, _| G::Answer::default()),
            _ => game.step(&scripted),
        }
    }
}

#[test]
fn damaged_answers_are_refused_or_come_back() {
    fn check<G: JsonGame + Presets>(id: GameId) {
        walk::<G>(|game, step| {
            for answer in game.scripted_answers(Seed(9), step).into_iter().take(8) {
                for round in 0..rounds() / 20 {
                    let rng = &mut rng(step << 32 | round);
                    check_bytes(id, &answer, rng);
                    check_reply::<G>(id, answer.clone(), rng);
                }
            }
        });
    }
    games().into_iter().for_each(|id| with_game!(id, G => check::<G>(id)));
}

fn check_bytes<A: Codec + PartialEq + std::fmt::Debug>(id: GameId, answer: &A, rng: &mut Rng) {
    let mut bytes = Vec::new();
    answer.encode(&mut bytes);
    damage(&mut bytes, rng);
    if let Ok(read) = A::decode(&mut bytes.as_slice()) {
        let mut again = Vec::new();
        read.encode(&mut again);
        assert_eq!(A::decode(&mut again.as_slice()), Ok(read), "{id}");
    }
}

fn check_reply<G: JsonGame>(id: GameId, answer: G::Answer, rng: &mut Rng) {
    let Some(reply) = G::reply_for(answer) else { return };
    let mut text = serde_json::to_vec(&reply).unwrap();
    damage(&mut text, rng);
    if let Ok(reply) = serde_json::from_slice::<G::Reply>(&text) {
        let answer = G::answer_from(reply);
        let again = G::reply_for(answer.clone()).expect("what a bot said it can say again");
        assert_eq!(G::answer_from(again), answer, "{id}");
    }
}
