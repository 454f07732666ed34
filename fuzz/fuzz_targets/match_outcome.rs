//! Match outcomes: what is read is written and read again as the same, and has a headline.
#![no_main]

use agon_spec::MatchOutcome;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(outcome) = MatchOutcome::from_json(data) else { return };
    let text = serde_json::to_vec(&outcome).expect("outcomes can be written");
    assert_eq!(MatchOutcome::from_json(&text).expect("own outcomes can be read"), outcome);
    assert!(!outcome.result.headline().is_empty());
    let named = outcome.result.faults.iter().map(|fault| outcome.result.name(fault.player));
    named.for_each(drop);
});
