//! How bots are confined: from what was typed to options, and what a person is told.

use std::sync::Once;

use agon_bots::{HostProgram, Level, SandboxOptions};
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
    let jail = HostProgram { path: "/proc/self/exe".into(), args: vec!["__jail".into()] };
    SandboxOptions {
        level,
        memory: args.bot_memory,
        read: args.allow_read.clone(),
        write: args.allow_write.clone(),
        jail: Some(jail),
    }
}

/// Tells once what the sandbox lacks on this machine, and each time what is left of bots' folders.
pub(crate) fn tell_what_is_missing() {
    static ONCE: Once = Once::new();
    for folder in folders_left() {
        anstream::eprintln!("warning: what a bot wrote cannot be removed: {folder}");
    }
    let missing = agon_bots::sandbox::missing();
    if missing.is_empty() {
        return;
    }
    ONCE.call_once(|| {
        for Missing { mechanism, why } in missing {
            match mechanism {
                // The arena does it instead: no danger, and usual for bots in a folder of root's.
                Mechanism::ProcessLimit => anstream::eprintln!("{DIM}note: {why}{DIM:#}"),
                _ => anstream::eprintln!("warning: the sandbox is not complete: {why}"),
            }
        }
        anstream::eprintln!("{DIM}(`agon doctor` shows what this machine offers){DIM:#}");
    });
}
