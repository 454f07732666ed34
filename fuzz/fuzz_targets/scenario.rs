//! Runs [`agon_fuzz::scenario`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::scenario(data));
