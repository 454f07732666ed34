//! Tells packaged programs from those that people have built themselves.

/// Returns whether `cargo xtask package` has built this program.
pub const fn is_packaged() -> bool {
    option_env!("AGON_PACKAGED").is_some()
}
