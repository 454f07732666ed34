//! `agon tournament report`: how a tournament stands.

mod table;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{collections::HashSet, fs};

use agon_contest::journal::{self, OtherPlan};
use agon_contest::report::{Csv, Links, Report, ReportOptions};
use agon_contest::tournament::{Folder, Tournament};
use agon_contest::{Plan, Record, SavedPlan, plan::Absent};
use agon_core::BotInfo;
use agon_files::write_whole;
use agon_match::replay::Replay;
use agon_web::bundle;
use anyhow::{Context, Result, bail};

use crate::{Exit, cli::ReportArgs, output::plural};

/// Tells how the tournament in `folder` stands. Nothing there is changed or locked, so that it may
/// be running.
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
        write_page(&report, folder, file)?;
        say!("{}: the report; open it in a browser", file.display());
    }
    if let Some(site) = &args.site {
        let replays = plural(write_site(&report, folder, site)? as u64, "replay");
        say!("{}: the report, the viewer and {replays}, for any web server", site.display());
    }
    if !args.json && args.csv.is_none() && args.html.is_none() && args.site.is_none() {
        table::print(&report, out)?;
    }
    Ok(Exit::Done)
}

/// Prints how a tournament stands whose results are at hand, as a table or as JSON.
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

/// The folder of replays in a tournament's folder, and in a site.
const REPLAYS: &str = "replays";

/// The plan and the results of a tournament, as they are at this moment.
#[derive(Debug)]
struct Kept {
    /// The plan as it was scheduled.
    plan: Plan,
    /// The plan with all its bots.
    whole: Plan,
    /// The bots that were left out of the schedule.
    absent: Vec<Absent>,
    /// Without the names of replays that are not there any more.
    records: Vec<Record>,
    /// What the bots were.
    bots: Vec<BotInfo>,
}

impl Kept {
    /// Reads a tournament's folder. A line of the journal that is being written does not count yet.
    ///
    /// # Errors
    /// If a file cannot be read, or is damaged or of another tournament.
    fn read(folder: &Folder) -> Result<Kept> {
        let SavedPlan { plan: whole, mut absent, digest } = folder.plan()?;
        let plan = whole.without(&absent)?;
        if digest != plan.digest() {
            say!("note: the rules of {} have changed since this was played", plan.game);
        }
        let file = folder.journal();
        let bytes = match agon_files::input::read_regular(&file) {
            // It is made with the first match.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes.with_context(|| format!("cannot read {}", file.display()))?,
        };
        let contents = journal::read(&bytes, &file)?;
        if contents.header.is_some_and(|header| header.plan != digest) {
            return Err(OtherPlan(file).into());
        }
        let mut records = contents.records;
        let there = replays(&folder.replays())?;
        for record in &mut records {
            record.replay = record.replay.take().filter(|name| there.contains(name.as_str()));
        }
        if let Some(place) = plans_folder(&whole) {
            let errors = absent.iter_mut().map(|absent| &mut absent.error);
            let faults = records.iter_mut().flat_map(|record| record.faults.iter_mut().flatten());
            let words = faults.flat_map(|fault| [&mut fault.text, &mut fault.stderr]);
            errors.chain(words).for_each(|text| *text = text.replace(place, ""));
        }
        Ok(Kept { plan, whole, absent, records, bots: folder.read_bots()? })
    }
}

/// Returns the folder of the plan as it stands before the paths of bots, with a slash at its end.
///
/// A report may be published: where the organiser's files are is nobody's business.
fn plans_folder(plan: &Plan) -> Option<&str> {
    plan.bots.iter().find_map(|bot| {
        let before = bot.spec.strip_suffix(bot.text.trim_end_matches('/'))?;
        let place = &before[before.find('/')?..];
        (place.len() > 1 && place.ends_with('/')).then_some(place)
    })
}

/// Names of files in a folder that need not be there.
fn replays(folder: &Path) -> Result<HashSet<String>> {
    let context = || format!("cannot list {}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
        entries => entries.with_context(context)?,
    };
    let mut names = HashSet::new();
    for entry in entries {
        names.extend(entry.with_context(context)?.file_name().into_string());
    }
    Ok(names)
}

