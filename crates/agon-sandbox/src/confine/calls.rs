//! Lists of system calls that a program must not use. `seccomp` makes its filter from them.

use libc::c_long;

/// Calls that fail with `EPERM`, so that the program notices that they are forbidden.
pub(super) const FORBIDDEN: &[c_long] = &[
    // Other processes: their memory, files, secrets.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Large, seldom needed parts of the kernel, which have the most security holes.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // Mounts, roots, namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Files by number, which bypasses all folders.
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Objects that outlive processes and count for no limit.
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    // Where there are no namespaces, others' objects have numbers that can be guessed.
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    // Descriptors that are sent and not yet received count for all of a user's programs. What is
    // sent is in memory, which no filter sees.
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    // The arena decides which cores a program runs on, and how often.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    // The machine.
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    KEXEC_FILE_LOAD,
];

/// The same for one architecture.
#[cfg(target_arch = "x86_64")]
pub(super) const FORBIDDEN_HERE: &[c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS__sysctl,
    libc::SYS_ustat,
    libc::SYS_sysfs,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const FORBIDDEN_HERE: &[c_long] = &[];

#[cfg(target_arch = "x86_64")]
const KEXEC_FILE_LOAD: c_long = 320;
#[cfg(not(target_arch = "x86_64"))]
const KEXEC_FILE_LOAD: c_long = 294;

/// Calls that fail with `ENOSYS`, as on an older kernel: libraries have alternatives.
pub(super) const UNKNOWN: &[c_long] = &[
    // Its flags are in memory, which no filter sees. Libraries use `clone` instead.
    libc::SYS_clone3,
    // It does the work of other calls and bypasses all filters.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // It uses a store that the whole machine shares.
    libc::SYS_io_setup,
    // Memory that counts for no limit.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // It watches files that others use, and a user may have only a few.
    libc::SYS_inotify_init1,
    // They tell what others have read: which parts of files are in memory.
    libc::SYS_mincore,
    CACHESTAT,
    // New kinds of mount calls and security modules; libc has no names for them.
    STATMOUNT,
    LISTMOUNT,
    LSM_SET_SELF_ATTR,
];

/// The same for one architecture.
#[cfg(target_arch = "x86_64")]
pub(super) const UNKNOWN_HERE: &[c_long] = &[libc::SYS_inotify_init];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const UNKNOWN_HERE: &[c_long] = &[];

// New calls have the same numbers on all architectures.
const CACHESTAT: c_long = 451;
const STATMOUNT: c_long = 457;
const LISTMOUNT: c_long = 458;
const LSM_SET_SELF_ATTR: c_long = 460;

/// The first call that did not exist when this list was made; the last one is `mseal`.
///
/// All calls from here on are unknown, as are those of the x32 ABI, which have large numbers.
pub(super) const FIRST_NEW: u32 = 463;

/// Calls that touch others' processes or escape control.
///
/// They are only forbidden if the program has no namespace of processes.
pub(super) const OTHERS: &[c_long] = &[
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_pidfd_open,
    libc::SYS_get_robust_list,
    // All processes of the program stay in one group. So one signal ends them, however fast
    // they fork.
    libc::SYS_setpgid,
];

/// Calls that do nothing, although they say that they succeed.
///
/// Honest programs would give up if they failed.
pub(super) const IDLE: &[c_long] = &[
    // The kernel shares a core fairly between sessions, not between processes. So all processes of
    // a program stay in its session.
    libc::SYS_setsid,
    // A lock on a file that others see is a message to them, and can stop them. `seccomp` has those
    // of `fcntl`.
    libc::SYS_flock,
    // It may throw parts of files out of memory, which others notice.
    libc::SYS_fadvise64,
];

/// Ways to send signals to arbitrary targets; only forbidden if others could get the signals.
pub(super) const SIGNALS: &[c_long] = &[
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// Calls that change a file's metadata, by path or not: Landlock has no rules for them.
///
/// They are only forbidden to a program that runs as its owner and sees its files.
pub(super) const FILES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];
const FCHMODAT2: c_long = 452;

/// The same for one architecture.
#[cfg(target_arch = "x86_64")]
pub(super) const FILES_HERE: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const FILES_HERE: &[c_long] = &[];
