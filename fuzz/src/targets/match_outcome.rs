//! Match outcomes: what is read is written and read again as the same, and has a headline.

use agon_match::spec::MatchOutcome;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Ok(outcome) = MatchOutcome::from_json(data) else { return };
    let text = serde_json::to_vec(&outcome).expect("outcomes can be written");
    assert_eq!(MatchOutcome::from_json(&text).expect("own outcomes can be read"), outcome);
    assert!(!outcome.result.headline().is_empty());
    let named = outcome.result.faults.iter().map(|fault| outcome.result.name(fault.player));
    named.for_each(drop);
}
