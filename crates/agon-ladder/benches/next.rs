//! Measures the calls of a large ladder.

use std::hint::black_box;

use agon_core::{Purpose, Seed};
use agon_ladder::{Entrant, Ladder, Played, VersionId};
use agon_rating::Skill;
use criterion::{Criterion, criterion_group, criterion_main};

/// Makes a ladder of versions that have played for some time.
fn ladder(count: u64, players: usize) -> Ladder {
    let mut ladder = Ladder::new(players, Seed::plain(1));
    let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
    for number in 0..count {
        let draw: u64 = (0..12).map(|_| rng.below(1_000)).sum();
        let skill = Skill { mu: 25.0 + (draw as f64 - 6_000.0) / 100.0, sigma: 1.5 };
        let entrant = Entrant::new(VersionId(rng.bits()), number);
        let mean_us = 50_000 + rng.below(100_000);
        ladder.enter(Entrant { skill, matches: 40, pass: rng.below(100_000), mean_us, ..entrant });
    }
    ladder
}

fn calls(criterion: &mut Criterion) {
    for (count, players) in [(200, 2), (10_000, 2), (10_000, 4)] {
        let mut ladder = ladder(count, players);
        let mut number = 0;
        let name = format!("next/{count} versions, {players} players");
        criterion.bench_function(&name, |b| {
            b.iter(|| {
                number += 1;
                black_box(ladder.next(number))
            });
        });
        let name = format!("next, begun, played/{count} versions, {players} players");
        criterion.bench_function(&name, |b| {
            b.iter(|| {
                number += 1;
                let players = ladder.next(number).expect("all can play");
                ladder.begun(&players);
                let places = (0..players.len() as u32).collect();
                let thinking_us = vec![40_000; players.len()];
                let played = Played { players, places, wall_us: 100_000, thinking_us };
                black_box(ladder.played(&played))
            });
        });
    }
}

criterion_group!(benches, calls);
criterion_main!(benches);
