//! rezzo: in work.
