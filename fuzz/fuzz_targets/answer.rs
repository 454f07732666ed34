//! Runs [`agon_fuzz::answer`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::answer(data));
