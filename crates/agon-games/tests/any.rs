//! Tests of `AnyGame` and what belongs to it: they do the same as the typed games.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use agon_core::{
    ActionMask, Codec, Decision, Game, GameExt, LegalActions, Params, Player, Purpose,
    QuickStreams, Seed, runs_by_player,
};
use agon_games::any::{AnyAnswers, AnyGame};
use agon_games::batch::{self, Batch, Unusable};
use agon_games::jsonl::{JsonGame, message};
use agon_games::{BuiltinBots, GameId, Presets, presets, scene::Render, settings, with_game};
use serde_json::{Value, json};

/// Settings that make a game small.
fn small(id: GameId) -> &'static str {
    match id {
        GameId::Amoebas => r#"{"world_size":12,"view_distance":2,"rounds":8}"#,
        GameId::Binfection => r#"{"field_width":8,"field_height":8,"turns_limit":30}"#,
        GameId::Cellhack => r#"{"width":8,"height":8,"turns":30}"#,
        GameId::Cluster => r#"{"side":4}"#,
        GameId::Rezzo => r#"{"width":20,"height":20,"max_ticks":60}"#,
        #[allow(unreachable_patterns, reason = "further games have settings for tests")]
        _ => with_game!(id, G => G::TINY),
    }
}

fn pair<G: Game>(id: GameId, seed: u64) -> (G, AnyGame) {
    let rules = serde_json::from_str(small(id)).unwrap();
    let typed = G::new(&rules, 2, Seed(seed)).unwrap();
    (typed, start(id, seed))
}

/// A small match of two players.
fn start(id: GameId, seed: u64) -> AnyGame {
    let rules = id.kind().read_rules(small(id)).unwrap();
    id.kind().start(&rules, 2, Seed(seed)).unwrap()
}

/// Both say the same of the state.
fn check_state<G: Batch + JsonGame + Render + LegalActions>(typed: &G, any: &AnyGame) {
    assert_eq!(any.state_hash(), typed.state_hash());
    assert_eq!(any.decisions(), typed.decisions());
    assert_eq!(any.progress(), typed.progress());
    assert_eq!(any.standing(), typed.standing());
    assert_eq!(any.position_json(), serde_json::to_string(&typed.position()).unwrap());
    assert_eq!((any.is_over(), any.players(), any.seed()), (typed.is_over(), 2, typed.seed()));
    assert_eq!(any.scene(), typed.scene());
    for player in Player::all(2) {
        assert_eq!(any.is_out(player), Ok(typed.is_out(player)));
        assert_eq!(any.scene_for(player), Ok(typed.scene_for(player)));
    }
    assert_eq!(any.as_game::<G>(), Some(typed));
    assert_eq!(any, &any.clone());
}

/// Both ask the same questions.
fn check_questions<G: Batch + JsonGame>(typed: &G, any: &AnyGame, step: u64) {
    for (_, range) in runs_by_player(typed.decisions()) {
        let decisions = &typed.decisions()[range];
        let mut expected = Vec::new();
        message::write_decide(typed, step, decisions, &mut expected);
        let mut line = Vec::new();
        any.write_question(step, decisions, &mut line);
        assert_eq!(line, expected);
        batch::question(typed, step, decisions, &mut expected);
        let room = typed.answer_room(decisions);
        assert_eq!(
            (any.room_for(decisions), any.write_batch(step, decisions, &mut line)),
            (room, room)
        );
        assert_eq!(line, expected);
    }
    for &decision in typed.decisions() {
        let mut expected = Vec::new();
        G::write_observation(&typed.view(decision), &mut expected);
        assert_eq!(any.observation_json(decision).unwrap().as_bytes(), expected);
    }
}

/// Both have the same actions.
fn check_actions<G: LegalActions>(typed: &G, any: &AnyGame) {
    let names: Vec<String> = (0..typed.action_count()).map(|a| typed.action_name(a)).collect();
    assert_eq!(any.action_names(), names);
    for &decision in typed.decisions() {
        let legal = any.legal_actions(decision).unwrap();
        let effective = any.effective_actions(decision).unwrap();
        let choices = any.choice_names(decision).unwrap();
        assert_eq!([legal.len(), effective.len(), choices.len()], [typed.choices(decision); 3]);
        let mut mask = ActionMask::default();
        for (choice, name) in choices.iter().enumerate() {
            assert_eq!(*name, typed.choice_name(decision, choice));
            typed.effective_actions(decision, choice, &mut mask);
            assert_eq!(effective[choice], mask);
            typed.legal_actions(decision, choice, &mut mask);
            assert_eq!(legal[choice], mask);
        }
    }
}

