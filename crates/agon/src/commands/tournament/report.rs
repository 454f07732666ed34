//! `agon tournament report`: how a tournament stands.

mod kept;
mod names;
mod page;
mod site;
mod table;

use std::io::Write;

use agon_contest::report::{Report, ReportOptions};
use agon_contest::tournament::{Folder, Tournament};
use anyhow::{Context, Result};

use crate::{Exit, cli::ReportArgs, output::plural};
use kept::Kept;

/// Tells how the tournament in `folder` stands. Nothing there is changed or locked, so that it may
/// be running.
///
/// # Errors
/// If what is there cannot be read, or something cannot be written.
pub(super) fn report(folder: &Folder, args: &ReportArgs, out: &mut impl Write) -> Result<Exit> {
    let kept = Kept::read(folder)?;
    folder.kept().iter().for_each(|file| agon_files::protect(file));
    let context = || folder.journal().display().to_string();
    let schedule = kept.plan.resume(&kept.records).with_context(context)?;
    let with_progress = args.json || args.html.is_some() || args.site.is_some();
    let mut report = Report::new(&kept.plan, &schedule, &kept.records, &options(with_progress))?;
    report.identify(&kept.bots);
    report.leave_out(&kept.whole, &kept.absent);
    if args.json {
        writeln!(out, "{}", report.json())?;
    } else if let Some(csv) = args.csv {
        report.csv(csv, out)?;
    }
    if let Some(file) = &args.html {
        page::write(&report, folder, file)?;
        say!("{}: the report; open it in a browser", file.display());
    }
    if let Some(site) = &args.site {
        let replays = plural(site::write(&report, folder, site)? as u64, "replay");
        say!("{}: the report, the viewer and {replays}, for any web server", site.display());
    }
    if !args.json && args.csv.is_none() && args.html.is_none() && args.site.is_none() {
        table::print(&report, out)?;
    }
    Ok(Exit::Done)
}

/// Prints how a tournament stands whose results are at hand, as a table or as JSON.
///
/// # Errors
/// If that cannot be done.
pub(super) fn print(tournament: &Tournament<'_>, json: bool, out: &mut impl Write) -> Result<()> {
    let report = tournament.report(&options(json))?;
    if json {
        writeln!(out, "{}", report.json())?;
    } else {
        table::print(&report, out)?;
    }
    Ok(())
}

/// How ratings went takes long in great fields, and tables do not show it.
fn options(with_progress: bool) -> ReportOptions {
    if with_progress { ReportOptions::default() } else { ReportOptions { points: 0 } }
}
