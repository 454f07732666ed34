//! agon-match
