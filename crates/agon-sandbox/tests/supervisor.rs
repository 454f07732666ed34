//! Tests that programs end correctly, together with everything that they have started.
#![allow(clippy::unwrap_used)]

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Stdio};
use std::{env, fs, mem::MaybeUninit, os::unix::net::UnixStream, time::Duration};

use agon_sandbox::{Exceeded, INHERITED, Limits, Order};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    sendmsg, socketpair,
};

use crate::common::{confined, eventually, launcher, order, runs, sh, start};

/// Opens a stream that leads nowhere.
fn null() -> OwnedFd {
    fs::File::open("/dev/null").unwrap().into()
}

/// Returns the full name of a test of this file, so that it can run itself.
fn full_name(test: &str) -> String {
    agon_testkit::full_name(module_path!(), test)
}

#[test]
fn a_program_reads_writes_and_ends() {
    let mut program = start(&sh("read x; echo got $x; echo oops >&2; exit 3")).unwrap();
    program.stdin.take().unwrap().write_all(b"fox\n").unwrap();
    assert_eq!((program.output(), program.errors()), ("got fox\n".to_owned(), "oops\n".to_owned()));
    let ending = program.ending();
    assert_eq!((ending.status, ending.signal, ending.left_behind), (Some(3), None, 0));
    assert!(ending.peak_memory.is_some_and(|peak| peak > 100_000), "{ending:?}");
}

#[test]
fn its_number_is_told_and_its_environment_is_only_what_is_ordered() {
    let mut program = start(&sh("echo $$; env; pwd; read x")).unwrap();
    let pid = program.child.program.pid.as_raw_nonzero().to_string();
    assert_eq!(program.line(), pid);
    program.stdin = None;
    let rest = program.output();
    let mut lines: Vec<_> = rest.lines().filter(|line| !line.starts_with("_=")).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["/", "HOME=/home/fox", "PATH=/usr/bin:/bin", "PWD=/"]);
}

#[test]
fn signals_and_masks_are_the_usual_ones() {
    let mut program =
        start(&sh("grep -E 'Sig(Ign|Blk)' /proc/self/status; kill -SEGV $$")).unwrap();
    let ignored = program.output();
    let masks: Vec<u64> =
        ignored.lines().map(|line| u64::from_str_radix(&line[8..], 16).unwrap()).collect();
    // The C library reserves signals 32 and 33.
    assert!(masks.len() == 2 && masks.iter().all(|mask| mask & !(3 << 31) == 0), "{ignored}");
    assert_eq!(program.ending().signal, Some(libc::SIGSEGV));
}

#[test]
fn a_confined_program_comes_behind_others() {
    let nice = |order: Order| start(&order).unwrap().output().trim().parse::<i32>().unwrap();
    let own = nice(sh("nice"));
    assert_eq!(nice(confined(sh("nice"))), (own + 10).min(19));
}

#[test]
fn its_streams_have_the_usual_names() {
    let script = "echo by name >/dev/stderr; echo too >/dev/stdout; cat /dev/stdin; : >/dev/fd/2";
    let mut program = start(&confined(sh(script))).unwrap();
    program.stdin.take().unwrap().write_all(b"fox\n").unwrap();
    assert_eq!(
        (program.output(), program.errors()),
        ("too\nfox\n".to_owned(), "by name\n".to_owned())
    );
    assert_eq!(program.ending().status, Some(0));
}

#[test]
fn what_cannot_be_started_is_told() {
    let error = start(&order("/no/such/program", &[])).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("No such file"), "{error}");
    let folder = Order { folder: "/no/such/folder".into(), ..sh("true") };
    let error = start(&folder).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("/no/such/folder"), "{error}");
    let launcher = agon_sandbox::Launcher { path: "/no/such/launcher".into(), ..launcher() };
    let stdio = agon_sandbox::Stdio { stdin: null(), stdout: null(), stderr: null() };
    let error = launcher.start(&sh("true"), &stdio, &[]).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("/no/such/launcher"), "{error}");
}

