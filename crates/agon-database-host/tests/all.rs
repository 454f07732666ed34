//! All tests of this program.

mod database;
mod host;
mod made_up;
