//! Programs that speak the uniform protocol.

use crate::{Bot, HostOptions, Hosted, OpenError, program::Program};

/// Opens a program.
///
/// # Errors
/// If it cannot be used.
pub(crate) fn open<G: Hosted>(_: Program, _: &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError> {
    todo!()
}

/// Opens a connection to a running program.
///
/// # Errors
/// If the address means nothing.
pub(crate) fn connect<G: Hosted>(_: &str, _: &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError> {
    todo!()
}
