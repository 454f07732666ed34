//! The files of a bot on their way to a ladder server.
//!
//! | module | contents |
//! | --- | --- |
//! | `files` | [`Files`]: the files in memory, with limits and safe paths |
//! | `pack` | [`unpack`]: zip and tar archives, which may be hostile; [`pack()`] and [`zip()`] |

mod files;
mod pack;

pub use files::{File, Files, FilesError, MAX_BYTES, MAX_FILES};
pub use pack::{is_archive, pack, unpack, zip};
