//! Runs [`agon_fuzz::bot_folder`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::bot_folder(data));
