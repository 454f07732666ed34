//! How large requests may be.

use agon_ladder::archive::MAX_BYTES;

/// The most bytes of a form without files.
pub(super) const FORM: usize = 1 << 20;

/// The most bytes of an upload: what is packed may be a little larger than the files.
pub(super) const UPLOAD: usize = MAX_BYTES as usize + (1 << 20);
