//! A shortage of the arena or the machine is no bot's fault: there is no result, and the error
//! names the remedy.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;

use crate::support::{Done, TestDir, root};

const PLAY: &str = "play cluster --seed 1 --set side=6";

/// A bot of each kind that needs a process.
const BOTS: [(&str, &str); 5] = [
    ("cluster", "jsonl:python3 BOTS/thinks.py uniform none 0"),
    ("cluster", "python3 EXAMPLES/cluster/greedy.py"),
    ("rezzo", "python3 BOTS/thinks.py rezzo none 0"),
    ("binfection", "sh EXAMPLES/binfection/alice.sh"),
    ("cellhack", "EXAMPLES/cellhack/drifter.c"),
];

/// Runs commands of a shell in a folder, `agon` after some others; `launcher` runs the shell.
fn shell(dir: &TestDir, launcher: &[&str], setup: &str, line: &str) -> Done {
    let agon = dir.agon(line);
    let words = agon.get_args().map(|word| word.to_str().unwrap());
    let line = format!("{setup} {}", shlex::try_join(words).unwrap());
    let line = line.replace("AGON", cargo_bin("agon").to_str().unwrap());
    let mut words = launcher.iter().copied().chain(["sh", "-c", &line]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).current_dir(dir.path("")).env("HOME", dir.path(""));
    Done::of(command.env("TMPDIR", dir.path("")).stdin(Stdio::null()))
}

fn agon_after(dir: &TestDir, setup: &str, line: &str) -> Done {
    shell(dir, &[], &format!("{setup}; exec AGON"), line)
}

/// An error of the arena that says `part`, and that it is nobody's fault.
#[track_caller]
fn is_error(done: &Done, part: &str) {
    assert_eq!(done.code, Some(2), "{}", done.all());
    assert!(done.err.contains(part), "{part} is missing in: {}", done.err);
    assert!(!done.out.contains("place") && !done.err.contains("fault: "), "{}", done.all());
}

#[test]
fn too_few_files_are_an_error_of_the_arena() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    for (at, (game, bot)) in BOTS.into_iter().enumerate() {
        // From hardly any to nearly enough: whatever it is that fails. Together the bots try all.
        let mut errors = 0;
        for files in (12 + at % 3..60).step_by(3) {
            let line = format!("play {game} --seed 1 --turns 2 'p={bot}' builtin:random --json");
            let done = agon_after(&dir, &format!("ulimit -n {files}"), &line);
            match done.code {
                Some(2) => errors += 1,
                Some(0 | 1) => {
                    assert!(!done.out.contains("cannot be started"), "{files}: {}", done.all());
                }
                _ => panic!("{game} {bot} {files}: {}", done.all()),
            }
            if done.code == Some(0) && !done.out.contains("\"fault\"") {
                break;
            }
        }
        assert!(errors > 0, "{bot}");
    }
    let line = format!("{PLAY} 'p={}' builtin:random", BOTS[0].1);
    is_error(&agon_after(&dir, "ulimit -n 30", &line), "`ulimit -n 4096` allows more");
}

