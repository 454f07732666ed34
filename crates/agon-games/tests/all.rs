//! All tests of this crate that are not beside the code.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod allocations;
mod amoebas;
mod amoebas_recorded;
mod any;
mod batch;
mod battlesnake;
mod binfection;
mod binfection_examples;
mod bots;
mod cellhack;
mod cellhack_bots;
mod chance;
mod cluster;
mod cluster_bots;
mod cluster_protocol;
mod every_game;
mod generated;
mod jsonl;
mod rezzo;
mod rezzo_maps;
mod rezzo_worlds;
mod scenes;
mod secrecy;
mod walks;

#[path = "../benches/support/mod.rs"]
mod support;
