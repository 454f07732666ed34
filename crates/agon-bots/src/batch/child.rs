//! The description of a child process that runs a batch bot. `native` and `wasm` each have one.

use std::ffi::OsString;

use crate::{HostExecutable, sandbox::Needs};

/// The program that runs a bot.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    /// The program. Its own arguments come first.
    pub(crate) host: HostExecutable,
    /// The arguments that name the bot to load.
    pub(crate) args: Vec<OsString>,
    /// Files and rights that the program needs.
    pub(crate) needs: Needs,
    /// Whether fuel decides how long the bot may think; otherwise the clock does.
    pub(crate) fueled: bool,
}