/// Both lists have the same answers, in all forms.
fn check_answers<G: JsonGame>(typed: &[G::Answer], any: &AnyAnswers) {
    assert_eq!((any.as_slice::<G>(), any.len()), (Some(typed), typed.len()));
    let mut bytes = Vec::new();
    typed.iter().for_each(|answer| answer.encode(&mut bytes));
    let mut encoded = Vec::new();
    any.encode(&mut encoded);
    assert_eq!(encoded, bytes);
    let mut copy = AnyAnswers::of::<G>(Vec::new());
    copy.decode(typed.len() as u64, &mut bytes.as_slice()).unwrap();
    assert_eq!(copy, *any);
    copy.reset(typed.len());
    assert_eq!(copy.count_own(0..typed.len()), 0);
    for (at, answer) in typed.iter().enumerate() {
        let text = serde_json::to_string(answer).unwrap();
        assert_eq!(any.json(at).to_string(), text);
        copy.as_mut().set_json(at, &text).unwrap();
        assert_eq!(copy.part(at..at + 1), any.part(at..at + 1));
        let reply = G::reply_for(answer.clone()).map(|reply| serde_json::to_value(reply).unwrap());
        assert_eq!(any.reply(at), reply);
        if let Some(reply) = reply {
            let mut part = any.part(at..at + 1);
            part.as_mut().forfeit();
            assert_eq!(part.as_slice::<G>(), Some([G::forfeit()].as_slice()));
            part.as_mut().set_reply(0, &reply.to_string()).unwrap();
            part.as_mut().set_reply(0, "{").unwrap_err();
            assert_eq!(part, any.part(at..at + 1));
            copy.part_mut(at..at + 1).copy_from(&part);
        }
    }
    assert_eq!(copy, *any);
}

/// One step of both, with the answers in one form after the other.
fn step<G: Batch + JsonGame + LegalActions>(typed: &mut G, any: &mut AnyGame, step: u64) {
    let scripted = typed.scripted_answers(Seed(step), step);
    let mut answers = any.kind().no_answers();
    answers.reset(scripted.len());
    match step % 4 {
        // Rarely, since no answer ends a match of cluster.
        _ if step % 16 == 15 => {
            for (_, range) in runs_by_player(typed.decisions()) {
                let own = &typed.decisions()[range.clone()];
                let mut unanswered = 0;
                any.read_batch(own, &[], answers.part_mut(range), &mut |at, why| {
                    assert_eq!((at, why), (unanswered, Unusable::Unanswered));
                    unanswered += 1;
                });
                assert_eq!(unanswered, own.len());
            }
        }
        0 => {
            for (at, answer) in scripted.iter().enumerate() {
                let text = serde_json::to_string(answer).unwrap();
                answers.as_mut().set_json(at, &text).unwrap();
            }
            check_answers::<G>(&scripted, &answers);
        }
        1 => {
            let replies = scripted.iter().cloned().map(G::reply_for).enumerate();
            for (at, reply) in replies.filter_map(|(at, reply)| Some((at, reply?))) {
                let text = serde_json::to_string(&reply).unwrap();
                answers.as_mut().set_reply(at, &text).unwrap();
                assert_eq!(answers.as_slice::<G>().unwrap()[at], G::answer_from(reply));
            }
        }
        2 => {
            answers = any.scripted_answers(Seed(step), step);
            check_answers::<G>(&scripted, &answers);
            let breaches = any.breaches(0..scripted.len(), &answers);
            let pairs = typed.decisions().iter().zip(&scripted);
            let first = pairs
                .filter(|(_, answer)| **answer != G::Answer::default())
                .find_map(|(&decision, answer)| Some((decision, typed.illegal(decision, answer)?)));
            assert_eq!(breaches.map(|(decision, reason, _)| (decision, reason)), first);
        }
        _ => answers.as_mut().copy_from(&AnyAnswers::of::<G>(scripted)),
    }
    any.step(&answers);
    let answers = answers.as_slice::<G>().unwrap().to_vec();
    typed.step(&answers);
}

