//! The long job `packages`: builds all packages and plays with each, where nothing else is
//! installed.
//!
//! The archive is unpacked, `dpkg` and `pip` install theirs, and the image's layers are checked and
//! unpacked, each in a root or environment of its own. There a bot in C, a shared library,
//! WebAssembly and Python must play, and all programs of Agon must be found. Shells load the
//! completions.

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xtask::{cargo, entries, files_below, fresh, output_of, read, root, step, text_of};

use crate::{package, setup, test::COMPLETE};

/// Programs that this job needs, and their Debian packages.
const NEEDED: [(&str, &str); 6] = [
    ("mmdebstrap", "mmdebstrap"),
    ("bwrap", "bubblewrap"),
    ("objdump", "binutils"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("man", "man-db"),
];

const VERSION: &str = env!("CARGO_PKG_VERSION");

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
    setup::need(&NEEDED)?;
    setup::run()?;
    let packages = package::run(&[])?;
    let folder = fresh(xtask::target()?.join("package").join("tried"))?;
    try_all(&packages, &folder)?;
    // Roots with a system are large.
    Ok(fs::remove_dir_all(&folder)?)
}

fn try_all(packages: &Path, folder: &Path) -> Result<()> {
    let name = format!("agon-{VERSION}-x86_64-linux");
    let archive = packages.join(format!("{name}.tar.gz"));

    let bare = folder.join("bare");
    unpack(&archive, &bare)?;
    let unpacked = bare.join(&name);
    no_path_of_this_machine(&unpacked)?;
    shells_load_completions(&unpacked)?;
    manual_is_well_formed(&unpacked)?;
    paths_are_as_recorded(&unpacked.join("bin"))?;
    let bots = &compile_bots(&unpacked.join("bin/agon"), folder)?;
    let bare = Environment { name: "bare", root: &bare, bots, path: format!("/{name}/bin") };
    let said = bare.run(&["agon", "play", "cluster", "--seed", "7"])?;
    ensure!(said.contains("wins: a run of 4"), "bare: {said}");
    let wasm = ["agon", "play", "cellhack", "/bots/pioneers.wasm", "builtin:random"];
    let said = bare.run(&[&wasm[..], &["--seed", "3", "--set", "turns=20", "--json"]].concat())?;
    let is_good = said.contains(r#""type":"result""#) && !said.contains(r#""type":"fault""#);
    ensure!(is_good, "bare: {said}");

    let tar = &system(folder, "tar")?;
    unpack(&archive, &tar.join("opt"))?;
    let path = format!("/opt/{name}/bin:{SYSTEM_PATH}");
    Environment { name: "tar", root: tar, bots, path }.run_script(WHOLE)?;
    without_the_native_host(&unpacked.join("bin/agon"), bots)?;

    let deb = &system(folder, "deb")?;
    let file = format!("agon_{VERSION}_amd64.deb");
    fs::copy(packages.join(&file), deb.join(&file))?;
    let deb = Environment { name: "deb", root: deb, bots, path: SYSTEM_PATH.to_owned() };
    deb.run(&["dpkg", "--install", &format!("/{file}")])?;
    deb.run_script(WHOLE)?;
    deb.run_script("dpkg --verify agon; dpkg --purge agon")?;

    let wheel = entries(packages)?.into_iter().find(|path| has_ending(path, "whl"));
    let wheel = wheel.with_context(|| format!("{} has no wheel", packages.display()))?;
    let venv = folder.join("venv");
    step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let programs = venv.join("bin");
    step(Command::new(programs.join("pip")).args(["install", "--quiet", "--no-index"]).arg(wheel))?;
    output_of(Command::new(programs.join("python")).args(["-m", "agon_cli", "--version"]))?;
    // It is this machine's system, but nothing of Agon in it is seen.
    let path = format!("{}:/usr/bin:/bin", programs.display());
    Environment { name: "wheel", root: Path::new("/"), bots, path }.run_script(WHOLE)?;

    let oci =
        &unpack_image(&packages.join(format!("agon-{VERSION}-oci.tar")), &folder.join("oci"))?;
    Environment { name: "oci", root: oci, bots, path: SYSTEM_PATH.to_owned() }.run_script(WHOLE)
}

/// Compiles bots of all kinds from one source, with the arena's own compilers, and returns their
/// folder: `pioneers.c`, `.so` and `.wasm`, and a plan of a tournament.
fn compile_bots(agon: &Path, folder: &Path) -> Result<PathBuf> {
    let (bots, cache) = (folder.join("bots"), folder.join("cache"));
    fs::create_dir_all(&bots)?;
    fs::copy(root().join(SOURCE), bots.join("pioneers.c"))?;
    for bot in ["pioneers.c", "wasm:pioneers.c"] {
        let mut play = Command::new(agon);
        play.args(["play", "cellhack", bot, "builtin:random", "--set", "turns=2"]);
        output_of(play.env("XDG_CACHE_HOME", &cache).current_dir(&bots))?;
    }
    fs::write(bots.join("cup.toml"), CUP)?;
    for end in ["so", "wasm"] {
        let built = files_below(&cache)?.into_iter().find(|path| has_ending(path, end));
        let built = built.with_context(|| format!("no .{end} was built"))?;
        fs::copy(built, bots.join(format!("pioneers.{end}")))?;
    }
    Ok(bots)
}

/// Everything that a whole package does. The first command that fails ends it.
const WHOLE: &str = r#"
agon --version | grep -F "$VERSION"
agon doctor --json >doctor
grep '"type":"part"' doctor >parts
[ "$(wc -l <parts)" = 8 ]
if grep -v -e '"place":"found"' -e ffmpeg parts; then exit 1; fi

play_well() {
    agon play "$@" builtin:random --json >events
    grep -q '"type":"result"' events
    if grep '"type":"fault"' events; then exit 1; fi
}
for end in c so wasm; do
    play_well cellhack /bots/pioneers.$end --seed 3 --set turns=20
done
agon new cluster python /tmp/mine
play_well cluster /tmp/mine

agon play cluster --seed 1 --gif film.gif --replay m.agon 2>&1 | grep film.gif
agon replay verify m.agon | grep proven
agon tournament /bots/cup.toml --out cup | grep random
"#;

/// Without the program for native bots C is played as WebAssembly, and a library is refused.
fn without_the_native_host(agon: &Path, bots: &Path) -> Result<()> {
    for (bot, code, words) in
        [("pioneers.c", 0, "play as WebAssembly"), ("pioneers.so", 2, "agon-native-host")]
    {
        let mut play = Command::new(agon);
        play.args(["play", "cellhack", bot, "builtin:random", "--set", "turns=20", "--json"]);
        let output = play.current_dir(bots).env("AGON_NATIVE_HOST", "").output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() == Some(code) && said.contains(words), "{said}");
    }
    Ok(())
}

