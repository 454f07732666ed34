//! Runs [`agon_fuzz::journal`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::journal(data));
