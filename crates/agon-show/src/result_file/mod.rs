//! The files that the games' own programs write, of matches and replays.

mod amoebas;
mod binfection;
mod cellhack;

pub use amoebas::write_amoebas_csv;
pub use binfection::write_binfection;
pub use cellhack::{CellhackFile, write_cellhack, write_cellhack_states};
