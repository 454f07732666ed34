//! Files that Agon writes. All commands open their outputs here.
//!
//! | module | noun |
//! | --- | --- |
//! | `target` | where a path leads: to a regular file, or to something that is only written through; [`protect`]: files that no output replaces |
//! | `whole` | [`WholeFile`]: a file that is there as a whole or not at all; [`create`]: one that is written from its start to its end |
//! | [`line_log`] | append-only files of results, with checksums |
//! | [`input`] | text from files and streams, up to a limit |
//! | [`parts`] | programs of Agon's own beside the arena: found, built from a checkout, started, talked to |
//!
//! Devices, FIFOs and links stay what they are: Agon writes to a device or FIFO, and to the file
//! that a link leads to.

pub mod input;
pub mod line_log;
pub mod parts;
mod target;
mod whole;

pub use target::protect;
pub use whole::{WholeFile, WriteError, create, discard_unfinished, write, write_whole};
