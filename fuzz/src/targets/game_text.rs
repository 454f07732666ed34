//! What bots write in the games' own protocols.

use agon_core::{Game, Seed};
use agon_games::{binfection, cluster, rezzo};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    match first % 3 {
        0 => {
            if let Ok(answer) = cluster::protocol::parse_answer(rest) {
                let text = answer.to_string();
                assert_eq!(cluster::protocol::parse_answer(text.as_bytes()), Ok(answer));
            }
        }
        1 => {
            let mut inbox = rezzo::protocol::Inbox::default();
            inbox.begin(0);
            rest.chunks(3).for_each(|part| inbox.feed(part));
            let _ = (inbox.has_answer(), inbox.answer(), inbox.dropped());
        }
        _ => {
            let rules = binfection::Rules {
                field_width: 9,
                field_height: 9,
                ..binfection::Rules::default()
            };
            let game = binfection::Binfection::new(&rules, 2, Seed(1)).expect("two bots fit");
            let view = game.view(game.decisions()[0]);
            let _ = binfection::protocol::parse_reply(rest, &view);
        }
    }
}
