//! Scripted bad programs against [`Process`].

use std::{
    fs,
    time::{Duration, Instant},
};

use agon_core::Player;
use rustix::process::{Pid, Signal};

use super::*;
use crate::Clock;

const PLACE: Place = Place { player: Player(3), step: 7 };

/// So long that only a bug ends it.
const AGES: Clock = Clock::wall(Duration::from_secs(300));

fn sh(script: &str) -> Process {
    let args = ["-c".into(), script.into()];
    Process::spawn(Launch::new("sh", &args)).unwrap()
}

/// The group of a child.
fn group(process: &Process) -> u32 {
    process.child.as_ref().unwrap().group.leader.id()
}

fn timer(process: &Process, clock: Clock) -> Timer {
    Timer::start(Some(clock), true, &process.meter())
}

fn line(process: &mut Process) -> Result<String, Trouble> {
    let timer = timer(process, AGES);
    process.wait(&timer, |process| process.inbox().contains(&b'\n'))?;
    Ok(String::from_utf8(process.take_line().unwrap().to_vec()).unwrap())
}

/// The fault of a program that is expected to answer a line and does not.
fn fault_of(script: &str) -> (Process, Fault) {
    let mut process = sh(script);
    let trouble = line(&mut process).unwrap_err();
    let timer = timer(&process, AGES);
    let fault = process.end_with_trouble(PLACE, trouble, &timer);
    (process, fault)
}

