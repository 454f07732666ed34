//! cellhack: in work.
