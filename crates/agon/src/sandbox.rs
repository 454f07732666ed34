//! The confinement of bots: from arguments to options, with notes for a person.

use std::sync::Once;

use agon_bots::{HostExecutable, Level, SandboxOptions, sandbox::HiddenFolder};
use agon_jail::{Mechanism, Missing, folders_left};

use crate::{
    cli::{Confine, SandboxArgs},
    output::DIM,
};

/// How bots are confined, as it was typed.
pub(crate) fn sandbox(args: &SandboxArgs) -> SandboxOptions {
    let level = match args.sandbox {
        Confine::Strict => Level::Strict,
        Confine::Default => Level::Default,
        Confine::Off => Level::Off,
    };
    // This program starts programs itself.
    let jail = HostExecutable { path: "/proc/self/exe".into(), args: vec!["__jail".into()] };
    SandboxOptions {
        level,
        memory: args.bot_memory,
        read: args.allow_read.clone(),
        write: args.allow_write.clone(),
        jail: Some(jail),
    }
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
