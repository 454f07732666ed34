//! `agon doctor`: reports the tools and the confinement that this machine offers.

mod findings;
mod json;
mod parts;
mod report;
mod verdict;

use std::io::Write;

use agon_bots::{HostOptions, Level, SandboxOptions, tools::Machine};
use agon_console::kits::languages;
use agon_sandbox::Confined;
use anyhow::Result;

use self::{findings::Findings, verdict::Verdict};
use crate::{Exit, cli::DoctorArgs, sandbox::machine as this_machine};

/// Examines the machine and prints what is found.
pub(crate) fn doctor(args: &DoctorArgs, out: &mut impl Write) -> Result<Exit> {
    // First, as long as this process has a single thread.
    let confined = Confined::new(agon_sandbox::examine());
    // These are no bots: they run as they do when a person calls them, also where nothing can be
    // confined.
    let sandbox = SandboxOptions { level: Level::Off, ..this_machine().sandbox };
    let options = HostOptions { sandbox, ..HostOptions::default() };
    let languages = languages(&options);
    let machine = Machine::look(&options);
    let findings = Findings { confined, parts: parts::find(), languages, machine };
    let verdict = Verdict::of(&findings);
    if args.json {
        json::print(&findings, &verdict, out)?;
    } else {
        report::print(&findings, &verdict, out)?;
    }
    Ok(if findings.confined.is_complete() { Exit::Done } else { Exit::Negative })
}
