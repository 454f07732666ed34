//! amoebas: built-in bots only, so far.

use agon_games::amoebas::Amoebas;

use crate::Hosted;

impl Hosted for Amoebas {}
