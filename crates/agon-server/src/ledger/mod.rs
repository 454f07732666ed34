//! The public log of all that counts, which nobody can rewrite unnoticed (`agon_ladder::ledger`).
//!
//! | module | contents |
//! | --- | --- |
//! | `keys` | the key with which checkpoints are signed |
//! | `reader` | hashes of the tree, from the database |
//! | `sealer` | signs checkpoints as the log grows |

mod keys;
mod reader;
mod sealer;

use std::{
    path::Path,
    process::ExitCode,
    sync::{PoisonError, RwLock},
};

use agon_ladder::ledger::{Head, fingerprint};
use anyhow::{Result, ensure};

pub(crate) use keys::Keys;
pub(crate) use reader::Reader;
pub(crate) use sealer::run;

/// Makes another key for the log of a server's folder.
///
/// # Errors
/// If the folder is no server's, or a key is waiting already.
pub(crate) fn rotate_key(data: &Path) -> Result<ExitCode> {
    let folder = data.join("keys");
    ensure!(folder.is_dir(), "{} is no folder of a ladder server", data.display());
    let next = Keys::open(folder)?.make_next()?;
    crate::talk::say(&format!(
        "the next key is {}; a server with this folder signs with it within a second",
        fingerprint(next.public())
    ));
    Ok(ExitCode::SUCCESS)
}

/// The last checkpoint, for requests.
#[derive(Debug, Default)]
pub(crate) struct Ledger(RwLock<Option<Sealed>>);

/// A signed checkpoint.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    pub(crate) head: Head,
    /// The signed note.
    pub(crate) note: String,
    /// The key with which others verify it.
    pub(crate) key: String,
}

impl Ledger {
    /// Returns the last checkpoint; `None` in the first moments.
    pub(crate) fn sealed(&self) -> Option<Sealed> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, sealed: Sealed) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(sealed);
    }
}
