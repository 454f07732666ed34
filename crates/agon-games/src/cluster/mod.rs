//! cluster: in work.
