//! Runs [`agon_fuzz::targets::settings`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::targets::settings(data));
