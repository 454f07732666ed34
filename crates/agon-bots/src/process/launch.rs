//! Describes a program to start. Hosts of processes fill this in, and `spawn` starts the program.

use std::{ffi::OsString, os::fd::OwnedFd, path::PathBuf, sync::Arc, time::Duration};

use agon_sandbox::Limits;

use crate::sandbox::{Needs, SandboxOptions};
use crate::{HostOptions, Snapshot, TurnLog, hints::Typed};

/// The usual limit in bytes for output that waits to be read.
pub(super) const MAX_OUTPUT: usize = 64 << 10;

/// The time for an examined bot's children to end after it.
const STRAGGLING: Duration = Duration::from_millis(200);

/// The description of a program to start.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program: a path, or a name to be found on `PATH`.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// Variables of its environment, beside those that every program gets.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// The core that it runs on. Without one, it may use the cores of the thread that starts it.
    pub(crate) core: Option<usize>,
    /// The folder it starts in; `None` for the arena's own.
    pub(crate) folder: Option<PathBuf>,
    /// A descriptor that the child inherits under the number [`agon_sandbox::INHERITED`].
    pub(crate) inherits: Option<Arc<OwnedFd>>,
    /// The use of its standard output.
    pub(crate) output: Output,
    /// The limit in bytes for output that waits to be read; more is a flood.
    pub(crate) most_output: usize,
    /// The bytes at the end of stderr that are kept as evidence.
    pub(crate) tail: usize,
    /// Limits that differ from the usual ones.
    pub(crate) limits: Limits,
    /// The confinement.
    pub(crate) sandbox: SandboxOptions,
    /// The snapshots of the bots, which it sees in place of the originals.
    pub(crate) snapshots: Vec<Arc<Snapshot>>,
    /// Files and rights that it needs although it is confined.
    pub(crate) needs: Needs,
    /// What it sees because of its own path and words.
    pub(crate) sees: Sees,
    /// The time for its children to end after it. Later they count as left behind.
    pub(crate) grace: Duration,
    /// The log of its costs and output.
    pub(crate) turn_log: TurnLog,
    /// The program as a person named it, for hints.
    pub(crate) typed: Typed,
}

/// What a program sees because of its own path and words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// Nothing but itself: it is a part of Agon.
    Itself,
    /// What was installed with it: it is a compiler or a runtime.
    Installation,
    /// Its folder, and the files and folders among its arguments: it is a bot.
    ///
    /// The words of a bot with a home ([`Snapshot::home_of`]) show nothing.
    Words,
}

/// The use of a program's standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// Answers; questions come on standard input.
    Answers,
    /// Messages, like stderr.
    ///
    /// The answers come through a pipe of their own. It is the last descriptor that the program
    /// inherits, and the program opens it by its name in `/proc`.
    Apart,
    /// Messages, like stderr; there are no answers, and standard input is empty.
    Talk,
}

impl Launch {
    /// Describes a program that answers on stdout, with the usual limits.
    pub(crate) fn new(program: impl Into<PathBuf>, args: &[OsString]) -> Launch {
        Launch {
            program: program.into(),
            args: args.to_vec(),
            env: Vec::new(),
            core: None,
            folder: None,
            inherits: None,
            output: Output::Answers,
            most_output: MAX_OUTPUT,
            tail: 4 << 10,
            limits: Limits::default(),
            sandbox: SandboxOptions::default(),
            snapshots: Vec::new(),
            needs: Needs::default(),
            sees: Sees::Installation,
            grace: Duration::ZERO,
            turn_log: TurnLog::default(),
            typed: Typed::default(),
        }
    }

    /// Adds the folder, the sandbox and the snapshots of a match's options.
    pub(crate) fn with(mut self, options: &HostOptions) -> Launch {
        self.folder.clone_from(&options.folder);
        self.sandbox = options.sandbox.clone();
        self.snapshots.clone_from(&options.snapshots);
        self.grace = if options.examine { STRAGGLING } else { Duration::ZERO };
        self
    }
}
