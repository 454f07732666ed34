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

use crate::run::{self, cargo, entries, files_below, fresh, output_of, read, root, step, text_of};
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
    let folder = fresh(run::target()?.join("package").join("tried"))?;
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

    let wheel = entries(packages)?.into_iter().find(|path| has_ending(path, "whl"));
    let wheel = wheel.with_context(|| format!("{} has no wheel", packages.display()))?;
    complete(&Environment::python(&wheel, folder, &bots.folder)?, &bots)?;

    let oci = unpack_image(&packages.join(format!("agon-{version}-oci.tar")), &folder.join("oci"))?;
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
            output_of(play.env("XDG_CACHE_HOME", &cache).current_dir(&bots))?;
        }
        fs::write(bots.join("cup.toml"), CUP)?;
        for end in ["so", "wasm"] {
            let built = files_below(&cache)?.into_iter().find(|path| has_ending(path, end));
            let built = built.with_context(|| format!("no .{end} was built"))?;
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
    ensure!(parts.len() == 8, "{}: doctor knows {parts:?}", environment.name);
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
    for (bot, code, words) in
        [("pioneers.c", 0, "play as WebAssembly"), ("pioneers.so", 2, "agon-native-host")]
    {
        let mut play = Command::new(agon);
        play.args(["play", "cellhack", bot, "builtin:random", "--set", "turns=20", "--json"]);
        let output = play.current_dir(&bots.folder).env("AGON_NATIVE_HOST", "").output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() == Some(code) && said.contains(words), "{said}");
    }
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

/// Where a package is tried.
struct Environment {
    name: &'static str,
    /// The command that enters it; the words of another command follow.
    enter: Vec<String>,
}

impl Environment {
    /// A folder as the root of all files, without network; `bots` is below `/bots`.
    fn root(name: &'static str, root: &Path, bots: &Path, path: &str) -> Result<Environment> {
        // Commands find what those before them have written.
        let home = bots.with_file_name(format!("home-{name}"));
        fs::create_dir_all(&home)?;
        let [root, bots, home] = [root, bots, &home].map(|path| path.display().to_string());
        let path = format!("{path}:/usr/bin:/bin:/usr/sbin:/sbin");
        let words = "bwrap --bind ROOT / --ro-bind BOTS /bots --proc /proc --dev /dev --bind TMP \
                     /tmp --unshare-pid --unshare-net --die-with-parent --clearenv --setenv PATH \
                     WAY --setenv HOME /tmp --chdir /tmp";
        let word = |word: &str| match word {
            "ROOT" => root.clone(),
            "BOTS" => bots.clone(),
            "TMP" => home.clone(),
            "WAY" => path.clone(),
            word => word.to_owned(),
        };
        Ok(Environment { name, enter: words.split(' ').map(word).collect() })
    }

    /// An environment of Python with a wheel in it, on this machine, without any other variable.
    fn python(wheel: &Path, folder: &Path, bots: &Path) -> Result<Environment> {
        let venv = folder.join("venv");
        step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        let pip = venv.join("bin").join("pip");
        step(Command::new(pip).args(["install", "--quiet", "--no-index"]).arg(wheel))?;
        let mut module = Command::new(venv.join("bin").join("python"));
        output_of(module.args(["-m", "agon_cli", "--version"]))?;
        // It is this machine's system, but nothing of Agon in it is seen.
        let mut environment = Environment::root("wheel", Path::new("/"), bots, "")?;
        let path = format!("{}:/usr/bin:/bin", venv.join("bin").display());
        let at = environment.enter.iter().position(|word| word == "PATH");
        environment.enter[at.context("PATH is set")? + 1] = path;
        Ok(environment)
    }

    /// Plays a short match of a bot in cellhack.
    fn plays(&self, bot: &str) -> Result<()> {
        let settings = ["builtin:random", "--seed", "3", "--set", "turns=20", "--json"];
        let words: Vec<&str> = ["play", "cellhack", bot].into_iter().chain(settings).collect();
        let events = self.output(&words)?;
        ensure!(is_good(&events), "{}: {bot}: {events}", self.name);
        Ok(())
    }

    /// Runs `agon` and looks for a text in what it prints.
    fn expect(&self, words: &[&str], expected: &str) -> Result<()> {
        let said = self.output(words)?;
        ensure!(said.contains(expected), "{}: {words:?}: {said}", self.name);
        Ok(())
    }

    /// Runs `agon` and returns what it prints.
    fn output(&self, words: &[&str]) -> Result<String> {
        let agon: Vec<&str> = ["agon"].into_iter().chain(words.iter().copied()).collect();
        self.does(&agon)
    }

    /// Runs a command and returns what it prints.
    fn does(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.enter[0]);
        let output = output_of(command.args(&self.enter[1..]).args(words)).context(self.name)?;
        Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }
}

/// Whether a match was played to its end without a fault.
fn is_good(events: &str) -> bool {
    events.contains(r#""type":"result""#) && !events.contains(r#""type":"fault""#)
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
