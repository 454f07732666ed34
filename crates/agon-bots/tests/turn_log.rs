//! Tests of the turn logs of bots: the cost of their answers, their output on stderr, and their
//! end.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::{fs, time::Duration};

use agon_bots::{HostOptions, TurnLog, turn_log::TurnRecord};
use agon_games::any::AnyGame;
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};

use crate::common::{Arena, Workshop, eventually, new_game, patient};

/// Plays some steps of a bot against a built-in one, and returns the bot's log and its turns.
fn play(
    game: AnyGame,
    bot: &str,
    steps: u64,
    options: &HostOptions,
) -> (TurnLog, Vec<(u64, TurnRecord)>) {
    let mut arena = Arena::new(game, &[bot, "builtin:random"], options);
    arena.steps(steps);
    let turns = std::mem::take(&mut arena.turns);
    let mut bots = arena.into_bots();
    assert!(bots[1].turn_log().is_none(), "a built-in bot has no process");
    let turn_log = bots[0].turn_log().unwrap();
    bots[0].stop();
    drop(bots);
    (
        turn_log,
        turns
            .into_iter()
            .filter(|(_, player, _)| *player == 0)
            .map(|(step, _, turn)| (step, turn))
            .collect(),
    )
}

/// Returns the steps with output on stderr, and the text.
fn said(turns: &[(u64, TurnRecord)]) -> Vec<(u64, String)> {
    let talks = turns.iter().filter(|(_, turn)| turn.stderr.total() > 0);
    talks.map(|(step, turn)| (*step, turn.stderr.text())).collect()
}

/// A bot for cluster that counts its turns on stderr before it answers.
const COUNTS: &str = "i=0; while read a; do if [ -z \"$a\" ]; then i=$((i+1)); echo \"turn $i\" \
    >&2; echo ROTATE 1; fi; done";

#[test]
fn what_a_program_says_before_it_answers_is_of_that_turn() {
    let workshop = Workshop::new();
    // Nobody wins early.
    let rules = cluster::Rules { run_length: 10, ..cluster::Rules::default() };
    let (turn_log, turns) =
        play(new_game::<Cluster>(&rules, 2), &workshop.sh(COUNTS), 40, &patient());
    let expected: Vec<_> = (0..20).map(|i| (2 * i, format!("turn {}\n", i + 1))).collect();
    assert_eq!(said(&turns), expected);
    for (step, turn) in &turns {
        let cost = turn.cost.unwrap();
        assert!(cost.cpu.is_some() && cost.wall > Duration::ZERO, "step {step}: {cost:?}");
    }
    let record = turn_log.record();
    let bytes: u64 = turns.iter().map(|(_, turn)| turn.stderr.total()).sum();
    assert_eq!((record.processes, record.exit, record.stderr), (1, None, bytes));
    let spent: Duration = turns.iter().filter_map(|(_, turn)| turn.cost?.cpu).sum();
    assert!(spent > Duration::ZERO && record.cpu.unwrap() >= spent, "{spent:?} of {record:?}");
    assert!(record.peak_memory.unwrap() > 100_000, "{record:?}");
}

#[test]
fn what_it_says_after_its_answer_is_of_the_next_turn() {
    let workshop = Workshop::new();
    let go = workshop.path("go");
    let done = workshop.path("done");
    let late = format!(
        "while read a; do if [ -z \"$a\" ]; then echo ROTATE 1; while ! test -e {}; do sleep 0.01; \
         done; echo late >&2; echo x > {}; fi; done",
        go.display(),
        done.display()
    );
    let game = new_game::<Cluster>(&cluster::Rules::default(), 2);
    let mut arena = Arena::new(game, &[&workshop.sh(&late), "builtin:random"], &patient());
    arena.steps(2);
    fs::write(go, "").unwrap();
    eventually("it says something", || {
        fs::read_to_string(&done).ok().filter(|text| !text.is_empty())
    });
    arena.steps(1);
    let turns: Vec<(u64, TurnRecord)> =
        arena.turns.drain(..).map(|(step, _, turn)| (step, turn)).collect();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0].1.stderr.total(), 0);
    assert!(turns[1].1.stderr.text().starts_with("late\n"), "{turns:?}");
}

