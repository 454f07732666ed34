//! Runs [`agon_fuzz::queue_message`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::queue_message(data));
