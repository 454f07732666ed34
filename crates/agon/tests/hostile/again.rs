//! All these tests again: as an ordinary user, and where namespaces are refused.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::Path,
    process::{Command, Stdio},
};

use super::test_dir::{AGON, Mode, set_lock, set_mode};

/// The user and group that nobody owns anything as.
const NOBODY: &str = "65534";

/// Set where the tests run again: they do so only once.
const AGAIN: &str = "AGON_HOSTILE_AGAIN";

/// Namespaces that this user may not have: the limit of a namespace of users that is made for it.
/// Whoever is in there is told that there are none left.
const REFUSE: &str =
    "for kind in user mnt; do echo 0 > /proc/sys/user/max_${kind}_namespaces || exit 99; done
    exec setpriv --ambient-caps=-all --inh-caps=-all --bounding-set=-all \"$@\"";

fn again(mode: Mode) {
    if std::env::var_os(AGAIN).is_some() {
        return;
    }
    let folder = tempfile::Builder::new().prefix("agon-again-").tempdir().unwrap();
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut words: Vec<String> = Vec::new();
    let mut add = |text: &str| words.extend(text.split(' ').map(str::to_owned));
    if root {
        chown(folder.path(), Some(65534), Some(65534)).unwrap();
        add(&format!("setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups"));
    } else if mode == Mode::Full {
        // That is how they run anyway.
        return;
    }
    if mode == Mode::Fallback {
        add("unshare --user --map-current-user --keep-caps sh -c");
        words.extend([REFUSE.to_owned(), "sh".to_owned()]);
    }
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::copy(from, &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
        to
    };
    let tests = copy(&std::env::current_exe().unwrap(), "tests");
    let agon = copy(assert_cmd::cargo::cargo_bin!("agon"), "agon");
    words.push(tests.to_str().unwrap().to_owned());
    let mut command = Command::new(words.remove(0));
    command
        .args(words)
        .args(["hostile::", "--test-threads", "2"])
        .current_dir(&folder)
        .stdin(Stdio::null());
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
    again(Mode::Full);
}

#[test]
fn all_of_it_where_namespaces_are_refused() {
    agon_testkit::slow!();
    again(Mode::Fallback);
}