/// Writes the page; it is there as a whole or not at all, so that it can be loaded again and again
/// while matches are played.
fn write_page(report: &Report<'_>, folder: &Folder, file: &Path) -> Result<()> {
    let context = || format!("cannot write {}", file.display());
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let parent = parent.canonicalize().with_context(context)?;
    let folder = folder.path().canonicalize().with_context(context)?;
    let links = Links { replays: way(&parent, &folder), ..Links::default() };
    Ok(write_whole(file, report.html(&links).html.as_bytes())?)
}

/// The way from the page's folder to the replays, where one lies in the other: what lies elsewhere
/// will not move with the page.
fn way(page: &Path, folder: &Path) -> Option<String> {
    let parts = |path: &Path| {
        path.iter().map(|part| part.to_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    let parts = match (folder.strip_prefix(page), page.strip_prefix(folder)) {
        (Ok(down), _) => parts(down)?,
        (_, Ok(up)) => vec!["..".to_owned(); up.iter().count()],
        _ => return None,
    };
    Some(parts.into_iter().chain([REPLAYS.to_owned()]).map(|part| part + "/").collect())
}

/// The folder of the viewer.
const VIEWER: &str = "viewer";

/// The report for programs, by which a site is also known.
const JSON: &str = "report.json";

/// Writes the site, and says how many replays are in it: those that the page links to.
///
/// # Errors
/// If the folder cannot be written, or holds other things.
fn write_site(report: &Report<'_>, folder: &Folder, site: &Path) -> Result<usize> {
    refuse_others(site)?;
    for name in [VIEWER, REPLAYS] {
        let below = site.join(name);
        if below.exists() {
            fs::remove_dir_all(&below)
                .with_context(|| format!("cannot replace {}", below.display()))?;
        }
        fs::create_dir_all(&below).with_context(|| format!("cannot create {}", below.display()))?;
    }
    let write = |name: &str, contents: &[u8]| {
        let path = site.join(name);
        agon_files::write(&path, contents)
    };
    // First what marks the folder as a site, so that it can be written again if this ends here.
    write(JSON, report.json().as_bytes())?;
    for file in bundle::FILES {
        write(&format!("{VIEWER}/{}", file.name), file.contents)?;
    }
    let mut files = vec![("JSON".to_owned(), JSON.to_owned())];
    for table in Csv::ALL {
        let name = format!("{table}.csv");
        let mut bytes = Vec::new();
        report.csv(table, &mut bytes)?;
        write(&name, &bytes)?;
        files.push((name.clone(), name));
    }
    let viewer = Some((format!("{VIEWER}/index.html"), format!("../{REPLAYS}/")));
    let ending = if bundle::knows(report.tournament.game) { "" } else { ".scenes" };
    let page = report.html(&Links { viewer, files, ending, ..Links::default() });
    for name in &page.replays {
        let from = folder.replays().join(name);
        let replay = fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        write(&format!("{REPLAYS}/{name}"), &replay)?;
        if !ending.is_empty() {
            match scenes(&replay) {
                Ok(shown) => write(&format!("{REPLAYS}/{name}{ending}"), &shown)?,
                // As with a damaged replay, the rest of the site is good.
                Err(error) => say!("note: the site does not show {}: {error}", from.display()),
            }
        }
    }
    write("index.html", page.html.as_bytes())?;
    Ok(page.replays.len())
}

/// Returns what shows a replay of a game that the viewer does not know; it says how much it shows.
fn scenes(file: &[u8]) -> Result<Vec<u8>> {
    let shown = bundle::scenes(&Replay::open(file)?, file)?;
    Ok(shown.context("the viewer knows its game")?.messages)
}

/// A folder may be new, empty, or a site that was written before.
fn refuse_others(site: &Path) -> Result<()> {
    if !site.exists() || site.join(JSON).is_file() && site.join(VIEWER).is_dir() {
        return Ok(());
    }
    let mut entries =
        fs::read_dir(site).with_context(|| format!("cannot list {}", site.display()))?;
    if entries.next().is_some() {
        bail!("{} holds other things; name a folder that is new or empty", site.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_replays_is_relative() {
        let way = |page: &str, folder: &str| way(Path::new(page), Path::new(folder));
        assert_eq!(way("/a/cup", "/a/cup").as_deref(), Some("replays/"));
        assert_eq!(way("/a", "/a/b/cup").as_deref(), Some("b/cup/replays/"));
        assert_eq!(way("/a/cup/web/x", "/a/cup").as_deref(), Some("../../replays/"));
        assert_eq!(way("/a/x", "/a/cup"), None);
    }
}
