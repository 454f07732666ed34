//! Runs [`agon_fuzz::settings`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::settings(data));
