//! The files of a bot on their way to a ladder server.
//!
//! | module | contents |
//! | --- | --- |
//! | `files` | [`Files`]: the files in memory, with limits and safe paths |
//! | `archive` | [`unpack`]: zip and tar archives, which may be hostile |
//! | `pack` | [`pack()`] and [`zip()`]: archives of files |

mod archive;
mod files;
mod pack;

pub use archive::{is_archive, unpack};
pub use files::{File, Files, FilesError, MAX_BYTES, MAX_FILES};
pub use pack::{pack, zip};
