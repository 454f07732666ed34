//! Runs [`agon_fuzz::ladder_log`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::ladder_log(data));
