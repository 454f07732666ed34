//! Runs [`agon_fuzz::targets::journal`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::targets::journal(data));
