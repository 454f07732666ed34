//! Benchmarks of rezzo's automaton: plain Wireworld on one board and on many, and the full rules.
//!
//! Variants are named after the vector units of this machine. `reference` is the plain
//! implementation of the tests, which does less of the same.

use std::hint::black_box;

use agon_core::{Game, Seed};
use agon_games::rezzo::wireworld::{Board, Lanes, State};
use agon_games::rezzo::{Cell, Kind, Rezzo, Rules, World};
use agon_games::simd::Level;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use support::{Playout, replay};

mod support;

#[path = "../tests/reference/rezzo.rs"]
#[allow(dead_code, reason = "each user takes a part")]
mod reference;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Fails unless what was computed is what it was before.
fn known<T: PartialEq + std::fmt::Debug>(found: T, known: T) {
    assert_eq!(found, known, "if rules, bots or hashes were meant to change, this has to");
}

/// Measures what `change` makes of a copy of `start`, and fails unless that is `end`.
fn measure<T: Clone + PartialEq>(
    group: &mut Group<'_>,
    name: &str,
    units: u64,
    start: &T,
    end: &T,
    change: impl Fn(&mut T),
) {
    group.throughput(Throughput::Elements(units));
    group.bench_function(name, |b| {
        b.iter_batched_ref(
            || start.clone(),
            |state| change(black_box(state)),
            BatchSize::LargeInput,
        );
    });
    let mut state = start.clone();
    change(&mut state);
    assert!(state == *end, "{name}: another end than that of the others");
}

/// Generations of the plain board: of the first rows and columns of a world, as many as do not take
/// long.
fn measure_reference(group: &mut Group<'_>, world: &World, rules: &Rules) {
    let (width, height) = (world.width().min(512), world.height().min(512));
    let row = |y: usize| (0..width).map(|x| world.cell(y * world.width() + x).to_char()).collect();
    let board = reference::Board::of(&(0..height).map(row).collect::<Vec<String>>());
    group.throughput(Throughput::Elements((width * height) as u64));
    group.bench_function("reference", |b| b.iter(|| black_box(&board).generation(rules)));
}

/// A world of random wire with signals all over: `percent` of the cells are wire, a tenth of these
/// electrons, a tenth tails.
fn random_board(width: usize, height: usize, percent: usize, seed: u64) -> Board {
    let mut rng = Seed(seed).stream(agon_core::Purpose::Setup, 0);
    let mut board = Board::new(width, height);
    for place in 0..width * height {
        let state = match rng.index(1000) {
            n if n < percent => State::Electron,
            n if n < 2 * percent => State::Tail,
            n if n < 10 * percent => State::Conductor,
            _ => State::Blank,
        };
        board.set(place % width, place / width, state);
    }
    board
}

fn world_of(board: &Board) -> World {
    World::from_rows(board.to_rows()).expect("the characters are those of worlds")
}

fn one_board(c: &mut Criterion) {
    const GENERATIONS: u64 = 100;
    let start = random_board(512, 512, 40, 1);
    let mut end = start.clone();
    (0..GENERATIONS).for_each(|_| end.generation_at(Level::Portable));
    known(end.electrons(), 29_932);
    let mut group = c.benchmark_group("rezzo: pure Wireworld, 512x512");
    for level in Level::available() {
        measure(&mut group, level.name(), GENERATIONS * 512 * 512, &start, &end, |board| {
            (0..GENERATIONS).for_each(|_| board.generation_at(level));
        });
    }
    measure_reference(&mut group, &world_of(&start), &Rules::default());
    group.finish();
}

fn many_boards(c: &mut Criterion) {
    const GENERATIONS: u64 = 100;
    let mut group = c.benchmark_group("rezzo: pure Wireworld, 512 boards in bit lanes");
    let mut start = Lanes::new(64, 64, 512);
    for number in 0..512 {
        start.put(number, &random_board(64, 64, 40, number as u64));
    }
    let mut end = start.clone();
    (0..GENERATIONS).for_each(|_| end.generation_at(Level::Portable));
    let electrons: u64 = (0..512).map(|number| end.board(number).electrons()).sum();
    known(electrons, 242_687);
    for level in Level::available() {
        measure(&mut group, level.name(), GENERATIONS * 64 * 64 * 512, &start, &end, |lanes| {
            (0..GENERATIONS).for_each(|_| lanes.generation_at(level));
        });
    }
    measure_reference(&mut group, &world_of(&start.board(0)), &Rules::default());
    group.finish();
}

