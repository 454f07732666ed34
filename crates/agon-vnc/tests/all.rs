//! All tests of this crate that need no program of their own.

mod client;
mod encodings;
mod real_clients;
mod sessions;
