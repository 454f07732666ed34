//! Seccomp: a filter of system calls.
//!
//! It denies calls that could harm others and that programs for games do not need. The other
//! mechanisms handle the rest. Denied calls fail, so programs notice and continue. Only calls of
//! another architecture kill the process.

use std::io;

use libc::c_long;
use rustix::process::{getpgrp, getpid};
use seccompiler::BpfProgram;

use super::filter::{self, CallVerdict, Test, Verdicts};
use super::{ConfineError, SandboxState, access, calls, failed, sandbox_state::Identity};
use crate::{Mechanism, Sandbox};

/// Tasks of the filter that no other mechanism does.
#[derive(Clone, Copy, Debug, Default)]
struct Gaps {
    /// The program sees others' processes.
    processes: bool,
    /// It could send them signals.
    signals: bool,
    /// It could connect to others' sockets that are files or have names.
    sockets: bool,
    /// It could change the rights of its owner's files.
    files: bool,
    /// It could truncate its owner's files.
    truncate: bool,
    /// It may serve in a network that has nobody else. This is an exception and no task.
    serves: bool,
}

impl Gaps {
    fn of(sandbox: &Sandbox, state: &SandboxState) -> Gaps {
        let has = |mechanism| state.has(mechanism);
        let scopes = state.landlock >= access::SCOPES;
        Gaps {
            processes: !has(Mechanism::Processes),
            signals: !has(Mechanism::Processes) && !scopes,
            sockets: !(has(Mechanism::Network) && has(Mechanism::Mounts) && scopes),
            files: !has(Mechanism::Mounts) && !matches!(state.identity, Identity::Spare(_)),
            truncate: !has(Mechanism::Mounts) && state.landlock < access::TRUNCATE,
            serves: sandbox.loopback,
        }
    }
}

/// A filter for a process that may not exist yet.
#[derive(Debug)]
pub(super) struct Filter(BpfProgram);

impl Filter {
    pub(super) fn new(sandbox: &Sandbox, state: &SandboxState) -> Result<Filter, ConfineError> {
        program(Gaps::of(sandbox, state)).map(Filter).map_err(failed("cannot filter system calls"))
    }

    /// Filters the system calls of the calling process irrevocably. Allocates nothing.
    pub(super) fn install(&mut self) -> io::Result<()> {
        // In a namespace of processes the group may come from outside and have no number there.
        // Then no filter tests it.
        for instruction in &mut self.0 {
            match instruction.k {
                OWN_PROCESS => instruction.k = low(getpid().as_raw_nonzero().get()),
                OWN_GROUP => instruction.k = low(-getpgrp().as_raw_nonzero().get()),
                _ => {}
            }
        }
        filter::apply(&self.0)
    }
}

/// Placeholders in a filter for the numbers of the installing process and of its group.
///
/// No process has such numbers, and nothing else in a filter equals them.
const OWN_PROCESS: u32 = 0x6F77_6E31;
const OWN_GROUP: u32 = 0x6F77_6E32;

/// Checks that system calls can be filtered, in a process that ends afterwards.
pub(super) fn attempt() -> io::Result<()> {
    filter::apply(&program(Gaps::default())?)
}

fn program(gaps: Gaps) -> io::Result<BpfProgram> {
    filter::program(&verdicts(gaps), calls::FIRST_NEW)
}

/// Returns the calls that fail, some only with certain arguments.
fn verdicts(gaps: Gaps) -> Verdicts {
    let mut verdicts = Verdicts::new();
    let mut always = |calls: &[c_long], error| {
        verdicts.extend(calls.iter().map(|call| (*call, CallVerdict::Fails(error))));
    };
    always(calls::IDLE, 0);
    always(calls::UNKNOWN, libc::ENOSYS);
    always(calls::UNKNOWN_HERE, libc::ENOSYS);
    always(calls::FORBIDDEN, libc::EPERM);
    always(calls::FORBIDDEN_HERE, libc::EPERM);
    if gaps.processes {
        always(calls::OTHERS, libc::EPERM);
    }
    if gaps.signals {
        always(calls::SIGNALS, libc::EPERM);
    }
    if gaps.files {
        always(calls::FILES, libc::EPERM);
        always(calls::FILES_HERE, libc::EPERM);
    }
    if gaps.truncate {
        always(&[libc::SYS_truncate], libc::EPERM);
    }
    common(&mut verdicts);
    shared_files(&mut verdicts);
    sockets(&mut verdicts, gaps);
    if gaps.processes {
        fails_if(&mut verdicts, libc::SYS_prlimit64, [Test::IsNone(0, vec![0])]);
    }
    if gaps.signals {
        signals(&mut verdicts);
    }
    if gaps.truncate {
        truncation(&mut verdicts);
    }
    verdicts
}

