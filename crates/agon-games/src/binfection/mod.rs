//! binfection: in work.
