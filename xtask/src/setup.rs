//! `cargo xtask setup`: installs the programs that tests and starter kits need beside Rust. `cargo
//! xtask test` and `kits` also install what is missing. And compilers for other targets than this
//! machine, with which the viewer for browsers and some long jobs are built.

use std::path::{Path, PathBuf};
use std::{env, fs, os::unix::fs::PermissionsExt, process::Command};

use anyhow::{Context, Result, bail, ensure};
use xtask::{entries, fresh, has, root, step, text_of};

use crate::kits::Kit;

/// Programs and the Debian packages with them.
const NEEDED: &[(&str, &str)] = &[
    ("cc", "gcc"),
    ("c++", "g++"),
    ("python3", "python3"),
    ("git", "git"),
    // The examples of the guide to the ladder's API use both.
    ("curl", "curl"),
    ("jq", "jq"),
    // The queries of a page are asked with it.
    ("sqlite3", "sqlite3"),
    ("java", "default-jre-headless"),
    ("clojure", "clojure"),
    // Further runtimes that bots may use, under a limit of memory.
    ("/usr/lib/python3/dist-packages/numpy/__init__.py", "python3-numpy"),
    ("pypy3", "pypy3"),
    ("sbcl", "sbcl"),
    ("escript", "erlang-base"),
    // Tests of pages use a browser.
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    // The tests of the ladder server make certificates with it.
    ("openssl", "openssl"),
    // Its figures are read with this parser, and it is tried behind proxies.
    ("/usr/lib/python3/dist-packages/prometheus_client/parser.py", "python3-prometheus-client"),
    ("/usr/sbin/nginx", "nginx-light"),
    ("caddy", "caddy"),
    // It also keeps its tables there.
    ("/usr/share/postgresql-common/pg_wrapper", "postgresql"),
    // Tests of films check them with it, and some films are made with it.
    ("ffmpeg", "ffmpeg"),
    // The tests with hostile bots also run as another user.
    ("setpriv", "util-linux"),
    ("unshare", "util-linux"),
    ("newuidmap", "uidmap"),
    // The tests of the window use an invisible display.
    ("Xvfb", "xvfb"),
    ("xdotool", "xdotool"),
    ("xwd", "x11-apps"),
    // VNC clients by two authors, with two versions of the protocol.
    ("gvnccapture", "gvncviewer"),
    ("vncsnapshot", "vncsnapshot"),
    // Counts instructions.
    ("valgrind", "valgrind"),
    // The tests of the viewer in a terminal.
    ("tmux", "tmux"),
];

/// Packages that compile C and C++ to WebAssembly, with their libraries.
const FOR_WASM: [&str; 5] =
    ["clang", "lld", "wasi-libc", "libclang-rt-dev-wasm32", "libc++-dev-wasm32"];

/// Programs that come as packages of Python, each version with its digest: the requirements, and
/// the folder below `target/` for them.
const PACKED: [(&str, &str); 2] = [
    // Asks the ladder server's API.
    ("crates/agon-server/tests/api/schemathesis/requirements.txt", "schemathesis"),
    // Carries matches between machines. Debian's is too old.
    ("crates/agon-nats/tests/requirements.txt", "nats"),
];

/// Installs missing programs; without root or apt it prints their names.
pub(crate) fn run() -> Result<()> {
    let mut missing = missing(NEEDED);
    if !compiles_wasm() {
        missing.extend(FOR_WASM);
    }
    if !makes_environments() {
        missing.push("python3-venv");
    }
    if !missing.is_empty() {
        if !can_install() {
            bail!(
                "the tests need these packages: {0}; install them, e.g. `sudo apt-get install \
                 {0}`",
                missing.join(" ")
            );
        }
        install(&missing)?;
    }
    PACKED.iter().try_for_each(|(wanted, folder)| packed(wanted, folder))
}

/// Returns the packages of those programs that are missing.
fn missing<'a>(programs: &[(&str, &'a str)]) -> Vec<&'a str> {
    programs.iter().filter(|(program, _)| !has(program)).map(|&(_, package)| package).collect()
}

/// Installs the packages of those programs that are missing.
///
/// # Errors
/// If that is not possible here.
pub(crate) fn need(programs: &[(&str, &str)]) -> Result<()> {
    let missing = missing(programs);
    if missing.is_empty() {
        return Ok(());
    }
    ensure!(can_install(), "this needs the packages {}", missing.join(" "));
    install(&missing)
}

