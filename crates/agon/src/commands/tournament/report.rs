//! `agon tournament report`: how a tournament stands.

mod kept;
mod page;
mod site;
mod table;

use std::{io::Write, path::Path};

use agon_report::{Report, ReportOptions};
use anyhow::{Context, Result};

use crate::{Exit, cli::ReportArgs};
use kept::Kept;

/// The folder of replays in a tournament's folder, and in a site.
const REPLAYS: &str = "replays";

/// Tells how the tournament in `folder` stands. Nothing there is changed or locked, so that it may be running.
///
/// # Errors
/// If the folder is none of a tournament, or something cannot be written.
pub(crate) fn report(folder: &Path, args: &ReportArgs, out: &mut impl Write) -> Result<Exit> {
    let kept = Kept::read(folder)?;
    let schedule = kept.plan.resume(&kept.records).with_context(|| folder.display().to_string())?;
    let report = Report::new(&kept.plan, &schedule, &kept.records, &ReportOptions::default())?;
    if args.json {
        writeln!(out, "{}", report.json())?;
    } else if let Some(csv) = args.csv {
        report.csv(csv, out)?;
    }
    if let Some(file) = &args.html {
        page::write(&report, folder, file)?;
        anstream::eprintln!("{}: the report; open it in a browser", file.display());
    }
    if let Some(site) = &args.site {
        let replays = site::write(&report, folder, site)?;
        let replays = crate::output::plural(replays as u64, "replay");
        anstream::eprintln!("{}: the report, the viewer and {replays}, for any web server", site.display());
    }
    if !args.json && args.csv.is_none() && args.html.is_none() && args.site.is_none() {
        table::print(&report, out)?;
    }
    Ok(Exit::Done)
}
