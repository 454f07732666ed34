//! Runs [`agon_fuzz::bundle`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::bundle(data));
