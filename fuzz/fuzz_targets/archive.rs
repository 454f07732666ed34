//! Runs [`agon_fuzz::archive`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::archive(data));
