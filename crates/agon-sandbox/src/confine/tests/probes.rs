//! The probes: forbidden things that a confined program tries, for the tests beside this file.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, os::unix::fs::PermissionsExt};

use super::{Setup, TestDir, run};
use crate::{Confinement, Mechanism, Order};

/// Things that the program tries to reach.
pub(super) struct Bait {
    /// A port of this machine with a listener.
    pub(super) port: u16,
}

/// A probe's result: 0 for success, the number of the error, or a count.
pub(super) type Results = BTreeMap<String, i64>;

/// Puts the prober into a test folder, and makes its order.
pub(super) fn order(dir: &TestDir, bait: &Bait) -> Order {
    let program = dir.bot.join("prober");
    let exe = std::env::current_exe().unwrap();
    fs::hard_link(&exe, &program).or_else(|_| fs::copy(&exe, &program).map(drop)).unwrap();
    let mut order = dir
        .order(&program, &["--exact", "confine::tests::probes::prober", "--nocapture", "--quiet"]);
    for (name, value) in [
        ("PORT", bait.port.to_string()),
        ("YARD", dir.folder.path().display().to_string()),
        ("OUTSIDER", std::process::id().to_string()),
    ] {
        order.env.push((format!("AGON_SANDBOX_TEST_{name}").into(), value.into()));
    }
    order
}

/// Runs the prober.
pub(super) fn probe(setup: &Setup) -> (Results, Confinement) {
    let outcome = run(setup);
    let confinement =
        outcome.confinement.unwrap_or_else(|error| panic!("{error}\n{}", outcome.output));
    let lines = outcome.output.lines().filter_map(|line| line.strip_prefix("probe "));
    let results: Results = lines
        .map(|line| {
            let (name, value) = line.split_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect();
    assert!(
        results.contains_key("end"),
        "the prober broke down: {}\n{confinement:?}",
        outcome.output
    );
    (results, confinement)
}

/// The prober, if this process is one.
#[test]
fn prober() {
    let Ok(dir) = std::env::var("AGON_SANDBOX_TEST_YARD") else { return };
    let dir = PathBuf::from(dir);
    files(&dir);
    scratch();
    network();
    kernel();
    processes();
    memory();
    say("end", 0);
}

fn say(name: &str, value: i64) {
    io::stderr().write_all(format!("probe {name} {value}\n").as_bytes()).unwrap();
}

fn tell<T>(name: &str, result: io::Result<T>) {
    say(name, result.map_or_else(|error| error.raw_os_error().unwrap_or(-1).into(), |_| 0));
}

/// Reports a system call that returns -1 if it fails.
fn call(name: &str, result: i64) {
    tell(name, if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) });
}

fn files(dir: &Path) {
    tell("read_shadow", File::open("/etc/shadow"));
    tell("read_beside", File::open(dir.join("beside/secret")));
    tell("list_beside", fs::read_dir(dir.join("beside")));
    tell("list_root_home", fs::read_dir("/root"));
    tell("write_beside", File::create(dir.join("beside/new")));
    tell("write_own_folder", File::create(dir.join("bot/new")));
    tell("write_system", File::create("/usr/agon-sandbox-test"));
    tell("write_root", File::create("/agon-sandbox-test"));
    tell("write_allowed", fs::write(dir.join("write/new"), "new"));
    tell(
        "chmod_beside",
        fs::set_permissions(dir.join("beside/secret"), fs::Permissions::from_mode(0o666)),
    );
    tell("read_allowed", fs::read_dir(dir.join("bot")));
    tell("home", fs::metadata("/home/somebody"));
    tell("passwd", fs::read_to_string("/etc/passwd"));
    tell("dev_null", fs::write("/dev/null", "nothing"));
    tell("dev_random", File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut [0])));
    tell("dev_kmsg", File::open("/dev/kmsg"));
    tell("dev_stdin", File::open("/dev/stdin"));
    // Opened as in Python.
    tell("dev_stdout", File::create("/dev/stdout"));
    tell(
        "dev_stderr",
        File::create("/dev/stderr").and_then(|mut file| file.write_all(b"by name\n")),
    );
    tell("dev_fd", fs::read_dir("/dev/fd"));
    tell("stderr_of_outsider", File::options().write(true).open(outsiders("fd/2")));
    tell("working_folder", std::env::current_dir().and_then(fs::read_dir));
}

/// Returns a path in the folder of a process that is not the program's.
fn outsiders(name: &str) -> PathBuf {
    let number = std::env::var("AGON_SANDBOX_TEST_OUTSIDER").unwrap();
    Path::new("/proc").join(number).join(name)
}

fn scratch() {
    let scratch = if fs::write("/tmp/small", vec![1; 1 << 20]).is_ok() {
        PathBuf::from("/tmp")
    } else {
        std::env::var_os("AGON_SANDBOX_TEST_FALLBACK").unwrap().into()
    };
    tell("scratch_small", fs::write(scratch.join("small"), vec![1; 1 << 20]));
    tell("scratch_large", fs::write(scratch.join("large"), vec![1; 8 << 20]));
    let _ = fs::remove_file(scratch.join("large"));
    if scratch == Path::new("/tmp") {
        let files: Vec<_> = (0..5000).map(|number| scratch.join(number.to_string())).collect();
        tell("scratch_many", files.iter().try_for_each(|file| File::create(file).map(drop)));
        for file in files {
            let _ = fs::remove_file(file);
        }
    }
    tell("socket_unix", UnixListener::bind(scratch.join("socket")));
}

