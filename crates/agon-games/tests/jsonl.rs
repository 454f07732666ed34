//! Tests of the JSON Lines protocol: generated files are up to date, recorded conversations match
//! the schemas, replies come back, and observations hide what they should.

#![allow(clippy::unwrap_used, reason = "a test that finds nothing should fail")]

use std::process::{Command, Stdio};
use std::{fs, io::Write};

use agon_core::{Decision, GameExt, Player, Seed, runs_by_player};
use agon_games::jsonl::message::{Answers, Decide, line, write_decide};
use agon_games::jsonl::{JsonGame, schema};
use agon_games::{GameId, Presets, amoebas, binfection, cellhack, cluster, rezzo, with_game};
use proptest::prelude::*;
use serde_json::{Value, json};

#[path = "../examples/jsonl.rs"]
#[allow(dead_code, unreachable_pub)]
mod generate;

#[test]
fn generated_files_are_up_to_date() {
    for (path, content) in generate::files().unwrap() {
        let found = fs::read_to_string(generate::root().join(&path)).unwrap_or_default();
        assert!(found == content, "{path} is out of date; `cargo xtask generate` writes it anew");
        assert!(content.len() < 100_000, "{path} is large");
    }
}

/// The games of `docs/protocol.md`.
fn documented_games() -> impl Iterator<Item = GameId> {
    GameId::OWN.into_iter().filter(|&id| with_game!(id, G => G::SAMPLE.is_some()))
}

