//! The files of a package.

use std::io::{self, Write};
use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt, path::Path};

use anyhow::{Context, Result, ensure};
use tar::{EntryType, Header};
use xtask::files_below;

/// A file of a package.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Its path, with `/` between folders.
    pub(crate) path: String,
    /// Its contents.
    pub(crate) bytes: Vec<u8>,
    /// Whether it is a program.
    pub(crate) is_program: bool,
}

/// The files of a package, sorted by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree(pub(crate) Vec<File>);

impl Tree {
    /// Reads all files below a folder.
    ///
    /// # Errors
    /// If something is neither a folder nor a file.
    pub(crate) fn read(folder: &Path) -> Result<Tree> {
        let mut files = Vec::new();
        for file in files_below(folder)? {
            let about = fs::symlink_metadata(&file)?;
            ensure!(about.is_file(), "{} is no file", file.display());
            let path = file.strip_prefix(folder)?.to_str().context("a path is not UTF-8")?;
            let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
            let is_program = about.permissions().mode() & 0o100 != 0;
            files.push(File { path: path.to_owned(), bytes, is_program });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Tree(files))
    }

    /// Adds a file.
    pub(crate) fn add(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.0.push(File { path: path.to_owned(), bytes: bytes.into(), is_program: false });
        self.0.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// Returns it with other paths.
    pub(crate) fn moved(&self, path: impl Fn(&str) -> String) -> Tree {
        Tree(self.0.iter().map(|file| File { path: path(&file.path), ..file.clone() }).collect())
    }

    /// Writes it as a tar with its folders; all files belong to root.
    pub(crate) fn write_tar<W: Write>(&self, to: W, time: u64) -> io::Result<W> {
        let mut tar = tar::Builder::new(to);
        // `./`, the root itself, is not among them: unpacking must not change the folder's mode.
        let folders: BTreeSet<&Path> =
            self.0.iter().flat_map(|file| Path::new(&file.path).ancestors().skip(1)).collect();
        for folder in folders.into_iter().filter(|folder| *folder != Path::new("")) {
            let path = format!("{}/", folder.display());
            append(&mut tar, &path, EntryType::Directory, 0o755, &[], time)?;
        }
        for File { path, bytes, is_program } in &self.0 {
            let mode = if *is_program { 0o755 } else { 0o644 };
            append(&mut tar, path, EntryType::Regular, mode, bytes, time)?;
        }
        tar.into_inner()
    }
}

fn append(
    tar: &mut tar::Builder<impl Write>,
    path: &str,
    kind: EntryType,
    mode: u32,
    bytes: &[u8],
    time: u64,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(bytes.len() as u64);
    header.set_username("root")?;
    header.set_groupname("root")?;
    tar.append_data(&mut header, path, bytes)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Read;

    use super::*;

    /// A tree with a program, a part and documents.
    pub(crate) fn small() -> Tree {
        let mut tree = Tree::default();
        tree.add("share/doc/agon/README.md", "# Agon\n");
        tree.add("share/doc/agon/CHANGELOG.md", "# Changelog\n");
        tree.add("share/zsh/site-functions/_agon", "#compdef agon\n");
        for (path, bytes) in [("bin/agon", "agon"), ("libexec/agon/agon-wasm-host", "host")] {
            let bytes = bytes.as_bytes().to_vec();
            tree.0.push(File { path: path.to_owned(), bytes, is_program: true });
        }
        tree.0.sort_by(|a, b| a.path.cmp(&b.path));
        tree
    }

    #[test]
    fn a_tar_has_all_files_with_their_modes_and_folders_before_them() {
        let bytes = small().write_tar(Vec::new(), 1_700_000_000).unwrap();
        let mut seen = Vec::new();
        for entry in tar::Archive::new(bytes.as_slice()).entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.mtime().unwrap()), (0, 1_700_000_000));
            let path = entry.path().unwrap().display().to_string();
            seen.push((path, header.mode().unwrap(), text));
        }
        let at = |path: &str| seen.iter().position(|(seen, ..)| seen == path).unwrap();
        assert!(at("bin/") < at("bin/agon") && at("share/doc/") < at("share/doc/agon/README.md"));
        assert_eq!(seen[at("bin/agon")], ("bin/agon".to_owned(), 0o755, "agon".to_owned()));
        assert_eq!(seen[at("share/doc/agon/README.md")].1, 0o644);
        assert_eq!(seen.len(), 5 + 8, "files and folders: {seen:?}");
        assert_eq!(bytes, small().write_tar(Vec::new(), 1_700_000_000).unwrap());
    }

    #[test]
    fn a_tree_is_what_a_folder_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bin");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("agon"), "agon").unwrap();
        fs::set_permissions(path.join("agon"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        let tree = Tree::read(folder.path()).unwrap();
        let files: Vec<_> =
            tree.0.iter().map(|file| (file.path.as_str(), file.is_program)).collect();
        assert_eq!(files, [("a", false), ("bin/agon", true)]);
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        let error = Tree::read(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("link is no file"), "{error}");
    }
}
