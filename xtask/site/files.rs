//! Folders and files of the site and of the book.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};

/// Marks a folder as written by this program, so that the next run may replace it.
const MARK: &str = ".agon-site";

/// Replaces an earlier site, or fills a new folder, with what was built.
/// Fails if the folder has other files than a site, because they would be lost.
pub(crate) fn replace(site: &Path, built: &Path) -> Result<()> {
    let used = site.exists() && fs::read_dir(site).map_or(true, |mut all| all.next().is_some());
    if used && !site.join(MARK).is_file() {
        bail!("{} has other files; name a new or empty folder", site.display());
    }
    if used {
        let removed = fs::remove_dir_all(site);
        removed.with_context(|| format!("cannot empty {}", site.display()))?;
    }
    // First the mark: if the copy is interrupted, the next one may begin again.
    write(&site.join(MARK), "`cargo xtask site` replaces this folder.\n")?;
    copy_tree(built, site)
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    copy_all(from, to)?;
    for name in names(from)?.iter().filter(|name| from.join(name).is_dir()) {
        copy_tree(&from.join(name), &to.join(name))?;
    }
    Ok(())
}

/// Returns the names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>> {
    let all = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = all
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file, and the folders above it.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, contents).with_context(|| format!("cannot write {}", path.display()))
}

/// Copies the files of a folder, without its sub-folders.
pub(crate) fn copy_all(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for name in names(from)?.iter().filter(|name| from.join(name).is_file()) {
        fs::copy(from.join(name), to.join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (site, built) = (folder.path().join("site"), folder.path().join("built"));
        write(&built.join("a/new.html"), "new").unwrap();
        replace(&site, &built).unwrap();
        write(&site.join("old.html"), "old").unwrap();
        replace(&site, &built).unwrap();
        assert!(site.join("a/new.html").exists() && !site.join("old.html").exists());
        fs::remove_file(site.join(MARK)).unwrap();
        write(&site.join("letter.txt"), "dear").unwrap();
        let error = replace(&site, &built).unwrap_err().to_string();
        assert!(error.contains("name a new or empty folder"), "{error}");
        assert!(site.join("letter.txt").exists());
    }
}
