//! The licences of the libraries that are linked into the programs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

/// Writes the texts of all licences to a file, each with the libraries that have it, and returns
/// the file's path.
///
/// # Errors
/// If cargo cannot be asked, or the file cannot be written.
pub(crate) fn write(programs: &[String], to: &Path) -> Result<PathBuf> {
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
    fs::write(to, text).with_context(|| to.display().to_string())?;
    Ok(to.to_owned())
}

/// Returns what is linked into these packages of the workspace.
fn linked<'m>(metadata: &'m Metadata, programs: &[String]) -> Result<BTreeSet<&'m PackageId>> {
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
