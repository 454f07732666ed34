//! agon-testkit
