//! Runs [`agon_fuzz::jsonl_reply`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::jsonl_reply(data));
