//! `cargo xtask setup`: installs the programs that tests and starter kits need beside Rust.
//!
//! `cargo xtask test` and `kits` also install what is missing.

use std::{fs, process::Command};

use anyhow::{Context, Result, bail};

use crate::{
    kits::Kit,
    run::{has, root, step},
};

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
    let mut missing: Vec<&str> =
        NEEDED.iter().filter(|(p, _)| !has(p)).map(|&(_, package)| package).collect();
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
    let folder = std::env::temp_dir().join(format!("agon-setup-{}", std::process::id()));
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
