//! Attacks of bots that are programs, and of sources on the compiler.

use std::fs::{self, File};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::{io::ErrorKind, os::linux::net::SocketAddrExt, process::Stdio};

use serde_json::Value;

use super::test_dir::{Mode, SECRET, assert_no_process, processes};
use super::{Outcome, TestDir, mode};
use crate::support::{names, until};

// Bots that read and write files of others.

#[test]
fn nothing_is_read_that_is_not_its_own() {
    let dir = TestDir::new();
    let attacker = dir.attacker("read");
    dir.play(&attacker, "").assert_harmless();
    dir.play(&format!("jsonl:{attacker}"), "").assert_harmless();
    // Without a sandbox the same bot reads it all: otherwise this would tell nothing.
    let play = format!("play cluster '{attacker}' builtin:greedy --json --sandbox off");
    let text = String::from_utf8(dir.agon(&play).output().unwrap().stdout).unwrap();
    for harm in ["hen/notes", "home/.ssh/id_rsa", "environment", "users", "environment of others"] {
        assert!(text.contains(harm), "{harm}: {text}");
    }
    assert!(!text.contains(SECRET), "it tells only what it has found");
}

#[test]
fn nothing_is_written_that_is_not_its_own() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("write"), "").assert_harmless();
    assert_eq!(names(dir.path("fox")), ["attacker.py", "bait.json"]);
}

#[test]
fn the_usual_streams_have_their_names_and_are_nobody_elses() {
    let dir = TestDir::new();
    let outcome = dir.play(&dir.attacker("streams"), "");
    outcome.assert_harmless();
    assert!(outcome.everything.contains("stderr by its name"), "{outcome:?}");
}

#[test]
fn no_disk_is_filled() {
    let dir = TestDir::new();
    let outcome = dir.play(&dir.attacker("disk"), "--time 10000");
    assert_eq!(names(dir.path("fox")), ["attacker.py", "bait.json"]);
    // Where the scratch folder is one of the machine's, the arena ends who fills it.
    if mode() == Mode::Full {
        outcome.assert_harmless();
    } else {
        outcome.expect("crash", "MiB of files; the limit is 64 MiB");
    }
}

// Bots that misuse system calls: other users' programs, shared memory that would outlive the match,
// more than the usual descriptors, signals to others, sessions and orphans that would outlive it.

#[test]
fn the_kernel_refuses_what_could_harm() {
    for attack in
        ["kernel", "setuid", "shared_memory", "descriptors", "signals", "sessions", "orphan"]
    {
        eprintln!("{attack}");
        let dir = TestDir::new();
        dir.play(&dir.attacker(attack), "").assert_harmless();
    }
}

// Bots that talk to others.

/// Plays beside all kinds of sockets that wait for somebody; returns how many were reached.
fn network(flags: &str) -> (Outcome, usize) {
    let mut dir = TestDir::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    // Not every machine has it.
    let tcp6 = TcpListener::bind("[::1]:0").ok();
    let path = dir.path("home/socket");
    let unix = UnixListener::bind(&path).unwrap();
    let named =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&dir.mark).unwrap()).unwrap();
    dir.bait("tcp", tcp.local_addr().unwrap().port());
    dir.bait("udp", udp.local_addr().unwrap().port());
    dir.bait("tcp6", tcp6.as_ref().map_or(0, |tcp| tcp.local_addr().unwrap().port()));
    dir.bait("unix", path.to_str().unwrap());
    for tcp in tcp6.iter().chain([&tcp]) {
        tcp.set_nonblocking(true).unwrap();
    }
    udp.set_nonblocking(true).unwrap();
    unix.set_nonblocking(true).unwrap();
    named.set_nonblocking(true).unwrap();
    let bot = dir.attacker("network");
    let line = format!("play cluster '{bot}' builtin:greedy --json --time 3000 {flags}");
    let out = dir.path("out");
    let status = dir.agon(&line).stdout(File::create(&out).unwrap()).status().unwrap();
    let outcome = Outcome::new(status, &out, &out, 0);
    fs::remove_file(path).unwrap();
    let reached = [
        tcp.accept().map(drop),
        udp.recv(&mut [0; 9]).map(drop),
        tcp6.map_or(Err(ErrorKind::WouldBlock.into()), |tcp| tcp.accept().map(drop)),
        unix.accept().map(drop),
        named.accept().map(drop),
    ];
    let count = reached.into_iter().filter(|result| result.is_ok()).count();
    dir.assert_unharmed(&outcome);
    (outcome, count)
}

#[test]
fn nobody_is_reached_but_without_a_sandbox() {
    let (outcome, reached) = network("");
    outcome.assert_harmless();
    assert_eq!(reached, 0);
    let (outcome, reached) = network("--sandbox off");
    assert!(reached >= 4, "{reached}: {outcome:?}");
}

