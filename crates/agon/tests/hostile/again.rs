//! These tests again: as an ordinary user, and where namespaces are refused. Left out are those of
//! limits that neither the user nor the kernel's mechanisms change.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::process::{Command, Stdio};
use std::{fs, path::Path};

use super::test_dir::{AGON, Mode, set_lock, set_mode};

/// Set where the tests run again: they do so only once.
const AGAIN: &str = "AGON_HOSTILE_AGAIN";

/// Namespaces that this user may not have: the limit of a namespace of users that is made for it.
/// Whoever is in there is told that there are none left.
const REFUSE: &str =
    "for kind in user mnt; do echo 0 > /proc/sys/user/max_${kind}_namespaces || exit 99; done
    exec setpriv --ambient-caps=-all --inh-caps=-all --bounding-set=-all \"$@\"";

/// Tests of time, of numbers of files and of priorities, which are the same for every user.
const SAME_FOR_ALL: &str = "--skip endless_macros --skip sockets_are_filled --skip steady_tick";

/// Who runs the tests again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// A user without anything.
    Nobody,
    /// One who has users of its own, and newuidmap.
    WithUsers,
    /// The same where newuidmap does nothing, with privileges instead, as in a service.
    Service,
}

/// Gives nobody users of its own, for the command that follows.
const USERS: &str = "echo 65534:200000:600 > \"$0\"
    for file in subuid subgid; do mount --bind \"$0\" /etc/$file || exit 99; done
    exec \"$@\"";

/// Runs tests again: their names, and flags of the harness.
fn again(mode: Mode, who: Who, tests: &str) {
    if std::env::var_os(AGAIN).is_some() {
        return;
    }
    let folder = tempfile::Builder::new().prefix("agon-again-").tempdir().unwrap();
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut words: Vec<String> = Vec::new();
    let add = |words: &mut Vec<String>, text: &str| {
        words.extend(text.split(' ').map(str::to_owned));
    };
    if root {
        // The user and group that nobody owns anything as.
        chown(folder.path(), Some(65534), Some(65534)).unwrap();
        if who != Who::Nobody {
            add(&mut words, "unshare --mount sh -c");
            let ids = folder.path().join("ids").to_str().unwrap().to_owned();
            words.extend([USERS.to_owned(), ids]);
        }
        add(&mut words, "setpriv --reuid 65534 --regid 65534 --clear-groups");
        if who == Who::Service {
            let kept = "-all,+setuid,+setgid";
            for set in ["inh-caps", "ambient-caps", "bounding-set"] {
                add(&mut words, &format!("--{set}={kept}"));
            }
            add(&mut words, "--no-new-privs");
        }
    } else if mode == Mode::Full {
        // That is how they run anyway.
        return;
    }
    if mode == Mode::Fallback {
        add(&mut words, "unshare --user --map-current-user --keep-caps sh -c");
        words.extend([REFUSE.to_owned(), "sh".to_owned()]);
    }
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::copy(from, &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
        to
    };
    let tests_program = copy(&std::env::current_exe().unwrap(), "tests");
    let agon = copy(assert_cmd::cargo::cargo_bin!("agon"), "agon");
    if who != Who::Nobody {
        let mut doctor = Command::new(&words[0]);
        let output = doctor.args(&words[1..]).arg(&agon).args(["doctor", "--json"]).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        assert!(text.contains("\"identity\":\"one of this user's own, 200"), "{text}");
    }
    words.push(tests_program.to_str().unwrap().to_owned());
    add(&mut words, &format!("{tests} --test-threads 2"));
    let mut command = Command::new(words.remove(0));
    command.args(words).current_dir(&folder).stdin(Stdio::null());
    command.env(AGON, agon).env(AGAIN, "1").env("TMPDIR", folder.path()).env("HOME", folder.path());
    set_mode(&mut command, mode);
    set_lock(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("test result: ok") && !text.contains(" 0 passed"), "{text}");
}

#[test]
fn all_of_it_as_an_ordinary_user() {
    agon_testkit::slow!();
    again(Mode::Full, Who::Nobody, &format!("hostile:: {SAME_FOR_ALL}"));
}

#[test]
fn all_of_it_where_namespaces_are_refused() {
    agon_testkit::slow!();
    again(Mode::Fallback, Who::Nobody, &format!("hostile:: {SAME_FOR_ALL}"));
}

#[test]
fn keys_are_safe_from_bots_with_users_that_belong_to_an_ordinary_one() {
    agon_testkit::slow!();
    again(Mode::Full, Who::WithUsers, "hostile::keys");
}

#[test]
fn keys_are_safe_from_bots_of_a_service_too() {
    agon_testkit::slow!();
    again(Mode::Full, Who::Service, "hostile::keys");
}
