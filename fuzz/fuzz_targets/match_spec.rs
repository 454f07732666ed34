//! Runs [`agon_fuzz::match_spec`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::match_spec(data));
