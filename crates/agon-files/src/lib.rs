//! Files that Agon writes. All commands open their outputs here.
//!
//! | module | noun |
//! | --- | --- |
//! | `target` | where a path leads: to a regular file, or to something that is only written through |
//! | `identity` | what tells a file from others, whatever its name |
//! | `inputs` | [`protect`]: files that no output replaces |
//! | `stream` | [`create`]: an output that is written from its start to its end |
//! | `whole` | [`WholeFile`]: a file that is there as a whole or not at all |
//! | `unfinished` | [`discard_unfinished`]: for a program that ends early |
//! | [`line_log`] | append-only files of results, with checksums |
//! | `error` | [`WriteError`]: names the file |
//!
//! Devices, FIFOs and links stay what they are: Agon writes to a device or FIFO, and to the file
//! that a link leads to.

mod error;
mod identity;
mod inputs;
pub mod line_log;
mod stream;
mod target;
mod unfinished;
mod whole;

pub use error::WriteError;
pub use inputs::protect;
pub use stream::{create, write};
pub use unfinished::discard_unfinished;
pub use whole::{WholeFile, write_whole};
