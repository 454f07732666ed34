//! The long job `packages`: builds all packages and plays with each, where nothing else is
//! installed.
//!
//! The archive is unpacked, `dpkg` and `pip` install theirs, and the image's layers are checked and
//! unpacked, each in a root or environment of its own. There a bot in C, a shared library,
//! WebAssembly and Python must play, and all programs of Agon must be found. Shells load the
//! completions.

mod archive;
mod environment;
mod image;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use self::{
    archive::unpack,
    environment::{Environment, is_good},
};
use crate::{
    package,
    run::{self, cargo, has, root, step},
    setup,
    suite::COMPLETE,
};

/// Programs that this job needs, and their Debian packages.
const NEEDED: [(&str, &str); 6] = [
    ("mmdebstrap", "mmdebstrap"),
    ("bwrap", "bubblewrap"),
    ("objdump", "binutils"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("man", "man-db"),
];

/// A bot that needs nothing but a compiler.
const SOURCE: &str = "examples/bots/cellhack/pioneers.c";

/// A plan of a small tournament.
const CUP: &str = r#"
game = "cluster"
matches = 2
bots = ["builtin:random", "builtin:greedy"]

[format]
kind = "round-robin"
"#;

pub(super) fn run() -> Result<()> {
    let missing: Vec<&str> =
        NEEDED.iter().filter(|(program, _)| !has(program)).map(|&(_, package)| package).collect();
    if !missing.is_empty() {
        ensure!(setup::can_install(), "this needs the packages {}", missing.join(" "));
        setup::install(&missing)?;
    }
    setup::run()?;
    let packages = package::run(&[])?;
    let folder = run::target()?.join("package").join("tried");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    try_all(&packages, &folder)?;
    // Roots with a system are large.
    Ok(fs::remove_dir_all(&folder)?)
}

fn try_all(packages: &Path, folder: &Path) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("agon-{version}-x86_64-linux");
    let archive = packages.join(format!("{name}.tar.gz"));

    let bare = folder.join("bare");
    unpack(&archive, &bare)?;
    let unpacked = bare.join(&name);
    no_path_of_this_machine(&unpacked)?;
    shells_load_completions(&unpacked)?;
    manual_is_well_formed(&unpacked)?;
    paths_are_as_recorded(&unpacked.join("bin"))?;
    let bots = Bots::compile(&unpacked.join("bin/agon"), folder)?;
    let bare = Environment::root("bare", &bare, &bots.folder, &format!("/{name}/bin"))?;
    bare.expect(&["play", "cluster", "--seed", "7"], "wins: a run of 4")?;
    bare.plays(&bots.wasm)?;

    let tar = system(folder, "tar")?;
    unpack(&archive, &tar.join("opt"))?;
    let tar = Environment::root("tar", &tar, &bots.folder, &format!("/opt/{name}/bin"))?;
    complete(&tar, &bots)?;
    without_the_native_host(&unpacked.join("bin/agon"), &bots)?;

    let deb = system(folder, "deb")?;
    let file = format!("agon_{version}_amd64.deb");
    fs::copy(packages.join(&file), deb.join(&file))?;
    let deb = Environment::root("deb", &deb, &bots.folder, "/usr/bin")?;
    deb.does(&["dpkg", "--install", &format!("/{file}")])?;
    complete(&deb, &bots)?;
    deb.does(&["dpkg", "--verify", "agon"])?;
    deb.does(&["dpkg", "--purge", "agon"])?;

    let wheel = file_in(packages, "agon_cli-", ".whl")?;
    complete(&Environment::python(&wheel, folder, &bots.folder)?, &bots)?;

    let oci =
        image::unpack(&packages.join(format!("agon-{version}-oci.tar")), &folder.join("oci"))?;
    complete(&Environment::root("oci", &oci, &bots.folder, "/usr/bin")?, &bots)
}

/// Bots of all kinds, made from one source.
struct Bots {
    folder: PathBuf,
    c: String,
    library: String,
    wasm: String,
}

impl Bots {
    /// Compiles them with the arena's own compilers.
    fn compile(agon: &Path, folder: &Path) -> Result<Bots> {
        let (bots, cache) = (folder.join("bots"), folder.join("cache"));
        fs::create_dir_all(&bots)?;
        fs::copy(root().join(SOURCE), bots.join("pioneers.c"))?;
        for bot in ["pioneers.c", "wasm:pioneers.c"] {
            let mut play = Command::new(agon);
            play.args(["play", "cellhack", bot, "builtin:random", "--set", "turns=2"]);
            step_in(play.env("XDG_CACHE_HOME", &cache), &bots)?;
        }
        fs::write(bots.join("cup.toml"), CUP)?;
        for end in ["so", "wasm"] {
            let built =
                found_below(&cache, end)?.with_context(|| format!("no .{end} was built"))?;
            fs::copy(built, bots.join(format!("pioneers.{end}")))?;
        }
        let at = |end: &str| format!("/bots/pioneers.{end}");
        Ok(Bots { folder: bots, c: at("c"), library: at("so"), wasm: at("wasm") })
    }
}

