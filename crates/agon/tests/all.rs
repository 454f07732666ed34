//! All tests of this crate that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ask;
mod chance;
mod check;
mod classic;
mod cli;
mod clocks;
mod clojure;
mod compare;
mod diagnosis;
mod doctor;
mod events;
mod film;
mod folders;
mod foreign;
mod game_file;
mod hostile;
mod interrupts;
mod matches;
mod older;
mod outputs;
mod own_game;
mod parts;
mod peers;
mod protocol_hints;
mod remote;
mod report;
mod runtimes;
mod shortage;
mod slow_bots;
mod stalls;
mod support;
mod terminal;
mod tournament;
mod transcripts;
mod tune;
mod vnc;
mod web;
mod window;
