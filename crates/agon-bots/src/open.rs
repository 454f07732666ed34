//! From what a person typed to a bot that plays.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use agon_games::Lineup;

use crate::{
    Bot, BotKind, BotSpec, OpenError, Timing,
    builtin::BuiltinBot,
    native::compile::{Header, compile},
    program::{Program, existing_file},
    spec::What,
};

/// What the hosts of bots need to know.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Time limits.
    pub timing: Timing,
    /// Whether a tick of a game in real time (rezzo) lasts its full time, so that a person can follow. Otherwise
    /// it is over as soon as all have answered.
    pub steady: bool,
    /// The folder that programs start in; `None` for the arena's own, that of the user.
    pub folder: Option<PathBuf>,
    /// The folder for compiled bots; `None` for `$XDG_CACHE_HOME/agon` or `~/.cache/agon`.
    pub cache: Option<PathBuf>,
    /// The program that loads native libraries.
    pub native_host: HostProgram,
}

/// The program that loads native libraries: it calls [`crate::native::child_main`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProgram {
    /// The executable.
    pub path: PathBuf,
    /// Arguments in front of those that [`crate::native::child_main`] gets.
    pub args: Vec<OsString>,
}

impl HostProgram {
    /// The hidden subcommand of `agon` that loads native libraries.
    pub const SUBCOMMAND: &str = "__native-host";
}

impl Default for HostProgram {
    /// This program itself with the argument [`HostProgram::SUBCOMMAND`]. The path is right even if the
    /// executable has been replaced since it was started.
    fn default() -> HostProgram {
        HostProgram { path: "/proc/self/exe".into(), args: vec![HostProgram::SUBCOMMAND.into()] }
    }
}

/// Opens a program for a game.
pub type ProgramHost<G> = fn(Program, &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError>;

/// Opens a shared library for a game.
pub(crate) type LibraryHost<G> = fn(&Path, &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError>;

/// A game with hosts for its bots. Built-in bots play in every game.
pub trait Hosted: Lineup {
    /// The host of programs that speak the game's own protocol.
    const PROGRAM: Option<ProgramHost<Self>> = None;

    /// The host of C functions.
    const NATIVE: Option<Native<Self>> = None;
}

/// How a game takes C functions.
#[derive(Debug)]
pub struct Native<G: Lineup> {
    /// The header that every source may use.
    pub(crate) header: Header,
    /// The host of a library.
    pub(crate) open: LibraryHost<G>,
}

/// The kinds of bots a game takes.
pub fn kinds<G: Hosted>() -> Vec<BotKind> {
    let mut kinds = vec![BotKind::Builtin];
    if G::NATIVE.is_some() {
        kinds.extend([BotKind::C, BotKind::Library]);
    }
    if G::PROGRAM.is_some() {
        kinds.push(BotKind::Program);
    }
    kinds
}

/// Opens a bot: finds its files, compiles and loads what is to be compiled and loaded.
///
/// Programs are started later, by [`Bot::start`].
///
/// # Errors
/// If there is no such bot, it does not compile or load, or the game takes no bots of its kind.
pub fn open<G: Hosted>(spec: &BotSpec, options: &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError> {
    let builtins: Vec<_> = G::BUILTINS.iter().map(|builtin| builtin.name).collect();
    let wrong_kind = || OpenError::Kind { spec: spec.to_string(), game: G::META.id, takes: kinds::<G>() };
    match spec.what() {
        What::Builtin { name, params } => Ok(Box::new(BuiltinBot::find(G::BUILTINS, name, params)?)),
        What::C(path) => {
            let native = G::NATIVE.ok_or_else(wrong_kind)?;
            existing_file(&path.to_string_lossy(), &builtins)?;
            (native.open)(&compile(path, native.header, options)?, options).map_err(|e| e.of_source(path))
        }
        What::Library(path) => {
            let native = G::NATIVE.ok_or_else(wrong_kind)?;
            (native.open)(&existing_file(&path.to_string_lossy(), &builtins)?, options)
        }
        What::Program { text, words } => match (G::PROGRAM, Program::find(text, words, &builtins)) {
            (Some(host), program) => host(program?, options),
            (None, Err(error @ (OpenError::Missing { .. } | OpenError::NoProgram { .. }))) => Err(error),
            (None, _) => Err(wrong_kind()),
        },
    }
}
