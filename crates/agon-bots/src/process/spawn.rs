//! Starts programs.

use std::{
    env,
    ffi::OsString,
    io::{self, PipeReader, PipeWriter},
    os::fd::{AsFd, OwnedFd},
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use agon_jail::{Child, Limits, StartError, Stdio};
use rustix::{
    fs::{Mode, OFlags, fchmod, open},
    process::{Resource, Rlimit, getrlimit, setrlimit},
    thread::{CpuSet, sched_getaffinity},
};

use crate::{
    HostOptions, Snapshot,
    sandbox::{Needs, SandboxOptions, see},
    shortage::Gone,
};

use crate::TurnLog;

/// The usual limit in bytes for output that waits to be read.
pub(super) const MAX_OUTPUT: usize = 64 << 10;

/// The description of a program to start.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program: a path, or a name to be found on `PATH`.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// The folder it starts in; `None` for the arena's own.
    pub(crate) folder: Option<PathBuf>,
    /// A descriptor that the child inherits under the number [`agon_jail::INHERITED`].
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
    /// Whether it reads the files and folders among its arguments.
    pub(crate) reads_arguments: bool,
    /// The time for its children to end after it. Later they count as left behind.
    pub(crate) grace: Duration,
    /// The log of its costs and output.
    pub(crate) turn_log: TurnLog,
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

/// The time for an examined bot's children to end after it.
const STRAGGLING: Duration = Duration::from_millis(200);

impl Launch {
    /// Describes a program that answers on stdout, with the usual limits.
    pub(crate) fn new(program: impl Into<PathBuf>, args: &[OsString]) -> Launch {
        Launch {
            program: program.into(),
            args: args.to_vec(),
            folder: None,
            inherits: None,
            output: Output::Answers,
            most_output: MAX_OUTPUT,
            tail: 4 << 10,
            limits: Limits::default(),
            sandbox: SandboxOptions::default(),
            snapshots: Vec::new(),
            needs: Needs::default(),
            reads_arguments: false,
            grace: Duration::ZERO,
            turn_log: TurnLog::default(),
        }
    }

    /// Adds the folder and the sandbox of the options.
    pub(crate) fn with(mut self, options: &HostOptions) -> Launch {
        self.folder.clone_from(&options.folder);
        self.sandbox = options.sandbox.clone();
        self.snapshots.clone_from(&options.snapshots);
        self.grace = if options.examine { STRAGGLING } else { Duration::ZERO };
        self
    }
}

/// A child with the arena's ends of its pipes.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) stdin: Option<PipeWriter>,
    pub(super) stdout: Option<PipeReader>,
    pub(super) talk: PipeReader,
}

/// Starts a child that runs on the same cores as the calling thread.
pub(super) fn spawn(launch: &Launch) -> io::Result<Started> {
    start(launch).map_err(|error| gone(launch).map_or(error, io::Error::other))
}

/// Finds a missing thing that the child needs: its start folder or the bots' files.
///
/// It existed before.
fn gone(launch: &Launch) -> Option<Gone> {
    let folder = match &launch.folder {
        Some(folder) => (!folder.is_dir()).then(|| folder.display().to_string()),
        None => env::current_dir().is_err().then(|| "the current folder".to_owned()),
    };
    let lost = || launch.snapshots.iter().find_map(|snapshot| snapshot.lost_place());
    folder.or_else(|| Some(lost()?.display().to_string())).map(Gone)
}

fn start(launch: &Launch) -> io::Result<Started> {
    ignore_broken_pipes();
    let files = allow_many_files();
    let mut order = launch.sandbox.order(launch, own_cores())?;
    // Some programs go through all possible file descriptors.
    order.limits.files = [order.limits.files, files.current].into_iter().flatten().min();
    let (talk, stderr) = io::pipe()?;
    let mut inherits: Vec<OwnedFd> = Vec::new();
    let (stdin, own_stdin, own_stdout, stdout);
    match launch.output {
        Output::Answers => {
            let pipes = io::pipe()?;
            let answers = io::pipe()?;
            (stdin, own_stdin) = (pipes.0.into(), Some(pipes.1));
            (own_stdout, stdout) = (Some(answers.0), answers.1);
        }
        Output::Apart => {
            let pipes = io::pipe()?;
            let answers = io::pipe()?;
            // Another user may have to open it by its name.
            fchmod(&answers.1, Mode::from_raw_mode(0o666))?;
            (stdin, own_stdin) = (pipes.0.into(), Some(pipes.1));
            (own_stdout, stdout) = (Some(answers.0), stderr.try_clone()?);
            inherits.push(answers.1.into());
        }
        Output::Talk => {
            (stdin, own_stdin) =
                (open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?, None);
            (own_stdout, stdout) = (None, stderr.try_clone()?);
        }
    }
    let stdio = Stdio { stdin, stdout: stdout.into(), stderr: stderr.into() };
    let inherits: Vec<_> = launch
        .inherits
        .iter()
        .map(|fd| fd.as_fd())
        .chain(inherits.iter().map(AsFd::as_fd))
        .collect();
    let child = launch.sandbox.jail()?.start(&order, &stdio, &inherits).map_err(plain)?;
    see(child.confinement());
    Ok(Started { child, stdin: own_stdin, stdout: own_stdout, talk })
}

/// Returns the system's own error, if it says everything.
fn plain(error: StartError) -> io::Error {
    match error {
        StartError::Failed { what, source } if what.is_empty() => source,
        error => io::Error::other(error),
    }
}

fn own_cores() -> Vec<usize> {
    let Ok(cores) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect()
}

/// Raises the limit of open files to the system's maximum.
///
/// A bot takes ten or so, and a game has up to 254 bots. Returns the previous limit, which still
/// holds for children.
pub(super) fn allow_many_files() -> Rlimit {
    static BEFORE: OnceLock<Rlimit> = OnceLock::new();
    *BEFORE.get_or_init(|| {
        let before = getrlimit(Resource::Nofile);
        // If the system refuses, the last of many bots cannot start, and the fault explains why.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: before.maximum, ..before });
        before
    })
}

/// Turns writing to a dead bot into an error instead of the arena's end.
///
/// This also works in programs that restored the default.
#[allow(unsafe_code)]
pub(super) fn ignore_broken_pipes() {
    // SAFETY: ignoring a signal installs no handler; children get the default back before exec.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
