//! All tests of `agon-nats`.
