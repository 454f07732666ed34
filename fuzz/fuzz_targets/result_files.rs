//! Runs [`agon_fuzz::result_files`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::result_files(data));
