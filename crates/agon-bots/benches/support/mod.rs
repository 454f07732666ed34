//! Runs bots for the benchmarks of this crate, and of `agon-wasm`.
// Each benchmark uses a part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::{fs, os::unix::fs::PermissionsExt, process::Command, time::Duration};

use agon_bots::{BatchPart, Clock, HostOptions, Launcher, Seat, Timing, open};
use agon_core::{Player, runs_by_player};
use agon_games::any::{AnyAnswers, AnyGame};
use criterion::{Criterion, Throughput};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Stays on one core, as the first of the benchmarks.
pub(crate) fn pin(_: &mut Criterion) {
    stay_on_one_core();
}

/// Stays on one core. The programs that bots start inherit it.
pub(crate) fn stay_on_one_core() {
    let allowed = sched_getaffinity(None).expect("the system tells");
    let last =
        (0..CpuSet::MAX_CPU).rev().find(|&core| allowed.is_set(core)).expect("there is a core");
    let mut set = CpuSet::new();
    set.set(last);
    sched_setaffinity(None, &set).expect("it is one that we may use");
}

/// Returns options with clocks that run, but with limits that even a busy machine keeps.
pub(crate) fn options(cache: PathBuf) -> HostOptions {
    // The benchmarks of `agon-wasm` need no such program.
    let path = option_env!("CARGO_BIN_EXE_agon-native-host");
    HostOptions {
        timing: Timing::Clock(Clock::cpu(Duration::from_secs(10))),
        cache: Some(cache),
        native_host: path.map(|path| Launcher { path: path.into(), args: vec![] }),
        ..HostOptions::default()
    }
}

/// Asks the bot of the first player repeatedly, and checks that its answers are the same and
/// without faults. Elements are decisions.
pub(crate) fn measure(
    c: &mut Criterion,
    (group, name): (&str, &str),
    options: &HostOptions,
    game: &AnyGame,
    spec: &str,
) {
    let spec = spec.parse().expect("it names a bot");
    let mut bot = open(game.kind(), &spec, options).expect("the bot can be opened");
    let names: Vec<_> = Player::all(game.players()).map(|player| format!("bot-{player}")).collect();
    let (player, part) = runs_by_player(game.decisions()).next().expect("somebody decides");
    let decisions = &game.decisions()[part];
    let part = BatchPart { game, step: 0, player, decisions };
    let mut faults = Vec::new();
    bot.start(Seat { game, player, names: &names }, &mut faults);
    let mut ask = |answers: &mut AnyAnswers| {
        answers.reset(decisions.len());
        bot.ask(part, &mut faults);
        bot.finish(part, answers.as_mut(), &mut faults);
        assert!(faults.is_empty(), "{name}: {faults:?}");
    };
    let mut answers = game.kind().no_answers();
    answers.reset(decisions.len());
    let defaults = answers.clone();
    ask(&mut answers);
    let expected = answers.clone();
    assert_ne!(expected, defaults, "{name}: all answers are default");
    let mut group = c.benchmark_group(group);
    group.throughput(Throughput::Elements(decisions.len() as u64));
    group.bench_function(name, |b| {
        b.iter(|| {
            ask(&mut answers);
            assert!(answers == expected, "{name}: other answers");
        });
    });
    group.finish();
    bot.stop();
}

/// Writes a file that can be executed, and returns its path.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("the folder can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    path.to_str().expect("the folder's name is text").to_owned()
}

/// Compiles a program in C and returns its path.
pub(crate) fn compile(folder: &Path, name: &str, text: &str) -> String {
    let source = write(folder, &format!("{name}.c"), text);
    let program = folder.join(name).to_str().expect("the folder's name is text").to_owned();
    let args = ["-D_GNU_SOURCE", "-O2", "-o", &program, &source];
    let compiled = Command::new("cc").args(args).status();
    assert!(compiled.is_ok_and(|status| status.success()), "cc has to compile {source}");
    program
}

/// Moves one cell of binfection as a runner.
pub(crate) const BINFECTION_SH: &str = r#"#!/bin/sh
echo '{"moves": [{"x": 1, "y": 1, "direction": 1}], "blob": {}}' > "$1"
"#;

/// Does the same as a library.
pub(crate) const BINFECTION_C: &str = r#"
#include "agon/binfection.h"
uint32_t agon_abi(void) { return AGON_ABI; }
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    binfection_add(answers, 1, 1, BINFECTION_RIGHT);
    return binfection_done(answers);
}
"#;

/// Returns a configuration with few samples: all benchmarks take minutes, not an hour.
pub(crate) fn config() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(10).warm_up_time(second / 4).measurement_time(second)
}
