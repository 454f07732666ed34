//! How bots are confined: from what was typed to options, and what a person is told.

use std::sync::Once;

use agon_bots::{HostProgram, Level, SandboxOptions};
use agon_jail::Missing;

use crate::cli::{Confine, SandboxArgs};

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

/// Tells once what the sandbox lacks on this machine.
pub(crate) fn tell_what_is_missing() {
    static ONCE: Once = Once::new();
    let missing = agon_bots::sandbox::missing();
    if missing.is_empty() {
        return;
    }
    ONCE.call_once(|| {
        for Missing { why, .. } in missing {
            anstream::eprintln!("warning: the sandbox is not complete: {why}");
        }
        anstream::eprintln!("(`agon doctor` tells more)");
    });
}