const BOTS: &[&str] = &[
    "raider", "wanderer", "random", "raider", "wanderer", "random", "raider", "wanderer", "raider",
    "wanderer",
];

/// A default map on which ten bots have played 500 ticks, and what they do in the 100 ticks after.
fn in_play(c: &mut Criterion) {
    let first = Playout::<Rezzo> { steps: 500, ..Playout::new("", Rules::default(), BOTS, (0, 0)) };
    let start = first.play(&first.starts()[0], |_| {});
    let then = Playout::<Rezzo> { steps: 100, ..first };
    let script = then.script(&start);
    let end = replay(&start, &script);
    known((script.len(), end.state_hash()), (100, 6_120_818_830_915_704_306));
    let mut group = c.benchmark_group("rezzo: full rules, 320x320 with 10 agents, in play");
    measure(&mut group, "agon", script.len() as u64, &start, &end, |game| {
        script.iter().for_each(|answers| game.step(answers));
    });
    let mut reference = reference::Reference::new(start.rules(), &start.position());
    group.throughput(Throughput::Elements(1));
    group.bench_function("reference", |b| {
        b.iter_batched(
            || reference::Reference::new(start.rules(), &start.position()),
            |mut reference| reference.step(&start.order(), &script[0]),
            BatchSize::LargeInput,
        );
    });
    let mut game = start.clone();
    for answers in &script[..3] {
        reference.step(&game.order(), answers);
        game.step(answers);
    }
    assert_eq!(reference.position(), game.position());
    group.bench_function("state hash", |b| b.iter(|| black_box(&end).state_hash()));
    group.finish();
}

/// A world of random wire with a geyser of one of ten players for every 20 000 cells, after enough
/// generations for flags to be on their way. It does not depend on how random maps are drawn.
fn large_world() -> (Rules, World) {
    let rules = Rules::default();
    let mut world = world_of(&random_board(4096, 4096, 30, 1));
    for index in (0..4096 * 4096).step_by(20_011) {
        world.set(index, Cell::owned(Kind::Geyser, 1 + (index % 10) as u8));
    }
    (0..500).for_each(|_| {
        world.generation(&rules);
    });
    (rules, world)
}

fn large(c: &mut Criterion) {
    const GENERATIONS: u64 = 64;
    let (rules, start) = large_world();
    let mut end = start.clone();
    for _ in 0..GENERATIONS {
        end.generation_at(&rules, Level::Portable);
    }
    let kinds = end.kinds();
    let count = |kind: Kind| kinds.iter().filter(|&&k| k == kind.bit()).count();
    let counts = [Kind::Electron, Kind::Photon, Kind::Flag].map(count);
    known(counts, [553_164, 50, 1_409]);
    let mut group = c.benchmark_group("rezzo: full rules, 4096x4096");
    let cells = GENERATIONS * 4096 * 4096;
    for level in Level::available() {
        measure(&mut group, level.name(), cells, &start, &end, |world| {
            world.generations_at(GENERATIONS, &rules, level);
        });
    }
    measure(&mut group, "one by one", cells, &start, &end, |world| {
        (0..GENERATIONS).for_each(|_| {
            world.generation(&rules);
        });
    });
    measure_reference(&mut group, &start, &rules);
    group.finish();
}

/// The time for a generation grows with the cells, and no faster.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("rezzo: a generation");
    for side in [320u32, 640, 1280] {
        let rules = Rules { width: side, height: side, ..Rules::default() };
        let mut world = Rezzo::new(&rules, 10, Seed(1)).expect("the settings fit").world().clone();
        group.throughput(Throughput::Elements(u64::from(side * side)));
        group.bench_function(BenchmarkId::from_parameter(side), |b| {
            b.iter(|| world.generation(&rules))
        });
    }
    group.finish();
}

criterion_group! {
    name = rezzo;
    config = support::config();
    targets = one_board, many_boards, in_play, large, growth
}
criterion_main!(rezzo);
