//! Tests of `AnyGame`: it plays like the typed games, and bad JSON is an error.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use agon_core::{
    ActionMask, Decision, Game, GameExt, LegalActions, Player, Purpose, Rng, Seed, runs_by_player,
};
use agon_games::batch::{self, Batch, Unusable};
use agon_games::{
    GameId, Presets, any::AnyGame, jsonl::JsonGame, jsonl::message::write_decide, scene::Render,
    with_game,
};

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
    (typed, AnyGame::new(id, small(id), 2, Seed(seed)).unwrap())
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
    for (player, range) in runs_by_player(typed.decisions()) {
        let decisions = &typed.decisions()[range];
        let mut expected = Vec::new();
        write_decide(typed, step, decisions, &mut expected);
        assert_eq!(any.question_json(step, player).unwrap().as_bytes(), expected);
        batch::question(typed, step, decisions, &mut expected);
        let mut bytes = vec![7];
        any.question_bytes(step, player, &mut bytes).unwrap();
        assert_eq!(bytes, expected);
        assert_eq!(any.answer_room(player), Ok(typed.answer_room(decisions)));
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
            any.legal_actions_of(decision, choice, &mut mask).unwrap();
            assert_eq!(legal[choice], mask);
        }
    }
}

/// One step of the second without any answer; returns what the first has to answer.
fn step_in_bytes<G: Game>(typed: &G, any: &mut AnyGame) -> Vec<G::Answer> {
    let messages = vec![[].as_slice(); runs_by_player(typed.decisions()).count()];
    let unusable = any.step_bytes(&messages).unwrap();
    let unanswered = |&decision: &Decision| (decision, Unusable::Unanswered);
    assert!(unusable.into_iter().eq(typed.decisions().iter().map(unanswered)));
    vec![G::Answer::default(); typed.decisions().len()]
}

/// One step of both, with the answers in one form after the other.
fn step<G: Batch + JsonGame + LegalActions>(typed: &mut G, any: &mut AnyGame, step: u64) {
    let scripted = typed.scripted_answers(Seed(step), step);
    let answers = match step % 3 {
        // Rarely, since no answer ends a match of cluster.
        _ if step % 16 == 15 => step_in_bytes(typed, any),
        0 => {
            any.step_json(&serde_json::to_string(&scripted).unwrap()).unwrap();
            scripted
        }
        1 => {
            let replies: Vec<_> = scripted.into_iter().map(G::reply_for).collect();
            any.step_replies(&serde_json::to_string(&replies).unwrap()).unwrap();
            let answer = |reply: Option<G::Reply>| reply.map(G::answer_from).unwrap_or_default();
            replies.into_iter().map(answer).collect()
        }
        _ => {
            let mut rng = Seed(step).stream(Purpose::Script, 0);
            let decisions = typed.decisions();
            let answers: Vec<G::Answer> =
                decisions.iter().map(|&d| typed.random_legal(d, &mut rng)).collect();
            let actions: Vec<Vec<usize>> = decisions
                .iter()
                .zip(&answers)
                .map(|(&decision, answer)| typed.actions_of(decision, answer).unwrap())
                .collect();
            any.step_actions(&actions).unwrap();
            answers
        }
    };
    typed.step(&answers);
}

fn check_walk<G: Batch + JsonGame + Render + LegalActions>(id: GameId, seed: u64) {
    let (mut typed, mut any) = pair::<G>(id, seed);
    let rules = serde_json::to_string(typed.rules()).unwrap();
    assert_eq!((any.meta(), any.rules_json()), (G::META, rules.clone()));
    for number in 0..60 {
        check_state(&typed, &any);
        check_questions(&typed, &any, number);
        check_actions(&typed, &any);
        let again = AnyGame::from_position(id, &rules, any.seed(), &any.position_json()).unwrap();
        assert_eq!(again, any, "{id}, step {number}");
        if typed.is_over() {
            break;
        }
        let before = any.clone();
        step(&mut typed, &mut any, number);
        assert_ne!(before, any, "clones are independent");
    }
    check_state(&typed, &any);
}

