//! The report as a single file.

use std::path::{Path, PathBuf};

use agon_contest::report::{Links, Report};
use agon_contest::tournament::Folder;
use agon_files::write_whole;
use anyhow::{Context, Result};

use super::names::REPLAYS;

/// Writes the page; it is there as a whole or not at all, so that it can be loaded again and again
/// while matches are played.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write(report: &Report<'_>, folder: &Folder, file: &Path) -> Result<()> {
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