/// Waits until no process of the group lives any more (its dead may still wait for their new parent).
#[track_caller]
fn assert_group_gone(group: u32) {
    let lives = || {
        fs::read_dir("/proc").unwrap().flatten().any(|process| {
            let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            // pid (name) state parent group ...
            let rest: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
            rest.len() > 2 && rest[2] == group.to_string() && !["Z", "X"].contains(&rest[0])
        })
    };
    let start = Instant::now();
    while lives() {
        assert!(start.elapsed() < Duration::from_secs(30), "a process of group {group} is left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn questions_and_answers_are_lines() {
    let mut process = sh("while read a b; do echo \"$b $a\"; done");
    for n in 0..100 {
        process.send(format!("{n} word\n").as_bytes());
        assert_eq!(line(&mut process).unwrap(), format!("word {n}"));
    }
    process.send(b"no line end");
    assert_eq!((process.unsent(), process.inbox()), (0, &b""[..]));
}

#[test]
fn a_line_may_end_as_on_windows() {
    assert_eq!(line(&mut sh("printf 'one\\r\\ntwo\\n'")).unwrap(), "one");
}

#[test]
fn what_was_written_before_the_end_counts() {
    let mut process = sh("echo last; exit 3");
    assert_eq!(line(&mut process).unwrap(), "last");
    assert_eq!(line(&mut process), Err(Trouble::Crash));
    assert_eq!(process.exit(), Some(Exit { status: Some(3), signal: None }));
}

#[test]
fn a_crash_is_told_with_status_and_last_words() {
    let (_, fault) = fault_of("printf half; echo 'I give up' >&2; exit 3");
    assert_eq!((fault.kind, fault.player, fault.step), (FaultKind::Crash, Player(3), 7));
    let evidence = fault.evidence;
    assert_eq!((evidence.exit_status, evidence.signal), (Some(3), None));
    assert_eq!((evidence.stderr_tail.as_str(), evidence.last_output.as_str()), ("I give up\n", "half"));
}

#[test]
fn a_signal_is_told() {
    let (_, fault) = fault_of("kill -SEGV $$");
    assert_eq!(
        (fault.kind, fault.evidence.signal, fault.evidence.exit_status),
        (FaultKind::Crash, Some(11), None)
    );
}

#[test]
fn closing_the_output_is_not_ending() {
    let (process, fault) = fault_of("exec >&-; sleep 1000");
    assert_eq!(fault.kind, FaultKind::Closed);
    assert!(fault.detail.contains("standard output"), "{}", fault.detail);
    assert_eq!(fault.evidence.exit_status, None);
    assert_group_gone(group(&process));
}

#[test]
fn closing_the_input_is_not_ending() {
    let mut process = sh("exec <&-; echo closed; sleep 1000");
    assert_eq!(line(&mut process).unwrap(), "closed");
    process.send(b"are you there?\n");
    assert_eq!(line(&mut process), Err(Trouble::Closed));
}

#[test]
fn a_flood_of_output_is_bounded() {
    let (process, fault) = fault_of("exec tr '\\0' x </dev/zero");
    assert_eq!(fault.kind, FaultKind::Flood);
    assert!(fault.evidence.last_output.ends_with("xxxxxxxxxx"));
    assert_group_gone(group(&process));
}

#[test]
fn output_that_nobody_asked_for_is_not_read_for_ever() {
    // All of it waits in the pipe when it is read for the first time.
    let args = ["-c".into(), "head -c 60000 /dev/zero; echo written >&2; exec sleep 1000".into()];
    let mut process = Process::spawn(Launch { most_output: 1000, ..Launch::new("sh", &args) }).unwrap();
    while process.child.as_ref().unwrap().talk.tail(Duration::from_millis(10)) != b"written\n" {}
    process.pump();
    assert!((1000..=17 << 10).contains(&process.inbox().len()), "{}", process.inbox().len());
    assert_eq!(process.trouble(), Some(Trouble::Flood));
}

#[test]
fn a_flood_of_stderr_holds_nobody_up() {
    // A megabyte, many times what a pipe holds.
    let mut process = sh("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo end >&2; echo done; read line");
    assert_eq!(line(&mut process).unwrap(), "done");
    process.kill();
    let talk = process.talk();
    assert!(talk.len() <= 4 << 10 && talk.ends_with("xxxxend\n"), "{} {talk:?}", talk.len());
}

#[test]
fn whoever_does_not_read_is_not_waited_for() {
    let mut process = sh("sleep 1000");
    process.send(&vec![b'x'; 1 << 20]);
    assert!(process.unsent() > 0);
    let timer = timer(&process, Clock::wall(Duration::from_millis(50)));
    assert_eq!(process.wait(&timer, |_| false), Err(Trouble::Timeout));
    let fault = process.end_with_trouble(PLACE, Trouble::Timeout, &timer);
    assert!(fault.detail.starts_with("it did not read its input"), "{}", fault.detail);
}

#[test]
fn long_questions_arrive_while_answers_are_read() {
    let mut process = sh("wc -c");
    process.send(&vec![b'x'; 1 << 20]);
    let timer = timer(&process, AGES);
    process.wait(&timer, |process| process.unsent() == 0).unwrap();
    process.pipes.stdin = None;
    assert_eq!(line(&mut process).unwrap().trim(), "1048576");
}

#[test]
fn grandchildren_die_with_the_group() {
    let mut process = sh("sleep 1000 & sleep 1000 & echo ready; read line");
    assert_eq!(line(&mut process).unwrap(), "ready");
    let group = group(&process);
    drop(process);
    assert_group_gone(group);
}

#[test]
fn grandchildren_of_a_dead_program_die_too() {
    let (process, fault) = fault_of("sleep 1000 & exit 1");
    assert_eq!((fault.kind, fault.evidence.exit_status), (FaultKind::Crash, Some(1)));
    assert_group_gone(group(&process));
}

#[test]
fn a_process_that_left_its_group_holds_nobody_up() {
    let mut process = sh("setsid sh -c 'echo $$; exec >&-; exec sleep 1000' & wait");
    let stray = line(&mut process).unwrap();
    // It still holds the end of the stderr pipe: dropping ends the thread that reads from it all the same.
    drop(process);
    let stray = Pid::from_raw(stray.parse().unwrap()).unwrap();
    rustix::process::kill_process(stray, Signal::KILL).unwrap();
}

#[test]
fn a_program_outlives_the_thread_that_started_it() {
    let mut process = std::thread::spawn(|| sh("while read a; do echo $a; done")).join().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    process.send(b"hello\n");
    assert_eq!(line(&mut process).unwrap(), "hello");
}

#[test]
fn programs_run_on_the_cores_of_the_thread_that_starts_them() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    // The thread that starts programs begins with all cores.
    drop(sh("exit"));
    let mine = sched_getaffinity(None).unwrap();
    let core = (0..CpuSet::MAX_CPU).find(|&core| mine.is_set(core)).unwrap();
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one).unwrap();
    let mut process = sh("grep Cpus_allowed_list /proc/self/status");
    assert_eq!(line(&mut process).unwrap().split_whitespace().last(), Some(core.to_string().as_str()));
}

#[test]
fn a_sleeper_is_not_charged_and_a_spinner_is() {
    let clock = Clock { first: Duration::from_millis(200), then: AGES.then, wall_factor: 1000 };
    let mut sleeper = sh("sleep 0.6; echo awake");
    let time = timer(&sleeper, clock);
    assert_eq!(sleeper.wait(&time, |process| process.inbox().contains(&b'\n')), Ok(()));

    let mut spinner = sh("while :; do :; done");
    let time = timer(&spinner, clock);
    assert_eq!(spinner.wait(&time, |_| false), Err(Trouble::Timeout));
    assert!(spinner.meter().used() >= Duration::from_millis(200));
}

#[test]
fn what_is_missing_cannot_be_started() {
    let fault = Process::start(&Launch::new("./no-such-program", &[]), PLACE).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Start);
    assert!(fault.detail.contains("`./no-such-program` cannot be started"), "{}", fault.detail);
}
