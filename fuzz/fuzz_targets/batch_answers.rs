//! Runs [`agon_fuzz::batch_answers`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::batch_answers(data));
