//! Tests for every game alike: the conformance kit, and what it leaves out. No game is named here.
//!
//! `AGON_GAME=NAME` restricts the tests to one game, `AGON_ROUNDS=N` tries more damaged input.

use std::{env, fs, ops::Range};

use agon_core::{Game, GameExt, Seed, runs_by_player};
use agon_games::any::{FullGame, kind_of};
use agon_games::conformance::{ALL, Options, RULES, require};
use agon_games::{GameId, batch::Question, batch::Record as _, simd, with_game};
use serde_json::Value;

fn games() -> Vec<GameId> {
    match env::var("AGON_GAME") {
        Ok(name) => vec![name.parse().unwrap()],
        Err(_) => GameId::OWN.to_vec(),
    }
}

/// As `agon game check` does.
fn options(id: GameId) -> Options {
    let rounds = env::var("AGON_ROUNDS").map_or(200, |text| text.parse().unwrap());
    Options { rounds, ..Options::tiny(id.kind()) }
}

#[test]
fn the_rules_of_games_keep_their_promises() {
    let check = |id: GameId| require(id.kind(), &Options { points: RULES, ..options(id) });
    games().into_iter().for_each(check);
}

#[test]
fn games_keep_their_other_promises() {
    let points = RULES.end() + 1..=*ALL.end();
    let check = |id: GameId| require(id.kind(), &Options { points: points.clone(), ..options(id) });
    games().into_iter().for_each(check);
}

/// Checks the rules of a game with settings of its own tests.
pub(crate) fn keeps_promises<G: FullGame>(
    rules: &G::Rules,
    players: usize,
    seeds: Range<u64>,
    max_steps: u64,
) {
    let options = Options {
        rules: serde_json::to_value(rules).unwrap(),
        players: vec![players],
        seeds: seeds.map(Seed).collect(),
        max_steps,
        rounds: 0,
        points: RULES,
    };
    require(kind_of::<G>(), &options);
}

/// Set in a process that only writes its walks to this file.
const WALKS: &str = "AGON_TEST_WALKS";

/// The hashes of scripted games with the usual settings.
fn walks() -> String {
    fn usual<G: Game>() -> u64 {
        let players = 2.clamp(G::META.min_players, G::META.max_players);
        let mut game = G::new(&G::Rules::default(), players, Seed(3)).unwrap();
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

#[test]
fn a_game_has_one_name() {
    for id in games() {
        let name = id.meta().id;
        let is_word = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        assert!(is_word, "META.id `{name}`: wanted are small letters and digits");
        assert_eq!(serde_json::to_value(id).unwrap(), name);
        assert_eq!(name.parse(), Ok(id));
    }
}

#[test]
fn questions_keep_to_the_schema() {
    for id in games() {
        let validator = jsonschema::validator_for(&id.kind().message_schema()).unwrap();
        let Options { rules, players, .. } = options(id);
        let mut game = id.kind().start(&rules, players[players.len() / 2], Seed(3)).unwrap();
        for step in 0..60 {
            for (_, range) in runs_by_player(game.decisions()) {
                let mut bytes = Vec::new();
                game.write_question(step, &game.decisions()[range.clone()], &mut bytes);
                let question: Value = serde_json::from_slice(&bytes).unwrap();
                assert!(validator.is_valid(&question), "{id}: {question}");
                bytes.clear();
                game.write_batch(step, &game.decisions()[range], &mut bytes);
                assert!(bytes.len() > Question::SIZE, "{id}: a question about something");
            }
            if game.is_over() {
                break;
            }
            let answers = game.scripted_answers(Seed(5), step);
            game.step(&answers);
        }
    }
}
