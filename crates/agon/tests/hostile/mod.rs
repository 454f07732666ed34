//! Bots that try to do harm, in matches of the program `agon` itself.
//!
//! Each must fail to do it; the match must end in order and in time, with a fault that names the
//! reason where there is one; and nothing may be left: no process, no file, no shared memory.
//! [`again`] runs all this as an ordinary user, and where namespaces are refused.

mod again;
mod compilers;
mod files;
mod hosts;
mod kernel;
mod keys;
mod killed;
mod memory;
mod network;
mod outcome;
mod processes;
mod shares;
mod test_dir;
mod traces;

use outcome::Outcome;
use test_dir::{TestDir, mode};
