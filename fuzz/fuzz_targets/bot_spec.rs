//! What people type to name a bot: printing and reading again gives the same bot.
#![no_main]

use agon_bots::BotSpec;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(spec) = text.parse::<BotSpec>() {
        let printed = spec.to_string();
        let again: BotSpec = printed.parse().expect("a printed bot can be read");
        assert_eq!(again.kind(), spec.kind());
    }
});
