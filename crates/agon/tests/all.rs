//! All tests of this crate that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod alone;
mod ask;
mod bank;
mod check;
mod classic;
mod classic_files;
mod cli;
mod client;
mod clocks;
mod clojure;
mod compare;
mod compare_resume;
mod diagnosis;
mod doctor;
mod encoders;
mod events;
mod evidence;
mod film;
mod folders;
mod foreign;
mod hears;
mod hostile;
mod interrupts;
mod matches;
mod native_host;
mod older;
mod outputs;
mod overload;
mod peers;
mod people;
mod presets;
mod protocol_hints;
mod report;
mod serve;
mod shortage;
mod slow_bots;
mod stalls;
mod terminal;
mod tournament;
mod transcripts;
mod tune;
mod vnc;
mod web;
mod window;
