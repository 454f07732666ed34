//! Ctrl-C while a bot hangs: the arena says at once what it waits for, and a second one ends it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{sync::mpsc, thread};

use rustix::process::Signal;

use crate::support::{TestDir, end_of, hears, runs, signal, until};

/// Reads up to the empty line that ends a question, tells by a file that it has been asked, as what
/// process, and hangs.
const BOT: &str = "import os, sys, time
while line := sys.stdin.readline():
    if not line.strip():
        break
else:
    sys.exit()
";

/// How it tells, and hangs.
const HANGS: &str = "open('asked', 'w').write(str(os.getpid()))\ntime.sleep(1000)\n";

const PLAN: &str = "game = \"cluster\"
bots = [\"python3 bot.py\", \"builtin:random\"]
[format]
kind = \"round-robin\"
[time]
clock = false
[sandbox]
level = \"off\"
";

const PLAY: &str = "play cluster 'python3 bot.py' builtin:random --no-clock --sandbox off";

/// Commands that play with the bot.
const COMMANDS: [&str; 7] = [
    PLAY,
    "binfection 'python3 runner.py' builtin:random --no-clock --sandbox off",
    "check cluster 'python3 bot.py' --time 600000 --sandbox off",
    "replay ask m.agon --step 0 --bot 'python3 bot.py' --no-clock --sandbox off",
    "compare 'python3 bot.py' builtin:random --game cluster --no-clock --sandbox off",
    "tune 'python3 bot.py {x}' --game cluster --param x=1..9 --no-clock --sandbox off",
    "tournament cup.toml",
];

/// A folder with the bot, and what else the commands need.
fn folder() -> TestDir {
    let dir = TestDir::new();
    dir.write("bot.py", BOT.to_owned() + HANGS);
    dir.write("runner.py", "import os, time\n".to_owned() + HANGS);
    dir.write("cup.toml", PLAN);
    dir.ok("play cluster builtin:random builtin:random --set side=3 --seed 1 --replay m.agon");
    dir
}

/// Starts a command, and waits until the bot has been asked.
fn asking(dir: &TestDir, command: &mut Command) -> Child {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    until("a question", || {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        dir.path("asked").exists()
    });
    child
}

#[test]
fn a_hung_bot_is_waited_for_with_words_and_not_beyond_a_second_ctrl_c() {
    agon_testkit::needs!("python3");
    for line in COMMANDS {
        let dir = folder();
        let mut arena = asking(&dir, &mut dir.agon(line));
        let begun = Instant::now();
        signal(&arena, Signal::INT);
        hears(&mut arena, "Ctrl-C again");
        let bot = dir.read("asked");
        let waits = arena.try_wait().unwrap().is_none() && runs(&bot);
        assert!(waits, "{line}: it waits for the bot");
        signal(&arena, Signal::INT);
        assert_eq!(end_of(arena).code, Some(130), "{line}");
        until("an end of the bot", || !runs(&bot));
        // One Ctrl-C alone would take ten seconds, or for ever.
        assert!(begun.elapsed() < Duration::from_secs(9), "{line} {:?}", begun.elapsed());
    }
}

#[test]
fn a_match_that_is_given_up_says_so() {
    agon_testkit::slow!();
    let dir = folder();
    let mut arena = asking(&dir, &mut dir.agon(PLAY));
    signal(&arena, Signal::INT);
    hears(&mut arena, "waiting up to 10 s for the bots' answers");
    hears(&mut arena, "no answer within 10 s");
    assert_eq!(end_of(arena).code, Some(130));
}

#[test]
fn what_nohup_starts_outlives_its_terminal() {
    agon_testkit::needs!("python3", "nohup");
    for is_ignored in [false, true] {
        let dir = folder();
        let agon = dir.agon(PLAY);
        let mut command = Command::new(if is_ignored { "nohup" } else { "env" });
        command.arg(agon.get_program()).args(agon.get_args()).current_dir(dir.path(""));
        let mut arena = asking(&dir, command.stdin(Stdio::null()));
        let stderr = BufReader::new(arena.stderr.take().unwrap());
        let (send, lines) = mpsc::channel();
        thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        signal(&arena, Signal::HUP);
        let mut again = Signal::HUP;
        if is_ignored {
            thread::sleep(Duration::from_secs(1));
            let said: Vec<String> = lines.try_iter().collect();
            assert!(!said.iter().any(|line| line.contains("waiting")), "{said:?}");
            again = Signal::INT;
            signal(&arena, again);
        }
        while !lines.recv().expect("it waits for the bot").contains("waiting up to 10 s") {}
        signal(&arena, again);
        assert_eq!(end_of(arena).code, Some(130));
    }
}
