//! Tests that a sandbox is used again without visible traces of the previous program.
#![allow(clippy::unwrap_used)]

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::{fs, os::unix::fs::PermissionsExt, os::unix::net::UnixStream, path::Path};

use agon_sandbox::{Mechanism, Order, Stdio};
use tempfile::TempDir;

use crate::common::{Started, confined, launcher, order, sh, start};

/// Makes a folder that everybody may read.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Returns the same order for a program that sees this folder or file, in its own sandboxes.
fn seeing(path: &Path, order: Order) -> Order {
    let mut order = confined(order);
    order.sandbox.as_mut().unwrap().read.push(path.into());
    order
}

/// Returns whether sandboxes can be reused on this machine.
fn are_kept(program: &Started) -> bool {
    use Mechanism::{Mounts, Network, Processes, Seccomp};
    let missing = &program.child.confinement.missing;
    !missing
        .iter()
        .any(|missing| [Mounts, Network, Processes, Seccomp].contains(&missing.mechanism))
}

/// Prints namespace, user, found files, sockets, and the score for running out of memory.
///
/// The sockets include the heading of their table.
const LOOK: &str =
    "readlink /proc/self/ns/net; id -u; find /tmp -name left | wc -l; cat /proc/net/unix | wc -l
cat /proc/self/oom_score_adj; ";

#[test]
fn the_next_program_finds_nothing_of_the_former() {
    let folder = folder();
    let script = format!(
        "{LOOK} echo x >/tmp/left; mkdir /dev/shm/x; mkdir /tmp/x/left; chmod 0 /tmp/x; sleep 9 & \
         read x"
    );
    let order = seeing(folder.path(), sh(&script));
    let mut seen = Vec::new();
    for round in 0..4 {
        let mut program = start(&order).unwrap();
        let lines = [(); 5].map(|()| program.line());
        if !are_kept(&program) {
            return;
        }
        assert_eq!(lines[2..], ["0", "1", "1000"], "{round}");
        // Some are killed, others end by themselves and leave something behind.
        if round % 2 == 0 {
            program.child.kill();
        } else {
            program.stdin = None;
            assert_eq!(program.ending().left_behind, 1);
        }
        seen.push(lines);
    }
    assert!(seen.iter().all(|lines| *lines == seen[0]), "the sandbox is the same: {seen:?}");
}

#[test]
fn a_folder_to_write_to_may_last() {
    let folder = folder();
    let place = folder.path().join("turn");
    let make = || {
        fs::create_dir(&place).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).unwrap();
    };
    make();
    let path = place.display();
    let script = format!("readlink /proc/self/ns/net; ls {path}; echo x >{path}/x; echo x >/tmp/x");
    let seen = |lasting: bool| {
        let mut order = confined(sh(&script));
        let sandbox = order.sandbox.as_mut().unwrap();
        (sandbox.write, sandbox.lasting) = (vec![place.clone().into()], lasting);
        let mut program = start(&order).unwrap();
        let text = program.output();
        program.ending();
        (text, are_kept(&program))
    };
    let (first, are_kept) = seen(true);
    if !are_kept {
        return;
    }
    assert_eq!(fs::read_to_string(place.join("x")).unwrap(), "x\n");
    fs::remove_file(place.join("x")).unwrap();
    assert_eq!(seen(true).0, first, "the same sandbox, and nothing is left in it");
    // Another folder of the same name is another sandbox.
    fs::remove_dir_all(&place).unwrap();
    make();
    let other = seen(true).0;
    assert_ne!(other, first);
    fs::remove_file(place.join("x")).unwrap();
    assert_ne!(seen(false).0, other, "only who asks for it gets it again");
}

#[test]
fn two_at_a_time_share_nothing() {
    let folder = folder();
    let order = seeing(folder.path(), sh(&format!("{LOOK} echo x >/tmp/left; read x")));
    for _ in 0..2 {
        let mut programs = [start(&order).unwrap(), start(&order).unwrap()];
        let kept = programs.iter().all(are_kept);
        let [first, second] =
            programs.each_mut().map(|program| [program.line(), program.line(), program.line()]);
        if kept {
            assert_ne!(first[0], second[0], "networks");
            assert!(
                rustix::process::geteuid().is_root() <= (first[1] != second[1]),
                "{first:?} {second:?}"
            );
            assert_eq!([&first[2], &second[2]], ["0", "0"]);
        }
    }
}

#[test]
fn a_program_that_plays_from_a_copy_has_its_sandbox_again() {
    let folder = folder();
    let (place, copy) = (folder.path().join("bot"), folder.path().join("copy"));
    for (folder, word) in [(&place, "edited\n"), (&copy, "played\n")] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("word"), word).unwrap();
    }
    let script = format!("cat {}/word; readlink /proc/self/ns/net", place.display());
    let mut order = seeing(&place, sh(&script));
    order.snapshot.copies = vec![(place.into(), copy.into())];
    let mut first = start(&order).unwrap();
    let seen = first.output();
    first.ending();
    if !are_kept(&first) {
        return;
    }
    assert!(seen.starts_with("played\n"), "{seen}");
    assert_eq!(start(&order).unwrap().output(), seen, "the sandbox is the same");
}

