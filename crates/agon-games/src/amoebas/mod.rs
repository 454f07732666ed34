//! amoebas: in work.
