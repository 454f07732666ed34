//! `agon-window-host`: a window for the arena.
//!
//! Inputs go to standard output, pictures come from standard input.
//!
//! The arena starts it by itself. It is a separate program because libraries for windows take long
//! to build. Building it needs no development packages, and running it needs no GPU. The libraries
//! of X11 (feature `x11`) and Wayland (feature `wayland`) are loaded when the window is opened.
//! `agon_view::window::dialogue` has the messages.

mod arena;
mod shell;

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use agon_view::window::dialogue::{DIALOGUE, Order, PART, Problem, Report};
use anyhow::{Context, Result, bail};

use shell::Shell;

fn main() -> ExitCode {
    match host() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There may be no reader.
            let _ = writeln!(io::stderr(), "{}: {error:#}", PART.program);
            ExitCode::from(2)
        }
    }
}

/// Shows a window until the arena ends it.
fn host() -> Result<()> {
    if io::stdout().is_terminal() {
        bail!("this program opens windows for `agon`, which starts it by itself");
    }
    let nobody = "nobody listens";
    agon_files::parts::greet(&PART, DIALOGUE, &mut io::stdout()).context(nobody)?;
    let say = |report| agon_files::parts::send(&mut io::stdout(), &report, &[]);
    if let Err(problem) = shell::look() {
        return say(Report::Failed(problem)).context(nobody);
    }
    say(Report::Ready).context(nobody)?;
    let Some(title) = title()? else { return Ok(()) };
    match show(title) {
        Ok(()) => Ok(()),
        Err(problem) => say(Report::Failed(problem)).context(nobody),
    }
}

/// Waits for the title of the window; `None` if no window is wanted.
fn title() -> Result<Option<String>> {
    match agon_files::parts::receive(&mut io::stdin().lock())
        .context("cannot read what the arena says")?
    {
        Some(message) => match message.value {
            Order::Open { title } => Ok(Some(title)),
            Order::Show { .. } => bail!("a picture has come before there is a window"),
        },
        None => Ok(None),
    }
}

fn show(title: String) -> Result<(), Problem> {
    let events = shell::connect()?;
    arena::listen(events.create_proxy()).map_err(shell::refused)?;
    let mut shell = Shell::new(title);
    events.run_app(&mut shell).map_err(shell::refused)?;
    shell.finish()
}
