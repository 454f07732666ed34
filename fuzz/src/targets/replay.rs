//! Replay files: damaged ones are reported, and what is proven is just what the format says.

use agon_core::Game;
use agon_games::{GameId, with_game};
use agon_replay::Replay;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Ok(replay) = Replay::open(data) else { return };
    let _ = (replay.result(), replay.faults(), replay.diagnosis());
    let is_whole = is_whole(data).is_some();
    if let Ok(public) = replay.redacted(|_| false) {
        let public = Replay::open(public).expect("a copy is a replay");
        assert_eq!(public.steps(), replay.steps(), "a copy has all steps");
        assert_eq!(public.diagnosis(), Ok(None), "nobody's output is in it");
    }
    assert!(is_whole || replay.damage().is_some(), "what is no whole file is damaged");
    if let Ok(id) = replay.header().game.parse::<GameId>() {
        with_game!(id, G => {
            let _ = replay.visit_answers::<<G as Game>::Answer>(|_, _| {});
            let _ = replay.seek::<G>(replay.steps() / 2);
            if let Ok(start) = replay.start::<G>() {
                let names = replay.header().players.len();
                assert_eq!(start.players(), names, "every player has a name");
            }
            assert!(is_whole || !replay.verify::<G>().is_proven(), "only whole files are proven");
        });
    }
}

/// Walks through a file as `docs/replay-format.md` describes it: one header, steps, key frames and
/// faults, at most one diagnosis, one result, one index, which the footer names, and nothing
/// between or behind them.
fn is_whole(file: &[u8]) -> Option<()> {
    let body = file.strip_suffix(b"AGON-END")?;
    let (body, index_at) = body.split_last_chunk::<8>()?;
    let mut at = 9;
    let mut kinds = Vec::new();
    while at < body.len() {
        let head = body.get(at..at + 13)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        kinds.push((head[0], at as u64));
        at += 13 + length;
    }
    let [(1, _), middle @ .., (5, _), (6, index)] = kinds.as_slice() else { return None };
    let middle = match middle {
        [middle @ .., (7, _)] => middle,
        middle => middle,
    };
    let in_order = middle.iter().all(|(kind, _)| (2..=4).contains(kind));
    (at == body.len() && *index == u64::from_le_bytes(*index_at) && in_order).then_some(())
}
