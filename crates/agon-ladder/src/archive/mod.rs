//! The files of a bot on their way to a ladder server.
//!
//! | module | contents |
//! | --- | --- |
//! | `files` | [`Files`]: the files in memory, with limits and safe paths |
//! | `archive` | [`unpack`]: zip and tar archives, which may be hostile; [`pack()`] and [`zip()`] |

mod archive;
mod files;

pub use archive::{is_archive, pack, unpack, zip};
pub use files::{File, Files, FilesError, MAX_BYTES, MAX_FILES};
