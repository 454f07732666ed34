//! Answers of all games as flat memory: any bytes are read, and what is wrong with them is
//! reported.

use agon_core::{Game, runs_by_player};
use agon_games::{batch::Batch, with_game};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Some((id, input)) = crate::choose_game(data) else { return };
    with_game!(id, G => {
        let rules = serde_json::from_str(crate::small(id)).expect("the settings fit");
        let mut game = crate::begin::<G>(&rules);
        crate::play_some(&mut game);
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
}
