//! Result files in the formats of the games' original programs, which tools for those programs can
//! read.

mod amoebas;
mod binfection;
mod cellhack;

pub use amoebas::write_amoebas_csv;
pub use binfection::write_binfection;
pub use cellhack::{CellhackFile, write_cellhack, write_cellhack_states};