fn lines(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(generate::root().join(path)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn validator(id: GameId, message: &str) -> jsonschema::Validator {
    let mut schema = with_game!(id, G => schema::<G>());
    schema["oneOf"] = json!([{ "$ref": format!("#/$defs/{message}") }]);
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
fn check_valid(validator: &jsonschema::Validator, message: &Value) {
    let problems: Vec<_> = validator.iter_errors(message).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{message}: {problems:?}");
}

#[test]
fn recorded_conversations_keep_to_the_schemas() {
    for id in documented_games() {
        let arena = lines(&format!("starter-kits/golden/{id}.arena.jsonl"));
        let kinds: Vec<_> = arena.iter().map(|message| message["type"].as_str().unwrap()).collect();
        let questions = kinds.len() - 2;
        assert_eq!((kinds[0], kinds[questions + 1]), ("start", "end"), "{id}");
        assert!(
            questions >= 2 && kinds[1..=questions].iter().all(|&kind| kind == "decide"),
            "{id}"
        );
        for kind in ["start", "decide", "end"] {
            let validator = validator(id, kind);
            for message in &arena {
                if message["type"] == kind {
                    check_valid(&validator, message);
                }
                assert_eq!(validator.is_valid(message), message["type"] == kind, "{id}: {message}");
            }
        }
        let bot = lines(&format!("starter-kits/golden/{id}.bot.jsonl"));
        let validator = validator(id, "answers");
        for (question, answer) in arena[1..].iter().zip(&bot) {
            check_valid(&validator, answer);
            assert_eq!(question["step"], answer["step"], "{id}");
            let count = |message: &Value, key| message[key].as_array().unwrap().len();
            assert_eq!(count(question, "decisions"), count(answer, "answers"), "{id}");
        }
        assert_eq!(bot.len(), questions, "{id}");
    }
}

#[test]
fn schemas_refuse_what_the_arena_refuses() {
    for (id, reply) in [
        (GameId::Amoebas, json!({ "cmd": "move" })),
        (GameId::Amoebas, json!({ "cmd": "hit", "dir": 8 })),
        (GameId::Amoebas, json!({ "cmd": "fault" })),
        (GameId::Binfection, json!({})),
        (GameId::Binfection, json!({ "moves": [{ "x": 1, "y": 1, "direction": 4 }] })),
        (GameId::Cellhack, json!({ "memory": 1 })),
        (GameId::Cellhack, json!({ "action": "MOVE" })),
        (GameId::Cluster, json!({ "action": "PLACE", "column": -1, "color": 0 })),
        (GameId::Cluster, json!("PLACE 3 0")),
        (GameId::Rezzo, json!({ "action": "SILENCE" })),
    ] {
        let message = json!({ "step": 1, "answers": [reply] });
        assert!(!validator(id, "answers").is_valid(&message), "{id}: {reply}");
        with_game!(id, G => {
            let read = serde_json::from_value::<<G as JsonGame>::Reply>(reply.clone());
            assert!(read.is_err(), "{id}: {reply}");
        });
    }
}

#[test]
fn unknown_keys_do_no_harm() {
    for (id, reply) in [
        (GameId::Amoebas, json!({ "cmd": "rest", "dir": "up", "why": "tired" })),
        (
            GameId::Binfection,
            json!({ "moves": [{ "x": 1, "y": 1, "direction": 0, "why": 1 }], "blob": {} }),
        ),
        (GameId::Cellhack, json!({ "action": "REST", "why": "tired" })),
        (GameId::Cluster, json!({ "action": "ROTATE", "cycles": 1, "why": [] })),
        (GameId::Rezzo, json!({ "action": "NOP", "ts": 3 })),
    ] {
        let message = json!({ "type": "answers", "step": 1, "answers": [reply] });
        check_valid(&validator(id, "answers"), &message);
        with_game!(id, G => {
            serde_json::from_value::<Answers<<G as JsonGame>::Reply>>(message).unwrap();
        });
    }
}

/// What of a reply matters comes back from JSON, and means the same answer.
fn replies_come_back<G: JsonGame>(script: u64) {
    let mut game = G::new(&G::Rules::default(), 2, Seed(script)).unwrap();
    for step in 0..30 {
        let answers = game.scripted_answers(Seed(script), step);
        for answer in &answers {
            let Some(reply) = G::reply_for(answer.clone()) else { continue };
            let json = serde_json::to_string(&reply).unwrap();
            assert_eq!(&G::answer_from(serde_json::from_str(&json).unwrap()), answer, "{json}");
        }
        game.step(&answers);
        if game.is_over() {
            break;
        }
    }
}

/// Questions that a game writes by hand are those of its observations, byte by byte.
fn questions_are_those_of_values<G: JsonGame>(script: u64) {
    let mut game = G::new(&G::Rules::default(), 2, Seed(script)).unwrap();
    for step in 0..60 {
        for (player, part) in runs_by_player(game.decisions()) {
            let decisions = &game.decisions()[part];
            let mut fast = Vec::new();
            let step = u64::from(player.0) << 40 | step;
            write_decide(&game, step, decisions, &mut fast);
            assert!(
                fast == line(&Decide::new(&game, step, decisions)),
                "{}",
                String::from_utf8_lossy(&fast)
            );
        }
        if game.is_over() {
            break;
        }
        game.step(&game.scripted_answers(Seed(script), step));
    }
}

#[test]
fn written_questions_are_those_of_values() {
    for script in 0..4 {
        for id in GameId::OWN {
            with_game!(id, G => questions_are_those_of_values::<G>(script));
        }
    }
}

#[test]
fn replies_of_all_games_come_back() {
    for script in 0..8 {
        for id in GameId::OWN {
            with_game!(id, G => replies_come_back::<G>(script));
        }
    }
}

proptest! {
    // Games of the usual size take their time.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn observations_hide_what_views_hide(seed in 0..200u64, steps in 0..12u64, extra in 1..9u32) {
        hides::<cluster::Cluster>(seed, steps, |position, me| {
            // The other player's bags.
            for color in cluster::own_colors(Player(1 - me.0)) {
                let bag = &mut position.bags.as_mut().unwrap()[usize::from(color)];
                *bag = if *bag > extra { *bag - extra } else { *bag + extra };
            }
        });
        hides::<amoebas::Amoebas>(seed, 0, |position, _| {
            // The usual world is large: nobody sees more than seven cells of a row.
            let me = position.amoebas[0].clone();
            position.fuel = vec![100; 200 * 200];
            position.fuel[((me.y * 200) + (me.x + 100) % 200) as usize] -= extra;
        });
        hides::<binfection::Binfection>(seed, 0, |position, me| {
            for cell in &mut position.cells {
                if cell.owner.is_some_and(|owner| owner != me) {
                    cell.units += u64::from(extra);
                }
            }
        });
        hides::<cellhack::Cellhack>(seed, 0, |position, me| {
            let other = position.cells.iter_mut().find(|cell| cell.player != me.0).unwrap();
            (other.energy, other.memory) = (other.energy + extra as u16, extra.into());
        });
        hides::<rezzo::Rezzo>(seed, 0, |position, _| {
            // Where agents stand and look is told to nobody: the whole world may be shifted.
            let by = extra as usize;
            position.rows.rotate_left(by);
        });
    }
}

/// Changes what the first player asked must not see; what it is shown has to stay the same.
fn hides<G: JsonGame>(seed: u64, steps: u64, change: impl Fn(&mut G::Position, Player)) {
    let rules = G::Rules::default();
    let mut game = G::new(&rules, 2, Seed(seed)).unwrap();
    for step in 0..steps {
        let answers = game.scripted_answers(Seed(seed), step);
        game.step(&answers);
    }
    let Some(&decision) = game.decisions().first() else { return };
    let mut position = game.position();
    change(&mut position, decision.player);
    let Ok(changed) = G::from_position(&rules, Seed(seed), position) else {
        panic!("{}: the changed position is refused", G::META.id)
    };
    assert_ne!(game.state_hash(), changed.state_hash());
    let shown = |game: &G, decision: Decision| {
        serde_json::to_value(G::observe(&game.view(decision))).unwrap()
    };
    let now = changed.decisions().iter().copied().find(|d| d.player == decision.player);
    assert_eq!(shown(&changed, now.unwrap()), shown(&game, decision), "{}", G::META.id);
}

#[test]
fn the_pages_show_replies_that_are_taken() {
    let protocol = fs::read_to_string(generate::root().join("docs/protocol.md")).unwrap();
    for id in documented_games() {
        let section = protocol.split(&format!("\n## {id}\n")).nth(1).unwrap();
        let section = section.split("<!-- ").next().unwrap();
        let page = id.meta().page.split("\n## In any language (JSON Lines)\n").nth(1).unwrap();
        let page = page.split("\n## ").next().unwrap();
        let mut replies = 0;
        // What stands between back ticks and is an object is a reply; on the game's page its last
        // such line.
        for object in section.split('`').filter(|code| code.starts_with('{')) {
            let taken =
                with_game!(id, G => serde_json::from_str::<<G as JsonGame>::Reply>(object).is_ok());
            assert!(taken, "{id}: {object}");
            replies += 1;
        }
        assert!(replies > 0, "{id}");
        let examples: Vec<Value> = page
            .lines()
            .filter(|line| line.starts_with('{'))
            .map(|line| serde_json::from_str(line).expect(line))
            .collect();
        let [seen, reply] = &examples[..] else {
            panic!("{id}: an observation and a reply are shown")
        };
        let mut question = json!({ "type": "decide", "step": 0, "turn": 0, "decisions": [seen] });
        check_valid(&validator(id, "decide"), &question);
        question["decisions"] = json!([reply]);
        assert!(!validator(id, "decide").is_valid(&question));
        check_valid(&validator(id, "answers"), &json!({ "step": 0, "answers": [reply] }));
    }
}

#[test]
fn the_bot_of_the_page_answers() {
    agon_testkit::needs!("python3");
    let page = fs::read_to_string(generate::root().join("docs/protocol.md")).unwrap();
    let bot = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let mut python = Command::new("python3")
        .args(["-c", bot])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let questions =
        fs::read(generate::root().join("starter-kits/golden/cluster.arena.jsonl")).unwrap();
    python.stdin.take().unwrap().write_all(&questions).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    let validator = validator(GameId::Cluster, "answers");
    answers.lines().for_each(|line| check_valid(&validator, &serde_json::from_str(line).unwrap()));
    assert_eq!(answers.lines().count(), lines("starter-kits/golden/cluster.bot.jsonl").len());
}
