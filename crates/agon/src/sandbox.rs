//! The confinement of bots on this machine, with notes for a person.

use std::sync::Once;

use agon_bots::HostOptions;
use agon_bots::sandbox::{HiddenFolder, hide};
use agon_remote::RemoteArgs;
use agon_sandbox::{Mechanism, Missing, folders_left};
use anyhow::Result;

use crate::output::DIM;

/// The programs that Agon starts here, and how people learn of slow work.
pub(crate) fn machine() -> HostOptions {
    // This program starts programs itself.
    HostOptions { announce: Some(|line| say!("{line}")), ..HostOptions::own() }
}

/// The same for a run on other machines: what is built here does not see what leads there.
pub(crate) fn machine_beside(remote: &RemoteArgs) -> Result<HostOptions> {
    let mut machine = machine();
    machine.sandbox.hidden = hide(remote.secrets())?;
    Ok(machine)
}

/// Tells once that programs do not see the folder that they start in.
fn tell_what_is_hidden() {
    static ONCE: Once = Once::new();
    let Some(HiddenFolder { folder, shown }) = agon_bots::sandbox::hidden_folder() else { return };
    ONCE.call_once(|| {
        let shown: Vec<_> = shown.iter().map(|place| place.display().to_string()).collect();
        let shown =
            if shown.is_empty() { "nothing but themselves".to_owned() } else { shown.join(", ") };
        say!(
            "note: bots do not see {}, which holds more than bots; of it they see {shown}. Start \
             in a folder of their own, or show more with `--allow-read PATH`",
            folder.display()
        );
    });
}

/// Tells once what the sandbox lacks on this machine, and each time what is left of bots' folders.
pub(crate) fn tell_what_is_missing() {
    static ONCE: Once = Once::new();
    for folder in folders_left() {
        say!("warning: what a bot wrote cannot be removed: {folder}");
    }
    tell_what_is_hidden();
    let missing = agon_bots::sandbox::missing();
    if missing.is_empty() {
        return;
    }
    ONCE.call_once(|| {
        for Missing { mechanism, why } in missing {
            match mechanism {
                // The arena does it instead: no danger, and usual for bots in a folder of root's.
                Mechanism::ProcessLimit => say!("{DIM}note: {why}{DIM:#}"),
                _ => say!("warning: the sandbox is not complete: {why}"),
            }
        }
        say!("{DIM}(`agon doctor` shows what this machine offers){DIM:#}");
    });
}
