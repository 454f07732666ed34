//! A shortage of the arena or the machine is no bot's fault: there is no result, and the error
//! names the remedy.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

const PLAY: &str = "play cluster --seed 1 --set side=6";

/// Runs `agon` after some commands of a shell, in a folder.
fn agon_after(setup: &str, folder: &Path, args: &str) -> Output {
    let agon = assert_cmd::cargo::cargo_bin!("agon");
    let line = format!("{setup}; exec '{}' {args}", agon.display());
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(folder).env("TMPDIR", folder).env("HOME", folder);
    command.stdin(Stdio::null()).output().unwrap()
}

/// An error of the arena that says `part`, and that it is nobody's fault.
#[track_caller]
fn assert_error(output: &Output, part: &str) {
    let text = String::from_utf8_lossy(&output.stdout);
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}{talk}");
    assert!(talk.contains(part), "{part} is missing in: {talk}");
    assert!(!text.contains("place") && !talk.contains("fault: "), "{text}{talk}");
}

/// A bot of each kind that needs a process.
fn bots() -> [(&'static str, String); 5] {
    let thinks = format!("{}/tests/bots/thinks.py", env!("CARGO_MANIFEST_DIR"));
    let example = |name: &str| format!("{}/../../examples/bots/{name}", env!("CARGO_MANIFEST_DIR"));
    [
        ("cluster", format!("jsonl:python3 {thinks} uniform none 0")),
        ("cluster", format!("python3 {}", example("cluster/greedy.py"))),
        ("rezzo", format!("python3 {thinks} rezzo none 0")),
        ("binfection", format!("sh {}", example("binfection/alice.sh"))),
        ("cellhack", example("cellhack/drifter.c")),
    ]
}

#[test]
fn too_few_files_are_an_error_of_the_arena() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    for (game, bot) in bots() {
        // From hardly any to nearly enough: whatever it is that fails.
        let mut errors = 0;
        for files in 12..60 {
            let args = format!("play {game} --seed 1 --turns 2 'p={bot}' builtin:random --json");
            let output = agon_after(&format!("ulimit -n {files}"), folder.path(), &args);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let talk = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                Some(2) => errors += 1,
                Some(0 | 1) => {
                    assert!(!text.contains("cannot be started"), "{files}: {text}{talk}")
                }
                _ => panic!("{game} {bot} {files}: {text}{talk}"),
            }
            if output.status.success() && !text.contains("\"fault\"") {
                break;
            }
        }
        assert!(errors > 0, "{bot}");
    }
    let args = format!("{PLAY} 'p={}' builtin:random", bots()[0].1);
    assert_error(&agon_after("ulimit -n 30", folder.path(), &args), "`ulimit -n 4096` allows more");
}

#[test]
fn too_few_processes_are_an_error_of_the_arena() {
    agon_testkit::needs!("python3");
    // Root may have as many as it wants: somebody else, who has none yet.
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let script = folder.path().join("thinks.py");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/thinks.py"), &script).unwrap();
    let agon = folder.path().join("agon");
    fs::copy(assert_cmd::cargo::cargo_bin!("agon"), &agon).unwrap();
    fs::set_permissions(&agon, fs::Permissions::from_mode(0o755)).unwrap();
    let mut errors = 0;
    let mut played = false;
    for processes in 2..40 {
        // Each is another user: the dead count until somebody takes notice of them.
        let user = 1_500_000_000 + std::process::id() % 100_000 * 100 + processes;
        let line = format!(
            "exec prlimit --nproc={processes} {} {PLAY} --turns 2 'p=jsonl:python3 {} uniform none \
             0' builtin:random --json",
            agon.display(),
            script.display()
        );
        let mut command = Command::new("setpriv");
        let ids =
            [format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()];
        command.args(ids).args(["sh", "-c", &line]).current_dir(&folder);
        command.env("TMPDIR", folder.path()).env("HOME", folder.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let talk = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(2) => errors += 1,
            Some(0) => played = true,
            _ => panic!("{processes}: {text}{talk}"),
        }
        assert!(!text.contains("cannot be started"), "{processes}: {text}{talk}");
        if played {
            break;
        }
    }
    assert!(errors > 0 && played, "{errors} errors, played: {played}");
}

#[test]
fn a_bot_that_hoards_processes_is_at_fault() {
    agon_testkit::needs!("python3");
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let bots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots");
    for name in ["fox", "hen"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    fs::copy(bots.join("thinks.py"), folder.path().join("fox/thinks.py")).unwrap();
    for name in ["alice.sh", "alice.py"] {
        let alice = bots.join("../../../../examples/bots/binfection").join(name);
        fs::copy(alice, folder.path().join("hen").join(name)).unwrap();
    }
    let hoarder = "import os, sys, time
for _ in range(120):
    try:
        if os.fork() == 0:
            time.sleep(1000)
    except OSError:
        break
os.execv(sys.executable, [sys.executable, sys.argv[1], 'uniform', 'none', '0'])";
    fs::write(folder.path().join("fox/hoarder.py"), hoarder).unwrap();
    let agon = folder.path().join("agon");
    fs::copy(assert_cmd::cargo::cargo_bin!("agon"), &agon).unwrap();
    fs::set_permissions(&agon, fs::Permissions::from_mode(0o755)).unwrap();
    let user = 1_400_000_000 + std::process::id() % 100_000 * 100;
    // Enough for the arena and what the hoarder leaves, but for no runner.
    let line = "exec prlimit --nproc=110 ./agon play binfection --seed 1 --turns 4 --json \
        'p=jsonl:python3 fox/hoarder.py fox/thinks.py' 'q=sh hen/alice.sh'";
    let mut command = Command::new("setpriv");
    let ids = [format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()];
    command.args(ids).args(["sh", "-c", line]).current_dir(&folder);
    command.env("TMPDIR", folder.path()).env("HOME", folder.path()).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}{talk}");
    assert!(text.contains("when there were no more of them for others"), "{text}{talk}");
    assert!(!text.contains("\"player\":1,\"step\""), "{text}{talk}");
}