#[test]
fn what_is_in_a_place_now_is_shown() {
    let folder = folder();
    let place = folder.path().join("bot");
    let word = place.join("word");
    for (what, text) in
        [(&place, "one"), (&word, "two"), (&place, "three"), (&word, "four"), (&place, "five")]
    {
        for _ in 0..2 {
            // Another folder and another file each time, under the same names.
            let _ = fs::rename(&place, folder.path().join(format!("before {text}")));
            fs::create_dir(&place).unwrap();
            fs::write(&word, text).unwrap();
            let order = seeing(what, sh(&format!("cat {}", word.display())));
            assert_eq!(start(&order).unwrap().output(), text);
            fs::remove_dir_all(folder.path().join(format!("before {text}"))).unwrap_or_default();
        }
    }
}

#[test]
fn a_folder_to_start_in_must_be_there_each_time() {
    let shown = folder();
    let elsewhere = folder();
    let order = Order { folder: elsewhere.path().into(), ..seeing(shown.path(), sh("pwd")) };
    for _ in 0..2 {
        assert_eq!(start(&order).unwrap().output().trim(), elsewhere.path().to_str().unwrap());
    }
    let name = elsewhere.path().display().to_string();
    drop(elsewhere);
    let error = start(&order).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(&name), "{error}");
}

/// Opens a socket with a name and passes it on.
const SENDER: &str = "import os, socket
print(os.readlink('/proc/self/ns/net'), len(open('/proc/net/unix').readlines()), flush=True)
try:
    named = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    named.bind('\\0name')
    named.listen()
    socket.send_fds(socket.socket(fileno=3), [b'x'], [named.fileno()])
    print('sent')
except PermissionError:
    print('refused')";

#[test]
fn a_socket_that_outlives_its_program_is_not_met_by_the_next() {
    let folder = folder();
    let order = seeing(folder.path(), order("/usr/bin/python3", &["-c", SENDER]));
    let run = || {
        let (own, theirs) = UnixStream::pair().unwrap();
        let null = || -> OwnedFd { fs::File::open("/dev/null").unwrap().into() };
        let (mut output, stdout) = io::pipe().unwrap();
        let stdio = Stdio { stdin: null(), stdout: stdout.into(), stderr: null() };
        let child = launcher().start(&order, &stdio, &[theirs.as_fd()]).unwrap();
        drop((stdio, theirs));
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        drop(child);
        let (seen, sent) = text.trim().split_once('\n').unwrap();
        let (network, sockets) = seen.split_once(' ').unwrap();
        // The heading, and inherited sockets of this namespace, of which there are none.
        assert_eq!(sockets, "1", "{text}");
        (network.to_owned(), sent == "sent", own)
    };
    let (first, sent, unread) = run();
    let (second, ..) = run();
    if sent {
        assert_ne!(first, second, "the former one still has a socket");
    }
    drop(unread);
}

/// Prints a program's rights and view.
///
/// The shell itself counts processes, because it is unknown when it starts the second one of
/// a pipeline.
const STATE: &str = "cut -d' ' -f4- /proc/self/mountinfo | sort -u
grep -E 'Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp:|Sig[BI]' /proc/self/status
ulimit -a; env | sort; pwd; umask; cat /etc/passwd /etc/group /proc/sys/kernel/hostname; ls -A / \
/dev
set -- /proc/[0-9]*; echo $#
for path in / /usr /etc /dev /proc /home \"$PLACE\"; do touch $path/new && echo wrote $path; done
cat /etc/shadow /root/* /proc/1/environ && echo read
mount -t tmpfs none /tmp && echo mounted; kill -9 1 && echo killed; touch /tmp/new && echo fine";

#[test]
fn the_next_program_is_confined_like_the_first() {
    let folder = folder();
    let mut order = seeing(folder.path(), sh(STATE));
    order.env.push(("PLACE".into(), folder.path().into()));
    let mut seen = Vec::new();
    for _ in 0..3 {
        let mut program = start(&order).unwrap();
        if !are_kept(&program) {
            return;
        }
        let text = program.output();
        let mounts: Vec<&str> = text.lines().filter(|line| line.contains(" - ")).collect();
        assert!(mounts.len() > 5 && !text.contains("wrote") && text.ends_with("fine\n"), "{text}");
        assert!(
            !["read", "mounted"].iter().any(|word| text.lines().any(|line| line == *word)),
            "{text}"
        );
        for mount in mounts {
            let mut fields = mount.split(' ').skip(1);
            let place = fields.next().unwrap();
            let flags = fields.next().unwrap();
            let has = |flag| flags.split(',').any(|present| present == flag);
            assert!(has("nosuid") && (place == "/tmp") == has("rw"), "{mount}");
            assert!(has("nodev") || place.starts_with("/dev/"), "{mount}");
        }
        seen.push(text);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}

#[test]
fn there_may_be_more_bots_than_cells() {
    let folders: Vec<TempDir> = (0..70).map(|_| folder()).collect();
    let begin = |number: usize, folder: &TempDir| {
        let word = folder.path().join("word");
        fs::write(&word, format!("{number}\n")).unwrap();
        start(&seeing(folder.path(), sh(&format!("cat {}; read x", word.display())))).unwrap()
    };
    // First all at the same time, and then one after another.
    let mut all: Vec<Started> =
        folders.iter().enumerate().map(|(at, folder)| begin(at, folder)).collect();
    for (number, program) in all.iter_mut().enumerate() {
        assert_eq!(program.line(), number.to_string());
    }
    drop(all);
    for (number, folder) in folders.iter().enumerate() {
        assert_eq!(begin(number, folder).line(), number.to_string());
    }
}
