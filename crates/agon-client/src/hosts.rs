//! What this program has for the hosts of bots: it starts their programs itself.

use agon_bots::{HostExecutable, HostOptions, SandboxOptions};

/// The word with which this program becomes the one that starts programs of bots.
pub(crate) const LAUNCHER: &str = "__launcher";

/// Returns what this machine has for bots.
pub(crate) fn machine() -> HostOptions {
    let launcher = HostExecutable { path: "/proc/self/exe".into(), args: vec![LAUNCHER.into()] };
    HostOptions {
        sandbox: SandboxOptions { launcher: Some(launcher), ..SandboxOptions::default() },
        announce: Some(|line| say!("{line}")),
        native_host: agon_bots::native::find_host(),
        ..HostOptions::default()
    }
}
