//! Tests of what a program can do if all or only some mechanisms confine it.

use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt};

use Mechanism::{Landlock, Limits, Mounts, Network, ProcessLimit, Processes, Seccomp};
use rustix::process::geteuid;

use super::probes::{self, Bait, Results, held};
use super::{Setup, TestDir, run};
use crate::{Confinement, Mechanism};

/// Probes a test folder without some mechanisms.
fn probe(dir: &TestDir, without: &[Mechanism]) -> (Results, Confinement) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let bait = Bait { port: listener.local_addr().unwrap().port() };
    let order = probes::order(dir, &bait);
    let (results, confinement) = probes::probe(&Setup { order, without: without.to_vec() });
    eprintln!("{confinement:#?}\n{results:?}");
    for mechanism in without {
        assert!(!held(&confinement, *mechanism), "{mechanism:?}");
        assert!(
            confinement.missing.iter().any(|missing| missing.mechanism == *mechanism),
            "{mechanism:?}"
        );
    }
    (results, confinement)
}

/// Returns why a program in a test folder is not started.
fn refusal(dir: &TestDir, without: &[Mechanism]) -> String {
    let order = probes::order(dir, &Bait { port: 9 });
    run(&Setup { order, without: without.to_vec() }).confinement.unwrap_err()
}

/// Checks the things that a program must always be able to do.
fn works(results: &Results) {
    for name in [
        "write_allowed",
        "read_allowed",
        "dev_null",
        "dev_random",
        "working_folder",
        "scratch_small",
        "socket_pair",
        "personality_query",
        "signal_self",
        "memory_small",
        "memory_reserved",
    ] {
        assert_eq!(results[name], 0, "{name}");
    }
}

/// Checks that something failed, with one of these errors.
fn fails(results: &Results, names: &[&str], errors: &[i32]) {
    for name in names {
        let result = results[*name];
        assert!(
            errors.iter().any(|error| i64::from(*error) == result),
            "{name}: {result} instead of {errors:?}"
        );
    }
}

/// Checks everything that follows from the mechanisms that hold.
fn check(results: &Results, confinement: &Confinement) {
    let held = |mechanism| held(confinement, mechanism);
    works(results);
    if results.contains_key("NoNewPrivs") {
        assert_eq!(results["NoNewPrivs"], 1);
        for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            assert_eq!(results[name], 0, "{name}");
        }
        // They lead to open files through the folder of processes.
        for name in ["dev_stdin", "dev_stdout", "dev_stderr", "dev_fd"] {
            assert_eq!(results[name], 0, "{name}");
        }
    }
    if held(Processes) || held(Landlock) {
        fails(results, &["stderr_of_outsider"], &[libc::ENOENT, libc::EACCES, libc::EPERM]);
    }
    fails(results, &["memory_large"], &[libc::ENOMEM]);
    if held(Mounts) || held(Landlock) {
        let hidden = [
            "read_shadow",
            "read_beside",
            "list_beside",
            "write_beside",
            "list_root_home",
            "dev_kmsg",
        ];
        fails(results, &hidden, &[libc::ENOENT, libc::EACCES]);
        fails(
            results,
            &["write_own_folder", "write_system", "write_root"],
            &[libc::EROFS, libc::EACCES],
        );
    }
    if held(Mounts) {
        fails(results, &["scratch_large", "scratch_many"], &[libc::ENOSPC]);
        assert_eq!((results["home"], results["passwd"]), (0, 0));
        assert_eq!(results["named_agon"], 1);
    }
    if held(Network) || held(Landlock) || held(Seccomp) {
        fails(results, &["connect"], &[libc::EPERM, libc::EACCES, libc::ENETUNREACH]);
    }
    if held(Processes) {
        assert!(results["number"] <= 2);
        fails(results, &["signal_outsider", "limits_of_outsider"], &[libc::ESRCH, libc::EPERM]);
    } else if held(Landlock) || held(Seccomp) {
        fails(results, &["signal_outsider"], &[libc::EPERM]);
    }
    if held(Processes) && held(Mounts) {
        // The first process and the program.
        assert_eq!(results["others"], 2);
    }
    if held(Seccomp) {
        filtered(results, confinement);
    }
    if held(ProcessLimit) {
        // The prober has two threads.
        let forks = results["forks"];
        // Another program may have the same spare user just now.
        assert!((40..=62).contains(&forks), "{forks}");
        fails(results, &["fork_error"], &[libc::EAGAIN]);
    }
}

