//! `cargo xtask package`: builds the programs as others get them, and packs them.
//!
//! `agon-package` writes the packages. This chore builds the programs, lays out their files in the
//! form of `/usr`, and prepares the system below an image for containers.

use std::path::{Path, PathBuf};
use std::{env, fs, process::Command};

use anyhow::{Context, Result, bail, ensure};
use xtask::{cargo, fresh, read, root, step, text_of, write};

use crate::pages;
use crate::setup::{self, remapped};

/// The kinds of packages.
const KINDS: [&str; 4] = ["tar", "deb", "wheel", "oci"];

/// Builds the packages of the `wanted` kinds, or all; returns their folder.
pub(crate) fn run(wanted: &[&str]) -> Result<PathBuf> {
    if let Some(kind) = wanted.iter().find(|kind| !KINDS.contains(kind)) {
        bail!("`{kind}` is no kind of package; there are {}", KINDS.join(", "));
    }
    let kinds = if wanted.is_empty() { KINDS.as_slice() } else { wanted };
    let programs = build_programs()?;
    let packer = packer()?;
    let tree = lay_out(&programs, &packer)?;
    let packages = xtask::target()?.join("packages");
    let notes =
        notes(&read(&root().join("CHANGELOG.md"))?).context("CHANGELOG.md has no section")?;
    write(&packages.join("release-notes.md"), notes)?;
    for kind in kinds {
        let mut pack = Command::new(&packer);
        pack.arg(kind).arg(&tree).arg(&packages);
        pack.args([env!("CARGO_PKG_VERSION"), &time()?, &programs.glibc]);
        if *kind == "oci" {
            pack.arg(base()?);
        }
        step(&mut pack)?;
    }
    Ok(packages)
}

/// Returns the newest section of the changelog, which is the text of a release.
fn notes(changes: &str) -> Option<String> {
    let (_, newest) = changes.split_once("\n## ")?;
    let newest = newest.split("\n## ").next()?;
    let (_title, text) = newest.split_once('\n')?;
    Some(format!("{}\n", text.trim()))
}

/// Builds the program that writes packages. Compression is slow without optimisation.
fn packer() -> Result<PathBuf> {
    let build = ["build", "--quiet", "--release", "--package", "xtask"];
    let bin = ["--features", "package", "--bin", "agon-package"];
    step(cargo(&build).args(bin))?;
    Ok(xtask::target()?.join("release").join("agon-package"))
}

/// Returns the time of all files: that of the commit, unless the usual variable names one.
fn time() -> Result<String> {
    if let Ok(time) = env::var("SOURCE_DATE_EPOCH") {
        return Ok(time);
    }
    let mut git = Command::new("git");
    let time = text_of(git.args(["log", "-1", "--format=%ct"]).current_dir(root()))
        .context("git knows no commit; SOURCE_DATE_EPOCH can name a time instead")?;
    Ok(time.trim().to_owned())
}

/// The packages of it that bots need.
const FOR_BOTS: &str = "python3,gcc,libc6-dev";

/// Pages and translations that nobody reads in a container.
const WITHOUT: [&str; 4] = [
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
];

/// Returns the system as a tar. It is made once, until somebody deletes it.
pub(crate) fn base() -> Result<PathBuf> {
    let tar = xtask::target()?.join("package").join("base.tar");
    if tar.is_file() {
        return Ok(tar);
    }
    setup::need(&[("mmdebstrap", "mmdebstrap")])?;
    // Only a complete file gets the final name.
    let half = tar.with_file_name("half-base.tar");
    let mut make = Command::new("mmdebstrap");
    make.args(["--variant=minbase", "--include", FOR_BOTS]);
    make.args(WITHOUT.map(|option| format!("--dpkgopt={option}")));
    make.arg(codename()?).arg(&half).args(sources()?);
    step(&mut make)?;
    fs::rename(half, &tar)?;
    Ok(tar)
}

/// Returns the name of this machine's Debian.
fn codename() -> Result<String> {
    let text = read(Path::new("/etc/os-release"))?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    name.map(str::to_owned).context("/etc/os-release names no VERSION_CODENAME")
}

