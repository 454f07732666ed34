//! Tests that replays can be read back, state by state, and take little space.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_core::{Fault, Seed};
use agon_games::any::AnyGame;
use agon_match::replay::{End, Replay, Verdict, export};
use agon_testkit::toy::ToyRules;
use proptest::prelude::*;

use crate::support::{adding, bots, diagnosis, fault, open, record, toy, toys};

/// Compares all states and answers of a replay with the match played again from its script.
fn check_states(replay: &Replay, mut game: AnyGame, script: u64) {
    let mut cursor = replay.cursor(toys()).unwrap();
    for step in 0..=replay.steps() {
        let frame = cursor.frame().unwrap();
        assert_eq!((frame.step, frame.game), (step, &game));
        if step < replay.steps() {
            let answers = game.scripted_answers(Seed(script), step);
            assert_eq!(*frame.given, answers);
            game.step(&answers);
        } else {
            assert!(frame.given.is_empty());
        }
        assert_eq!(cursor.advance().unwrap(), step < replay.steps());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn matches_come_back(
        players in 1usize..4,
        counters in 1u32..20,
        turns in 1u64..300,
        seed: u64,
        faults in 0u64..9,
        limit in 0u64..400,
    ) {
        let game = toy(players, counters, turns, seed);
        let replay = open(&record(game.clone(), seed, limit, faults));
        prop_assert_eq!(replay.damage(), None);
        prop_assert_eq!(replay.steps(), turns.min(limit));
        check_states(&replay, game, seed);
        let ending = replay.result().unwrap();
        prop_assert_eq!(ending.end, if limit < turns { End::Limit } else { End::Over });
        let faulty = (0..replay.steps()).filter(|s| faults > 0 && s % faults == 0);
        let expected: Vec<_> = faulty.map(fault).collect();
        prop_assert_eq!(replay.faults().unwrap(), expected);
        prop_assert_eq!(replay.diagnosis().unwrap(), (faults > 0).then(diagnosis));
        prop_assert!(replay.verify(toys()).is_proven(), "{}", replay.verify(toys()));

        // Copies for others say the same of the match.
        let names: Vec<String> = (0..players).map(|player| format!("new {player}")).collect();
        let redacted = open(&replay.redacted(|_| false).unwrap());
        let renamed = open(&redacted.renamed(&names).unwrap());
        for copy in [&redacted, &renamed] {
            prop_assert!(copy.verify(toys()).is_proven(), "{}", copy.verify(toys()));
            prop_assert_eq!(copy.record().unwrap(), replay.record().unwrap());
            prop_assert_eq!(copy.diagnosis().unwrap(), None);
            let is_silent = |fault: &Fault| fault.evidence.stderr_tail.is_empty();
            prop_assert!(copy.faults().unwrap().iter().all(is_silent));
            prop_assert_eq!(copy.result(), replay.result());
        }
        let found: Vec<&str> =
            renamed.header().players.iter().map(|player| player.name.as_str()).collect();
        prop_assert_eq!(found, names);
        let before: Vec<_> = bots(players).into_iter().map(|bot| bot.name).collect();
        let same = open(&renamed.renamed(&before).unwrap());
        prop_assert_eq!(&same.header().players, &replay.header().players);
    }
}

#[test]
fn other_matches_have_other_records() {
    let record = |seed, script| open(&record(toy(2, 3, 20, seed), script, 50, 0)).record().unwrap();
    assert_eq!(record(7, 1), record(7, 1));
    assert_ne!(record(7, 1), record(7, 2));
    assert_ne!(record(7, 1), record(8, 1));
}

#[test]
fn the_header_tells_the_match() {
    let game = toy(2, 3, 20, 7);
    let replay = open(&record(game.clone(), 1, 5, 0));
    let header = replay.header();
    assert_eq!((header.game.as_str(), header.rules_version, header.seed), ("toy", 1, Seed(7)));
    assert_eq!(header.players, bots(2));
    assert_eq!(serde_json::from_str::<ToyRules>(header.rules.get()).unwrap().counters, 3);
    assert!(header.start.is_none() && header.state_hash == game.state_hash());
}

#[test]
fn a_match_may_begin_anywhere() {
    let mut game = toy(2, 3, 20, 7);
    game.step(&adding([2; 6]));
    let replay = open(&record(game.clone(), 1, 50, 0));
    assert!(replay.header().start.is_some());
    assert_eq!(replay.start(toys()).unwrap(), game);
    assert!(replay.verify(toys()).is_proven());
}

#[test]
fn the_same_match_gives_the_same_bytes() {
    let play = || record(toy(3, 20, 700, 5), 9, 1_000, 50);
    assert_eq!(play(), play());
    assert_ne!(play(), record(toy(3, 20, 700, 5), 10, 1_000, 50));
}

#[test]
fn seeking_gives_the_states_of_playing() {
    let mut game = toy(8, 100, 1_500, 3);
    let file = record(game.clone(), 4, 2_000, 0);
    assert!(
        crate::support::blocks(&file).iter().filter(|(kind, _)| *kind == 3).count() >= 2,
        "too few key frames"
    );
    let replay = open(&file);
    let mut back = replay.cursor(toys()).unwrap();
    for step in 0..=1_500 {
        if step % 7 == 0 || step > 1_490 {
            assert_eq!(replay.seek(toys(), step).unwrap(), game, "state {step}");
            // Forwards by playing or key frames, and backwards by key frames.
            back.seek((step * 37) % 1_501).unwrap();
            back.seek(step).unwrap();
            assert_eq!((back.step(), back.game()), (step, &game));
        }
        if step < 1_500 {
            let answers = game.scripted_answers(Seed(4), step);
            game.step(&answers);
        }
    }
    let error = replay.seek(toys(), 1_501).unwrap_err().to_string();
    assert_eq!(error, "there is no state after 1501 steps: the replay has 1500 steps");
}

#[test]
fn a_replay_takes_about_a_byte_per_decision() {
    for (players, counters, turns, most) in
        [(4, 100, 2_000, 0.45), (1, 10, 5_000, 1.0), (1, 1, 20_000, 1.6)]
    {
        let file = record(toy(players, counters, turns, 1), 2, u64::MAX, 0);
        let per_decision = file.len() as f64 / open(&file).decisions() as f64;
        assert!(per_decision < most, "{players}x{counters}: {per_decision} bytes per decision");
        let keys: usize = crate::support::blocks(&file)
            .iter()
            .filter(|(kind, _)| *kind == 3)
            .map(|(_, p)| p.len())
            .sum();
        assert!(keys * 3 < file.len(), "key frames take {keys} of {} bytes", file.len());
    }
}

#[test]
fn every_state_is_a_line_of_the_export() {
    let game = toy(2, 2, 30, 1);
    let replay = open(&record(game.clone(), 1, 40, 0));
    let mut text = Vec::new();
    export::write_states(&replay, toys(), None, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut one = Vec::new();
    export::write_states(&replay, toys(), Some(7), &mut one).unwrap();
    assert_eq!(text.lines().nth(7), String::from_utf8(one).unwrap().strip_suffix('\n'));
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 31);
    for (step, line) in lines.iter().enumerate() {
        let position = line["position"].to_string();
        let state = toys().start_from_json(&game.rules(), game.seed(), &position).unwrap();
        assert_eq!(state, replay.seek(toys(), step as u64).unwrap());
        assert_eq!(line["turn"], step);
        assert_eq!(line["state_hash"], format!("{:#018x}", state.state_hash()));
    }
    let first = game.scripted_answers(Seed(1), 0);
    assert_eq!(
        lines[0]["answers"][3],
        serde_json::json!({ "player": 1, "unit": 1, "answer": first.json(3) })
    );
    assert_eq!(lines[30]["answers"], serde_json::json!([]));
    assert_eq!(lines[30]["standing"]["outcome"]["reason"], "most counted");
}

#[test]
fn verdicts_read_well() {
    let replay = open(&record(toy(2, 2, 30, 1), 1, 40, 0));
    let verdict = replay.verify(toys());
    assert!(matches!(verdict, Verdict::Proven { steps: 30, decisions: 120, .. }));
    assert!(
        verdict
            .to_string()
            .starts_with("proven: 30 steps with 120 answers lead to the recorded result")
    );
}
