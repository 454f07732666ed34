//! Runs [`agon_fuzz::vnc_client`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agon_fuzz::vnc_client(data));
