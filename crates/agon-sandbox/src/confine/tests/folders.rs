//! Tests of folders that a program may see and that are nested, linked or in odd places.

use std::{fs, os::unix::fs::symlink, path::Path};

use super::{Setup, TestDir, run};
use crate::{Mechanism, Order, Snapshot};

/// Runs a shell script in a test folder and returns its lines.
fn lines(order: Order) -> Vec<String> {
    let outcome = run(&Setup { order, without: Vec::new() });
    let confinement = outcome.confinement.unwrap_or_else(|error| panic!("{error}"));
    if !confinement.active.iter().any(|(mechanism, _)| *mechanism == Mechanism::Mounts) {
        panic!("this test needs a namespace of mounts: {confinement:?}");
    }
    outcome.output.lines().map(str::to_owned).collect()
}

fn shell(dir: &TestDir, script: &str) -> Order {
    let mut order = dir.order("/bin/sh".as_ref(), &["-c", script]);
    order.env.push(("YARD".into(), dir.folder.path().into()));
    order
}

fn text(path: &Path) -> std::ffi::OsString {
    path.into()
}

#[test]
fn nested() {
    let dir = TestDir::new();
    let [outer, inner, deep] =
        ["outer", "outer/inner", "outer/inner/deep"].map(|name| dir.folder.path().join(name));
    fs::create_dir_all(&deep).unwrap();
    fs::write(outer.join("file"), "outer").unwrap();
    fs::write(deep.join("file"), "deep").unwrap();
    for path in [&inner, &deep] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    }
    let script = "cd $YARD/outer; cat file; echo; cat inner/deep/file; echo; for at in . inner \
        inner/deep; do (: >$at/new) 2>/dev/null && echo writes $at; done; ls $YARD | tr '\\n' ' '";
    let mut order = shell(&dir, script);
    order.folder = text(&outer);
    let sandbox = order.sandbox.as_mut().unwrap();
    // Not in the order of mounting.
    sandbox.read = vec![text(&deep), text(&outer)];
    sandbox.write = vec![text(&inner)];
    assert_eq!(lines(order), ["outer", "deep", "writes inner", "outer "]);
    assert!(inner.join("new").exists());
    assert!(!deep.join("new").exists());
}

/// Files beside the bot are hidden, but a path may lead through there.
#[test]
fn through_a_folder_and_back() {
    let dir = TestDir::new();
    let way = dir.folder.path().join("way");
    fs::create_dir(&way).unwrap();
    fs::write(way.join("file"), "secret").unwrap();
    fs::write(dir.bot.join("file"), "bot").unwrap();
    let name = dir.bot.file_name().unwrap().to_str().unwrap();
    let mut order =
        shell(&dir, &format!("cat $YARD/way/../{name}/file; echo; ls -A $YARD/way | wc -l"));
    order.sandbox.as_mut().unwrap().read = vec![text(&way.join("..").join(name))];
    assert_eq!(lines(order), ["bot", "0"]);
}

#[test]
fn linked() {
    let dir = TestDir::new();
    let link = dir.folder.path().join("link");
    symlink("bot", &link).unwrap();
    fs::write(dir.bot.join("file"), "linked").unwrap();
    let other = dir.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("run"), "#!/bin/sh\npwd\ncat file\n").unwrap();
    fs::set_permissions(other.join("run"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    symlink(other.join("run"), dir.folder.path().join("program")).unwrap();
    let mut order = dir.order(&dir.folder.path().join("program"), &[]);
    order.folder = text(&link);
    order.sandbox.as_mut().unwrap().read = vec![text(&link)];
    let seen = lines(order);
    assert_eq!(seen, [dir.bot.to_str().unwrap(), "linked"]);
}

/// Copies are in the places of their originals, whatever has become of these.
#[test]
fn copied() {
    let dir = TestDir::new();
    let [copy, other, live] =
        ["copy", "other", "bot/live"].map(|name| dir.folder.path().join(name));
    for (folder, text) in
        [(&dir.bot, "now"), (&copy, "once"), (&other, "led astray"), (&live, "live")]
    {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("file"), text).unwrap();
    }
    fs::create_dir(copy.join("live")).unwrap();
    fs::write(copy.join("helper"), "helps").unwrap();
    symlink(&other, dir.folder.path().join("link")).unwrap();
    let script = "cat $YARD/bot/file; echo; cat $YARD/bot/live/file; echo; cat $YARD/link/helper; \
        echo; ls $YARD | tr '\\n' ' '; (: >$YARD/bot/new) 2>/dev/null && echo writes";
    let mut order = shell(&dir, script);
    order.sandbox.as_mut().unwrap().write.clear();
    order.snapshot = Snapshot {
        copies: vec![(text(&dir.bot), text(&copy))],
        live: vec![text(&live)],
        links: vec![(text(&dir.folder.path().join("link")), "bot".into())],
    };
    let expected = ["once", "live", "helps", "bot link "];
    assert_eq!(lines(order.clone()), expected);
    // Even a missing original does not matter.
    fs::remove_file(dir.bot.join("file")).unwrap();
    assert_eq!(lines(order), expected);
    assert!(!dir.bot.join("helper").exists() && !dir.bot.join("new").exists());
}

#[test]
fn homes_and_folders_are_there() {
    let dir = TestDir::new();
    let script = "pwd; ls -A . ~ | tr '\\n' ' '; (: >new) 2>/dev/null && echo writes; (: >~/new) \
        2>/dev/null && echo writes";
    let mut order = shell(&dir, script);
    order.folder = text(&dir.beside);
    order.env.retain(|(name, _)| name != "HOME");
    order.env.push(("HOME".into(), "/var/home/some body".into()));
    let seen = lines(order);
    assert_eq!(seen[0], dir.beside.to_str().unwrap());
    assert_eq!(seen[1..], [".:  /var/home/some body: "]);
    assert!(!dir.beside.join("new").exists());
}

#[test]
fn odd_places() {
    let dir = TestDir::new();
    let shared = Path::new("/dev/shm");
    if shared.is_dir() {
        let dir = TestDir::below(shared);
        fs::write(dir.bot.join("file"), "in memory").unwrap();
        assert_eq!(lines(shell(&dir, "cat file; : >../write/new")), ["in memory"]);
        assert!(dir.write.join("new").exists());
    }
    for place in ["/", "/tmp", "/proc/1", "/dev"] {
        let mut order = shell(&dir, "echo started");
        order.sandbox.as_mut().unwrap().read.push(place.into());
        let error = run(&Setup { order, without: Vec::new() }).confinement.unwrap_err();
        assert!(
            error.starts_with(&format!("{place}: ")) && error.contains("has its own"),
            "{error}"
        );
    }
}

#[test]
fn a_limit_of_nothing_is_none_of_infinity() {
    let dir = TestDir::new();
    let mut order =
        shell(&dir, "head -c 100000 /dev/zero 2>/dev/null >/tmp/file || echo full; ls /");
    order.sandbox.as_mut().unwrap().scratch = 0;
    let seen = lines(order);
    assert_eq!(seen[0], "full", "{seen:?}");
    assert!(
        !seen.iter().any(|name| name.contains("host") || name == "root" || name == "var"),
        "{seen:?}"
    );
}