fn check_walk<G: Batch + JsonGame + Render + LegalActions>(id: GameId, seed: u64) {
    let (mut typed, mut any) = pair::<G>(id, seed);
    let rules = serde_json::to_string(typed.rules()).unwrap();
    assert_eq!((any.meta(), any.rules_json()), (G::META, rules.clone()));
    assert_eq!((any.kind().meta(), any.rules().to_string()), (G::META, rules.clone()));
    let names = ["tom", "amy"].map(str::to_owned);
    for player in Player::all(2) {
        let mut expected = Vec::new();
        let mut line = Vec::new();
        message::write_line(&message::Start::new(&typed, player, &names), &mut expected);
        any.write_start(player, &names, &mut line);
        assert_eq!(line, expected);
    }
    assert!(any.is_start());
    for number in 0..60 {
        check_state(&typed, &any);
        check_questions(&typed, &any, number);
        check_actions(&typed, &any);
        let again = any.kind().start_from_json(&any.rules(), any.seed(), &any.position_json());
        let again = again.unwrap();
        assert_eq!(again, any, "{id}, step {number}");
        let position = any.position_bytes().unwrap();
        let again = any.kind().start_from_bytes(&any.rules(), any.seed(), &position).unwrap();
        assert_eq!(again, any, "{id}, step {number}");
        if typed.is_over() {
            break;
        }
        let before = any.clone();
        step(&mut typed, &mut any, number);
        assert_ne!(before, any, "clones are independent");
        assert!(!any.is_start());
    }
    check_state(&typed, &any);
}

#[test]
fn any_game_is_the_typed_game() {
    for id in GameId::OWN {
        with_game!(id, G => (0..4).for_each(|seed| check_walk::<G>(id, seed)));
    }
}

fn check_settings<G: Presets>(id: GameId) {
    let kind = id.kind();
    let map = |rules: &G::Rules| Value::Object(settings::to_map::<G>(rules));
    assert_eq!(kind.default_rules(), map(&G::Rules::default()));
    assert_eq!(kind.full_rules(&json!({})).unwrap(), kind.default_rules());
    let tiny = map(&serde_json::from_str(G::TINY).unwrap());
    assert_eq!(kind.read_rules(G::TINY).unwrap(), tiny);
    assert_eq!(
        kind.changed_rules(G::SHORT).unwrap(),
        map(&presets::changed::<G>(G::SHORT).unwrap())
    );
    for preset in kind.presets() {
        let expected = map(&presets::rules::<G>(preset.name).unwrap());
        assert_eq!(kind.preset_rules(preset.name).unwrap(), expected, "{id} {}", preset.name);
    }
    let mut rules = kind.default_rules();
    for (key, value) in tiny.as_object().unwrap() {
        kind.set_rule(&mut rules, key, value.clone()).unwrap();
    }
    assert_eq!(rules, tiny);
    let error = kind.set_rule(&mut rules, "none", json!(1)).unwrap_err();
    let typed = settings::set::<G>(&mut G::Rules::default(), "none", json!(1)).unwrap_err();
    assert_eq!((error, rules), (typed, tiny));
}

/// The built-in bots give the same first answers.
fn check_bots<G: JsonGame + BuiltinBots>(id: GameId) {
    let (typed, any) = pair::<G>(id, 1);
    let (_, range) = runs_by_player(typed.decisions()).next().unwrap();
    let decisions = &typed.decisions()[range];
    let infos = id.kind().builtins();
    assert_eq!(infos.len(), G::BUILTINS.len());
    for (builtin, info) in G::BUILTINS.iter().zip(infos) {
        assert_eq!((builtin.name, builtin.version), (info.name, info.version));
        let params = Params::new(builtin.params, []).unwrap();
        let streams = || QuickStreams::new(Seed(1), Purpose::Bot(0));
        let mut bot = (builtin.make)(&params).unwrap();
        let mut own = streams();
        let answer = |&decision: &Decision| {
            bot.decide(&typed.view(decision), &mut own.of_unit(0, decision.unit))
        };
        let expected: Vec<G::Answer> = decisions.iter().map(answer).collect();
        let mut bot = id.kind().policy(builtin.name, &params).unwrap();
        let mut answers = id.kind().no_answers();
        answers.reset(decisions.len());
        bot.decide(&any, 0, decisions, &mut streams(), answers.as_mut());
        assert_eq!(answers.as_slice::<G>(), Some(expected.as_slice()), "{id} {}", builtin.name);
    }
}

