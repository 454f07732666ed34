//! The command line of a JVM for species: Java, its flags, and the class path.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf, absolute},
    process::Command,
};

use agon_sandbox::INHERITED;

use crate::{
    HostOptions,
    process::{Launch, Output},
};

/// The namespace with the main function.
pub(super) const MAIN_CLASS: &str = "agon.host";

/// Flags for every JVM.
///
/// Answers come from one thread, and a small heap soon ends a species that hogs memory.
const FLAGS: [&str; 20] = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UseSerialGC",
    "-Xmx512m",
    "-Xmn64m",
    // What an amoeba carries lives for a round, which is longer than several collections of the
    // young generation. Copying it once only takes a third off the time of collecting.
    "-XX:MaxTenuringThreshold=1",
    // Matches are short. Code is compiled for good only after eight times the usual number of runs,
    // and until then nobody counts its calls. So a match of simple species takes half the CPU time,
    // and one of heavy species no more (`docs/performance.md`).
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-C1ProfileCalls",
    "-XX:-C1ProfileVirtualCalls",
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=4800",
    "-XX:Tier4CompileThreshold=120000",
    "-XX:Tier4BackEdgeThreshold=320000",
    // Endless loops can be stopped, exceptions keep their stack traces, and no temporary file
    // is left.
    "-XX:+UseCountedLoopSafepoints",
    "-XX:LoopStripMiningIter=1",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    // Messages of the JVM go to stderr.
    "-XX:+DisplayVMOutputToStderr",
    "-Xlog:all=warning,cds*=off:stderr",
];

/// Java with Clojure and the arena's own code.
#[derive(Clone, Debug)]
pub(super) struct Java {
    pub(super) program: PathBuf,
    pub(super) class_path: OsString,
    pub(super) options: Vec<String>,
    /// An archive of classes, which halves the start-up time, if there can be one.
    pub(super) archive: Option<PathBuf>,
}

impl Java {
    /// Returns whether the files still exist, because somebody may have emptied the cache.
    pub(super) fn is_there(&self) -> bool {
        let jar = env::split_paths(&self.class_path).next();
        jar.into_iter().chain(self.archive.clone()).all(|file| file.is_file())
    }

    /// Returns all arguments before the main class; `more` come before those of the user.
    pub(super) fn arguments(&self, more: &[OsString]) -> Vec<OsString> {
        let mut args: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
        args.extend(more.iter().cloned());
        args.extend(self.options.iter().map(OsString::from));
        args.extend(["-cp".into(), self.class_path.clone()]);
        args
    }

    /// Returns the same as a command outside of any sandbox, for the arena's own code alone.
    pub(super) fn command(&self, more: &[OsString]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments(more));
        command
    }

    /// Describes the start of a JVM that shares memory.
    ///
    /// The shared memory is the first descriptor that it inherits; it replies on the second.
    pub(super) fn launch(&self, options: &HostOptions) -> Launch {
        let archive = self.archive.as_ref().map(|path| flag("-XX:SharedArchiveFile=", path));
        let mut args = self.arguments(&archive.into_iter().collect::<Vec<_>>());
        args.push(MAIN_CLASS.into());
        args.extend([INHERITED, INHERITED + 1].map(|fd| format!("/proc/self/fd/{fd}").into()));
        let mut launch = Launch::new(&self.program, &args).with(options);
        launch.core = options.core;
        launch.output = Output::Apart;
        let classes =
            env::split_paths(&self.class_path).map(|path| absolute(&path).unwrap_or(path));
        launch.needs.read = classes.chain(self.archive.clone()).collect();
        launch
    }
}

/// Returns a flag followed by a path.
pub(super) fn flag(name: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(name);
    flag.push(path);
    flag
}
