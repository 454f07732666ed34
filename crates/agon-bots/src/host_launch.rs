//! Applies the options of a match to the start of a program: its folder, sandbox and snapshots.

use std::time::Duration;

use crate::process::{Launch, Sees};
use crate::{HostOptions, Program};

/// The time for an examined bot's children to end after it.
const STRAGGLING: Duration = Duration::from_millis(200);

impl Launch {
    /// Adds the folder and the sandbox of the options.
    pub(crate) fn with(mut self, options: &HostOptions) -> Launch {
        self.folder.clone_from(&options.folder);
        self.sandbox = options.sandbox.clone();
        self.snapshots.clone_from(&options.snapshots);
        self.grace = if options.examine { STRAGGLING } else { Duration::ZERO };
        self
    }
}

impl Program {
    /// Describes how to start it.
    pub(crate) fn launch(&self, options: &HostOptions) -> Launch {
        let mut launch = Launch::new(&self.path, &self.args).with(options);
        launch.sees = Sees::Words;
        launch.typed = self.typed.clone();
        launch
    }
}
