//! The main test program of this crate: all tests that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod amoebas;
mod amoebas_recorded;
mod any;
mod batch;
mod binfection;
mod binfection_examples;
mod cellhack;
mod cellhack_bots;
mod chance;
mod cluster;
mod cluster_bots;
mod cluster_protocol;
mod generated;
mod jsonl;
mod rezzo;
mod rezzo_maps;
mod rezzo_worlds;
mod scenes;
mod walks;
