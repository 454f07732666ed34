//! Starts a program in its sandbox, with pipes to the arena.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::{env, sync::OnceLock};

use agon_sandbox::{Child, StartError, Stdio};
use rustix::fs::{Mode, OFlags, fchmod, open};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity};

use super::{Launch, Output};
use crate::{sandbox::see, shortage::Gone};

/// A child with the arena's ends of its pipes.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) stdin: Option<PipeWriter>,
    pub(super) stdout: Option<PipeReader>,
    pub(super) stderr: PipeReader,
}

/// Starts a child on the core of its launch, or on the cores of the calling thread.
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
    let cores = launch.core.map_or_else(own_cores, |core| vec![core]);
    let mut order = launch.sandbox.order(launch, cores)?;
    // Some programs go through all possible file descriptors.
    order.limits.files = [order.limits.files, files.current].into_iter().flatten().min();
    let (own_stderr, stderr) = io::pipe()?;
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
    let child = launch.sandbox.launcher()?.start(&order, &stdio, &inherits).map_err(plain)?;
    see(&child.confinement);
    Ok(Started { child, stdin: own_stdin, stdout: own_stdout, stderr: own_stderr })
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