/// Returns whether Python can make environments of its own.
fn makes_environments() -> bool {
    let mut command = Command::new("python3");
    command.args(["-c", "import ensurepip, venv"]);
    command.output().is_ok_and(|output| output.status.success())
}

/// Installs packages of Python below `target/`, unless these versions are there.
fn packed(requirements: &'static str, folder: &str) -> Result<()> {
    let wanted = fs::read(root().join(requirements)).context(requirements)?;
    let folder = root().join("target").join(folder);
    let installed = folder.join("requirements.txt");
    if fs::read(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    step(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "-q", "--only-binary", ":all:", "--require-hashes", "-r"]);
    step(pip.arg(requirements))?;
    // The last step: an environment that is not whole is made again.
    Ok(fs::write(installed, wanted)?)
}

/// Installs toolchains of starter kits; without root or apt it prints the skipped kits.
pub(crate) fn toolchains(kits: &[Kit]) -> Result<()> {
    let lacking: Vec<_> =
        kits.iter().map(|kit| (&kit.id, kit.packages())).filter(|(_, p)| !p.is_empty()).collect();
    let packages: Vec<&str> = lacking.iter().flat_map(|(_, packages)| packages).copied().collect();
    if packages.is_empty() {
        return Ok(());
    }
    if !can_install() {
        let ids: Vec<&str> = lacking.iter().map(|(id, _)| id.as_str()).collect();
        eprintln!("\n==> these starter kits are skipped: {}", ids.join(", "));
        eprintln!("    root and apt-get are needed to install {}", packages.join(" "));
        return Ok(());
    }
    install(&packages)
}

