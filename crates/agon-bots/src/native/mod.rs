//! Native libraries: any game's `agon_decide`, and cellhack's C functions.

mod child;
pub(crate) mod compile;

use std::path::{Path, absolute};

pub use child::child_main;
pub use compile::Language;

use crate::{
    HostOptions, Hosted, OpenError,
    batch::{BatchBot, Child},
};

/// Loads a shared library.
///
/// # Errors
/// If it cannot be loaded.
pub(crate) fn open<G: Hosted>(path: &Path, options: &HostOptions) -> Result<BatchBot, OpenError> {
    // Absolute: a bare name would be searched for among the system's libraries.
    let library = absolute(path).map_err(|source| OpenError::Read { path: path.to_owned(), source })?;
    let args = vec![G::META.id.into(), library.into()];
    BatchBot::open::<G>(&Child { host: options.native_host.clone(), args, fueled: false }, path, options)
}