// Bots that take all memory there is.

const MIB: u64 = 1 << 20;

/// Plays with a limit of 128 MiB.
fn grows(attack: &str) -> Outcome {
    let dir = TestDir::new();
    dir.play(&dir.attacker(attack), "--bot-memory 128 --time 10000")
}

#[test]
fn one_process_gets_no_more_than_it_may() {
    let outcome = grows("grow");
    let fault = outcome.fault();
    let failed =
        fault["evidence"]["stderr_tail"].as_str().unwrap_or_default().contains("MemoryError");
    assert!(failed || fault["kind"] == "memory", "{outcome:?}");
    let peak = fault["evidence"]["peak_memory"].as_u64();
    assert!(peak.is_some_and(|peak| peak < 256 * MIB), "{outcome:?}");
}

#[test]
fn many_processes_together_get_no_more() {
    let outcome = grows("many");
    outcome.expect("memory", "MiB of memory; the limit is 128 MiB");
    let peak = outcome.fault()["evidence"]["peak_memory"].as_u64().unwrap();
    // It is looked at every 20 ms, and machines write a few GiB in a second.
    assert!(peak < 1024 * MIB, "{} MiB: {outcome:?}", peak / MIB);
    eprintln!("peak {} MiB", peak / MIB);
}

/// Pages that could belong to no process: without a file, or of devices.
#[test]
fn there_is_no_memory_that_belongs_to_nobody() {
    for attack in ["shared", "zeros"] {
        let outcome = grows(attack);
        let fault = outcome.fault();
        let said = fault["evidence"]["stderr_tail"].as_str().unwrap_or_default();
        assert!(fault["kind"] == "crash" && said.contains("Error: [Errno "), "{outcome:?}");
    }
}

#[test]
fn sockets_are_filled_no_further_than_files_may_be_open() {
    agon_testkit::slow!();
    let outcome = grows("queues");
    // Where memory is slow to come, the bot is ended for its time before it has filled all of them.
    if outcome.fault()["kind"] != "timeout" {
        outcome.assert_harmless();
    }
}

// Bots that use up what the kernel counts for all programs of a user together.

/// Plays beside a bot that uses a little of everything. Returns the attacker's fault.
#[track_caller]
fn beside(attack: &str) -> (Outcome, Value) {
    let dir = TestDir::alone();
    let [fox, hen] = [attack, "neighbour"].map(|mode| format!("jsonl:{}", dir.attacker(mode)));
    // Both are asked at the same time.
    let line = format!("play cellhack '{fox}' '{hen}' --turns 4 --json --time 20000");
    let outcome = dir.run(&line);
    // Neither of them answers.
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let fault_of = |player: u64| {
        let fault = outcome.faults.iter().find(|fault| fault["player"] == player);
        fault.unwrap_or_else(|| panic!("{player} has no fault: {outcome:?}")).clone()
    };
    assert_eq!(outcome.harm_in(&fault_of(1)), [] as [&str; 0], "{outcome:?}");
    let fault = fault_of(0);
    (outcome, fault)
}

#[test]
fn watches_and_open_files_of_others_are_left() {
    let watches = "files with epoll; the limit is 16384";
    for (attack, detail) in [
        ("watches", watches),
        ("hidden_watches", watches),
        ("open_files", "files open in all its processes; the limit is 4096"),
    ] {
        let (outcome, fault) = beside(attack);
        // Its end, or that of its output, may be seen first.
        assert!(fault["detail"].as_str().unwrap().contains(detail), "{outcome:?}");
    }
}

#[test]
fn whatever_a_bot_hoards_others_have_enough() {
    let (outcome, fault) = beside("hoard");
    assert_eq!(outcome.harm_in(&fault), [] as [&str; 0], "{outcome:?}");
}

// Bots that start what they should not, and do not end.

/// The bot's processes that may be seen at a time, with the arena's: its limit is 128, and where
/// they are only counted there can be more for a moment.
fn most() -> usize {
    if mode() == Mode::Full { 200 } else { 1500 }
}

#[test]
fn a_fork_bomb_stays_small() {
    agon_testkit::slow!();
    let dir = TestDir::alone();
    let outcome = dir.play(&dir.attacker("bomb"), "--time 1000");
    outcome.fault();
    assert!((10..most()).contains(&outcome.most), "{outcome:?}");
}

#[test]
fn a_fork_bomb_of_a_shell_stays_small() {
    let dir = TestDir::alone();
    dir.write("fox/bomb.sh", "bomb() { bomb | bomb & }\nbomb\nwhile :; do sleep 1; done\n");
    let outcome = dir.play(&format!("sh {}", dir.path("fox/bomb.sh").display()), "--time 300");
    outcome.fault();
    assert!(outcome.most < most(), "{outcome:?}");
}

