//! Encoders of films that fail, hang, are killed, or are interrupted: the error says why, and
//! nothing is left.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use assert_cmd::cargo::cargo_bin;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::hears::hears;

/// What there is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// A folder with a replay, `m.agon`, and `encoder`, a script in the place of all encoders.
struct Studio {
    folder: TempDir,
}

impl Studio {
    fn new(script: &str) -> Studio {
        let studio = Studio { folder: tempfile::tempdir().unwrap() };
        let play = "play cellhack builtin:hunter builtin:random --set width=24 --set height=16 \
                    --turns 20 --seed 3 --replay m.agon";
        assert!(studio.agon(play).output().unwrap().status.success());
        fs::write(studio.path("encoder"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(studio.path("encoder"), Permissions::from_mode(0o755)).unwrap();
        studio
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn agon(&self, line: &str) -> Command {
        let mut command = Command::new(cargo_bin("agon"));
        command.current_dir(self.folder.path()).args(line.split_whitespace()).stdin(Stdio::null());
        command.env("AGON_FFMPEG", self.path("encoder"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The error of an export, which leaves nothing.
    fn error(&self, line: &str) -> String {
        let output = self.agon(line).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        let expected = ["encoder", "m.agon"];
        assert!(
            names(self.folder.path()).iter().all(|name| expected.contains(&&**name)),
            "{line}: {error}"
        );
        error
    }
}

/// Waits for something.
#[track_caller]
fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z")
}

/// Much less than encoders sleep, and enough for a loaded machine.
const SOON: Duration = Duration::from_secs(100);

/// The end of an arena, which comes soon.
fn ending(child: Child) -> (Output, Duration) {
    let begun = Instant::now();
    (child.wait_with_output().unwrap(), begun.elapsed())
}

#[test]
fn an_encoder_that_writes_nothing_has_failed() {
    let studio = Studio::new("cat >/dev/null; exit 0");
    for flag in ["--mp4 m.mp4", "--webm m.webm"] {
        let error = studio.error(&format!("replay export m.agon {flag}"));
        assert!(error.contains("wrote nothing instead of"), "{error}");
    }
    let studio =
        Studio::new("cat >/dev/null; for last; do :; done; echo something else >\"$last\"");
    let error = studio.error("replay export m.agon --mp4 m.mp4");
    assert!(
        error.contains("m.mp4: it ended as if all were well, but wrote something else"),
        "{error}"
    );
}

#[test]
fn an_encoder_that_is_killed_or_ends_early_is_told() {
    for (script, words) in [
        ("kill -KILL $$", "SIGKILL"),
        ("head -c 100 >/dev/null; kill -TERM $$", "SIGTERM"),
        ("echo no more tape >&2; exit 3", "no more tape"),
        ("kill -XFSZ $$", "cannot write m.webm: File too large"),
    ] {
        let error = Studio::new(script).error("replay export m.agon --webm m.webm");
        assert!(error.contains(words) && error.contains("m.webm"), "{script}: {error}");
    }
    // It was there when the arena looked for it.
    let studio = Studio::new("");
    fs::set_permissions(studio.path("encoder"), Permissions::from_mode(0o644)).unwrap();
    let error = studio.error("replay export m.agon --webm m.webm");
    assert!(error.contains("cannot start `") && error.contains("encoder"), "{error}");
}

#[test]
fn ctrl_c_ends_an_export_at_once_with_its_encoder() {
    // It takes nothing, and starts something that would run on.
    let script = "sleep 1000 & echo $! >pid.new; mv pid.new pid; wait";
    for (flag, file) in [("--webm", "m.webm"), ("--mp4", "m.mp4")] {
        let studio = Studio::new(script);
        let child =
            studio.agon(&format!("replay export m.agon {flag} {file} --zoom 20")).spawn().unwrap();
        eventually("the encoder runs", || studio.path("pid").exists());
        interrupt(&child);
        let (output, time) = ending(child);
        assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(time < SOON, "{time:?}");
        assert_eq!(names(studio.folder.path()), ["encoder", "m.agon", "pid"]);
        let pid = fs::read_to_string(studio.path("pid")).unwrap();
        eventually("nothing of the encoder is left", || !runs(pid.trim()));
    }
}

#[test]
fn a_second_ctrl_c_gives_up_the_film_of_a_match() {
    // It takes all pictures, and never comes to an end.
    let studio = Studio::new("cat >/dev/null; echo $$ >pid.new; mv pid.new pid; sleep 1000");
    let play = "play cellhack builtin:hunter builtin:random --set width=24 --set height=16 --turns \
        20 --seed 3";
    let mut child = studio.agon(&format!("{play} --webm m.webm")).spawn().unwrap();
    eventually("the encoder has all pictures", || studio.path("pid").exists());
    interrupt(&child);
    let said = hears(&mut child, "Ctrl-C again");
    interrupt(&child);
    let (output, time) = ending(child);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("completing the film"), "{said}");
    assert!(time < SOON, "{time:?}");
    assert_eq!(names(studio.folder.path()), ["encoder", "m.agon", "pid"]);
}

#[test]
fn ctrl_c_leaves_nothing_of_pictures_that_agon_encodes() {
    let studio = Studio::new("");
    let play = "play amoebas builtin:nasty builtin:mindless --set world_size=120 --set rounds=600 \
        --seed 1";
    assert!(studio.agon(&format!("{play} --replay long.agon")).output().unwrap().status.success());
    for flag in ["--gif", "--apng"] {
        let child = studio.agon(&format!("replay export long.agon {flag} film")).spawn().unwrap();
        eventually("the film has begun", || studio.path("film.part").exists());
        interrupt(&child);
        let (output, _) = ending(child);
        assert_eq!(output.status.code(), Some(130), "{flag}");
        assert_eq!(names(studio.folder.path()), ["encoder", "long.agon", "m.agon"], "{flag}");
    }
}