#[test]
fn a_kind_has_the_settings_and_bots_of_its_game() {
    for id in GameId::OWN {
        with_game!(id, G => {
            check_settings::<G>(id);
            check_bots::<G>(id);
        });
    }
}

#[test]
fn games_of_different_kinds_differ() {
    let games = GameId::OWN.map(|id| start(id, 1));
    for (i, game) in games.iter().enumerate() {
        assert!(games.iter().enumerate().all(|(j, other)| (i == j) == (game == other)));
    }
    assert_eq!(games[0].as_game::<agon_games::cluster::Cluster>(), None);
}

#[test]
fn settings_players_and_positions_are_named() {
    let kind = GameId::Cluster.kind();
    let error = |rules: Value, players| {
        kind.start(&rules, players, Seed(1)).unwrap_err().problems[0].reason.clone()
    };
    let unknown = "cluster has no setting `sides`; did you mean `side`?";
    assert_eq!(error(json!({ "sides": 4 }), 2), unknown);
    assert_eq!(
        error(json!({ "side": -1 }), 2),
        "setting `side`: invalid value: integer `-1`, expected a whole number from 0 to 4294967295"
    );
    assert_eq!(error(json!({ "side": 1 }), 2), "1 is not between 2 and 64");
    assert_eq!(error(json!({}), 3), "3 given, but 2 play cluster");
    let error = |position: &str| {
        let game = kind.start_from_json(&kind.default_rules(), Seed(1), position);
        game.unwrap_err().to_string()
    };
    assert!(error("{").starts_with("EOF"), "{}", error("{"));
    assert!(error(r#"{"gravity": 9}"#).contains("gravity"), "{}", error(r#"{"gravity": 9}"#));
}

#[test]
fn decisions_answers_and_players_are_named() {
    let game = start(GameId::Cluster, 1);
    let second = Decision::new(Player(1), 0);
    let not_wanted = "player 1 has no decision to make for unit 0 now";
    assert_eq!(game.observation_json(second).unwrap_err().to_string(), not_wanted);
    assert_eq!(game.legal_actions(second).unwrap_err().to_string(), not_wanted);
    let error = game.scene_for(Player(2)).unwrap_err().to_string();
    assert_eq!(error, "there is no player 2; players are numbered from 0 to 1");

    let mut answers = game.kind().no_answers();
    answers.reset(1);
    let error = answers.as_mut().set_json(0, r#""JUMP""#).unwrap_err().to_string();
    assert!(error.starts_with("`JUMP` came"), "{error}");
    let error = answers.as_mut().set_reply(0, r#"{"action":"PLACE"}"#).unwrap_err().to_string();
    assert!(error.starts_with("missing field"), "{error}");
    assert_eq!(answers.count_own(0..1), 0, "it stays what it was");
    let count = |answers: &AnyAnswers| game.breaches(0..1, answers).map(|(.., count)| count);
    answers.as_mut().set_json(0, r#""PLACE 99 0""#).unwrap();
    assert_eq!(count(&answers), Some(1));
    answers.as_mut().set_json(0, r#""ROTATE 1""#).unwrap();
    assert_eq!(count(&answers), None);
}

/// Learners keep what they know of actions by their numbers.
#[test]
fn actions_keep_their_numbers() {
    let expected: [(GameId, &[(usize, &str)]); 6] = [
        (
            GameId::Amoebas,
            &[(0, "rest"), (1, "move NW"), (9, "hit NW"), (17, "divide NW"), (24, "divide W")],
        ),
        (GameId::Battlesnake, &[(0, "up"), (1, "down"), (2, "left"), (3, "right")]),
        (GameId::Binfection, &[(0, "stay"), (1, "send up"), (2, "send right"), (4, "send left")]),
        (GameId::Cellhack, &[(0, "rest"), (2, "die"), (3, "eat up"), (18, "feed down")]),
        (
            GameId::Cluster,
            &[
                (0, "place color 0 in column 0"),
                (27, "place color 3 in column 6"),
                (28, "rotate by 1 sixth"),
                (32, "rotate by 5 sixths"),
            ],
        ),
        (GameId::Rezzo, &[(0, "wait"), (1, "advance"), (2, "turn left"), (5, "hit")]),
    ];
    for (id, actions) in expected {
        let names = start(id, 1).action_names();
        let last = actions.last().unwrap().0;
        assert_eq!(names.len(), last + 1, "{id}");
        for &(action, name) in actions {
            assert_eq!(names[action], name, "{id}");
        }
    }
}