/// A folder that another user may use, with the arena in it; `None` unless we are root, who may
/// have as many processes as it wants.
fn folder_of_another_user() -> Option<TestDir> {
    let dir = TestDir::new();
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    fs::set_permissions(dir.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    dir.program("agon", fs::read(cargo_bin("agon")).unwrap());
    let thinks = root().join("crates/agon/tests/bots/thinks.py");
    dir.write("fox/thinks.py", fs::read(thinks).unwrap());
    Some(dir)
}

/// Runs the arena as a user who may have some processes.
fn with_processes(dir: &TestDir, user: u32, processes: u32, line: &str) -> Done {
    // Each is another user: the dead count until somebody takes notice of them.
    let user = user + std::process::id() % 100_000 * 100;
    let ids = [format!("--reuid={user}"), format!("--regid={user}")];
    let launcher = ["setpriv", &ids[0], &ids[1], "--clear-groups"];
    shell(dir, &launcher, &format!("exec prlimit --nproc={processes} ./agon"), line)
}

#[test]
fn too_few_processes_are_an_error_of_the_arena() {
    agon_testkit::needs!("python3");
    let Some(dir) = folder_of_another_user() else { return };
    let mut errors = 0;
    for processes in 2..40 {
        let bot = "'p=jsonl:python3 fox/thinks.py uniform none 0'";
        let line = format!("{PLAY} --turns 2 {bot} builtin:random --json");
        let done = with_processes(&dir, 1_500_000_000 + processes, processes, &line);
        assert!(!done.out.contains("cannot be started"), "{processes}: {}", done.all());
        match done.code {
            Some(2) => errors += 1,
            Some(0) => {
                assert!(errors > 0);
                return;
            }
            _ => panic!("{processes}: {}", done.all()),
        }
    }
    panic!("39 processes are not enough");
}

#[test]
fn a_bot_that_hoards_processes_is_at_fault() {
    agon_testkit::needs!("python3");
    let Some(dir) = folder_of_another_user() else { return };
    for name in ["alice.sh", "alice.py"] {
        let alice = root().join("examples/bots/binfection").join(name);
        dir.write(&format!("hen/{name}"), fs::read(alice).unwrap());
    }
    let hoarder = "import os, sys, time
for _ in range(120):
    try:
        if os.fork() == 0:
            time.sleep(1000)
    except OSError:
        break
os.execv(sys.executable, [sys.executable, sys.argv[1], 'uniform', 'none', '0'])";
    dir.write("fox/hoarder.py", hoarder);
    // Enough for the arena and what the hoarder leaves, but for no runner.
    let line = "play binfection --seed 1 --turns 4 --json 'p=jsonl:python3 fox/hoarder.py \
        fox/thinks.py' 'q=sh hen/alice.sh'";
    let done = with_processes(&dir, 1_400_000_000, 110, line);
    assert_eq!(done.code, Some(0), "{}", done.all());
    done.says("when there were no more of them for others").hides("\"player\":1,\"step\"");
}

#[test]
fn too_little_memory_is_an_error_of_the_arena() {
    let dir = TestDir::new();
    let line = format!("play cellhack --seed 1 'p={}' builtin:random", BOTS[4].1);
    // The compiled library is there from now on.
    let done = agon_after(&dir, ":", &format!("{line} --turns 1"));
    assert_eq!(done.code, Some(0), "{}", done.all());
    let done = agon_after(&dir, "ulimit -v 500000", &line);
    is_error(&done, "fewer matches at a time (-j)");
}

/// Runs `agon` where the folder `full` is a disk without room, in a namespace of mounts of its
/// own; `None` where there is none.
fn agon_on_full_disk(dir: &TestDir, setup: &str, line: &str) -> Option<Done> {
    const MOUNT: &str = "mkdir -p full && mount -t tmpfs -o size=1m none full";
    const FILL: &str = "{ head -c 4m /dev/zero > full/fill; } 2> /dev/null";
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let launcher: &[&str] =
        if root { &["unshare", "--mount"] } else { &["unshare", "--mount", "--map-root-user"] };
    if shell(dir, launcher, MOUNT, "").code != Some(0) {
        return None;
    }
    Some(shell(dir, launcher, &format!("{MOUNT} && {FILL}; {setup} exec AGON"), line))
}

#[test]
fn a_full_disk_is_an_error_of_the_arena() {
    let dir = TestDir::new();
    let runner = format!("play binfection --seed 1 'p={}' builtin:random", BOTS[3].1);
    let Some(done) = agon_on_full_disk(&dir, "TMPDIR=\"$PWD/full\"", &runner) else { return };
    is_error(&done, "TMPDIR");
    for flag in ["--replay full/match.agon", "--log full/log"] {
        let line = format!("{PLAY} builtin:random builtin:random {flag}");
        is_error(&agon_on_full_disk(&dir, "", &line).unwrap(), "No space left on device");
    }
}

#[test]
fn a_runner_that_finds_its_disk_full_is_not_at_fault() {
    let dir = TestDir::new();
    // Somebody else fills the disk meanwhile: what is left is taken before it answers.
    let runner = "while [ ! -e go ]; do sleep 0.01; done; head -c 500000 /dev/zero > \"$1\"\n";
    let runner = dir.write("runner", runner);
    let bot = format!("'p=sh {}'", runner.display());
    let line = format!("play binfection --seed 1 --sandbox off {bot} builtin:random");
    let fill = "TMPDIR=\"$PWD/full\"; export TMPDIR; rm full/fill; ( until ls \
        full/agon-*/turn/turn.json; do sleep 0.01; done; head -c 4m /dev/zero > full/fill; touch \
        go ) > /dev/null 2>&1 &";
    let Some(done) = agon_on_full_disk(&dir, fill, &line) else { return };
    is_error(&done, "a bot cannot write its answer below");
}

#[test]
fn a_tournament_stops_and_can_go_on() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    let bots = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots");
    let bot = BOTS[0].1.replace("BOTS", bots);
    let plan = format!(
        "game = \"cluster\"\nseed = 1\nmatches = 2\nbots = [\"p={bot}\", \"builtin:random\"]\n\
         [settings]\nside = 6\n[format]\nkind = \"round-robin\"\n"
    );
    dir.write("plan.toml", plan);
    let mut stopped = 0;
    for files in (14..40).step_by(3) {
        let line = format!("tournament plan.toml --out night-{files}");
        let mut done = agon_after(&dir, &format!("ulimit -n {files}"), &line);
        if done.code == Some(2) {
            stopped += 1;
            done = agon_after(&dir, ":", &line);
        }
        assert_eq!(done.code, Some(0), "{files}: {}", done.all());
        // No match was lost for a bot that could not be started.
        let journal = dir.read(&format!("night-{files}/journal.jsonl"));
        assert!(!journal.contains("\"start\""), "{}", done.all());
    }
    assert!(stopped > 0);
}

#[test]
fn a_folder_that_is_gone_is_nobodys_fault() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    for (game, bot) in BOTS {
        let line = format!("play {game} --seed 1 --turns 2 'p={bot}' builtin:random");
        let done = agon_after(&dir, "mkdir gone; cd gone; rmdir ../gone", &line);
        is_error(&done, "the current folder is not there any more");
    }
}
