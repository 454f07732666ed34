//! Tests [`Process`] with scripted bad programs.

use std::time::{Duration, Instant};

use super::*;
use crate::{Clock, Level};

/// Only a bug takes this long.
const AGES: Clock = Clock::wall(Duration::from_secs(300));

/// Describes an unconfined program, because these programs print numbers of processes.
fn launch(program: &str, script: &str) -> Launch {
    let mut launch = Launch::new(program, &["-c".into(), script.into()]);
    launch.sandbox.level = Level::Off;
    launch
}

fn sh(script: &str) -> Process {
    Process::spawn(&launch("sh", script)).unwrap()
}

fn timer(process: &Process, clock: Clock) -> Timer {
    Timer::start(Some(clock), true, &process.meter())
}

fn line(process: &mut Process) -> Result<String, Trouble> {
    let timer = timer(process, AGES);
    process.wait(&timer, |process| process.inbox().contains(&b'\n'))?;
    Ok(String::from_utf8(process.take_line().unwrap().to_vec()).unwrap())
}

#[test]
fn what_was_written_before_the_end_counts() {
    let mut process = sh("echo last; exit 3");
    assert_eq!(line(&mut process).unwrap(), "last");
    assert_eq!(line(&mut process), Err(Trouble::Crash));
    assert_eq!(process.exit(), Some(Exit { status: Some(3), signal: None }));
}

#[test]
fn output_that_nobody_asked_for_is_not_read_for_ever() {
    // All of it waits in the pipe before the first read.
    let script = "head -c 60000 /dev/zero; echo written >&2; exec sleep 1000";
    let mut process =
        Process::spawn(&Launch { most_output: 1000, ..launch("sh", script) }).unwrap();
    while process.child.as_ref().unwrap().stderr.tail(Duration::from_millis(10)) != b"written\n" {}
    process.pump();
    assert!((1000..=17 << 10).contains(&process.inbox().len()), "{}", process.inbox().len());
    assert_eq!(process.trouble(), Some(Trouble::Flood));
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
    assert_eq!(
        line(&mut process).unwrap().split_whitespace().last(),
        Some(core.to_string().as_str())
    );
    // Or on the one that is named.
    sched_setaffinity(None, &mine).unwrap();
    let grep = launch("sh", "grep Cpus_allowed_list /proc/self/status");
    let mut process = Process::spawn(&Launch { core: Some(core), ..grep }).unwrap();
    assert_eq!(
        line(&mut process).unwrap().split_whitespace().last(),
        Some(core.to_string().as_str())
    );
}

#[test]
fn usage_tells_time_memory_and_talk() {
    let script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo 12345 >&2; echo done; \
        read line; exit 4";
    let mut process = sh(script);
    assert_eq!(line(&mut process).unwrap(), "done");
    while process.usage().unwrap().stderr < 6 {}
    let usage = process.usage().unwrap();
    assert!(
        usage.cpu > Duration::from_millis(1) && usage.cpu <= process.meter().used_so_far(),
        "{usage:?}"
    );
    assert!(usage.peak_memory.unwrap() > 100 << 10, "{usage:?}");
    assert_eq!((usage.stderr, usage.ended), (6, None));
    process.send(b"\n");
    while process.usage().unwrap().ended.is_none() {}
    assert_eq!(process.usage().unwrap().ended, Some(Exit { status: Some(4), signal: None }));
    let family = process.family_usage().unwrap();
    // The kernel counts pages in several places, and some of them lag.
    assert!(family.peak_memory.unwrap() > usage.peak_memory.unwrap() / 2, "{family:?} {usage:?}");
    assert!(family.cpu > usage.cpu - Duration::from_millis(1), "{family:?} {usage:?}");
    assert_eq!(process.usage(), Some(family));
    assert_eq!(family.stderr, 6);
}