#[test]
fn busy_processes_and_bursts_of_them_make_no_match_void() {
    for (attack, ms, detail) in [("busy", "1000", "of CPU time"), ("burst", "300", "no answer")] {
        let dir = TestDir::alone();
        dir.play(&dir.attacker(attack), &format!("--time {ms}")).expect("timeout", detail);
    }
}

/// Children that nobody waits for are charged; what hangs, stops itself or waits for a child is
/// ended; floods of answers end the bot, and floods of talk are thrown away.
#[test]
fn whoever_does_not_answer_is_ended() {
    for (attack, ms, kind, detail) in [
        ("chain", "300", "timeout", "of CPU time"),
        ("short_chain", "300", "timeout", "of CPU time"),
        ("orphan_and_hang", "200", "timeout", "no answer"),
        ("pause", "200", "timeout", "no answer"),
        ("vfork", "200", "timeout", "no answer"),
        ("stdout", "3000", "flood", "bytes that are no answer"),
        ("stderr", "500", "timeout", "no answer"),
    ] {
        eprintln!("{attack}");
        let dir = TestDir::new();
        let outcome = dir.play(&dir.attacker(attack), &format!("--time {ms}"));
        outcome.expect(kind, detail);
        assert!(outcome.everything.len() < 100_000, "{}", outcome.everything.len());
    }
}

#[test]
fn threads_count_as_well() {
    let dir = TestDir::alone();
    let outcome = dir.play(&dir.attacker("threads"), "--time 3000");
    let fault = outcome.fault();
    if fault["evidence"]["stderr_tail"].as_str().unwrap_or_default().contains("done") {
        outcome.assert_harmless();
    } else {
        outcome.expect("crash", "processes and threads; the limit is 128");
    }
}

// An arena that is killed.

#[test]
fn nothing_outlives_an_arena_that_is_killed() {
    let dir = TestDir::new();
    let attacker = dir.attacker("orphan_and_hang");
    let line = format!("play cluster '{attacker}' '{attacker}' --json --no-clock");
    let mut command = dir.agon(&line);
    let mut arena = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Two orphans of each bot that is asked; they have no environment, only a name.
    let orphans =
        || processes(&dir).iter().filter(|process| process.contains("kworker/0:1")).count();
    until("two orphans", || orphans() >= 2);
    arena.kill().unwrap();
    let status = arena.wait().unwrap();
    let nothing = dir.write("out", "");
    let outcome = Outcome::new(status, &nothing, &nothing, 0);
    assert_no_process(&dir);
    until("an empty folder", || names(dir.path("tmp")).is_empty());
    dir.assert_unharmed(&outcome);
}

// Sources that attack the compiler.

const BOT: &str = "#include \"agon/cluster.h\"\nuint32_t agon_abi(void) { return AGON_ABI; }\n\
    uint32_t agon_decide(const void *q, uint32_t l, void *a, uint32_t r) { return 0; }\n";

/// Plays with a source that begins with this, which cannot be compiled.
#[track_caller]
fn refused(name: &str, start: impl Fn(&TestDir) -> String) -> Outcome {
    let dir = TestDir::new();
    let source = dir.write(&format!("fox/{name}"), &format!("{}\n{BOT}", start(&dir)));
    let outcome = dir.play(source.to_str().unwrap(), "");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.everything.contains(name), "it names the source: {outcome:?}");
    outcome
}

#[test]
fn files_of_the_machine_and_of_other_bots_are_not_included() {
    for line in [r#"#include "/etc/shadow""#, r#"__asm__(".incbin \"/etc/shadow\"");"#] {
        let outcome = refused("a.c", |_| line.into());
        assert!(!outcome.everything.contains("root:"), "{outcome:?}");
    }
    // The organiser's secret would be in the compiler's complaint, which `refused` looks through.
    refused("a.c", |dir| format!("#include {:?}", dir.path("hen/notes")));
    refused("b.c", |_| "#include \"../hen/notes\"".into());
    refused("c.c", |dir| format!(r#"__asm__(".incbin \"{}\"");"#, dir.path("hen/notes").display()));
    refused("d.c", |dir| format!("#include {:?}", dir.path("home/notes")));
}

#[test]
fn endless_macros_and_templates_come_to_an_end() {
    agon_testkit::slow!();
    let double = |n: u32| format!("#define M{n} M{0} M{0} M{0} M{0} M{0} M{0} M{0} M{0}\n", n - 1);
    let macros: String = (1..12).map(double).collect();
    let long = "x".repeat(4_000);
    refused("macros.c", |_| format!("#define M0 \"{long}\"\n{macros}const char x[] = M11;"));
    refused("itself.c", |_| "#include \"itself.c\"".into());
    let templates = "template<class... T> struct A : A<T..., T...> {};\nA<int> x;";
    refused("templates.cpp", |_| templates.into());
    refused("zeros.c", |_| "#include \"/dev/zero\"".into());
}
