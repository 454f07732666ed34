//! Bots that try to do harm, in matches of the program `agon` itself.
//!
//! Each must fail to do it; the match must end in order and in time, with a fault that names the
//! reason where there is one; and nothing may be left: no process, no file, no shared memory.
//! [`again`] runs nearly all this as an ordinary user, and where namespaces are refused.

mod again;
mod attacks;
mod hosts;
mod keys;
mod test_dir;

use test_dir::{Outcome, TestDir, mode};
