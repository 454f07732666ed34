//! Result files: the states of any game as JSON Lines, and the formats of the games' original
//! programs, which tools for those programs can read.

mod amoebas;
mod binfection;
mod cellhack;
mod states;

pub use amoebas::write_amoebas_csv;
pub use binfection::write_binfection;
pub use cellhack::{CellhackFile, write_cellhack, write_cellhack_states};
pub use states::write_states;
