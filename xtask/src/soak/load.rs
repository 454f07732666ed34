//! Programs that keep the machine busy during a soak.
//!
//! They take processor time from the matches of `cargo xtask soak`.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Counts, and now and then checks that the program with the given number still runs.
const BUSY: &str = "while kill -0 \"$0\" 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + \
    1)); done; done";

/// Busy programs. Dropping this ends them.
///
/// They also end soon after any other end of this program.
#[derive(Debug)]
pub(super) struct Load(Vec<Child>);

impl Load {
    pub(super) fn start(count: usize) -> Result<Load> {
        let mut load = Load(Vec::new());
        for _ in 0..count {
            let mut shell = Command::new("sh");
            shell.args(["-c", BUSY, &std::process::id().to_string()]).stdin(Stdio::null());
            load.0.push(shell.spawn().context("cannot run sh")?);
        }
        Ok(load)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended already.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}
