//! The report with viewer and replays, as files for any server of static files.

use std::{fs, path::Path};

use agon_contest::report::{Csv, Links, Report};
use agon_contest::tournament::Folder;
use agon_web::bundle;
use anyhow::{Context, Result, bail};

use super::names::REPLAYS;

/// The folder of the viewer.
const VIEWER: &str = "viewer";

/// The report for programs, by which a site is also known.
const JSON: &str = "report.json";

/// Writes the site, and says how many replays are in it: those that the page links to.
///
/// # Errors
/// If the folder cannot be written, or holds other things.
pub(super) fn write(report: &Report<'_>, folder: &Folder, site: &Path) -> Result<usize> {
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
    let page = report.html(&Links { viewer, files, ..Links::default() });
    for name in &page.replays {
        let (from, to) = (folder.replays().join(name), site.join(REPLAYS).join(name));
        let replay = fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        agon_files::write(&to, &replay)?;
    }
    write("index.html", page.html.as_bytes())?;
    Ok(page.replays.len())
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
