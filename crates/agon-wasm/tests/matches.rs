//! Plays whole matches between modules compiled from C, Rust and AssemblyScript.

use std::fs;

use agon_bots::{HostOptions, open};
use agon_core::{Fault, FaultKind, Game, Seed};
use agon_games::cellhack::{self, Action, Cell, Cellhack, Position};
use agon_games::rezzo::{Rezzo, Rules};
use agon_games::{GameId, any::AnyGame};

use crate::common::{Workshop, clang, duel, fixture, options, play, spec, world};

/// The committed modules for cellhack; `modules/README.md` describes their origin.
const MODULES: [&str; 7] = [
    "amoeboid.wasm",
    "dice.wasm",
    "drifter.wasm",
    "gambler.wasm",
    "moss.wasm",
    "pioneers.wasm",
    "rest.wasm",
];

/// The committed module for rezzo.
const OF_REZZO: &str = "prowler.wasm";

#[test]
fn every_module_plays_without_a_fault() {
    for name in MODULES {
        let (hashes, faults) =
            play([&fixture(name), "builtin:grower"], world(3, 40), None, &options());
        assert_eq!(faults, [], "{name}");
        assert!(hashes.len() > 30, "{name}: {} steps", hashes.len());
    }
    let folder = fs::read_dir(fixture("")).unwrap().flatten();
    let mut names: Vec<String> =
        folder.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".wasm") && name != OF_REZZO);
    names.sort();
    assert_eq!(names, MODULES, "all committed modules are tested");
}

#[test]
fn random_and_floating_point_numbers_are_the_same_in_every_run() {
    let dice = fixture("dice.wasm");
    let gambler = fixture("gambler.wasm");
    let run = |seed| play([&dice, &gambler], world(seed, 60), None, &options());
    let first = run(1);
    assert_eq!(first.1, []);
    assert_eq!(first, run(1));
    assert_ne!(first.0, run(2).0);
}

/// Rests for some random cells, then loops for a random time.
const GAMBLES_WITH_FUEL: &str = r#"(module
    (import "agon" "random" (func $random (result i64)))
    (memory (export "memory") 2)
    (func (export "agon_abi") (result i32) (i32.const 1))
    (func (export "agon_room") (param i32) (result i32) (i32.const 65536))
    (func (export "agon_decide") (param i32 i32) (param $answers i32) (param $room i32) (result i32)
        (local $n i64)
        (loop $cells
            (local.set $n (i64.and (call $random) (i64.const 0xFFFFF)))
            (loop $spin
                (br_if $spin
                    (i64.ne (local.tee $n (i64.sub (local.get $n) (i64.const 1))) (i64.const -1))))
            (i32.store8 (local.get $answers) (i32.const 1))
            (local.set $answers (i32.add (local.get $answers) (i32.const 16)))
            (br $cells))
        unreachable))"#;

#[test]
fn fuel_ends_in_the_same_place_in_every_run() {
    let workshop = Workshop::new();
    let module = workshop.module(GAMBLES_WITH_FUEL);
    let run = || play([&module, "builtin:random"], world(5, 20), None, &options());
    let (hashes, faults) = run();
    assert!(
        !faults.is_empty() && faults.iter().all(|fault| fault.kind == FaultKind::Timeout),
        "{faults:#?}"
    );
    let (again, faults_again) = run();
    assert_eq!(hashes, again);
    // Their costs differ.
    let told = |faults: Vec<Fault>| -> Vec<_> {
        faults
            .into_iter()
            .map(|fault| (fault.kind, fault.step, fault.detail, fault.evidence.unit, fault.count))
            .collect()
    };
    assert_eq!(told(faults), told(faults_again));
}

#[test]
fn many_decisions_are_asked_and_answered_in_their_order() {
    let count = (1 << 15) + 1000;
    let rules = cellhack::Rules { width: 256, height: 512, ..cellhack::Rules::default() };
    let cell = |n: u32| Cell { x: n % 256, y: n / 256, player: 0, energy: 30, memory: n.into() };
    let other = Cell { x: 0, y: 400, player: 1, energy: 50, memory: 0 };
    let cells = (0..count).map(cell).chain([other]).collect();
    let position = Position { players: 2, turn: 0, cells, rocks: vec![] };
    let game = AnyGame::of(Cellhack::from_position(&rules, Seed(1), position).unwrap());
    let mut arena = duel(game, &fixture("moss.wasm"), &options());
    let answers = arena.answers::<Cellhack>();
    assert_eq!(arena.faults, []);
    for (n, answer) in answers.iter().take(count as usize).enumerate() {
        assert_eq!((answer.action, answer.memory), (Action::Rest, Some(n as u64 + 1)), "cell {n}");
    }
}

fn rezzo() -> AnyGame {
    AnyGame::of(Rezzo::new(&Rules::default(), 2, Seed(4)).unwrap())
}

#[test]
fn assemblyscript_plays_rezzo() {
    let module = fixture(OF_REZZO);
    let run = |other: &str| play([&module, other], rezzo(), Some(300), &options());
    let (states, faults) = run("builtin:wanderer");
    let again = run("builtin:wanderer");
    assert!(states.len() >= 150, "{} steps", states.len());
    assert!(faults.iter().all(|fault| fault.kind == FaultKind::Illegal), "{faults:#?}");
    assert_eq!((&states, &faults), (&again.0, &again.1));
    assert_ne!(states, run(&module).0);
}

#[test]
fn c_plays_games_without_functions_of_their_own() {
    if clang().is_none() {
        return;
    }
    let workshop = Workshop::new();
    let source = "#include \"agon/rezzo.h\"\nuint32_t agon_abi(void) { return AGON_ABI; \
        }\nuint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t \
        room) {\nconst rezzo_question *seen = rezzo_question_at(question, 0);\nrezzo_answer \
        *answer = answers;\nanswer->action = seen->cells[11][6] == REZZO_BLANK ? REZZO_ADVANCE : \
        REZZO_LEFT;\nreturn sizeof *answer; }";
    let bot = workshop.file("bot.c", source);
    let options = HostOptions { c_as_wasm: true, ..workshop.options() };
    let (states, faults) = play([&bot, "builtin:wanderer"], rezzo(), Some(300), &options);
    assert!(states.len() >= 150 && faults.is_empty(), "{} steps: {faults:#?}", states.len());

    let nothing = workshop.file("nothing.c", "int x;");
    let error = open(GameId::Rezzo.kind(), &spec(&nothing), &options).err().unwrap().to_string();
    assert!(
        error.ends_with("nothing.c` cannot be loaded: it exports no function `agon_abi`"),
        "{error}"
    );
}
