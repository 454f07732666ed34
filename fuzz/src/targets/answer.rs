//! Encoded answers of all games: what is read, writes back to the same value.

use agon_core::{Codec, Game};
use agon_games::with_game;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Some((id, mut input)) = crate::choose_game(data) else { return };
    with_game!(id, G => {
        let mut length = input.len();
        while let Ok(answer) = <G as Game>::Answer::decode(&mut input) {
            let mut bytes = Vec::new();
            answer.encode(&mut bytes);
            let again = <G as Game>::Answer::decode(&mut bytes.as_slice());
            assert_eq!(again.as_ref(), Ok(&answer));
            // A game may have an answer that takes no byte.
            if input.is_empty() || input.len() == length {
                break;
            }
            length = input.len();
        }
    });
}