#[test]
fn any_game_is_the_typed_game() {
    for id in GameId::ALL {
        with_game!(id, G => (0..4).for_each(|seed| check_walk::<G>(id, seed)));
    }
}

#[test]
fn games_of_different_kinds_differ() {
    let games = GameId::ALL.map(|id| AnyGame::new(id, "{}", 2, Seed(1)).unwrap());
    for (i, game) in games.iter().enumerate() {
        assert!(games.iter().enumerate().all(|(j, other)| (i == j) == (game == other)));
    }
    assert_eq!(games[0].as_game::<agon_games::cluster::Cluster>(), None);
}

#[test]
fn settings_players_and_positions_are_named() {
    let error = |rules: &str, players| {
        AnyGame::new(GameId::Cluster, rules, players, Seed(1)).unwrap_err().to_string()
    };
    assert_eq!(error(r#"{"sides": 4}"#, 2), "cluster has no setting `sides`; did you mean `side`?");
    assert_eq!(
        error(r#"{"side": -1}"#, 2),
        "setting `side`: invalid value: integer `-1`, expected a whole number from 0 to 4294967295"
    );
    assert_eq!(error(r#"{"side": 1}"#, 2), "side: 1 is not between 2 and 64");
    assert_eq!(error("{}", 3), "players: 3 given, but 2 play cluster");
    assert_eq!(error(r#"{"side": }"#, 2), "rules of cluster: expected value at line 1 column 10");
    assert!(error("[]x", 2).starts_with("rules of cluster: "));
    let error = |position: &str| {
        let game = AnyGame::from_position(GameId::Cluster, "{}", Seed(1), position);
        game.unwrap_err().to_string()
    };
    assert!(error("{").starts_with("position of cluster: EOF"), "{}", error("{"));
    assert!(error(r#"{"gravity": 9}"#).contains("gravity"), "{}", error(r#"{"gravity": 9}"#));
}

#[test]
fn decisions_answers_and_players_are_named() {
    let mut game = AnyGame::new(GameId::Cluster, r#"{"side": 4}"#, 2, Seed(1)).unwrap();
    let second = Decision::new(Player(1), 0);
    let not_wanted = "player 1 has no decision to make for unit 0 now";
    assert_eq!(game.observation_json(second).unwrap_err().to_string(), not_wanted);
    assert_eq!(game.legal_actions(second).unwrap_err().to_string(), not_wanted);
    let error = game.question_json(0, Player(1)).unwrap_err().to_string();
    assert_eq!(error, "player 1 has no decision to make now");
    let error = game.question_bytes(0, Player(2), &mut vec![]).unwrap_err().to_string();
    assert_eq!(error, "there is no player 2; players are numbered from 0 to 1");
    let first = Decision::new(Player(0), 0);
    let error = game.legal_actions_of(first, 1, &mut ActionMask::default()).unwrap_err();
    assert_eq!(error.to_string(), "player 0, unit 0: there is no choice 1 among 1");
    assert_eq!(
        game.illegal_json(first, r#""PLACE 99 0""#).map(|breach| breach.is_some()),
        Ok(true)
    );
    assert_eq!(game.illegal_json(first, r#""ROTATE 1""#), Ok(None));

    let error =
        |game: &mut AnyGame, answers: &str| game.step_json(answers).unwrap_err().to_string();
    assert_eq!(error(&mut game, "[]"), "0 answers given, but 1 are wanted");
    assert!(error(&mut game, r#""FORFEIT""#).starts_with("answers: invalid type"));
    assert!(error(&mut game, r#"["JUMP"]"#).starts_with("player 0, unit 0: `JUMP` came"));
    let error = game.step_replies(r#"[{"action":"PLACE"}]"#).unwrap_err().to_string();
    assert!(error.starts_with("player 0, unit 0: missing field"), "{error}");
    let error = game.step_actions(&[vec![99]]).unwrap_err().to_string();
    assert!(error.starts_with("player 0, unit 0: choice 0: there is no action 99"), "{error}");
    let error = game.step_bytes(&[]).unwrap_err().to_string();
    assert_eq!(error, "0 messages given, but 1 are wanted");

    game.step_replies("[null]").unwrap();
    assert!(game.is_over(), "no reply gives the game up");
    let over = "the game is over";
    assert_eq!(game.step_json("[]").unwrap_err().to_string(), over);
    assert_eq!(game.step_replies("[]").unwrap_err().to_string(), over);
    assert_eq!(game.step_actions(&[]).unwrap_err().to_string(), over);
    assert_eq!(game.step_bytes(&[]).unwrap_err().to_string(), over);
}

/// A text with another digit, which is mostly JSON still, or with other characters.
fn damaged(text: &str, rng: &mut Rng) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let is_digit = |&at: &usize| characters[at].is_ascii_digit();
    let digits: Vec<usize> = (0..characters.len()).filter(is_digit).collect();
    let at = rng.index(characters.len());
    match rng.below(6) {
        0..3 if !digits.is_empty() => {
            let digit = digits[rng.index(digits.len())];
            characters[digit] = char::from(b'0' + rng.below(10) as u8);
        }
        0..4 => drop(characters.remove(at)),
        4 => characters.insert(at, characters[at]),
        _ => {
            let others = ['-', '.', 'e', '"', '{', '}', '[', ']', ',', ':', '\\', 'é', '\0'];
            characters[at] = others[rng.index(others.len())];
        }
    }
    characters.into_iter().collect()
}

/// Whatever is read plays on; whatever is not leaves the game as it was.
fn check_damaged<G: JsonGame>(id: GameId, rng: &mut Rng) {
    let (mut typed, mut any) = pair::<G>(id, rng.bits());
    for step in 0..rng.below(20) {
        let answers = typed.scripted_answers(Seed(step), step);
        let mut next = typed.clone();
        next.step(&answers);
        if next.is_over() {
            break;
        }
        any.step_json(&serde_json::to_string(&answers).unwrap()).unwrap();
        typed = next;
    }

    let rules = damaged(small(id), rng);
    let position = damaged(&any.position_json(), rng);
    let loaded = [
        AnyGame::from_position(id, &rules, Seed(1), &any.position_json()),
        AnyGame::from_position(id, small(id), Seed(1), &position),
        AnyGame::new(id, &rules, 2, Seed(1)),
    ];
    for mut game in loaded.into_iter().flatten().filter(|game| !game.is_over()) {
        let messages = vec![[].as_slice(); runs_by_player(game.decisions()).count()];
        game.step_bytes(&messages).unwrap();
    }

    let answers = typed.scripted_answers(Seed(1), 99);
    let replies: Vec<_> = answers.iter().cloned().map(G::reply_for).collect();
    let answers = damaged(&serde_json::to_string(&answers).unwrap(), rng);
    let replies = damaged(&serde_json::to_string(&replies).unwrap(), rng);
    let before = any.clone();
    if any.step_json(&answers).is_err() {
        assert_eq!(any, before);
    }
    let mut any = before.clone();
    if any.step_replies(&replies).is_err() {
        assert_eq!(any, before);
    }
}

#[test]
fn damaged_json_does_no_harm() {
    let mut rng = Seed(1).stream(Purpose::Script, 0);
    for id in GameId::ALL {
        with_game!(id, G => (0..300).for_each(|_| check_damaged::<G>(id, &mut rng)));
    }
}

/// Learners keep what they know of actions by their numbers.
#[test]
fn actions_keep_their_numbers() {
    let expected: [(GameId, &[(usize, &str)]); 5] = [
        (
            GameId::Amoebas,
            &[(0, "rest"), (1, "move NW"), (9, "hit NW"), (17, "divide NW"), (24, "divide W")],
        ),
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
        let names = AnyGame::new(id, small(id), 2, Seed(1)).unwrap().action_names();
        let last = actions.last().unwrap().0;
        assert_eq!(names.len(), last + 1, "{id}");
        for &(action, name) in actions {
            assert_eq!(names[action], name, "{id}");
        }
    }
}
