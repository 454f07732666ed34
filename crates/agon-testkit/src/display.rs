//! A display that nobody sees (Xvfb), with keys and clicks from xdotool, for tests of windows.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::eventually;

/// A display, which ends when dropped.
#[derive(Debug)]
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// Opens a display on the first number that is free.
    pub fn open() -> Display {
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]);
        // Otherwise it restarts whenever its last client leaves, and a window that is just opening
        // would be lost.
        server.arg("-noreset");
        let started = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = started.expect("Xvfb starts; `cargo xtask setup` installs it");
        let mut line = String::new();
        let output = server.stdout.take().expect("it is a pipe");
        BufReader::new(output).read_line(&mut line).expect("it tells its number");
        assert!(!line.trim().is_empty(), "Xvfb has ended");
        Display { server, name: format!(":{}", line.trim()) }
    }

    /// Returns the command of a program on this display.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Returns its name, for the variable `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs xdotool, and returns its output.
    pub fn xdotool(&self, args: &[&str]) -> String {
        let output = self.command("xdotool").args(args).output();
        let output = output.expect("xdotool starts; `cargo xtask setup` installs it");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Returns the visible windows of this name, a number a line.
    pub fn windows(&self, name: &str) -> String {
        self.xdotool(&["search", "--onlyvisible", "--name", name])
    }

    /// Waits until the program has opened the window of this name, and returns the window.
    pub fn window(&self, program: &mut Child, name: &str) -> String {
        let mut id = String::new();
        until("a window", || {
            if let Some(status) = program.try_wait().expect("it can be waited for") {
                let mut stderr = String::new();
                let _ = program.stderr.take().map(|mut pipe| pipe.read_to_string(&mut stderr));
                panic!("it ended without a window, {status}: {stderr}");
            }
            id = self.windows(name);
            !id.is_empty()
        });
        // Without a window manager nobody gives it the keyboard. A window that has just opened may
        // not take it yet.
        until("the keyboard", || {
            self.xdotool(&["windowfocus", &id]);
            self.xdotool(&["getwindowfocus"]) == id
        });
        id
    }

    /// Returns a picture of the whole display.
    pub fn picture(&self) -> Vec<u8> {
        let output = self.command("xwd").args(["-root", "-silent"]).output();
        output.expect("xwd starts; `cargo xtask setup` installs it").stdout
    }

    /// Presses a key, and waits until the picture changes.
    pub fn press(&self, key: &str) {
        let before = self.picture();
        self.xdotool(&["key", key]);
        until(&format!("another picture after {key}"), || self.picture() != before);
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Waits until `is_so` returns true; `what` names it in the error.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    eventually(what, || is_so().then_some(()));
}

/// Waits until a program has ended.
#[track_caller]
pub fn end_of(child: &mut Child) -> ExitStatus {
    eventually("the end", || child.try_wait().expect("it can be waited for"))
}
