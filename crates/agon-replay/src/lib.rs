//! agon-replay
