//! Measures a match of cellhack on one processor core.
//!
//! It includes rules, questions, and four C functions in separate processes. Elements
//! are decisions.

use std::time::{Duration, Instant};

use agon_bots::{BatchPart, Bot, HostOptions, Seat, open};
use agon_core::{Game, Player, Seed, runs_by_player};
use agon_games::cellhack::{Cellhack, Rules};
use agon_games::{GameId, any::AnyGame};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

mod support;

const BOTS: [&str; 4] = ["drifter", "pioneers", "drifter", "pioneers"];

fn bots(options: &HostOptions) -> Vec<Box<dyn Bot>> {
    let source =
        |name| format!("{}/../../examples/bots/cellhack/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let bot = |name| {
        let spec = source(name).parse().expect("it names a bot");
        open(GameId::Cellhack.kind(), &spec, options).expect("it can be opened")
    };
    BOTS.map(bot).into()
}

/// Plays a match: returns decisions, the hash of the last state, and the time.
///
/// The time does not include the bots' start. `at_once` is the most decisions in one question.
fn play(side: u32, turns: u32, at_once: usize, options: &HostOptions) -> (u64, u64, Duration) {
    let rules = Rules { width: side, height: side, turns, ..Rules::default() };
    let game = Cellhack::new(&rules, BOTS.len(), Seed(1));
    let mut game = AnyGame::of(game.expect("the settings fit"));
    let mut bots = bots(options);
    let names = BOTS.map(str::to_owned);
    let mut faults = Vec::new();
    for (player, bot) in Player::all(BOTS.len()).zip(&mut bots) {
        bot.start(Seat { game: &game, player, names: &names }, &mut faults);
    }
    let began = Instant::now();
    let mut decisions = 0;
    let mut step = 0;
    let mut answers = game.kind().no_answers();
    while !game.is_over() {
        let wanted = game.decisions();
        answers.reset(wanted.len());
        decisions += wanted.len() as u64;
        let part = |player, decisions| BatchPart { game: &game, step, player, decisions };
        if at_once == usize::MAX {
            for (player, range) in runs_by_player(wanted) {
                bots[player.index()].ask(part(player, &wanted[range]), &mut faults);
            }
            for (player, range) in runs_by_player(wanted) {
                let part = part(player, &wanted[range.clone()]);
                bots[player.index()].finish(part, answers.part_mut(range), &mut faults);
            }
        } else {
            for (player, range) in runs_by_player(wanted) {
                for start in range.clone().step_by(at_once) {
                    let asked = start..range.end.min(start + at_once);
                    let part = part(player, &wanted[asked.clone()]);
                    bots[player.index()].ask(part, &mut faults);
                    bots[player.index()].finish(part, answers.part_mut(asked), &mut faults);
                }
            }
        }
        assert!(faults.is_empty(), "{faults:?}");
        game.step(&answers);
        step += 1;
    }
    let took = began.elapsed();
    bots.iter_mut().for_each(|bot| bot.stop());
    (decisions, game.state_hash(), took)
}

/// The reference asks for each cell in a separate question.
fn matches(c: &mut Criterion) {
    let cache = tempfile::tempdir().expect("there is room for a folder");
    let options = support::options(cache.path().to_owned());
    let mut group = c.benchmark_group("cellhack: native C cells through the sandboxed child");
    group.sampling_mode(SamplingMode::Flat);
    let mut measure = |name: &str, side, turns, at_once, known: (u64, u64)| {
        group.throughput(Throughput::Elements(known.0));
        group.bench_function(name, |b| {
            b.iter_custom(|matches| {
                let play = |_| {
                    let (decisions, hash, took) = play(side, turns, at_once, &options);
                    assert_eq!((decisions, hash), known, "{name}");
                    took
                };
                (0..matches).map(play).sum()
            });
        });
    };
    measure("agon", 256, 500, usize::MAX, (18_401_490, 4_278_547_413_488_984_922));
    measure("agon, 64x64", 64, 500, usize::MAX, (1_717_651, 9_210_575_996_078_846_968));
    measure("reference", 64, 50, 1, (9_329, 15_881_318_094_867_233_524));
    group.finish();
}

criterion_group! {
    name = on_one_core;
    config = support::config();
    targets = support::pin, matches
}
criterion_main!(on_one_core);