fn network() {
    let port = std::env::var("AGON_SANDBOX_TEST_PORT").unwrap().parse::<u16>().unwrap();
    tell("connect", TcpStream::connect(("127.0.0.1", port)));
    tell("socket_udp", UdpSocket::bind("127.0.0.1:0"));
    tell("socket_pair", UnixStream::pair());
}

/// Makes forbidden system calls with harmless arguments.
#[allow(unsafe_code)]
fn kernel() {
    let null = std::ptr::null::<u8>();
    // SAFETY: none of them touches memory of this process.
    unsafe {
        call("ptrace", libc::syscall(libc::SYS_ptrace, libc::PTRACE_ATTACH, 1, 0, 0));
        call("unshare", libc::syscall(libc::SYS_unshare, libc::CLONE_NEWUTS));
        call(
            "mount",
            libc::syscall(
                libc::SYS_mount,
                c"none".as_ptr(),
                c"/tmp".as_ptr(),
                c"tmpfs".as_ptr(),
                0,
                null,
            ),
        );
        call("chroot", libc::syscall(libc::SYS_chroot, c"/usr".as_ptr()));
        call("bpf", libc::syscall(libc::SYS_bpf, 0, null, 0));
        call("personality", libc::syscall(libc::SYS_personality, 0x0004_0000));
        call("personality_query", libc::syscall(libc::SYS_personality, 0xffff_ffff_u64));
        call(
            "clone_namespace",
            libc::syscall(libc::SYS_clone, libc::CLONE_NEWUTS | libc::SIGCHLD, 0, 0, 0, 0),
        );
        call("clone3", libc::syscall(libc::SYS_clone3, null, 0));
        call("memfd", libc::syscall(libc::SYS_memfd_create, c"memory".as_ptr(), 0));
        call("io_uring", libc::syscall(libc::SYS_io_uring_setup, 1, null));
        // `setxattrat`, the first call after the known ones.
        call("new_call", libc::syscall(463, -1, null, 0, null, null, 0));
        call("unknown_call", libc::syscall(100_000));
        #[cfg(target_arch = "x86_64")]
        call("x32", libc::syscall(0x4000_0000 + libc::SYS_getpid));
        call("terminal", libc::ioctl(0, libc::TIOCSTI, c"x".as_ptr()).into());
        call("shared_memory", libc::shmget(libc::IPC_PRIVATE, 4096, 0o600).into());
        let cores = std::mem::zeroed::<libc::cpu_set_t>();
        call("affinity", libc::sched_setaffinity(0, size_of_val(&cores), &raw const cores).into());
        call("become_root", libc::syscall(libc::SYS_setresuid, 0, 0, 0));
        call("become_nobody", libc::syscall(libc::SYS_setresuid, 65534, 65534, 65534));
        let outsider: i32 = std::env::var("AGON_SANDBOX_TEST_OUTSIDER").unwrap().parse().unwrap();
        call("signal_outsider", libc::kill(outsider, 0).into());
        call("signal_self", libc::kill(libc::getpid(), 0).into());
        call(
            "limits_of_outsider",
            libc::prlimit(outsider, libc::RLIMIT_CORE, std::ptr::null(), std::ptr::null_mut())
                .into(),
        );
        say("user", libc::getuid().into());
        say("named_agon", i64::from(rustix::system::uname().nodename() == c"agon"));
        say("number", libc::getpid().into());
    }
    // Some machines refuse an own folder of processes.
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return };
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp"] {
        let line =
            status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(":")).unwrap();
        say(name, i64::from_str_radix(line.trim(), 16).unwrap());
    }
}

/// Forks until that fails.
#[allow(unsafe_code)]
fn processes() {
    let (receiver, sender) = rustix::pipe::pipe().unwrap();
    let mut children = Vec::new();
    let error = loop {
        // SAFETY: the child only waits until its parent closes the pipe or ends.
        match unsafe { libc::fork() } {
            -1 => break io::Error::last_os_error(),
            0 => {
                drop(sender);
                let _ = File::from(receiver).read(&mut [0]);
                unsafe { libc::_exit(0) }
            }
            child => children.push(child),
        }
        if children.len() == 300 {
            break io::Error::from_raw_os_error(0);
        }
    };
    say("forks", children.len().try_into().unwrap());
    say("fork_error", error.raw_os_error().unwrap().into());
    if let Ok(folder) = fs::read_dir("/proc") {
        let names = folder.flatten().map(|entry| entry.file_name());
        let others = names.filter(|name| name.to_string_lossy().parse::<i32>().is_ok()).count();
        say("others", i64::try_from(others).unwrap() - i64::try_from(children.len()).unwrap());
    }
    drop(sender);
    for child in children {
        // SAFETY: only waits.
        unsafe {
            libc::waitpid(child, std::ptr::null_mut(), 0);
        }
    }
}

#[allow(unsafe_code)]
fn memory() {
    for (name, size) in
        [("memory_small", 64 << 20), ("memory_reserved", 8 << 30), ("memory_large", 128 << 30)]
    {
        // SAFETY: new memory that nobody uses.
        let memory = unsafe {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            libc::mmap(std::ptr::null_mut(), size, rights, kind, -1, 0)
        };
        tell(
            name,
            if memory == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) },
        );
    }
}

/// Returns whether a mechanism holds.
pub(super) fn held(confinement: &Confinement, mechanism: Mechanism) -> bool {
    confinement.active.iter().any(|(active, _)| *active == mechanism)
}
