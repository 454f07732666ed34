//! x
mod settings;
fn main() {}