#[test]
fn two_descriptors_are_inherited_and_no_other() {
    let (mut reader, writer) = io::pipe().unwrap();
    let (mut output, stdout) = io::pipe().unwrap();
    let stdio = agon_sandbox::Stdio { stdin: null(), stdout: stdout.into(), stderr: null() };
    let script =
        format!("echo hello >&{INHERITED}; echo there >&{}; ls /proc/self/fd", INHERITED + 1);
    let three = [writer.as_fd(); 3];
    assert!(launcher().start(&sh(&script), &stdio, &three).is_err(), "there may be two");
    let child = launcher().start(&sh(&script), &stdio, &three[..2]).unwrap();
    drop((writer, stdio));
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello\nthere\n");
    text.clear();
    output.read_to_string(&mut text).unwrap();
    // One more is the folder that `ls` reads.
    assert_eq!(text, "0\n1\n2\n3\n4\n5\n");
    drop(child);
}

#[test]
fn killing_ends_whatever_was_started_however_it_forked() {
    let script = "setsid sh -c 'sleep 1000 & echo $!; sleep 1000' & sh -c '(trap \"\" TERM HUP; \
        setsid sleep 1000 & echo $!)'; echo; wait";
    let mut program = start(&sh(script)).unwrap();
    let pids: Vec<String> =
        (0..3).map(|_| program.line()).filter(|line| !line.is_empty()).collect();
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| runs(pid)));
    program.child.kill();
    assert!(pids.iter().all(|pid| !runs(pid)), "when `kill` returns they are gone");
}

#[test]
fn who_joins_the_group_of_the_first_process_is_killed_and_charged() {
    // Its usage is only known if the first process lives until all others have ended.
    let script = "import os, time
first = os.getppid()
if os.fork() == 0:
    os.setpgid(0, first)
    while time.process_time() < 0.3:
        pass
    print(os.getpid(), flush=True)
    time.sleep(1000)
os.setpgid(0, first)
time.sleep(1000)";
    let mut program = start(&order("/usr/bin/python3", &["-c", script])).unwrap();
    let pid = program.line();
    assert!(runs(&pid));
    program.child.kill();
    assert!(!runs(&pid), "when `kill` returns it is gone");
    let ending = program.ending();
    assert!(ending.cpu >= Duration::from_millis(300), "{ending:?}");
}

#[test]
fn what_a_program_leaves_behind_is_counted_and_killed() {
    let mut program =
        start(&sh("setsid sleep 1000 >&- 2>&- & setsid sleep 1000 >&- 2>&- & echo $!; exit 0"))
            .unwrap();
    let pid = program.line();
    let ending = program.ending();
    assert_eq!((ending.status, ending.left_behind), (Some(0), 2));
    assert!(!runs(&pid));
}

#[test]
fn confined_programs_are_seen_by_their_supervisors_each_time() {
    // While a supervisor starts to measure, its program gets another root folder with
    // another `/proc`.
    for _ in 0..50 {
        let program = confined(sh("sleep 1000 >&- 2>&- & exit 0"));
        assert_eq!(start(&program).unwrap().ending().left_behind, 1);
    }
}

#[test]
fn those_left_behind_may_end_by_themselves_within_the_grace() {
    let patient = Order { grace: Duration::from_secs(60), ..sh("sleep 0.2 & exit 0") };
    let ending = start(&patient).unwrap().ending();
    assert_eq!((ending.status, ending.left_behind), (Some(0), 0));
}

#[test]
fn memory_of_all_processes_together_is_limited() {
    let hog = "python3 -c 'x = bytearray(60 << 20); import time; time.sleep(1000)'";
    let limits = Limits { memory: Some(150 << 20), ..Limits::default() };
    let script = format!("{hog} & {hog} & {hog} & wait");
    let ending = start(&Order { limits, ..sh(&script) }).unwrap().ending();
    assert!(
        matches!(ending.exceeded, Some(Exceeded::Memory { used, limit }) if used > limit),
        "{ending:?}"
    );
}