/// Returns the files that say where this machine gets its packages from.
fn sources() -> Result<Vec<PathBuf>> {
    let parts = Path::new("/etc/apt/sources.list.d");
    let mut sources = vec![PathBuf::from("/etc/apt/sources.list")];
    for entry in fs::read_dir(parts).into_iter().flatten() {
        let path = entry?.path();
        // As apt does: others are switched off.
        let is_source = path.extension().is_some_and(|end| end == "list" || end == "sources");
        sources.extend(is_source.then_some(path));
    }
    sources.retain(|path| fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0));
    ensure!(!sources.is_empty(), "{} names no source of packages", parts.display());
    Ok(sources)
}

/// Completions: the shell, and the path of its script.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/agon"),
    ("zsh", "share/zsh/site-functions/_agon"),
    ("fish", "share/fish/vendor_completions.d/agon.fish"),
];

/// Files of the project that go along.
const PAGES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Lays them out in an empty folder and returns it.
fn lay_out(programs: &Programs, packer: &Path) -> Result<PathBuf> {
    let tree = fresh(xtask::target()?.join("package").join("tree"))?;
    let folder = |path: &str| -> Result<PathBuf> {
        let folder = tree.join(path);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    };
    copy(&programs.agon, &folder("bin")?)?;
    let parts = folder("libexec/agon")?;
    programs.parts.iter().try_for_each(|part| copy(part, &parts))?;
    for (shell, path) in COMPLETIONS {
        let script = text_of(Command::new(&programs.agon).args(["completions", shell]))?;
        write(&tree.join(path), script)?;
    }
    let manual = folder("share/man/man1")?;
    step(Command::new(&programs.agon).arg("__manual").arg(manual))?;
    let documents = folder("share/doc/agon")?;
    PAGES.iter().try_for_each(|page| copy(&root().join(page), &documents))?;
    // What pages and rules refer to.
    for folder in ["docs", "examples"] {
        copy_tracked(folder, &documents)?;
    }
    lay_out_kit(&folder("share/agon/kit")?)?;
    let mut licences = Command::new(packer);
    licences.arg("licences").arg(documents.join("third-party-licences.txt"));
    step(licences.args(PACKAGED))?;
    pages::write_site(&programs.agon, &documents.join("html"))?;
    Ok(tree)
}

/// Lays out the sources with which `agon game new --language rust` builds games without a network.
fn lay_out_kit(kit: &Path) -> Result<()> {
    const CRATES: [&str; 2] = ["crates/agon-core", "crates/agon-games"];
    let mut workspace: toml::Table = read(&root().join("Cargo.toml"))?.parse()?;
    let whole = workspace.get_mut("workspace").and_then(toml::Value::as_table_mut);
    let whole = whole.context("Cargo.toml has a workspace")?;
    whole.retain(|key, _| !["default-members", "exclude"].contains(&key));
    whole.insert("members".to_owned(), CRATES.to_vec().into());
    workspace.retain(|key, _| key == "workspace");
    write(&kit.join("Cargo.toml"), workspace.to_string())?;
    for folder in CRATES {
        copy_tracked(folder, kit)?;
        // The kit is not tested there, and tests need more crates.
        let path = kit.join(folder).join("Cargo.toml");
        let mut manifest: toml::Table = read(&path)?.parse()?;
        manifest.retain(|key, _| !["dev-dependencies", "bench", "test"].contains(&key));
        // Rules need none of the features, nor what those need.
        let features = "default = []\ngames = []\narchives = []";
        manifest.insert("features".to_owned(), toml::from_str(features)?);
        if let Some(needed) = manifest.get_mut("dependencies").and_then(toml::Value::as_table_mut) {
            needed.retain(|_, needed| needed.get("optional").is_none());
        }
        write(&path, manifest.to_string())?;
        for tests in ["tests", "benches", "examples"] {
            let _ = fs::remove_dir_all(kit.join(folder).join(tests));
        }
    }
    fs::copy(root().join("Cargo.lock"), kit.join("Cargo.lock"))?;
    let mut vendor = cargo(&["vendor", "--quiet", "vendor"]);
    text_of(vendor.current_dir(kit)).map(drop)
}