/// Everything that a whole package does.
fn complete(environment: &Environment, bots: &Bots) -> Result<()> {
    environment.expect(&["--version"], env!("CARGO_PKG_VERSION"))?;
    let parts = environment.output(&["doctor", "--json"])?;
    let parts: Vec<&str> = parts.lines().filter(|line| line.contains(r#""type":"part""#)).collect();
    ensure!(parts.len() == 6, "{}: doctor knows {parts:?}", environment.name);
    let lost =
        parts.iter().find(|line| !line.contains(r#""place":"found""#) && !line.contains("ffmpeg"));
    ensure!(lost.is_none(), "{}: {lost:?}", environment.name);
    for bot in [&bots.c, &bots.library, &bots.wasm] {
        environment.plays(bot)?;
    }
    environment.expect(&["new", "cluster", "python", "/tmp/mine"], "cluster")?;
    let python =
        environment.output(&["play", "cluster", "/tmp/mine", "builtin:random", "--json"])?;
    ensure!(is_good(&python), "{}: {python}", environment.name);
    // Databases are made by a program of their own.
    let film =
        ["play", "cluster", "--seed", "1", "--gif", "/tmp/film.gif", "--replay", "/tmp/m.agon"];
    environment.expect(&film, "film.gif")?;
    environment.expect(&["replay", "verify", "/tmp/m.agon"], "proven")?;
    environment.expect(&["tournament", "/bots/cup.toml", "--out", "/tmp/cup"], "random")?;
    eprintln!("==> {}: all kinds of bots have played", environment.name);
    Ok(())
}

/// Without the program for native bots C is played as WebAssembly, and a library is refused.
fn without_the_native_host(agon: &Path, bots: &Bots) -> Result<()> {
    let play = |bot: &str| {
        let mut play = Command::new(agon);
        play.args(["play", "cellhack", bot, "builtin:random", "--set", "turns=20", "--json"]);
        play.current_dir(&bots.folder).env("AGON_NATIVE_HOST", "").output()
    };
    let output = play("pioneers.c")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success() && said.contains("play as WebAssembly"), "{said}");
    let output = play("pioneers.so")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() == Some(2) && said.contains("agon-native-host"), "{said}");
    Ok(())
}

fn no_path_of_this_machine(unpacked: &Path) -> Result<()> {
    for path in [root(), run::target()?] {
        let path = path.display().to_string();
        let mut grep = Command::new("grep");
        let found = grep.args(["-rlF", &path]).arg(unpacked).output()?;
        let found = String::from_utf8_lossy(&found.stdout).into_owned();
        ensure!(found.is_empty(), "`{path}` is in {found}");
    }
    Ok(())
}

/// The commands of `docs/transcripts.md` print what the page shows, with the packaged programs.
fn paths_are_as_recorded(programs: &Path) -> Result<()> {
    let mut test = cargo(&["test", "--quiet", "--package", "agon", "--test", "all", "transcripts"]);
    step(test.env("AGON_TRANSCRIPTS_BIN", programs).env(COMPLETE, "1"))
}

fn shells_load_completions(unpacked: &Path) -> Result<()> {
    let share = unpacked.join("share");
    let says = |shell: &str, script: &str, expected: &str| {
        let mut command = Command::new(shell);
        if shell == "zsh" {
            command.arg("-f");
        }
        command.args(["-c", script]).env("SHARE", &share).env("HOME", unpacked);
        let output = command.output().with_context(|| format!("cannot run {shell}"))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(said.contains(expected) && error.is_empty(), "{shell} says {said:?}, {error:?}");
        Ok(())
    };
    let bash = "source $SHARE/bash-completion/completions/agon; COMP_WORDS=(agon tour); \
                COMP_CWORD=1; _agon agon tour agon; echo ${COMPREPLY[@]}";
    says("bash", bash, "tournament")?;
    let zsh = "fpath=($SHARE/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D; \
               print $_comps[agon]; autoload +X _agon && print loaded";
    says("zsh", zsh, "_agon\nloaded")?;
    let fish = "source $SHARE/fish/vendor_completions.d/agon.fish; complete -C 'agon tour'";
    says("fish", fish, "tournament")
}

fn manual_is_well_formed(unpacked: &Path) -> Result<()> {
    let folder = unpacked.join("share/man/man1");
    let pages = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    ensure!(pages.len() > 20, "{} has {} pages", folder.display(), pages.len());
    for page in pages {
        let mut man = Command::new("man");
        man.args(["--warnings", "--local-file"]).arg(page.path()).env("MANPAGER", "cat");
        let output = man.env("MANWIDTH", "100").output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success() && said.is_empty(), "{}: {said}", page.path().display());
        ensure!(!output.stdout.is_empty(), "{} is empty", page.path().display());
    }
    Ok(())
}

/// Unpacks the small Debian below images to a folder.
fn system(folder: &Path, name: &str) -> Result<PathBuf> {
    let to = folder.join(name);
    unpack(&package::base()?, &to)?;
    Ok(to)
}

fn step_in(command: &mut Command, folder: &Path) -> Result<()> {
    let output = command.current_dir(folder).output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn file_in(folder: &Path, start: &str, end: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let named = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(start) && name.ends_with(end)
    };
    let found = entries.into_iter().find(named).map(|entry| entry.path());
    found.with_context(|| format!("{} has no {start}*{end}", folder.display()))
}

fn found_below(folder: &Path, end: &str) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if let Some(found) = found_below(&path, end)? {
                return Ok(Some(found));
            }
        } else if path.extension().is_some_and(|extension| extension == end) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}
