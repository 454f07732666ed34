//! Arguments for running bots.

use std::{num::NonZero, path::PathBuf};

use agon_match::spec::{
    MatchSettings, SandboxLevel, SandboxSettings, TimeSettings, settings::MAX_MS,
};
use clap::{Args, ValueEnum};

/// Flags of everything that runs bots.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct HostArgs {
    /// Give bots all the time they want; for debugging.
    #[arg(long)]
    pub(crate) no_clock: bool,
    /// Time limit of a bot's answer in milliseconds [default: as the game says].
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// Time for the whole match in milliseconds that a bot may draw on when an answer takes longer
    /// than its limit [default: 0 with --time; as the game says otherwise].
    #[arg(long, value_name = "MS")]
    pub(crate) bank: Option<u64>,
    /// The least time for a bot's first answer in milliseconds, because programs have to start
    /// [default: 10000 with JSON Lines, as the game says otherwise].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MAX_MS))]
    pub(crate) start_up: Option<u64>,
    /// Stop a bot after so many timeouts in a row; the rest of the match goes on without it.
    #[arg(long, value_name = "N", conflicts_with = "no_clock")]
    pub(crate) strikes: Option<NonZero<u32>>,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Compile C sources to WebAssembly instead of native libraries (needs clang and
    /// `agon-wasm-host`).
    #[arg(long)]
    pub(crate) wasm: bool,
    /// The most memory of a WebAssembly bot in MiB [default: 256].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) wasm_memory: Option<u32>,
    /// Have all species in Clojure of a match live in one JVM: it starts sooner, but they can reach
    /// each other there.
    #[arg(long)]
    pub(crate) share_jvm: bool,
}

/// Flags of everything that starts programs.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct SandboxArgs {
    /// How bots are confined.
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", help_heading = "Sandbox")]
    pub(crate) sandbox: Confine,
    /// The most memory of a bot with all its processes, in MiB [default: 1024].
    #[arg(
        long,
        value_name = "MIB",
        help_heading = "Sandbox",
        value_parser = clap::value_parser!(u32).range(16..)
    )]
    pub(crate) bot_memory: Option<u32>,
    /// A folder or file that bots may read beside their own; may be given several times.
    #[arg(long, value_name = "PATH", help_heading = "Sandbox")]
    pub(crate) allow_read: Vec<PathBuf>,
    /// A folder that bots may write to; may be given several times.
    #[arg(long, value_name = "DIR", help_heading = "Sandbox")]
    pub(crate) allow_write: Vec<PathBuf>,
    /// An environment variable that bots get beside the usual ones; may be given several times.
    #[arg(long, value_name = "NAME", help_heading = "Sandbox")]
    pub(crate) allow_env: Vec<String>,
}

impl HostArgs {
    /// What the flags say.
    pub(crate) fn settings(&self) -> MatchSettings {
        let HostArgs { no_clock, time, bank, start_up, strikes, sandbox, .. } = self;
        let HostArgs { wasm, wasm_memory, share_jvm, .. } = self;
        MatchSettings {
            time: TimeSettings {
                clock: !no_clock,
                limit: *time,
                bank: *bank,
                start_up: *start_up,
                strikes: *strikes,
                ..TimeSettings::default()
            },
            sandbox: SandboxSettings {
                wasm: *wasm,
                wasm_memory: *wasm_memory,
                share_jvm: *share_jvm,
                ..sandbox.settings()
            },
            ..MatchSettings::default()
        }
    }
}

impl SandboxArgs {
    /// What the flags say.
    pub(crate) fn settings(&self) -> SandboxSettings {
        SandboxSettings {
            level: match self.sandbox {
                Confine::Strict => SandboxLevel::Strict,
                Confine::Default => SandboxLevel::Default,
                Confine::Off => SandboxLevel::Off,
            },
            memory: self.bot_memory,
            read: self.allow_read.clone(),
            write: self.allow_write.clone(),
            env: self.allow_env.clone(),
            ..SandboxSettings::default()
        }
    }
}

/// How bots are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Confine {
    /// Fully, or they are not started; they see only runtimes that they name.
    Strict,
    /// As well as this machine can (`agon doctor` tells).
    #[default]
    Default,
    /// Not at all.
    Off,
}
