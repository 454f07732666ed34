//! Replies of the JSON Lines protocol: any text is a reply or refused, and what is taken writes
//! back to the same.

use agon_games::{jsonl::JsonGame, with_game};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
#[allow(clippy::clone_on_copy, reason = "answers of other games are not Copy")]
pub fn run(data: &[u8]) {
    let Some((id, text)) = crate::choose_game(data) else { return };
    with_game!(id, G => {
        let Ok(reply) = serde_json::from_slice::<<G as JsonGame>::Reply>(text) else { return };
        let answer = G::answer_from(reply);
        let reply = G::reply_for(answer.clone()).expect("what a bot said it can say again");
        let text = serde_json::to_vec(&reply).expect("replies can be written");
        let again = serde_json::from_slice(&text).expect("what was written can be read");
        assert_eq!(G::answer_from(again), answer);
    });
}
