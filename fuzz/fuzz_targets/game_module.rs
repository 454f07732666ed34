//! Runs [`agon_fuzz::game_module`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::game_module(data));
