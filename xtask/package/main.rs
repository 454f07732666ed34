//! `agon-package`: writes packages of a tree of files that was laid out for them.
//!
//! The tree has the form of `/usr`: `bin/agon`, `libexec/agon/agon-wasm-host` and so on.
//! `cargo xtask package` builds the programs, lays out the tree and calls this program, once for
//! each kind of package. The same tree gives the same bytes.

mod deb;
mod oci;
mod tree;
mod wheel;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, io::Write};

use anyhow::{Context, Result, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};
use flate2::{Compression, GzBuilder, write::GzEncoder};

use crate::tree::Tree;

/// The short description of all packages.
const SUMMARY: &str = "Arena for programming games: write bots, play them, prove results";

/// The licences, as an SPDX expression.
const LICENCE: &str = "MIT OR Apache-2.0";

const USAGE: &str = "usage: agon-package tar|deb|wheel|oci TREE DIR VERSION TIME GLIBC [BASE]
       agon-package licences FILE PACKAGE...
TREE has the files; the package goes to DIR. TIME is that of all files in it, in seconds since 1970.
GLIBC is the lowest version with which the dynamic programs run, such as 2.34. BASE has the files
below Agon in the image, as a tar. `licences` writes those of all libraries in the programs of these
packages of the workspace.";

/// A release for one kind of machine.
struct Release {
    /// The version, such as `0.1.0`.
    release: String,
    /// The time of all files in packages, in seconds since 1970.
    time: u64,
    /// The lowest version of glibc with which the dynamic programs run, such as `2.34`.
    glibc: String,
}

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let written = match args.as_slice() {
        ["licences", file, programs @ ..] => write_licences(programs, Path::new(file))?,
        [kind, tree, to, release, time, glibc, base @ ..] => {
            let [release, glibc] = [release, glibc].map(|text| (*text).to_owned());
            let time = time.parse().with_context(|| format!("`{time}` is no time"))?;
            let release = Release { release, time, glibc };
            let tree = Tree::read(Path::new(tree))?;
            let to = Path::new(to);
            match (*kind, base) {
                ("tar", []) => archive(&tree, &release, to)?,
                ("deb", []) => deb::write(&tree, &release, to)?,
                ("wheel", []) => wheel::write(&tree, &release, to)?,
                ("oci", [base]) => oci::write(&tree, Path::new(base), &release, to)?,
                _ => bail!("{USAGE}"),
            }
        }
        _ => bail!("{USAGE}"),
    };
    eprintln!("{}", written.display());
    Ok(())
}

/// Writes the archive to unpack anywhere, `agon-0.1.0-x86_64-linux.tar.gz`, to a folder.
fn archive(tree: &Tree, release: &Release, to: &Path) -> Result<PathBuf> {
    let name = format!("agon-{}-x86_64-linux", release.release);
    let tree = tree.moved(|path| format!("{name}/{path}"));
    let path = to.join(format!("{name}.tar.gz"));
    let mut file = File::create(&path).with_context(|| path.display().to_string())?;
    tree.write_tar(compressed(&mut file), release.time)?.finish()?;
    Ok(path)
}

/// Returns a writer that compresses. The header has no time and no name.
fn compressed<W: Write>(to: W) -> GzEncoder<W> {
    GzBuilder::new().mtime(0).write(to, Compression::best())
}

/// Writes the texts of all licences to a file, each with the libraries that have it, and returns
/// the file's path.
fn write_licences(programs: &[&str], to: &Path) -> Result<PathBuf> {
    let metadata = MetadataCommand::new()
        .other_options(vec!["--locked".to_owned(), "--all-features".to_owned()])
        .exec()
        .context("cannot ask cargo for the libraries")?;
    let linked = linked(&metadata, programs)?;
    let mut with_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut text = "The programs of Agon contain these libraries:\n\n".to_owned();
    let foreign = metadata.packages.iter().filter(|p| p.source.is_some() && linked.contains(&p.id));
    for package in foreign {
        let licence = package.license.as_deref().unwrap_or("see its licence file");
        let name = format!("{} {}", package.name, package.version);
        writeln!(text, "{name}: {licence}")?;
        let folder = package.manifest_path.parent().context("a manifest without a folder")?;
        for licence in texts(folder.as_std_path())? {
            with_text.entry(licence).or_default().insert(name.clone());
        }
    }
    for (licence, names) in with_text {
        let names: Vec<String> = names.into_iter().collect();
        write!(text, "\n{:=<80}\n{}:\n\n{}\n", "", names.join(", "), licence.trim_end())?;
    }
    xtask::write(to, text)?;
    Ok(to.to_owned())
}

/// Returns what is linked into these packages of the workspace.
fn linked<'m>(metadata: &'m Metadata, programs: &[&str]) -> Result<BTreeSet<&'m PackageId>> {
    let resolve = metadata.resolve.as_ref().context("cargo says nothing of dependencies")?;
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let mut open = Vec::new();
    for program in programs {
        let package = metadata.packages.iter().find(|p| p.source.is_none() && *p.name == *program);
        open.push(&package.with_context(|| format!("there is no package `{program}`"))?.id);
    }
    let mut linked = BTreeSet::new();
    while let Some(id) = open.pop() {
        if linked.insert(id) {
            let normal = nodes[id]
                .deps
                .iter()
                .filter(|dep| dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal));
            open.extend(normal.map(|dep| &dep.pkg));
        }
    }
    Ok(linked)
}

/// Returns the texts of the licence files in a folder.
fn texts(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
        if path.is_file() && starts.iter().any(|start| name.starts_with(start)) {
            texts.push(String::from_utf8_lossy(&fs::read(&path)?).replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}

#[cfg(test)]
fn some_release() -> Release {
    Release { release: "1.2.3".to_owned(), time: 1_700_000_000, glibc: "2.34".to_owned() }
}
