//! All tests of this crate that need no program of their own.

mod binfection;
mod builtin_answers;
mod clojure;
mod cluster;
mod common;
mod diary;
mod flat;
mod jsonl;
mod native;
mod open;
mod orphans;
mod rezzo;
mod snapshot;
mod table;