#[test]
fn a_flood_of_talk_is_noted_in_little_space() {
    let workshop = Workshop::new();
    let flood = "while read a; do if [ -z \"$a\" ]; then echo first >&2; head -c 10000000 \
                 /dev/zero | tr '\\0' x >&2; echo last >&2; echo ROTATE 1; fi; done";
    let (turn_log, turns) = play(
        new_game::<Cluster>(&cluster::Rules::default(), 2),
        &workshop.sh(flood),
        3,
        &patient(),
    );
    assert_eq!(
        turns.iter().map(|(_, turn)| turn.stderr.total()).collect::<Vec<_>>(),
        [10_000_011; 2]
    );
    for (_, text) in said(&turns) {
        assert!(
            text.starts_with("first\nxxx") && text.ends_with("xxxlast\n") && text.len() < 5_000
        );
    }
    assert_eq!(turn_log.record().stderr, 20_000_022);
}

#[test]
fn the_end_of_a_program_is_noted() {
    let workshop = Workshop::new();
    let dies = "read a; echo good bye >&2; kill -KILL $$";
    let (turn_log, _) =
        play(new_game::<Cluster>(&cluster::Rules::default(), 2), &workshop.sh(dies), 1, &patient());
    let exit = turn_log.record().exit.unwrap();
    assert_eq!((exit.signal, exit.status), (Some(9), None));
    let leaves =
        format!("jsonl:{}", workshop.sh("while read a; do :; done; echo over >&2; exit 4"));
    let game = new_game::<Cluster>(&cluster::Rules::default(), 2);
    let mut bots = Arena::new(game, &[&leaves, "builtin:random"], &patient()).into_bots();
    let turn_log = bots[0].turn_log().unwrap();
    bots[0].goodbye(&new_game::<Cluster>(&cluster::Rules::default(), 2), None);
    bots[0].stop();
    assert_eq!(
        (turn_log.record().exit.unwrap().status, turn_log.turn().stderr.text()),
        (Some(4), "over\n".to_owned())
    );
}

#[test]
fn runners_are_charged_with_the_programs_that_they_start() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let runner = workshop.sh(
        "echo started >&2; python3 -c 'import time\nwhile time.process_time() < 0.3: pass'; echo \
         talk; echo '{\"moves\": []}' > \"$1\"",
    );
    let rules =
        binfection::Rules { field_width: 12, field_height: 12, ..binfection::Rules::default() };
    let (turn_log, turns) = play(new_game::<Binfection>(&rules, 2), &runner, 2, &patient());
    assert_eq!(said(&turns), [0, 1].map(|step| (step, "started\ntalk\n".to_owned())));
    assert!(
        turns.iter().all(|(_, turn)| turn.cost.unwrap().cpu.unwrap() > Duration::from_millis(300)),
        "{turns:?}"
    );
    let record = turn_log.record();
    assert_eq!((record.processes, record.exit.unwrap().status), (2, Some(0)));
    assert!(record.cpu.unwrap() > Duration::from_millis(600));
}

#[test]
fn libraries_that_crash_are_noted_each_time() {
    let workshop = Workshop::new();
    let source = "#include <stdio.h>\nstatic volatile int calls, zero;\nuint8_t \
        cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)\n{ fprintf(stderr, \
        \"call %d\\n\", calls); if (++calls == 2) *(volatile int *)0 = 1; return REST; }\n";
    let options = HostOptions { cache: Some(workshop.path("cache")), ..patient() };
    let rules = cellhack::Rules { width: 20, height: 20, ..cellhack::Rules::default() };
    let (turn_log, turns) =
        play(new_game::<Cellhack>(&rules, 2), &workshop.file("bot.c", source), 4, &options);
    let calls = ["call 0\n", "call 1\n"].map(str::to_owned);
    assert_eq!(
        said(&turns).into_iter().map(|(_, text)| text).collect::<Vec<_>>(),
        [&calls[..], &calls].concat()
    );
    let record = turn_log.record();
    assert_eq!((record.processes, record.exit.unwrap().signal), (2, Some(11)));
}