/// Copies the files of a folder that belong to the project, without its pictures.
fn copy_tracked(folder: &str, to: &Path) -> Result<()> {
    let list = text_of(Command::new("git").args(["ls-files", folder]).current_dir(root()))?;
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

/// The packages of the workspace with programs that are packaged.
const PACKAGED: [&str; 8] = [
    "agon",
    "agon-bots",
    "agon-wasm",
    "agon-web-host",
    "agon-window-host",
    "agon-server",
    "agon-client",
    "agon-nats",
];

/// The target. It is named, so that programs and libraries of the build itself are not static.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The programs that load libraries, and their packages.
const DYNAMIC: [(&str, &str); 2] =
    [("agon-bots", "agon-native-host"), ("agon-window-host", "agon-window-host")];

/// The built programs.
struct Programs {
    /// `agon` itself.
    agon: PathBuf,
    /// Those that belong to it.
    parts: Vec<PathBuf>,
    /// The lowest version of glibc with which the dynamic ones run.
    glibc: String,
}

/// Builds them all. Most are static: they run on every Linux, whatever C library it has. Two load
/// libraries and cannot be static: that of native bots, and that of windows. `docs/packages.md` has
/// the measurements behind it.
fn build_programs() -> Result<Programs> {
    let folder = xtask::target()?.join("package");
    let is_dynamic = |package: &str| DYNAMIC.iter().any(|(name, _)| *name == package);
    let mut build = command(&folder.join("static"), &["-Ctarget-feature=+crt-static"])?;
    build.args(["--features", "agon/manual", "--bins"]);
    let packages = PACKAGED.iter().filter(|package| !is_dynamic(package));
    step(build.args(packages.flat_map(|package| ["--package", package])))?;
    let mut build = command(&folder.join("dynamic"), &[])?;
    step(
        build.args(DYNAMIC.iter().flat_map(|(package, bin)| ["--package", package, "--bin", bin])),
    )?;

    let at = |kind: &str, name: &str| folder.join(kind).join(TARGET).join("packaged").join(name);
    let fixed = ["agon-wasm-host", "agon-web-host", "agon-server", "agon-client", "agon-nats"];
    let fixed = fixed.map(|name| at("static", name));
    let dynamic = DYNAMIC.map(|(_, name)| at("dynamic", name));
    let glibc = dynamic.iter().map(|program| glibc(program)).collect::<Result<Vec<_>>>()?;
    let (_, glibc) = glibc.into_iter().max().context("some programs are dynamic")?;
    let agon = at("static", "agon");
    for program in fixed.iter().chain([&agon]) {
        ensure!(is_static(program)?, "{} is not static", program.display());
    }
    Ok(Programs { agon, parts: fixed.into_iter().chain(dynamic).collect(), glibc })
}

fn command(target: &Path, flags: &[&str]) -> Result<Command> {
    let mut build = cargo(&["build", "--locked", "--profile", "packaged", "--target", TARGET]);
    build.arg("--target-dir").arg(target);
    // No path of this machine gets into the programs.
    let flags: Vec<String> =
        flags.iter().map(|flag| (*flag).to_owned()).chain(remapped()?).collect();
    build.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    build.env("AGON_PACKAGED", "1");
    Ok(build)
}

/// Returns the newest version of glibc whose symbols a program needs, as numbers and as text.
fn glibc(program: &Path) -> Result<(Vec<u32>, String)> {
    let text = objdump("-T", program)?;
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let version = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        let numbers: Option<Vec<u32>> = version.split('.').map(|n| n.parse().ok()).collect();
        Some((numbers?, version.to_owned()))
    });
    versions.max().with_context(|| format!("{} needs no glibc", program.display()))
}

/// Whether a program needs neither libraries nor a loader for them. A program may need a loader
/// without a library, and does not start where that is missing.
fn is_static(program: &Path) -> Result<bool> {
    let headers = objdump("-p", program)?;
    Ok(!headers.contains("NEEDED") && !headers.contains("INTERP"))
}

fn objdump(flag: &str, program: &Path) -> Result<String> {
    text_of(Command::new("objdump").arg(flag).arg(program))
        .context("objdump is in the package binutils")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_of_a_release_are_the_newest_section() {
        let changes = "# Changelog\n\nText.\n\n## 0.2.0\n\n### Added\n- b\n\n## 0.1.0\n\n- a\n";
        assert_eq!(notes(changes).unwrap(), "### Added\n- b\n");
        assert_eq!(notes("# Changelog\n"), None);
        let own = read(&root().join("CHANGELOG.md")).unwrap();
        assert!(notes(&own).unwrap().starts_with("### Added"));
    }

    #[test]
    fn an_unknown_kind_is_refused_before_anything_is_built() {
        let error = run(&["rpm"]).unwrap_err().to_string();
        assert_eq!(error, "`rpm` is no kind of package; there are tar, deb, wheel, oci");
    }
}
