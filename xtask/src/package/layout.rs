//! Lays out the files of all packages in the form of `/usr`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use super::programs::{PACKAGED, Programs};
use crate::{
    run::{self, root, step},
    site,
};

/// Completions: the shell, and the path of its script.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/agon"),
    ("zsh", "share/zsh/site-functions/_agon"),
    ("fish", "share/fish/vendor_completions.d/agon.fish"),
];

/// Files of the project that go along.
const PAGES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Lays them out in an empty folder and returns it.
pub(super) fn lay_out(programs: &Programs, packer: &Path) -> Result<PathBuf> {
    let tree = run::target()?.join("package").join("tree");
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    let folder = |path: &str| -> Result<PathBuf> {
        let folder = tree.join(path);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    };
    copy(&programs.agon, &folder("bin")?)?;
    let parts = folder("libexec/agon")?;
    programs.parts.iter().try_for_each(|part| copy(part, &parts))?;
    for (shell, path) in COMPLETIONS {
        let script = output(Command::new(&programs.agon).args(["completions", shell]))?;
        let path = tree.join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        fs::write(path, script)?;
    }
    let manual = folder("share/man/man1")?;
    step(Command::new(&programs.agon).arg("__manual").arg(manual))?;
    let documents = folder("share/doc/agon")?;
    PAGES.iter().try_for_each(|page| copy(&root().join(page), &documents))?;
    // What pages and rules refer to.
    for folder in ["docs", "examples"] {
        copy_tracked(folder, &documents)?;
    }
    let mut licences = Command::new(packer);
    licences.arg("licences").args(PACKAGED.iter().flat_map(|package| ["--of", package]));
    step(licences.arg(documents.join("third-party-licences.txt")))?;
    site::write(&programs.agon, &documents.join("html"))?;
    Ok(tree)
}

/// Copies the files of a folder that belong to the project, without its pictures.
fn copy_tracked(folder: &str, to: &Path) -> Result<()> {
    let list = output(Command::new("git").args(["ls-files", folder]).current_dir(root()))?;
    let list = String::from_utf8(list)?;
    for name in list.lines().filter(|name| !name.starts_with("docs/pictures/")) {
        let to = to.join(name);
        fs::create_dir_all(to.parent().context("it is in a folder")?)?;
        fs::copy(root().join(name), &to).with_context(|| name.to_owned())?;
    }
    Ok(())
}

fn copy(file: &Path, to: &Path) -> Result<()> {
    let name = file.file_name().context("a file has a name")?;
    fs::copy(file, to.join(name)).with_context(|| file.display().to_string())?;
    Ok(())
}

/// Returns what a command prints.
fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