#[test]
fn processes_are_counted() {
    let limits = Limits { processes: Some(20), ..Limits::default() };
    let script = "for i in $(seq 40); do sleep 1000 & done; wait";
    let mut program = start(&Order { limits, ..sh(script) }).unwrap();
    let ending = program.ending();
    // The kernel refuses the fork to an ordinary user, and the shell gives up.
    let refused = ending.status == Some(2);
    assert!(refused || matches!(ending.exceeded, Some(Exceeded::Processes { .. })), "{ending:?}");
}

/// Starts a program whose first thread ends, while another one does this.
fn without_first_thread(script: &str) -> Order {
    let script = format!(
        "import ctypes, platform, threading, time
def work():
    {script}
    time.sleep(1000)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({{'x86_64': 60}}.get(platform.machine(), 93), 0)"
    );
    order("/usr/bin/python3", &["-c", &script])
}

#[test]
fn processes_whose_first_thread_has_ended_count() {
    let limits = Limits { memory: Some(100 << 20), ..Limits::default() };
    // The limit of the kernel is one of private memory. Confined programs have no other.
    let hog = "import mmap; hoard = mmap.mmap(-1, 1 << 28)
    while hoard.tell() < 1 << 28: hoard.write(bytes(1 << 20))";
    let ending = start(&Order { limits, ..without_first_thread(hog) }).unwrap().ending();
    assert!(matches!(ending.exceeded, Some(Exceeded::Memory { .. })), "{ending:?}");
}

#[test]
fn processes_whose_first_thread_has_ended_are_killed() {
    let script = format!("{:?}", without_first_thread("pass").args[1]);
    let parent = format!(
        "import os, subprocess, time
child = subprocess.Popen(['python3', '-c', {script}], stdout=2)
time.sleep(1)
print(child.pid)"
    );
    let mut program = start(&order("/usr/bin/python3", &["-c", &parent])).unwrap();
    let pid = program.line();
    assert_eq!(program.ending().left_behind, 1);
    assert!(!fs::exists(format!("/proc/{pid}")).unwrap(), "it runs on");
}

#[test]
fn open_files_and_watches_of_all_processes_are_counted() {
    let watches = "import os, select, time
ends = [end for _ in range(70) for end in os.pipe()]
os.fork()
watches = [select.epoll() for _ in range(70)]
[watch.register(end) for watch in watches for end in ends]
time.sleep(1000)";
    let files = "import os, time
for i in range(6):
    os.fork()
hoard = [os.open('/dev/null', os.O_RDONLY) for _ in range(100)]
time.sleep(1000)";
    let exceeded = |script: &str| {
        let order = confined(order("/usr/bin/python3", &["-c", script]));
        start(&order).unwrap().ending().exceeded
    };
    let watches = exceeded(watches);
    assert!(matches!(watches, Some(Exceeded::Watches { .. })), "{watches:?}");
    let files = exceeded(files);
    assert!(matches!(files, Some(Exceeded::OpenFiles { .. })), "{files:?}");
}

#[test]
fn cpu_time_of_all_is_told() {
    let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    let ending = start(&sh(&format!("({busy}) & ({busy}) & wait"))).unwrap().ending();
    assert!(ending.cpu > Duration::from_millis(50), "{ending:?}");
}

/// Set in a process that a test starts.
const ROLE: &str = "AGON_TEST_ROLE";