fn no_path_of_this_machine(unpacked: &Path) -> Result<()> {
    for path in [root(), xtask::target()?] {
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
    let bash = "source $SHARE/bash-completion/completions/agon; COMP_WORDS=(agon tour); \
                COMP_CWORD=1; _agon agon tour agon; echo ${COMPREPLY[@]}";
    let zsh = "fpath=($SHARE/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D; \
               print $_comps[agon]; autoload +X _agon && print loaded";
    let fish = "source $SHARE/fish/vendor_completions.d/agon.fish; complete -C 'agon tour'";
    for (shell, flags, script, expected) in [
        ("bash", "-c", bash, "tournament"),
        ("zsh", "-fc", zsh, "_agon\nloaded"),
        ("fish", "-c", fish, "tournament"),
    ] {
        let mut command = Command::new(shell);
        command.args([flags, script]).env("SHARE", unpacked.join("share")).env("HOME", unpacked);
        let output = command.output().with_context(|| format!("cannot run {shell}"))?;
        let [said, error] =
            [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        ensure!(said.contains(expected) && error.is_empty(), "{shell} says {said:?}, {error:?}");
    }
    Ok(())
}

fn manual_is_well_formed(unpacked: &Path) -> Result<()> {
    let folder = unpacked.join("share/man/man1");
    let pages = entries(&folder)?;
    ensure!(pages.len() > 20, "{} has {} pages", folder.display(), pages.len());
    for page in pages {
        let mut man = Command::new("man");
        man.args(["--warnings", "--local-file"]).arg(&page).env("MANPAGER", "cat");
        let output = output_of(man.env("MANWIDTH", "100"))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(said.is_empty(), "{}: {said}", page.display());
        ensure!(!output.stdout.is_empty(), "{} is empty", page.display());
    }
    Ok(())
}

/// Unpacks the small Debian below images to a folder.
fn system(folder: &Path, name: &str) -> Result<PathBuf> {
    let to = folder.join(name);
    unpack(&package::base()?, &to)?;
    Ok(to)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension == ending)
}

/// Unpacks a tar, compressed or not, to a folder.
fn unpack(tar: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    // Device files are not for everybody to make, and each root gets its own.
    step(Command::new("tar").args(["--exclude=./dev/*", "-xf"]).arg(tar).arg("-C").arg(to))
}

/// Where programs are in a system.
const SYSTEM_PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// Where a package is tried: a folder as the root of all files, without network.
struct Environment<'a> {
    name: &'static str,
    root: &'a Path,
    /// The folder that is below `/bots`.
    bots: &'a Path,
    /// Where programs are looked for.
    path: String,
}