#[test]
fn a_good_program_ends_with_its_input() {
    let mut process = sh("while read line; do echo ok; done; echo bye >&2; exit 3");
    process.send(b"question\n");
    assert_eq!(line(&mut process).unwrap(), "ok");
    let shutdown = process.shutdown(Duration::from_secs(60)).unwrap();
    assert_eq!(shutdown.exit, Some(Exit { status: Some(3), signal: None }));
    assert_eq!((shutdown.helpers, shutdown.left_behind), (0, 0));
    assert_eq!((shutdown.stderr, shutdown.stderr_tail.as_str()), (4, "bye\n"));
}

#[test]
fn whoever_ignores_the_end_of_its_input_is_killed() {
    let process = sh("exec sleep 1000");
    assert_eq!(process.shutdown(Duration::from_millis(50)).unwrap().exit, None);
}

#[test]
fn what_nobody_asked_for_and_what_is_left_behind_is_told() {
    let mut process =
        sh("sleep 1000 & echo answer; echo junk; read line; echo after the end; exit 0");
    assert_eq!(line(&mut process).unwrap(), "answer");
    let timer = timer(&process, AGES);
    process.wait(&timer, |process| !process.inbox().is_empty()).unwrap();
    assert_eq!(process.unsolicited(), "junk\\n");
    let shutdown = process.shutdown(Duration::from_secs(60)).unwrap();
    assert_eq!((shutdown.helpers, shutdown.left_behind), (1, 1));
    assert!(shutdown.peak_memory.unwrap() > 100 << 10, "{shutdown:?}");
    assert_eq!(shutdown.exit, Some(Exit { status: Some(0), signal: None }));
}

#[test]
fn a_flood_after_the_end_of_the_input_holds_nobody_up() {
    let mut process = sh("echo; read line; head -c 3000000 /dev/zero; exit 0");
    line(&mut process).unwrap();
    assert_eq!(
        process.shutdown(Duration::from_secs(60)).unwrap().exit,
        Some(Exit { status: Some(0), signal: None })
    );
}

/// Starts a Python program that ignores its children, with a clock of 100 ms for each answer, and
/// returns how long it may go on after a question.
///
/// `child` is what each of a chain of children does.
#[track_caller]
fn chain_ends_after(child: &str, ignore: &str) -> Duration {
    let script = format!(
        "
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None)
{ignore}
print('ready', flush=True)
sys.stdin.readline()
while True:
    read, write = os.pipe()
    if os.fork() == 0:
        start = time.monotonic()
        {child}
        os._exit(0)
    os.close(write)
    os.read(read, 1)
    os.close(read)"
    );
    let clock = Clock {
        first: Duration::from_millis(100),
        then: Duration::from_millis(100),
        wall_factor: 1000,
        ..AGES
    };
    let mut process = Process::spawn(&launch("python3", &script)).unwrap();
    assert_eq!(line(&mut process).unwrap(), "ready");
    // Later than the first, so that nothing is charged before the helpers are seen.
    let _ = Timer::start(Some(clock), true, &process.meter());
    let timer = Timer::start(Some(clock), false, &process.meter());
    process.send(b"\n");
    let begun = Instant::now();
    assert_eq!(process.wait(&timer, |_| false), Err(Trouble::Timeout));
    begun.elapsed()
}

/// Sets the default action for `SIGCHLD` with the flag `SA_NOCLDWAIT`, which follows the mask.
const NO_WAIT: &str = "
action = (ctypes.c_ulong * 20)()
action[17] = 2
assert libc.sigaction(signal.SIGCHLD, action, None) == 0";

#[test]
fn children_that_nobody_waits_for_are_charged() {
    agon_testkit::needs!("python3");
    // The wall limit is 100 s, so that only CPU time can end them.
    let most = Duration::from_secs(20);
    let spins = |ms: u32| format!("while time.monotonic() < start + {ms} / 1000: pass");
    let ignore = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)";
    for child in [spins(40), spins(3)] {
        assert!(chain_ends_after(&child, ignore) < most, "{child}");
    }
    assert!(chain_ends_after(&spins(40), NO_WAIT) < most);
}

