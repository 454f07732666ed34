//! What people type to name a bot: printing and reading again gives the same bot.

use agon_bots::BotSpec;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let text = crate::text(data);
    if let Ok(spec) = text.parse::<BotSpec>() {
        let printed = spec.to_string();
        let again: BotSpec = printed.parse().expect("a printed bot can be read");
        assert_eq!(again.kind(), spec.kind());
    }
}