/// Does this in a process of its own: it would harm the programs of other tests.
#[track_caller]
fn in_own_process(test: &str, action: impl FnOnce()) {
    if env::var_os(ROLE).is_some() {
        return action();
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([&full_name(test), "--exact"]).env(ROLE, "killer");
    assert!(command.status().unwrap().success());
}

#[test]
fn nothing_outlives_an_arena_that_is_killed() {
    let test = "nothing_outlives_an_arena_that_is_killed";
    if env::var_os(ROLE).is_some() {
        let mut program = start(&sh("setsid sleep 1000 & echo $!; echo $$; wait")).unwrap();
        let folder = env::var(ROLE).unwrap();
        let pids = format!("{} {}", program.line(), program.line());
        fs::write(format!("{folder}/new"), pids).unwrap();
        fs::rename(format!("{folder}/new"), format!("{folder}/pids")).unwrap();
        std::thread::sleep(Duration::from_secs(1000));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut arena = Command::new(env::current_exe().unwrap());
    arena
        .args([&full_name(test), "--exact", "--nocapture"])
        .env(ROLE, folder.path())
        .stdout(Stdio::null());
    let mut arena = arena.spawn().unwrap();
    let pids =
        eventually("the program runs", || fs::read_to_string(folder.path().join("pids")).ok());
    let pids: Vec<&str> = pids.split(' ').collect();
    assert!(pids.iter().all(|pid| runs(pid)));
    arena.kill().unwrap();
    arena.wait().unwrap();
    for pid in pids {
        eventually("it is gone", || (!runs(pid)).then_some(()));
    }
}

#[test]
fn all_are_killed_at_once() {
    in_own_process("all_are_killed_at_once", || {
        let script = "setsid sleep 1000 & echo $!; echo $$; wait";
        let mut programs: Vec<_> = (0..5).map(|_| start(&sh(script)).unwrap()).collect();
        let lines = programs.iter_mut().flat_map(|program| [program.line(), program.line()]);
        let pids: Vec<String> = lines.collect();
        assert!(pids.iter().all(|pid| runs(pid)));
        agon_sandbox::kill_all();
        assert!(pids.iter().all(|pid| !runs(pid)));
    });
}

#[test]
fn a_zygote_that_was_killed_is_replaced() {
    agon_testkit::needs!("pkill");
    in_own_process("a_zygote_that_was_killed_is_replaced", || {
        assert_eq!(start(&sh("echo hello")).unwrap().output(), "hello\n");
        let parent = std::process::id().to_string();
        let mut killed = Command::new("pkill");
        killed.args(["-KILL", "-P", &parent, "agon-sandbox"]);
        assert!(killed.status().unwrap().success());
        let mut again = eventually("another one starts programs", || start(&sh("echo hello")).ok());
        assert_eq!(again.output(), "hello\n");
    });
}

#[test]
fn nobody_else_holds_what_it_inherits_open() {
    let (reader, writer) = io::pipe().unwrap();
    let stdio = agon_sandbox::Stdio { stdin: null(), stdout: null(), stderr: null() };
    let script = format!("exec {INHERITED}>&-; exec sleep 1000");
    let mut child = launcher().start(&sh(&script), &stdio, &[writer.as_fd()]).unwrap();
    drop(writer);
    eventually("its other end is closed", || {
        let mut fds = [PollFd::new(&reader, PollFlags::empty())];
        poll(&mut fds, Some(&Timespec::default())).unwrap();
        fds[0].revents().contains(PollFlags::HUP).then_some(())
    });
    assert!(child.ended().is_none());
}

#[test]
fn nobody_else_holds_its_output_open() {
    let mut program = start(&sh("echo open; exec >&- 2>&-; exec sleep 1000")).unwrap();
    assert_eq!((program.output(), program.errors()), ("open\n".to_owned(), String::new()));
    assert!(program.child.ended().is_none());
}

#[test]
fn who_speaks_as_another_build_is_refused() {
    let (requests, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
    let mut zygote = Command::new(launcher().path).stdin(theirs).spawn().unwrap();
    let (mut answers, control) = UnixStream::pair().unwrap();
    let order = tempfile::tempfile().unwrap();
    let (stdin, stdout) = io::pipe().unwrap();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(5))];
    let mut extra = SendAncillaryBuffer::new(&mut space);
    let descriptors =
        [order.as_fd(), control.as_fd(), stdin.as_fd(), stdout.as_fd(), stdout.as_fd()];
    assert!(extra.push(SendAncillaryMessage::ScmRights(&descriptors)));
    sendmsg(&requests, &[IoSlice::new(b"start")], &mut extra, SendFlags::empty()).unwrap();
    drop((control, requests));
    let mut answer = Vec::new();
    answers.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("another build"), "{answer}");
    assert!(zygote.wait().unwrap().success());
}
