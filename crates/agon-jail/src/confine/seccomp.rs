//! Seccomp: a filter of system calls.
//!
//! It denies what programs of a game have no use for and what could harm others; everything else is left to the other
//! mechanisms. What is denied fails, so that programs find out and go on; only calls of another architecture kill.

use std::{collections::BTreeMap, io};

use libc::c_long;
use rustix::process::{getpgrp, getpid};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare,
    SeccompCondition as Condition, SeccompFilter, SeccompRule as Rule, apply_filter, sock_filter,
};

use super::{ConfineError, Room, access, calls, failed, identity::Identity};
use crate::Mechanism;

type Rules = BTreeMap<c_long, Vec<Rule>>;

/// What the filter has to do because nothing else does it.
#[derive(Clone, Copy, Debug, Default)]
struct Gaps {
    /// The program sees others' processes.
    processes: bool,
    /// It could send them signals.
    signals: bool,
    /// It could connect to others' sockets that are files or have names.
    sockets: bool,
    /// It could change who may do what with its owner's files.
    files: bool,
    /// It could cut its owner's files.
    truncate: bool,
}

impl Gaps {
    fn of(room: &Room) -> Gaps {
        let has = |mechanism| room.has(mechanism);
        let scopes = room.landlock >= access::SCOPES;
        Gaps {
            processes: !has(Mechanism::Processes),
            signals: !has(Mechanism::Processes) && !scopes,
            sockets: !(has(Mechanism::Network) && has(Mechanism::Mounts) && scopes),
            files: !has(Mechanism::Mounts) && !matches!(room.identity, Identity::Spare(_)),
            truncate: !has(Mechanism::Mounts) && room.landlock < access::TRUNCATE,
        }
    }
}

/// Filters the system calls of the calling process, for good.
pub(super) fn install(room: &Room) -> Result<(), ConfineError> {
    filter(Gaps::of(room)).map_err(failed("cannot filter system calls"))
}

/// Whether system calls can be filtered, tried by a process that ends afterwards.
pub(super) fn attempt() -> io::Result<()> {
    filter(Gaps::default())
}

fn filter(gaps: Gaps) -> io::Result<()> {
    let run = || {
        let unknown = calls::UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
        let mut unknown = program(unknown, libc::ENOSYS)?;
        unknown.splice(0..0, new_calls());
        apply_filter(&unknown)?;
        apply_filter(&program(forbidden(gaps)?, libc::EPERM)?)
    };
    run().map_err(|error: seccompiler::Error| match error {
        seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error) => error,
        other => io::Error::other(other),
    })
}

/// A program that lets some calls fail.
fn program(rules: Rules, errno: i32) -> Result<BpfProgram, seccompiler::Error> {
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, std::env::consts::ARCH.try_into()?)?;
    Ok(filter.try_into()?)
}

/// Lets calls fail that are newer than the lists: `if (nr >= FIRST_NEW) return ENOSYS`.
fn new_calls() -> [sock_filter; 3] {
    let code = |class: u32| u16::try_from(class).expect("codes of instructions are small");
    let ends = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    // The number of the call comes first in what filters see.
    let load = sock_filter { code: code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS), jt: 0, jf: 0, k: 0 };
    let compare = code(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K);
    let compare = sock_filter { code: compare, jt: 0, jf: 1, k: calls::FIRST_NEW };
    let fail = sock_filter { code: code(libc::BPF_RET | libc::BPF_K), jt: 0, jf: 0, k: ends };
    [load, compare, fail]
}

/// The calls that are forbidden, some only with certain arguments.
fn forbidden(gaps: Gaps) -> Result<Rules, seccompiler::Error> {
    let mut rules = Rules::new();
    let mut always = |calls: &[c_long]| rules.extend(calls.iter().map(|call| (*call, Vec::new())));
    always(calls::FORBIDDEN);
    always(calls::FORBIDDEN_HERE);
    if gaps.processes {
        always(calls::OTHERS);
    }
    if gaps.signals {
        always(calls::SIGNALS);
    }
    if gaps.files {
        always(calls::FILES);
        always(calls::FILES_HERE);
    }
    if gaps.truncate {
        always(&[libc::SYS_truncate]);
    }
    common(&mut rules)?;
    sockets(&mut rules, gaps.sockets)?;
    if gaps.processes {
        rules.insert(libc::SYS_prlimit64, vec![unless(0, &[0])?]);
    }
    if gaps.signals {
        signals(&mut rules)?;
    }
    if gaps.truncate {
        truncation(&mut rules)?;
    }
    Ok(rules)
}

