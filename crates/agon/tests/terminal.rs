//! Watching in a terminal: a real one, of tmux, with keys and clicks.

#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fs, process::Command, thread};

use crate::support::TestDir;

/// How long a loaded machine may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// A terminal with a shell, gone when dropped.
struct Terminal {
    server: String,
}

impl Terminal {
    fn open(dir: &TestDir, variables: &[&str]) -> Terminal {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let terminal = Terminal { server: format!("agon-{}-{number}", std::process::id()) };
        let folder = dir.path("").display().to_string();
        let start = format!("-f /dev/null new-session -d -x 100 -y 30 -c {folder}");
        let mut args: Vec<&str> = start.split(' ').collect();
        args.extend("env -u NO_COLOR -u COLORTERM LC_ALL=C.UTF-8".split(' '));
        args.push("PS1=$ ");
        args.extend(variables);
        args.extend(["bash", "--norc", "--noprofile"]);
        terminal.tmux(&args);
        terminal.until("a shell", |screen| screen.contains('$'));
        terminal
    }

    /// Opens one in which a replay is watched, and waits at its start.
    fn watching(variables: &[&str]) -> (Terminal, TestDir) {
        let dir = TestDir::new();
        replay(&dir);
        let terminal = Terminal::open(&dir, variables);
        terminal.run(&format!("{AGON} watch a.agon --terminal; echo left $?."));
        terminal.until("a viewer that plays", |screen| screen.contains("pause"));
        terminal.key("Space");
        terminal.until("a pause", |screen| screen.contains(" play "));
        terminal.key("Home");
        terminal.until("the start", |screen| screen.contains("turn 0"));
        (terminal, dir)
    }

