//! `agon tournament report`

use std::path::PathBuf;

use agon_contest::report::Csv;
use clap::Args;

/// Tell how a tournament stands: while it runs, when it was stopped, or at its end.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Without options a table is printed: the standing by the rules of the format, ratings with their \
95 % intervals, \
what a reader should know, and faults. docs/tournaments.md in Agon's source explains the numbers, \
JSON and CSV.

Examples:
  agon tournament report cup
  agon tournament report cup --html cup/report.html
  agon tournament report cup --site public            then put the folder on any web server
  agon tournament report cup --csv standing > standing.csv
  agon tournament report cup --json | jq '.ratings[0]'")]
pub(crate) struct ReportArgs {
    /// The tournament's folder; a plan stands for the folder in which `agon tournament` plays it.
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Print everything as JSON, on one line.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print a table as CSV: standing, head-to-head, matches, faults.
    #[arg(long, value_name = "TABLE")]
    pub(crate) csv: Option<Csv>,
    /// Write a page with everything, in one file that needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the page with the viewer and the replays it links to into a new folder, for any web
    /// server.
    #[arg(long, value_name = "DIR")]
    pub(crate) site: Option<PathBuf>,
}