/// New namespaces, other personalities, input for whoever sits at the terminal.
fn common(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let namespaces = [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ];
    let flags = namespaces.map(|flag| bits(0, low(flag), low(flag)));
    rules.insert(libc::SYS_clone, flags.into_iter().collect::<Result<_, _>>()?);
    // Asking is allowed, and the one that is there anyway.
    rules.insert(libc::SYS_personality, vec![unless(0, &[0, u64::from(u32::MAX)])?]);
    let terminal = [libc::TIOCSTI, TIOCLINUX].map(|request| is(1, request & u64::from(u32::MAX)));
    rules.insert(libc::SYS_ioctl, terminal.into_iter().collect::<Result<_, _>>()?);
    Ok(())
}

const TIOCLINUX: u64 = 0x541C;

/// No sockets, but those that two processes of the program share; and unix sockets where nobody else's can be reached.
fn sockets(rules: &mut Rules, reachable: bool) -> Result<(), seccompiler::Error> {
    let unix = low(libc::AF_UNIX);
    rules.insert(libc::SYS_socket, if reachable { Vec::new() } else { vec![unless(0, &[unix])?] });
    rules.insert(libc::SYS_socketpair, vec![unless(0, &[unix])?]);
    Ok(())
}

/// Signals only to the process itself and its group.
fn signals(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let process = low(getpid().as_raw_nonzero().get());
    let group = low(-getpgrp().as_raw_nonzero().get());
    rules.insert(libc::SYS_kill, vec![unless(0, &[process, group, 0])?]);
    rules.insert(libc::SYS_tgkill, vec![unless(0, &[process])?]);
    // Who is told of events on a file.
    let owners = [libc::F_SETOWN, F_SETOWN_EX].map(|command| is(1, low(command)));
    rules.insert(libc::SYS_fcntl, owners.into_iter().collect::<Result<_, _>>()?);
    let requests = [FIOSETOWN, SIOCSPGRP].map(|request| is(1, request));
    rules.entry(libc::SYS_ioctl).or_default().extend(requests.into_iter().collect::<Result<Vec<_>, _>>()?);
    Ok(())
}

const F_SETOWN_EX: i32 = 15;
const FIOSETOWN: u64 = 0x8901;
const SIOCSPGRP: u64 = 0x8902;

/// Files must not be cut while they are opened for reading.
fn truncation(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let mask = low(libc::O_TRUNC | libc::O_ACCMODE);
    let cut = low(libc::O_TRUNC | libc::O_RDONLY);
    rules.insert(libc::SYS_openat, vec![bits(2, mask, cut)?]);
    // Its flags are in memory, where no filter sees them.
    rules.insert(libc::SYS_openat2, Vec::new());
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![bits(1, mask, cut)?]);
    Ok(())
}

/// A number as filters see it in the lower half of an argument.
fn low(number: i32) -> u64 {
    u64::from(number.cast_unsigned())
}

/// Holds if an argument is a value.
fn is(argument: u8, value: u64) -> Result<Rule, seccompiler::Error> {
    Ok(Rule::new(vec![Condition::new(argument, Length::Dword, Compare::Eq, value)?])?)
}

/// Holds unless an argument is one of some values.
fn unless(argument: u8, values: &[u64]) -> Result<Rule, seccompiler::Error> {
    let conditions = values.iter().map(|value| Condition::new(argument, Length::Dword, Compare::Ne, *value));
    Ok(Rule::new(conditions.collect::<Result<_, _>>()?)?)
}

/// Holds if some bits of an argument have a value.
fn bits(argument: u8, mask: u64, value: u64) -> Result<Rule, seccompiler::Error> {
    Ok(Rule::new(vec![Condition::new(argument, Length::Dword, Compare::MaskedEq(mask), value)?])?)
}