/// Returns whether packages can be installed here.
pub(crate) fn can_install() -> bool {
    has("apt-get")
        && Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

pub(crate) fn install(packages: &[&str]) -> Result<()> {
    step(Command::new("apt-get").args(["update", "-q"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-q", "--no-install-recommends"]).args(packages);
    step(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Returns whether there is a clang with a linker and libraries for WebAssembly, of any version.
fn compiles_wasm() -> bool {
    let source = "#include <stdlib.h>\nint main(void) { return rand(); }\n";
    let folder = env::temp_dir().join(format!("agon-setup-{}", std::process::id()));
    let file = folder.join("probe.c");
    let output = folder.join("probe.wasm");
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, source));
    let compiles = |clang: &str| {
        let mut command = Command::new(clang);
        command
            .arg("--target=wasm32-wasi")
            .arg(&file)
            .args(["-lc++", "-lc++abi", "-o"])
            .arg(&output);
        command.output().is_ok_and(|output| output.status.success())
    };
    let versions = (14..=22).map(|version| format!("clang-{version}"));
    let found =
        written.is_ok() && ["clang".to_owned()].into_iter().chain(versions).any(|c| compiles(&c));
    // Nobody needs it again.
    let _ = fs::remove_dir_all(&folder);
    found
}

/// A target of compilation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Its name for compilers.
    pub(crate) triple: &'static str,
    /// The linker for it; `None` if nothing is linked.
    pub(crate) linker: Option<&'static str>,
    /// The libraries of Rust that it needs.
    pub(crate) libraries: &'static str,
}

impl Target {
    /// Returns its name in cargo's variables.
    pub(crate) fn variable(&self) -> String {
        self.triple.to_uppercase().replace('-', "_")
    }
}

/// A compiler for another target.
///
/// If rustup has the target, its compiler is used. Otherwise it may be Debian's `rustc-web`, which
/// is newer than Debian's `rustc`. That has no libraries for the target, so they are built as well,
/// from its sources. Its packages are unpacked below `target` and not installed.
pub(crate) enum Toolchain {
    /// The compiler that built this program.
    Own,
    /// Debian's compiler, below this folder.
    Debian(PathBuf),
}

impl Toolchain {
    /// Returns the available compiler for `target`.
    pub(crate) fn find(target: Target) -> Result<Toolchain> {
        let Target { triple, linker, .. } = target;
        if let Some(linker) = linker
            && !has(linker)
        {
            bail!("{linker} is needed to build for {triple}; `cargo xtask setup` installs it");
        }
        let libraries =
            Command::new("rustc").args(["--print", "target-libdir", "--target", triple]).output();
        let libraries = libraries.context("cannot run rustc")?.stdout;
        if Path::new(String::from_utf8_lossy(&libraries).trim()).is_dir() {
            return Ok(Toolchain::Own);
        }
        if !has("apt-get") || !has("dpkg") {
            bail!(
                "Rust's libraries for {triple} are missing; `rustup target add {triple}` installs \
                 them (without rustup: Debian's apt-get and dpkg are needed)"
            );
        }
        Toolchain::debian()
    }

    /// Returns Debian's compiler, which can rebuild Rust's own libraries.
    pub(crate) fn debian() -> Result<Toolchain> {
        let folder = root().join("target").join("web-toolchain");
        let unpacked = folder.join("root");
        if !rustc(&unpacked).is_file() {
            unpack(&folder, &unpacked)?;
        }
        Ok(Toolchain::Debian(unpacked))
    }

    /// Makes `build` use it with these `flags`.
    ///
    /// No path of this machine gets into the result.
    pub(crate) fn apply(&self, build: &mut Command, target: Target, flags: &[&str]) -> Result<()> {
        let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        flags.extend(remapped()?);
        if let Toolchain::Debian(unpacked) = self {
            let wrapper = unpacked.with_file_name("rustc.sh");
            let libraries = unpacked.join("usr/lib/x86_64-linux-gnu");
            let libraries = quoted(&libraries);
            let rustc = quoted(&rustc(unpacked));
            // Bash passes on variables like `CARGO_BIN_EXE_agon-sandbox`; other shells drop them
            // because of their names.
            fs::write(
                &wrapper,
                format!("#!/bin/bash\nLD_LIBRARY_PATH={libraries} exec {rustc} \"$@\"\n"),
            )?;
            fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
            flags.push(remap(&unpacked.join("usr/lib/rustlib/src/rust"), "rust"));
            build.arg(format!("-Zbuild-std={}", target.libraries));
            build.env("RUSTC", wrapper).env("RUSTC_BOOTSTRAP", "1");
        }
        build.args(["--target", target.triple]);
        if let Some(linker) = target.linker {
            build.env(format!("CARGO_TARGET_{}_LINKER", target.variable()), linker);
        }
        // The settings of `cargo xtask` are for another compiler.
        build.env_remove("RUSTFLAGS").env_remove("RUSTC_WRAPPER").env_remove("RUSTUP_TOOLCHAIN");
        build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
        Ok(())
    }
}

/// Returns the flags that keep the paths of this machine out of a program.
pub(crate) fn remapped() -> Result<[String; 2]> {
    Ok([remap(&root(), "agon"), remap(&cargo_home()?, "cargo")])
}

fn rustc(unpacked: &Path) -> PathBuf {
    unpacked.join("usr/bin/rustc")
}

fn cargo_home() -> Result<PathBuf> {
    let home = || env::home_dir().map(|home| home.join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home).context("there is no home folder")
}

fn remap(from: &Path, to: &str) -> String {
    format!("--remap-path-prefix={}={to}", from.display())
}

/// Quotes a path for a shell.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// Fetches Debian's packages and unpacks them.
fn unpack(folder: &Path, unpacked: &Path) -> Result<()> {
    let packages = packages()?;
    let debs = folder.join("packages");
    fs::create_dir_all(&debs)?;
    // As root, apt-get would download as a user who may not write here.
    let fetch = ["-c", "cd \"$0\" && exec apt-get -o APT::Sandbox::User=root download \"$@\""];
    step(Command::new("sh").args(fetch).arg(&debs).args(&packages))?;
    // Only a complete folder gets the final name.
    let half = fresh(folder.join("half"))?;
    for deb in entries(&debs)? {
        step(Command::new("dpkg").arg("-x").arg(deb).arg(&half))?;
    }
    fs::remove_dir_all(&debs)?;
    fs::rename(&half, unpacked)?;
    Ok(())
}

/// Returns the compiler, its libraries, which have its version in their names, and their sources.
fn packages() -> Result<Vec<String>> {
    let mut packages =
        vec!["rustc-web".to_owned(), "libstd-rust-web-dev".to_owned(), "rust-web-src".to_owned()];
    for (of, prefix) in [(1, "libstd-rust-web-"), (3, "libllvm")] {
        let named = depends(&packages[of])?.into_iter().find(|name| name.starts_with(prefix));
        let missing =
            "this Debian has no package rustc-web that can be used; install the target with rustup";
        packages.push(named.context(missing)?);
    }
    Ok(packages)
}

fn depends(package: &str) -> Result<Vec<String>> {
    let text = text_of(Command::new("apt-cache").args(["depends", "--important", package]))?;
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    Ok(names.map(str::to_owned).collect())
}