impl Environment<'_> {
    /// Runs a command in `/tmp` and returns what it prints.
    fn run(&self, words: &[&str]) -> Result<String> {
        // Commands find what those before them have written.
        let home = self.bots.with_file_name(format!("home-{}", self.name));
        fs::create_dir_all(&home)?;
        let mut command = Command::new("bwrap");
        command.arg("--bind").arg(self.root).arg("/");
        command.arg("--ro-bind").arg(self.bots).arg("/bots");
        command.args(["--proc", "/proc", "--dev", "/dev", "--bind"]).arg(&home).arg("/tmp");
        command.args(["--unshare-pid", "--unshare-net", "--die-with-parent", "--clearenv"]);
        command.args(["--setenv", "PATH", &self.path, "--setenv", "HOME", "/tmp"]);
        command.args(["--setenv", "VERSION", VERSION, "--chdir", "/tmp"]).args(words);
        let output = output_of(&mut command).context(self.name)?;
        Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }

    /// Runs the commands of a script. An error has those up to the one that failed.
    fn run_script(&self, script: &str) -> Result<()> {
        self.run(&["bash", "-euxo", "pipefail", "-c", script])?;
        eprintln!("==> {}: all is well", self.name);
        Ok(())
    }
}

/// Unpacks the image to a folder and returns its root of files.
fn unpack_image(image: &Path, to: &Path) -> Result<PathBuf> {
    let layout = to.join("layout");
    let root = to.join("root");
    fs::create_dir_all(&root)?;
    unpack(image, &layout)?;
    let blob = |digest: &Value| -> Result<PathBuf> {
        let digest = digest.as_str().and_then(|digest| digest.strip_prefix("sha256:"));
        let digest = digest.context("a blob has a digest")?;
        let path = layout.join("blobs").join("sha256").join(digest);
        let sum = text_of(Command::new("sha256sum").arg(&path))?;
        ensure!(sum.starts_with(digest), "{} is damaged", path.display());
        Ok(path)
    };
    let json = |path: PathBuf| -> Result<Value> {
        serde_json::from_str(&read(&path)?).with_context(|| path.display().to_string())
    };
    let index = json(layout.join("index.json"))?;
    let manifest = json(blob(&index["manifests"][0]["digest"])?)?;
    let config = json(blob(&manifest["config"]["digest"])?)?;
    ensure!(config["config"]["Entrypoint"][0] == "/usr/bin/agon", "{config}");
    for layer in manifest["layers"].as_array().context("an image has layers")? {
        unpack(&blob(&layer["digest"])?, &root)?;
    }
    Ok(root)
}
