//! Programs that keep the machine busy.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Counts, and looks now and then whether the program whose number it was given still runs.
const BUSY: &str = "while kill -0 \"$0\" 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + \
    1)); done; done";

/// Busy programs, which end when this is dropped, or soon after this program has ended in any other
/// way.
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
            // Whatever has ended already is as good.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}