#[test]
fn too_little_memory_is_an_error_of_the_arena() {
    let folder = TempDir::new().unwrap();
    let args = format!("play cellhack --seed 1 'p={}' builtin:random", bots()[4].1);
    // The compiled library is there from now on.
    assert!(agon_after(":", folder.path(), &format!("{args} --turns 1")).status.success());
    assert_error(
        &agon_after("ulimit -v 500000", folder.path(), &args),
        "fewer matches at a time (-j)",
    );
}

/// Commands that make the folder `full` a disk without room, for this test alone.
const FULL: &str = "mkdir -p full && mount -t tmpfs -o size=1m none full && { head -c 4m /dev/zero \
     > full/fill; } 2> /dev/null";

/// The same in a namespace of mounts of its own; `None` where there is none.
fn agon_on_full_disk(folder: &Path, env: &str, args: &str) -> Option<Output> {
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let flags: &[&str] = if root { &["--mount"] } else { &["--mount", "--map-root-user"] };
    let shell = |line: &str| {
        let mut command = Command::new("unshare");
        command.args(flags).args(["sh", "-c", line]).current_dir(folder).stdin(Stdio::null());
        command.output().unwrap()
    };
    let agon = assert_cmd::cargo::cargo_bin!("agon");
    if !shell("mkdir -p full && mount -t tmpfs none full").status.success() {
        return None;
    }
    Some(shell(&format!("{FULL}; {env} exec '{}' {args}", agon.display())))
}

#[test]
fn a_full_disk_is_an_error_of_the_arena() {
    let folder = TempDir::new().unwrap();
    let runner = format!("play binfection --seed 1 'p={}' builtin:random", bots()[3].1);
    let Some(output) = agon_on_full_disk(folder.path(), "TMPDIR=\"$PWD/full\"", &runner) else {
        return;
    };
    assert_error(&output, "TMPDIR");
    let builtin = format!("{PLAY} builtin:random builtin:random");
    for flag in ["--replay full/match.agon", "--log full/log"] {
        let output = agon_on_full_disk(folder.path(), "", &format!("{builtin} {flag}")).unwrap();
        assert_error(&output, "No space left on device");
    }
}

#[test]
fn a_runner_that_finds_its_disk_full_is_not_at_fault() {
    let folder = TempDir::new().unwrap();
    let runner = folder.path().join("runner");
    // Somebody else fills the disk meanwhile: what is left is taken before it answers.
    fs::write(
        &runner,
        "while [ ! -e go ]; do sleep 0.01; done; head -c 500000 /dev/zero > \"$1\"\n",
    )
    .unwrap();
    let line = format!(
        "play binfection --seed 1 --sandbox off 'p=sh {}' builtin:random",
        runner.display()
    );
    let fill = "TMPDIR=\"$PWD/full\"; export TMPDIR; rm full/fill; ( until ls \
        full/agon-*/turn/turn.json; do sleep 0.01; done; head -c 4m /dev/zero > full/fill; touch \
        go ) > /dev/null 2>&1 &";
    let Some(output) = agon_on_full_disk(folder.path(), fill, &line) else { return };
    assert_error(&output, "a bot cannot write its answer below");
}

#[test]
fn a_tournament_stops_and_can_go_on() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    let bot = &bots()[0].1;
    let plan = format!(
        "game = \"cluster\"\nseed = 1\nmatches = 2\nbots = [\"p={bot}\", \"builtin:random\"]\n\
         [settings]\nside = 6\n[format]\nkind = \"round-robin\"\n"
    );
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let run = |limit: &str, out: &str| {
        let output = agon_after(limit, folder.path(), &format!("tournament plan.toml --out {out}"));
        let text = String::from_utf8_lossy(&output.stdout);
        let talk = String::from_utf8_lossy(&output.stderr);
        (output.status.code(), format!("{text}{talk}"))
    };
    let mut stopped = 0;
    for files in (14..40).step_by(3) {
        let out = format!("night-{files}");
        let (code, said) = run(&format!("ulimit -n {files}"), &out);
        if code == Some(2) {
            stopped += 1;
            let (code, said) = run(":", &out);
            assert_eq!(code, Some(0), "{files}: {said}");
        } else {
            assert_eq!(code, Some(0), "{files}: {said}");
        }
        let journal = fs::read_to_string(folder.path().join(out).join("journal.jsonl")).unwrap();
        assert!(
            !journal.contains("\"start\""),
            "no match was lost for a bot that could not be started: {said}"
        );
    }
    assert!(stopped > 0);
}

#[test]
fn a_folder_that_is_gone_is_nobodys_fault() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    for (game, bot) in bots() {
        let args = format!("play {game} --seed 1 --turns 2 'p={bot}' builtin:random");
        let output = agon_after("mkdir gone; cd gone; rmdir ../gone", folder.path(), &args);
        assert_error(&output, "the current folder is not there any more");
    }
}
