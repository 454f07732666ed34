//! Runs [`agon_fuzz::http_response`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::http_response(data));
