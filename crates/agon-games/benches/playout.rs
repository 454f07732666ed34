//! Benchmarks of whole matches: with built-in bots, and the rules alone with known answers.
//!
//! Elements are decisions; an iteration is a match, or several where the name says so.

use std::hint::black_box;

use agon_core::{Game, Seed};
use agon_games::BuiltinBots;
use agon_games::amoebas::{self, Amoebas};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use support::{Playout, Script, replay};

mod support;

fn measure<G: BuiltinBots>(c: &mut Criterion, playout: &Playout<G>) {
    let starts = playout.starts();
    let scripts: Vec<_> = starts.iter().map(|start| playout.script(start)).collect();
    let counts: Vec<u64> =
        scripts.iter().map(|script| script.iter().map(|s| s.len() as u64).sum()).collect();
    let mut group = c.benchmark_group(playout.name);
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(counts.iter().sum()));
    group.bench_function("with bots", |b| {
        let play = |start| {
            let mut count = 0;
            let game = playout.play(start, |answers| count += answers.len() as u64);
            (count, game)
        };
        b.iter(|| playout.check(starts.iter().map(play)));
    });
    group.bench_function("rules alone", |b| {
        let play = |(start, script): (_, &Script<G>)| replay(start, script);
        b.iter(|| playout.check(counts.iter().copied().zip(starts.iter().zip(&scripts).map(play))));
    });
    group.finish();
}

fn set_up<G: Game>(c: &mut Criterion, rules: &G::Rules, players: usize) {
    let new = |seed| G::new(rules, players, seed).expect("the settings of a benchmark fit");
    c.bench_function(&format!("{}/set up", G::META.id), |b| b.iter(|| new(black_box(Seed(1)))));
}

/// 150 of the usual 1 000 rounds: long enough for a full world.
fn amoebas(c: &mut Criterion) {
    let rules = amoebas::Rules { rounds: 150, ..amoebas::Rules::default() };
    set_up::<Amoebas>(c, &rules, 4);
    let bots = &["slightly-brainy", "mutating", "nasty?target=strongest", "brood"];
    let name = "amoebas 200x200, 150 rounds";
    measure(c, &Playout::<Amoebas>::new(name, rules, bots, (236_200, 6_126_126_963_013_813_798)));
}

/// A field of 100 × 100: on the usual one of 1 000 × 1 000 a hundred turns fill but a part.
fn binfection(c: &mut Criterion) {
    set_up::<Binfection>(c, &binfection::Rules::default(), 2);
    let rules =
        binfection::Rules { field_width: 100, field_height: 100, ..binfection::Rules::default() };
    let bots = &["general", "spreader"];
    let name = "binfection 100x100";
    measure(c, &Playout::<Binfection>::new(name, rules, bots, (200, 11_966_812_254_923_099_950)));
}

fn cellhack(c: &mut Criterion) {
    let rules = cellhack::Rules::default();
    set_up::<Cellhack>(c, &rules, 4);
    let bots = &["swarm", "hunter", "grower", "random"];
    let name = "cellhack 64x64";
    measure(
        c,
        &Playout::<Cellhack>::new(name, rules, bots, (1_548_226, 13_456_638_462_256_161_666)),
    );
}

fn cluster(c: &mut Criterion) {
    let rules = cluster::Rules::default();
    set_up::<Cluster>(c, &rules, 2);
    let bots = &["random", "random"];
    let name = "cluster side 12, 100 random matches";
    measure(
        c,
        &Playout {
            matches: 100,
            ..Playout::<Cluster>::new(name, rules.clone(), bots, (6_169, 7_507_501_131_973_470_266))
        },
    );
    let name = "cluster side 12, 5 searching matches";
    let bots = &["searcher", "greedy"];
    measure(
        c,
        &Playout {
            matches: 5,
            ..Playout::<Cluster>::new(name, rules, bots, (53, 5_077_445_468_380_281_107))
        },
    );
}

/// 1 000 of the usual 10 000 ticks.
fn rezzo(c: &mut Criterion) {
    let rules = rezzo::Rules::default();
    set_up::<Rezzo>(c, &rules, 3);
    let bots = &["raider", "raider", "wanderer"];
    let name = "rezzo 320x320, 1000 ticks";
    measure(
        c,
        &Playout {
            steps: 1000,
            ..Playout::<Rezzo>::new(name, rules, bots, (3_000, 5_170_655_726_242_760_784))
        },
    );
}

criterion_group! {
    name = playouts;
    config = support::config();
    targets = amoebas, binfection, cellhack, cluster, rezzo
}
criterion_main!(playouts);
