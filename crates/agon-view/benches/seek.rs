//! Measures the time from a jump in a long replay to the picture of the new state.

use std::hint::black_box;
use std::time::{Duration, Instant};

use agon_games::GameId;
use agon_match::replay::Replay;
use agon_view::paint::Frame;
use agon_view::{App, Notes, ReplayStates, Viewer};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

use support::{amoebas_match, record};

/// The match of the replays' own benchmarks.
#[path = "../../agon-match/benches/support/mod.rs"]
mod support;

/// Jumps to a step and paints it, as a window does.
fn jump(viewer: &mut Viewer, frame: &mut Frame, step: u64) {
    viewer.playback().seek(step);
    viewer.tick(Duration::from_millis(16));
    viewer.paint(frame);
    assert_eq!(viewer.status().step, step, "it shows another state");
}

fn seek(c: &mut Criterion) {
    let playout = amoebas_match();
    let start = playout.starts().remove(0);
    let replay = Replay::open(record(&start, &playout.script(&start)).as_slice())
        .expect("it was just written");
    // A fresh viewer, because a viewer keeps states that it has passed.
    let viewer = || {
        let states = ReplayStates::new(&replay, GameId::Amoebas.kind());
        Viewer::new(states.expect("it can be played again"), Notes::default())
    };
    let mut frame = Frame::new(960, 640);
    let mut took = |step| {
        let mut viewer = viewer();
        let began = Instant::now();
        jump(&mut viewer, &mut frame, step);
        (began.elapsed(), step)
    };
    let mut places: Vec<_> = (0..100).map(|place| took(replay.steps() * place / 99)).collect();
    places.sort_unstable();
    let mut group = c.benchmark_group(format!("{}, seek and paint", playout.name));
    for (name, (_, step)) in
        [("median of 100 places", places[50]), ("worst of 100 places", places[99])]
    {
        group.bench_function(name, |b| {
            b.iter_batched_ref(
                viewer,
                |viewer| jump(viewer, &mut frame, black_box(step)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::config();
    targets = seek
}
criterion_main!(benches);
