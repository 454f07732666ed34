//! The ladder server.

mod accounts;
mod database;
mod store;

fn main() {}
