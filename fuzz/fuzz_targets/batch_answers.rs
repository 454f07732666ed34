//! Answers of all games as flat memory: any bytes are read, and what is wrong with them is
//! reported.
#![no_main]

use agon_core::{Game, runs_by_player};
use agon_games::{batch::Batch, with_game};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((id, input)) = agon_fuzz::choose_game(data) else { return };
    with_game!(id, G => {
        let rules = serde_json::from_str(agon_fuzz::small(id)).expect("the settings fit");
        let mut game = agon_fuzz::begin::<G>(&rules);
        agon_fuzz::play_some(&mut game);
        for (_, range) in runs_by_player(game.decisions()) {
            let decisions = &game.decisions()[range];
            let mut answers = vec![<G as Game>::Answer::default(); decisions.len()];
            let mut last = None;
            game.read_answers(decisions, input, &mut answers, &mut |i, _| {
                assert!(last < Some(i) && i < decisions.len(), "in order, each once");
                last = Some(i);
            });
        }
    });
});