#[test]
fn a_bot_that_waits_for_its_child_waits_for_no_disk() {
    agon_testkit::needs!("python3");
    let script = "
import ctypes, sys
libc = ctypes.CDLL(None)
print('ready', flush=True)
sys.stdin.readline()
libc.syscall.restype = ctypes.c_long
if libc.vfork() == 0:
    libc.usleep(60_000_000)
    libc._exit(0)";
    let mut process = Process::spawn(&launch("python3", script)).unwrap();
    assert_eq!(line(&mut process).unwrap(), "ready");
    let clock = Clock::cpu(Duration::from_millis(700));
    let timer = Timer::start(Some(clock), false, &process.meter());
    process.send(b"\n");
    assert_eq!(process.wait(&timer, |_| false), Err(Trouble::Timeout));
    // Who waits for a disk has three times as long.
    assert!(timer.wall() < Duration::from_millis(2 * 3 * 700), "{:?}", timer.wall());
}

#[test]
fn a_larger_question_is_written_without_waiting() {
    let mut process = sh("sleep 1000");
    process.send(&[b'x'; 200 << 10]);
    assert_eq!(process.unsent(), 0);
    process.send(&vec![b'x'; 1 << 20]);
    assert!(process.unsent() > 0);
}

#[test]
fn there_may_be_many_bots_with_as_many_files_as_before() {
    let before = spawn::allow_many_files();
    let now = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    assert_eq!(now.current, before.maximum);
    let expected = before.current.map_or("unlimited".to_owned(), |most| most.to_string());
    assert_eq!(line(&mut sh("ulimit -n")).unwrap(), expected);
}

/// A shell whose child spins.
const SPINS: &str = "sh -c 'while :; do :; done' & wait";

#[test]
fn what_helpers_use_is_charged() {
    let clock = Clock {
        first: Duration::from_millis(300),
        then: Duration::from_millis(300),
        wall_factor: 1000,
        ..AGES
    };
    let mut process = sh(SPINS);
    let first = timer(&process, clock);
    assert_eq!(process.wait(&first, |_| false), Err(Trouble::Timeout));
    assert!(process.meter().used_so_far() >= Duration::from_millis(300));
}

#[test]
fn what_helpers_used_before_they_were_seen_is_free_but_for_the_first_answer() {
    let clock = Clock {
        first: Duration::from_millis(100),
        then: Duration::from_millis(100),
        wall_factor: 1000,
        ..AGES
    };
    let mut process = sh(&format!("echo ready; read line; {SPINS}"));
    assert_eq!(line(&mut process).unwrap(), "ready");
    process.send(b"\n");
    // It spins although nobody asks.
    while process.child.as_ref().unwrap().confined.program.tree.helpers().1
        < Duration::from_millis(500)
    {}
    let begun = Instant::now();
    let second = Timer::start(Some(clock), false, &process.meter());
    assert_eq!(process.wait(&second, |_| false), Err(Trouble::Timeout));
    assert!(
        begun.elapsed() >= Duration::from_millis(150),
        "the first look finds them and charges nothing"
    );
    let before = process.meter().used_so_far();
    let third = Timer::start(Some(clock), false, &process.meter());
    assert_eq!(process.wait(&third, |_| false), Err(Trouble::Timeout));
    // How far it gets beyond its limit depends on when the arena gets a core.
    let words = third.words(&process.meter());
    let charged: u128 = words.split(' ').next().unwrap().parse().unwrap();
    let used = process.meter().used_so_far() - before;
    assert!((100..=used.as_millis()).contains(&charged), "{words}; {used:?}");
}

#[test]
fn a_byte_order_mark_before_the_first_answer_is_read_over() {
    for (script, answer) in [
        (r"printf '\357\273\277'; read x; echo up", "up"),
        (r"printf '\357'; sleep 0.05; printf '\273\277up\n'", "up"),
        // Only there, and only one.
        (r"printf '\357\273\277\357\273\277up\n'", "\u{feff}up"),
        (r"printf 'x\357\273\277\n'", "x\u{feff}"),
    ] {
        let mut process = sh(script);
        process.send(b"\n");
        assert_eq!(line(&mut process).unwrap(), answer, "{script}");
        let report = process.shutdown(Duration::from_secs(10)).unwrap();
        assert_eq!(report.byte_order_mark, answer == "up" || answer.starts_with('\u{feff}'));
    }
}
