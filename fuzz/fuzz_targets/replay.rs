//! Runs [`agon_fuzz::replay`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::replay(data));
