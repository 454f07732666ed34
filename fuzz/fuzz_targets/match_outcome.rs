//! Runs [`agon_fuzz::match_outcome`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::match_outcome(data));
