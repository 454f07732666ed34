//! Measures WebAssembly: the start of a bot, and its decisions.
//!
//! All of it runs on one processor core, as matches do. The modules are those of the tests.

use std::{fs, path::PathBuf, time::Duration};

use agon_bots::{BotSpec, Clock, HostOptions, Launcher, Timing, batch::Call, open};
use agon_core::{Game, Seed};
use agon_games::batch::{Batch, question};
use agon_games::cellhack::{Cell, Cellhack, Position, Rules};
use agon_games::{GameId, any::AnyGame};
use agon_wasm::{Machine, Module};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

#[path = "../../agon-bots/benches/support/mod.rs"]
mod support;

fn path(module: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/modules", module].iter().collect()
}

fn bytes(module: &str) -> Vec<u8> {
    fs::read(path(module)).expect("the module is there")
}

/// Makes a board with this many cells of player 0, and one of player 1.
fn cells(count: u32) -> Cellhack {
    let rules = Rules { width: 256, height: 256, ..Rules::default() };
    let cell = |n: u32| Cell {
        x: 2 * n % rules.width,
        y: 2 * (2 * n / rules.width),
        player: (n / count) as u16,
        energy: 30,
        memory: 0,
    };
    let position =
        Position { players: 2, turn: 0, cells: (0..=count).map(cell).collect(), rocks: vec![] };
    Cellhack::from_position(&rules, Seed(1), position).expect("the position fits the rules")
}

/// Measures compiling a module, making an instance, and the whole start of a process.
fn start(c: &mut Criterion) {
    let mut group = c.benchmark_group("start");
    for name in ["rest.wasm", "moss.wasm", "pioneers.wasm"] {
        let bytes = bytes(name);
        let module = Module::new(&bytes).expect("it is a bot");
        group.bench_function(format!("compile {name}, {} bytes", bytes.len()), |b| {
            b.iter(|| Module::new(&bytes))
        });
        group.bench_function(format!("instance of {name}"), |b| {
            b.iter(|| Machine::new(&module, 256))
        });
        let spec: BotSpec =
            path(name).to_str().expect("the path is text").parse().expect("it names a bot");
        group.bench_function(format!("host with {name}"), |b| {
            b.iter(|| open(GameId::Cellhack.kind(), &spec, &options()).expect("it can be opened"));
        });
    }
    group.finish();
}

/// Measures decisions within the module: question copied in, answers copied out.
fn machine(c: &mut Criterion) {
    let mut group = c.benchmark_group("machine");
    for count in [1, 1000, 10_000] {
        let game = cells(count);
        let decisions = &game.decisions()[..count as usize];
        let mut asked = Vec::new();
        question(&game, 0, decisions, &mut asked);
        let fuel = Cellhack::FUEL * u64::from(count);
        let room = game.answer_room(decisions);
        let call = Call { length: asked.len(), room, records: room, fuel, seed: 0 };
        group.throughput(Throughput::Elements(count.into()));
        for name in ["rest.wasm", "drifter.wasm", "moss.wasm", "gambler.wasm"] {
            let module = Module::new(&bytes(name)).expect("it is a bot");
            let mut machine = Machine::new(&module, 256).expect("it starts");
            group.bench_function(format!("{name}, cells at once: {count}"), |b| {
                b.iter(|| {
                    let (length, answers) = machine.answer(&asked, call).expect("there is room");
                    assert_eq!(length, Ok(answers.len()));
                    assert_ne!(answers[answers.len() - 16], 0);
                });
            });
        }
    }
    group.finish();
}

/// Measures the same from the arena's side.
///
/// The game writes the question and reads the answers, and the host has its process.
fn round_trip(c: &mut Criterion) {
    for count in [1, 1000, 10_000] {
        let name = format!("rest.wasm, cells at once: {count}");
        let module = path("rest.wasm");
        let spec = module.to_str().expect("the path is text");
        support::measure(c, ("round trip", &name), &options(), &AnyGame::of(cells(count)), spec);
    }
}

fn options() -> HostOptions {
    let host = Launcher { path: env!("CARGO_BIN_EXE_agon-wasm-host").into(), args: vec![] };
    let timing = Timing::Clock(Clock::cpu(Duration::from_secs(60)));
    HostOptions { timing, wasm_host: Some(host), ..HostOptions::default() }
}

criterion_group! {
    name = on_one_core;
    config = support::config();
    targets = support::pin, start, machine, round_trip
}
criterion_main!(on_one_core);
