//! The command lines that the games' own programs have.

pub(crate) mod amoebas;
pub(crate) mod binfection;
pub(crate) mod cellhack;
pub(crate) mod cluster;
pub(crate) mod rezzo;