/// Makes a call fail if one of these tests is true, or one of its earlier tests.
fn fails_if(verdicts: &mut Verdicts, call: c_long, tests: impl IntoIterator<Item = Test>) {
    ends_if(verdicts, call, libc::EPERM, tests);
}

/// Does the same with another error; with 0 the call does nothing.
fn ends_if(
    verdicts: &mut Verdicts,
    call: c_long,
    error: i32,
    tests: impl IntoIterator<Item = Test>,
) {
    let verdict = verdicts.entry(call).or_insert_with(|| CallVerdict::FailsIf(Vec::new()));
    if let CallVerdict::FailsIf(present) = verdict {
        present.extend(tests.into_iter().map(|test| (test, error)));
    }
}

/// Forbids new namespaces, other personalities, fake input at the terminal, and hidden descriptors.
fn common(verdicts: &mut Verdicts) {
    let namespaces = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET;
    fails_if(verdicts, libc::SYS_clone, [Test::AnyBit(0, low(namespaces))]);
    // Asking is allowed, and setting the current one.
    fails_if(verdicts, libc::SYS_personality, [Test::IsNone(0, vec![0, u32::MAX])]);
    fails_if(verdicts, libc::SYS_ioctl, [TIOCSTI, TIOCLINUX].map(|request| Test::Is(1, request)));
    // The supervisor counts what a process has open: it must see that, and that of all threads.
    let thread = low(libc::CLONE_THREAD);
    let both = thread | low(libc::CLONE_FILES);
    fails_if(verdicts, libc::SYS_clone, [Test::Bits(0, both, thread)]);
    ends_if(
        verdicts,
        libc::SYS_close_range,
        libc::EINVAL,
        [Test::AnyBit(2, libc::CLOSE_RANGE_UNSHARE)],
    );
    ends_if(verdicts, libc::SYS_prctl, 0, [Test::Is(0, low(libc::PR_SET_DUMPABLE))]);
    // Pages of it stay when they belong to no process any more (`MADV_DONTNEED`).
    let shared = low(libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    fails_if(verdicts, libc::SYS_mmap, [Test::Bits(3, shared, shared)]);
}

/// The bits of a socket's type without its flags.
const SOCKET_TYPES: u32 = 0xF;

/// Keeps programs from marking files that others see as well: with locks, leases, hints, keys, and
/// by what the machine keeps of them in memory. Read-only files have all this, too.
fn shared_files(verdicts: &mut Verdicts) {
    let is = |index| move |value| Test::Is(index, value);
    // Nobody else may change a file that the program locks: all other files are read-only. Only
    // processes of one program can get into each other's way.
    let locks = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
    ends_if(verdicts, libc::SYS_fcntl, 0, locks.map(low).map(is(1)));
    // Large pipes use up what a user may have for all pipes.
    let marks = [libc::F_SETLEASE, libc::F_NOTIFY, libc::F_SETPIPE_SZ];
    let hints = [F_SET_RW_HINT, F_SET_FILE_RW_HINT, F_SETDELEG];
    fails_if(verdicts, libc::SYS_fcntl, marks.into_iter().chain(hints).map(low).map(is(1)));
    fails_if(verdicts, libc::SYS_ioctl, [FS_IOC_ADD_ENCRYPTION_KEY].map(is(1)));
    let uncached = low(libc::RWF_NOWAIT | libc::RWF_DONTCACHE);
    for call in [libc::SYS_preadv2, libc::SYS_pwritev2] {
        ends_if(verdicts, call, libc::EOPNOTSUPP, [Test::AnyBit(5, uncached)]);
    }
    let advice = [libc::MADV_COLD, libc::MADV_PAGEOUT];
    ends_if(verdicts, libc::SYS_madvise, libc::EINVAL, advice.map(low).map(is(2)));
}

const F_SET_RW_HINT: i32 = 1036;
const F_SET_FILE_RW_HINT: i32 = 1038;
const F_SETDELEG: i32 = 1040;
const FS_IOC_ADD_ENCRYPTION_KEY: u32 = 0xC050_6617;

const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541C;

/// Forbids sockets except those between two processes of the program, and those of a server in a
/// network that has nobody else.
///
/// Unix sockets are allowed where they cannot reach anybody else's.
fn sockets(verdicts: &mut Verdicts, gaps: Gaps) {
    let others = [Test::IsNone(0, vec![low(libc::AF_UNIX)])];
    fails_if(verdicts, libc::SYS_socketpair, others);
    // A datagram can leave its pair for any socket with a path.
    let datagrams = Test::Bits(1, SOCKET_TYPES, low(libc::SOCK_DGRAM));
    fails_if(verdicts, libc::SYS_socketpair, [datagrams]);
    let local = [libc::AF_UNIX].into_iter().filter(|_| !gaps.sockets);
    let served = [libc::AF_INET, libc::AF_INET6].into_iter().filter(|_| gaps.serves);
    let families: Vec<u32> = local.chain(served).map(low).collect();
    if families.is_empty() {
        verdicts.insert(libc::SYS_socket, CallVerdict::Fails(libc::EPERM));
    } else {
        fails_if(verdicts, libc::SYS_socket, [Test::IsNone(0, families)]);
    }
    if gaps.serves {
        // For other protocols the kernel would load its modules.
        let protocols = [0, libc::IPPROTO_TCP, libc::IPPROTO_UDP].map(low).to_vec();
        let others = [Test::IsNone(2, protocols), Test::Bits(1, SOCKET_TYPES, SOCK_DCCP)];
        ends_if(verdicts, libc::SYS_socket, libc::EPROTONOSUPPORT, others);
    }
}

const SOCK_DCCP: u32 = 6;

/// Allows signals only to the process itself and its group.
fn signals(verdicts: &mut Verdicts) {
    fails_if(verdicts, libc::SYS_kill, [Test::IsNone(0, vec![OWN_PROCESS, OWN_GROUP, 0])]);
    fails_if(verdicts, libc::SYS_tgkill, [Test::IsNone(0, vec![OWN_PROCESS])]);
    // The receiver of a file's events.
    let owners = [libc::F_SETOWN, F_SETOWN_EX].map(|command| Test::Is(1, low(command)));
    fails_if(verdicts, libc::SYS_fcntl, owners);
    fails_if(verdicts, libc::SYS_ioctl, [FIOSETOWN, SIOCSPGRP].map(|request| Test::Is(1, request)));
}

const F_SETOWN_EX: i32 = 15;
const FIOSETOWN: u32 = 0x8901;
const SIOCSPGRP: u32 = 0x8902;

/// Forbids truncating files while they are opened for reading.
fn truncation(verdicts: &mut Verdicts) {
    let mask = low(libc::O_TRUNC | libc::O_ACCMODE);
    let cut = low(libc::O_TRUNC | libc::O_RDONLY);
    fails_if(verdicts, libc::SYS_openat, [Test::Bits(2, mask, cut)]);
    // Its flags are in memory, which no filter sees.
    verdicts.insert(libc::SYS_openat2, CallVerdict::Fails(libc::EPERM));
    #[cfg(target_arch = "x86_64")]
    fails_if(verdicts, libc::SYS_open, [Test::Bits(1, mask, cut)]);
}

/// Returns a number as filters see it in the lower half of an argument.
fn low(number: i32) -> u32 {
    number.cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_missing_the_filter_gives_all_verdicts() {
        for bits in 0..64 {
            let [processes, signals, sockets, files, truncate, serves] =
                [0, 1, 2, 3, 4, 5].map(|bit| bits >> bit & 1 == 1);
            let gaps = Gaps { processes, signals, sockets, files, truncate, serves };
            let program = program(gaps).unwrap();
            let verdicts = verdicts(gaps);
            assert!(program.len() < 450, "{}", program.len());
            for number in 0..calls::FIRST_NEW + 100 {
                let (result, _) = filter::tests::run(&program, number, [0; 6]);
                let allowed = match verdicts.get(&c_long::from(number)) {
                    _ if number >= calls::FIRST_NEW => false,
                    Some(CallVerdict::Fails(_)) => false,
                    // Its arguments decide.
                    Some(CallVerdict::FailsIf(_)) => continue,
                    Some(CallVerdict::Allowed) | None => true,
                };
                assert_eq!(result == libc::SECCOMP_RET_ALLOW, allowed, "{number} {gaps:?}");
            }
        }
    }

    #[test]
    fn own_numbers_stand_only_for_themselves() {
        for bits in 0..32 {
            let [processes, signals, sockets, files, truncate] =
                [0, 1, 2, 3, 4].map(|bit| bits >> bit & 1 == 1);
            let gaps = Gaps { processes, signals, sockets, files, truncate, serves: true };
            let program = program(gaps).unwrap();
            let count =
                |number| program.iter().filter(|instruction| instruction.k == number).count();
            let expected = if signals { (2, 1) } else { (0, 0) };
            assert_eq!((count(OWN_PROCESS), count(OWN_GROUP)), expected);
        }
    }

    #[test]
    fn servers_have_tcp_and_udp_and_nothing_else() {
        let gaps = Gaps { serves: true, ..Gaps::default() };
        let allows = |gaps, family: i32, kind: i32, protocol: i32| {
            let arguments = [family as u64, kind as u64, protocol as u64, 0, 0, 0];
            let call = libc::SYS_socket.try_into().unwrap();
            filter::tests::run(&program(gaps).unwrap(), call, arguments).0
                == libc::SECCOMP_RET_ALLOW
        };
        for family in [libc::AF_INET, libc::AF_INET6] {
            assert!(allows(gaps, family, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0));
            assert!(allows(gaps, family, libc::SOCK_STREAM, libc::IPPROTO_TCP));
            assert!(allows(gaps, family, libc::SOCK_DGRAM, libc::IPPROTO_UDP));
            assert!(!allows(gaps, family, libc::SOCK_STREAM, libc::IPPROTO_SCTP));
            assert!(!allows(gaps, family, SOCK_DCCP as i32, 0));
            assert!(!allows(Gaps::default(), family, libc::SOCK_STREAM, 0));
        }
        assert!(allows(gaps, libc::AF_UNIX, libc::SOCK_STREAM, 0));
        assert!(!allows(gaps, libc::AF_NETLINK, libc::SOCK_RAW, 0));
        let gaps = Gaps { sockets: true, ..gaps };
        assert!(allows(gaps, libc::AF_INET, libc::SOCK_STREAM, 0));
        assert!(!allows(gaps, libc::AF_UNIX, libc::SOCK_STREAM, 0));
    }

    #[test]
    fn arguments_decide() {
        let program = program(Gaps::default()).unwrap();
        let result = |call: c_long, arguments| {
            filter::tests::run(&program, call.try_into().unwrap(), arguments).0
                == libc::SECCOMP_RET_ALLOW
        };
        let first = |value: i32| [value as u64, 0, 0, 0, 0, 0];
        let second = |value: u64| [0, value, 0, 0, 0, 0];
        assert!(result(
            libc::SYS_clone,
            first(libc::CLONE_VM | libc::CLONE_FILES | libc::CLONE_THREAD | libc::SIGCHLD)
        ));
        assert!(!result(libc::SYS_clone, first(libc::CLONE_NEWNET | libc::SIGCHLD)));
        assert!(!result(libc::SYS_clone, first(libc::CLONE_NEWUSER | libc::CLONE_VM)));
        assert!(
            result(libc::SYS_socket, first(libc::AF_UNIX))
                && !result(libc::SYS_socket, first(libc::AF_INET))
        );
        assert!(!result(libc::SYS_socketpair, first(libc::AF_NETLINK)));
        let map = |flags: i32| [0, 0, 0, flags as u64, 0, 0];
        assert!(result(libc::SYS_mmap, map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS)));
        assert!(result(libc::SYS_mmap, map(libc::MAP_SHARED)));
        for kind in [libc::MAP_SHARED, libc::MAP_SHARED_VALIDATE] {
            assert!(!result(libc::SYS_mmap, map(kind | libc::MAP_ANONYMOUS | libc::MAP_POPULATE)));
        }
        let pair = |kind: i32| [libc::AF_UNIX as u64, kind as u64, 0, 0, 0, 0];
        assert!(result(libc::SYS_socketpair, pair(libc::SOCK_STREAM | libc::SOCK_CLOEXEC)));
        assert!(!result(libc::SYS_socketpair, pair(libc::SOCK_DGRAM | libc::SOCK_NONBLOCK)));
        assert!(
            result(libc::SYS_personality, first(-1))
                && !result(libc::SYS_personality, first(0x0004_0000))
        );
        // The kernel ignores the upper half, too.
        assert!(result(libc::SYS_ioctl, second(libc::TCGETS)));
        assert!(!result(libc::SYS_ioctl, second(libc::TIOCSTI | 1 << 32)));
        let idle = |call: c_long, arguments| {
            let (result, _) = filter::tests::run(&program, call as u32, arguments);
            assert_eq!(result, libc::SECCOMP_RET_ERRNO, "nothing happens, and nothing fails");
        };
        idle(libc::SYS_setsid, [0; 6]);
        idle(libc::SYS_fcntl, second(libc::F_OFD_SETLKW as u64));
        assert!(result(libc::SYS_fcntl, second(libc::F_GETLK as u64)));
        assert!(!result(libc::SYS_fcntl, second(libc::F_SETLEASE as u64)));
        assert!(result(libc::SYS_preadv2, [0; 6]));
        assert!(!result(libc::SYS_preadv2, [0, 0, 0, 0, 0, libc::RWF_NOWAIT as u64]));
        let thread = libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD;
        assert!(!result(libc::SYS_clone, first(thread)), "it would have files of its own");
        assert!(!result(libc::SYS_ptrace, [0; 6]) && !result(libc::SYS_clone3, [0; 6]));
    }
}
