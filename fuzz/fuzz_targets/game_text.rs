//! Runs [`agon_fuzz::targets::game_text`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::targets::game_text(data));