    fn tmux(&self, args: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.args(["-u", "-L", &self.server]).args(args);
        let output = tmux.output().expect("tmux starts; `cargo xtask setup` installs it");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {args:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Types a command.
    fn run(&self, command: &str) {
        self.tmux(&["send-keys", "-l", command]);
        self.key("Enter");
    }

    fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Clicks on a character, counted from 1.
    fn click(&self, column: u32, row: u32) {
        for end in ['M', 'm'] {
            let bytes = format!("\u{1b}[<0;{column};{row}{end}");
            let bytes: Vec<String> = bytes.bytes().map(|byte| format!("{byte:02x}")).collect();
            let mut args = vec!["send-keys", "-H"];
            args.extend(bytes.iter().map(String::as_str));
            self.tmux(&args);
        }
    }

    fn until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(began.elapsed() < PATIENCE, "there is not {what}:\n{screen}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether the whole screen is taken, the cursor is shown and clicks are caught.
    fn modes(&self) -> String {
        self.tmux(&["display", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}"])
            .trim()
            .to_owned()
    }

    /// The program has ended, with this exit code, and the terminal is as it was.
    fn is_as_before(&self, code: i32) {
        self.until("the end", |screen| screen.contains(&format!("left {code}.")));
        assert_eq!(self.modes(), "0 1 0");
        self.run(
            "clear; stty -a | tr ';' '\\n' | tr ' ' '\\n' | grep -c '^icanon$\\|^echo$\\|^isig$'",
        );
        self.until("a terminal with echo and lines", |screen| {
            screen.lines().any(|line| line == "3")
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        Command::new("tmux").args(["-L", &self.server, "kill-server"]).output().ok();
    }
}

fn replay(dir: &TestDir) {
    dir.ok("play cluster --set side=4 --seed 1 --replay a.agon");
}

#[test]
fn a_replay_is_watched() {
    agon_testkit::needs!("tmux");
    let (terminal, _dir) = Terminal::watching(&[]);
    assert_eq!(terminal.modes(), "1 0 1");
    assert!(
        terminal.screen().contains('▌') || terminal.screen().contains('▀'),
        "{}",
        terminal.screen()
    );
    terminal.key("Right");
    terminal.until("a turn on", |screen| screen.contains("turn 1,"));
    terminal.key("Space");
    terminal.until("a match that plays", |screen| {
        screen.contains("pause") && screen.contains("turn 2,")
    });
    terminal.key("Space");
    terminal.until("a pause", |screen| screen.contains(" play "));
    terminal.key("End");
    terminal.until("the end", |screen| screen.contains("━━●"));
    // The start of the bar, behind the buttons.
    terminal.click(23, 30);
    terminal.until("the start", |screen| screen.contains("turn 0"));
    terminal.click(30, 14);
    terminal
        .until("what is known of a cell", |screen| screen.contains("cell") && screen.contains('['));
    terminal.key("?");
    terminal.until("all keys", |screen| screen.contains("a single step on, back"));
    terminal.tmux(&["resize-window", "-x", "20", "-y", "10"]);
    terminal.until("that it is too small", |screen| screen.contains("Too small"));
    terminal.tmux(&["resize-window", "-x", "80", "-y", "24"]);
    terminal.until("the viewer again", |screen| screen.contains(" play "));
    terminal.key("q");
    terminal.is_as_before(0);
}

#[test]
fn it_goes_to_the_background_and_comes_back() {
    agon_testkit::needs!("tmux");
    let (terminal, _dir) = Terminal::watching(&[]);
    terminal.key("C-z");
    terminal.until("a shell", |screen| screen.contains("Stopped"));
    assert_eq!(terminal.modes(), "0 1 0");
    terminal.run("fg");
    terminal
        .until("the viewer again", |screen| screen.contains(" play ") && screen.contains("turn 0"));
    assert_eq!(terminal.modes(), "1 0 1");
    terminal.key("C-c");
    terminal.until("the shell", |screen| screen.contains("fg"));
    terminal.run("echo left $?.");
    terminal.is_as_before(0);
}

#[test]
fn a_signal_gives_the_terminal_back() {
    agon_testkit::needs!("tmux");
    let (terminal, _dir) = Terminal::watching(&[]);
    let shell = terminal.tmux(&["display", "-p", "#{pane_pid}"]);
    let shell = shell.trim();
    let children = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
    assert!(Command::new("kill").args(["-TERM", children.trim()]).status().unwrap().success());
    terminal.is_as_before(0);
}

#[test]
fn the_progress_line_says_who_a_match_waits_for() {
    agon_testkit::needs!("tmux", "python3");
    agon_testkit::slow!();
    let dir = TestDir::new();
    dir.write("slow.py", crate::slow_bots::JSONL);
    let terminal = Terminal::open(&dir, &[]);
    let bots = "'rosa=jsonl:python3 slow.py 1 4' builtin:grower";
    let flags = "--turns 2 --time 60000 --set width=20 --set height=20";
    terminal.run(&format!("clear; {AGON} play cellhack {bots} {flags}"));
    let is_told = |screen: &str| screen.contains(", waiting for rosa: ");
    terminal.until("a wait", |screen| is_told(screen) && screen.contains(" left"));
    // The line goes away with the match.
    terminal.until("the result", |screen| {
        screen.contains("grower") && screen.contains("seed") && !is_told(screen)
    });
}

#[test]
fn letters_do_without_colours() {
    agon_testkit::needs!("tmux");
    let (terminal, _dir) = Terminal::watching(&["NO_COLOR=1", "LC_ALL=C"]);
    terminal.key("End");
    let screen = terminal.until("letters", |screen| screen.contains("=O") && screen.contains("A"));
    assert!(screen.is_ascii(), "{screen}");
    let colored = terminal.tmux(&["capture-pane", "-p", "-e"]);
    assert!(!colored.contains("[38;") && !colored.contains("[48;"), "{colored}");
    terminal.key("q");
    terminal.is_as_before(0);
}

#[test]
fn output_of_commands_is_ascii_in_the_locale_c() {
    agon_testkit::needs!("tmux");
    let dir = TestDir::new();
    let shown = |variables: &[&str]| {
        let terminal = Terminal::open(&dir, variables);
        terminal.run(&format!("{AGON} games; echo left $?."));
        let screen = terminal.until("the end", |screen| screen.contains("left 0."));
        assert!(screen.contains("rezzo"), "{screen}");
        // A file gets the same everywhere.
        terminal.run(&format!("clear; {AGON} games | grep -c 1–64; echo left $?."));
        terminal.until("the file", |screen| screen.lines().any(|line| line == "1"));
        screen
    };
    let plain = shown(&["LC_ALL=C"]);
    assert!(plain.is_ascii() && plain.contains("1-64 players"), "{plain}");
    assert!(shown(&[]).contains("1–64 players"));
}

#[test]
fn patterns_are_letters_from_the_start() {
    agon_testkit::needs!("tmux");
    let dir = TestDir::new();
    replay(&dir);
    let terminal = Terminal::open(&dir, &[]);
    terminal.run(&format!("{AGON} watch a.agon --terminal --patterns; echo left $?."));
    terminal.until("letters of players", |screen| screen.contains("A ") && screen.contains("B "));
    terminal.key("q");
    terminal.is_as_before(0);
}

#[test]
fn a_match_is_watched_while_it_is_played() {
    agon_testkit::needs!("tmux");
    let dir = TestDir::new();
    let terminal = Terminal::open(&dir, &[]);
    let bots = "builtin:random builtin:random --set side=6 --seed 1";
    terminal.run(&format!("{AGON} play cluster {bots} --view terminal --pace 4; echo left $?."));
    terminal.until("a live match", |screen| screen.contains("live - turn") && screen.contains("●"));
    terminal.until("turns", |screen| screen.contains("live - turn 3,"));
    terminal.key("Space");
    terminal.key("Home");
    terminal.until("the start", |screen| screen.contains("turn 0"));
    terminal.key("q");
    terminal.is_as_before(130);
}

#[test]
fn a_match_at_full_speed_is_shown_from_its_start_and_played_again() {
    agon_testkit::needs!("tmux");
    let dir = TestDir::new();
    let terminal = Terminal::open(&dir, &[]);
    let bots = "builtin:greedy builtin:greedy --set side=6";
    terminal.run(&format!("{AGON} play cluster {bots} --seed 4 --view terminal; echo left $?."));
    let start = terminal.until("a match", |screen| screen.contains("turn "));
    assert!(start.contains("turn 0") || start.contains("turn 1,"), "{start}");
    terminal.key("End");
    let offer = terminal.until("an offer", |screen| screen.contains("rematch"));
    terminal.key("r");
    // It may be over before anybody looks.
    terminal.until("the next match", |screen| *screen != offer);
    terminal.key("End");
    terminal.until("its end", |screen| *screen != offer && screen.contains("rematch"));
    terminal.key("q");
    let screen = terminal.until("the end", |screen| screen.contains("left 0."));
    assert!(screen.contains("seed 4") && screen.contains("seed 5"), "{screen}");
}

#[test]
fn what_is_no_terminal_is_told() {
    let dir = TestDir::new();
    replay(&dir);
    let done = dir.ends(2, "watch a.agon --terminal");
    assert_eq!(done.tells(["no terminal", "agon replay export"]).out, "");
}
