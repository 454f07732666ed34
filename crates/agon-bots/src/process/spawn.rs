//! Starts child processes so that none outlives the arena.

use std::{
    ffi::OsString,
    io::{self, PipeReader},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, OnceLock, mpsc},
};

use rustix::{
    process::{
        Pid, Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
    },
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
};

use crate::Diary;

/// How many bytes of output may usually wait to be read.
pub(super) const MOST_OUTPUT: usize = 64 << 10;

/// What to start.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program: a path, or a name to be found on `PATH`.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// The folder it starts in; `None` for the arena's own.
    pub(crate) folder: Option<PathBuf>,
    /// A descriptor that the child inherits under the same number.
    pub(crate) inherits: Option<Arc<OwnedFd>>,
    /// What its standard output is for.
    pub(crate) output: Output,
    /// How many bytes of output may wait to be read before it is a flood.
    pub(crate) most_output: usize,
    /// How many bytes at the end of its talk (stderr) are kept as evidence.
    pub(crate) tail: usize,
    /// What the program, and each one that it starts, may use; `None` for as much as the arena.
    pub(crate) limits: Option<Limits>,
    /// Where it is noted what its processes cost and say.
    pub(crate) diary: Diary,
}

/// What one process may use before the kernel ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Seconds of CPU time.
    pub(crate) cpu: u64,
    /// Bytes of a file that it writes.
    pub(crate) file: u64,
}

/// What a program's standard output is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// It answers there; questions come on standard input.
    Answers,
    /// Nothing: it is talk like stderr, and standard input is empty.
    Talk,
}

impl Launch {
    /// A program that answers on stdout, with the usual bounds.
    pub(crate) fn new(program: impl Into<PathBuf>, args: &[OsString]) -> Launch {
        Launch {
            program: program.into(),
            args: args.to_vec(),
            folder: None,
            inherits: None,
            output: Output::Answers,
            most_output: MOST_OUTPUT,
            tail: 4 << 10,
            limits: None,
            diary: Diary::default(),
        }
    }
}

/// A child and the reading end of its talk.
pub(super) type Started = (Child, PipeReader);

/// Starts a child in a process group of its own that dies when the arena dies and that runs on the same cores
/// as the calling thread.
pub(super) fn spawn(launch: Launch) -> io::Result<Started> {
    let cores = sched_getaffinity(None).ok();
    on_spawner_thread(move || spawn_here(&launch, cores))
}

/// Runs a job on the one thread that starts all children.
///
/// The kernel's "parent death signal" goes by the thread that started the child, not by its process: a child
/// started by a short-lived worker would be killed with it. This thread lives as long as the arena.
fn on_spawner_thread<T: Send + 'static>(
    job: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    type Job = Box<dyn FnOnce() + Send>;
    static SPAWNER: OnceLock<mpsc::Sender<Job>> = OnceLock::new();
    let gone = || io::Error::other("the thread that starts bots is gone");
    let spawner = SPAWNER.get_or_init(|| {
        ignore_broken_pipes();
        let (jobs, queue) = mpsc::channel::<Job>();
        // Should there be no thread to be had, the queue is closed and every spawn fails with an error.
        let _ = std::thread::Builder::new()
            .name("agon-spawner".to_owned())
            .spawn(move || queue.into_iter().for_each(|job| job()));
        jobs
    });
    let (reply, result) = mpsc::sync_channel(1);
    spawner.send(Box::new(move || reply.send(job()).unwrap_or(()))).map_err(|_| gone())?;
    result.recv().map_err(|_| gone())?
}

#[allow(unsafe_code)]
fn spawn_here(launch: &Launch, cores: Option<CpuSet>) -> io::Result<Started> {
    let files = allow_many_files();
    let (talk, talk_end) = io::pipe()?;
    let mut command = Command::new(&launch.program);
    command.args(&launch.args).process_group(0);
    if let Some(folder) = &launch.folder {
        command.current_dir(folder);
    }
    match launch.output {
        Output::Answers => command.stdin(Stdio::piped()).stdout(Stdio::piped()),
        Output::Talk => command.stdin(Stdio::null()).stdout(talk_end.try_clone()?),
    };
    command.stderr(talk_end);
    let arena = getpid();
    let inherits = launch.inherits.as_ref().map(|fd| fd.as_raw_fd());
    let limits = launch.limits;
    // SAFETY: between fork and exec only system calls are allowed. `prepare` makes nothing but system calls: it
    // takes no lock, allocates nothing and cannot panic.
    unsafe { command.pre_exec(move || prepare(arena, cores.as_ref(), inherits, files, limits)) };
    Ok((command.spawn()?, talk))
}

/// Runs in the child before it becomes the program.
#[allow(unsafe_code)]
fn prepare(
    arena: Pid,
    cores: Option<&CpuSet>,
    inherits: Option<i32>,
    files: Rlimit,
    limits: Option<Limits>,
) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(arena) {
        // The arena died before the line above, so that nobody would send the signal any more.
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    if let Some(cores) = cores {
        // A core that has gone offline meanwhile is no reason to fail.
        let _ = sched_setaffinity(None, cores);
    }
    setrlimit(Resource::Nofile, files)?;
    if let Some(Limits { cpu, file }) = limits {
        // A limit that is lower already stays.
        for (resource, most) in [(Resource::Cpu, cpu), (Resource::Fsize, file), (Resource::Core, 0)] {
            let Rlimit { current, maximum } = getrlimit(resource);
            let least = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
            setrlimit(resource, Rlimit { current: least(current), maximum: least(maximum) })?;
        }
    }
    if let Some(fd) = inherits {
        // SAFETY: plain system call on a descriptor that the arena keeps open; it clears close-on-exec in the
        // child's own table only.
        if unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Allows as many open files as the system does: a bot takes seven or so, and a game has up to 254. Returns how many
/// were allowed before, which still holds for children: some go through all that there may be.
pub(super) fn allow_many_files() -> Rlimit {
    static BEFORE: OnceLock<Rlimit> = OnceLock::new();
    *BEFORE.get_or_init(|| {
        let before = getrlimit(Resource::Nofile);
        // If it is refused, the last of many bots cannot be started, and the fault tells why.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: before.maximum, ..before });
        before
    })
}

/// Makes writing to a dead bot an error instead of the arena's end, also in programs that restored the default.
#[allow(unsafe_code)]
pub(super) fn ignore_broken_pipes() {
    // SAFETY: ignoring a signal installs no handler; children get the default back before exec.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