fn filtered(results: &Results, confinement: &Confinement) {
    assert_eq!(results.get("Seccomp").unwrap_or(&2), &2);
    let forbidden = [
        "ptrace",
        "unshare",
        "mount",
        "chroot",
        "bpf",
        "personality",
        "clone_namespace",
        "terminal",
        "shared_memory",
        "affinity",
        "socket_udp",
    ];
    for name in &forbidden {
        fails(results, &[name], &[libc::EPERM]);
    }
    fails(results, &["clone3", "memfd", "io_uring", "new_call", "unknown_call"], &[libc::ENOSYS]);
    #[cfg(target_arch = "x86_64")]
    fails(results, &["x32"], &[libc::ENOSYS]);
    if !held(confinement, Processes) {
        fails(results, &["limits_of_outsider"], &[libc::EPERM]);
    }
    if !held(confinement, Mounts) {
        fails(results, &["chmod_beside", "socket_unix"], &[libc::EPERM]);
    }
}

#[test]
fn whatever_holds_does_its_part() {
    let all = [Mounts, Processes, Network, Landlock, Seccomp];
    let mut setups = vec![Vec::new(), vec![Mounts, Processes, Network]];
    setups.extend(all.map(|missing| vec![missing]));
    setups.extend(all.map(|alone| all.into_iter().filter(|other| *other != alone).collect()));
    for without in setups {
        let (results, confinement) = probe(&TestDir::new(), &without);
        check(&results, &confinement);
        if without.is_empty() && geteuid().is_root() {
            assert!(results["user"] >= 60578, "{confinement:?}");
        }
    }
}

#[test]
fn closed_folder() {
    for without in [&[][..], &[Mounts, Processes, Network]] {
        let dir = TestDir::new();
        fs::set_permissions(&dir.bot, fs::Permissions::from_mode(0o700)).unwrap();
        if geteuid().is_root() {
            // Root has no right to read it either, where only root's number is left of it.
            let error = refusal(&dir, without);
            assert!(error.contains("is closed to others") && error.contains("chmod"), "{error}");
        } else {
            let (results, confinement) = probe(&dir, without);
            check(&results, &confinement);
        }
    }
}

#[test]
fn strictness() {
    let dir = TestDir::new();
    let mut order = dir.order("/bin/true".as_ref(), &[]);
    order.sandbox.as_mut().unwrap().strict = true;
    let outcome = run(&Setup { order: order.clone(), without: vec![Seccomp] });
    assert!(outcome.confinement.unwrap_err().contains("refused by the test"));
    let outcome = run(&Setup { order, without: Vec::new() });
    // Anything that this machine lacks is an error, too.
    if let Err(error) = outcome.confinement {
        assert!(error.contains("incomplete"), "{error}");
    }
}

#[test]
fn not_confined() {
    let dir = TestDir::new();
    let mut order =
        dir.order("/bin/sh".as_ref(), &["-c", "cat beside/secret; ulimit -n; echo; pwd"]);
    order.folder = dir.folder.path().into();
    order.sandbox = None;
    let outcome = run(&Setup { order, without: Vec::new() });
    let lines: Vec<_> = outcome.output.lines().filter(|line| !line.is_empty()).collect();
    let folder = dir.folder.path().to_str().unwrap();
    assert_eq!(lines, ["secret256", folder], "{}", outcome.output);
    let confinement = outcome.confinement.unwrap();
    assert_eq!(confinement.active.len(), 1);
    assert!(held(&confinement, Limits));
    assert_eq!(confinement.missing[0].mechanism, ProcessLimit);
}

#[test]
fn things_that_are_gone() {
    let dir = TestDir::new();
    let gone = dir.folder.path().join("gone");
    let name = gone.display().to_string();
    let order = dir.order("/bin/true".as_ref(), &[]);
    let mut orders = vec![order.clone(), order.clone(), order.clone(), order];
    orders[0].program = gone.clone().into();
    orders[1].folder = gone.clone().into();
    orders[2].sandbox.as_mut().unwrap().read.push(gone.clone().into());
    orders[3].sandbox.as_mut().unwrap().write.push(gone.into());
    for order in orders {
        let outcome = run(&Setup { order, without: Vec::new() });
        let error = outcome.confinement.unwrap_err();
        assert!(error.contains(&name), "{error}");
    }
}
