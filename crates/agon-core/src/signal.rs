//! Exit statuses and signals of processes in words, for faults and for reports on bots.

/// Signals by their numbers on Linux, which are the same on all processors that Agon runs on.
const SIGNALS: [(i32, &str, &str); 18] = [
    (1, "SIGHUP", "hung up"),
    (2, "SIGINT", "interrupted"),
    (3, "SIGQUIT", "quit"),
    (4, "SIGILL", "illegal instruction"),
    (5, "SIGTRAP", "breakpoint"),
    (6, "SIGABRT", "aborted"),
    (7, "SIGBUS", "bus error"),
    (8, "SIGFPE", "arithmetic error, such as a division by zero"),
    (9, "SIGKILL", "killed; by the kernel if memory was short"),
    (10, "SIGUSR1", "user signal 1"),
    (11, "SIGSEGV", "segmentation fault"),
    (12, "SIGUSR2", "user signal 2"),
    (13, "SIGPIPE", "broken pipe"),
    (14, "SIGALRM", "alarm"),
    (15, "SIGTERM", "asked to end"),
    (24, "SIGXCPU", "limit of CPU time"),
    (25, "SIGXFSZ", "limit of file size"),
    (31, "SIGSYS", "forbidden system call"),
];

/// Returns the name of a signal: "SIGSEGV".
pub fn signal_name(number: i32) -> Option<&'static str> {
    SIGNALS.iter().find(|(known, ..)| *known == number).map(|(_, name, _)| *name)
}

/// Describes a signal: "SIGSEGV (segmentation fault)".
pub fn signal_words(number: i32) -> String {
    match SIGNALS.iter().find(|(known, ..)| *known == number) {
        Some((_, name, meaning)) => format!("{name} ({meaning})"),
        None => format!("signal {number}"),
    }
}

/// Describes an exit status: "exit status 3".
///
/// From 128 on, a shell reports that a signal ended its program.
pub fn exit_words(status: i32) -> String {
    match (status, signal_name(status - 128)) {
        (127, _) => "exit status 127 (of a shell: command not found)".to_owned(),
        (_, Some(name)) => format!("exit status {status} (of a shell: {name})"),
        _ => format!("exit status {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names() {
        assert_eq!(signal_words(11), "SIGSEGV (segmentation fault)");
        assert_eq!(signal_words(63), "signal 63");
        assert!(SIGNALS.is_sorted_by_key(|(number, ..)| *number));
    }

    #[test]
    fn exit_statuses_of_shells_are_explained() {
        assert_eq!(exit_words(3), "exit status 3");
        assert_eq!(exit_words(139), "exit status 139 (of a shell: SIGSEGV)");
        assert_eq!(exit_words(200), "exit status 200");
    }
}
