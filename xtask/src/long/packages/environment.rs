//! A root or an environment in which a package is tried.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use crate::run::step;

/// Where a package is tried.
pub(super) struct Environment {
    pub(super) name: &'static str,
    /// The command that enters it; the words of another command follow.
    enter: Vec<String>,
}

impl Environment {
    /// A folder as the root of all files, without network; `bots` is below `/bots`.
    pub(super) fn root(
        name: &'static str,
        root: &Path,
        bots: &Path,
        path: &str,
    ) -> Result<Environment> {
        // Commands find what those before them have written.
        let home = bots.with_file_name(format!("home-{name}"));
        fs::create_dir_all(&home)?;
        let [root, bots, home] = [root, bots, &home].map(|path| path.display().to_string());
        let path = format!("{path}:/usr/bin:/bin:/usr/sbin:/sbin");
        let words = [
            "bwrap",
            "--bind",
            &root,
            "/",
            "--ro-bind",
            &bots,
            "/bots",
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--bind",
            &home,
            "/tmp",
            "--unshare-pid",
            "--unshare-net",
            "--die-with-parent",
            "--clearenv",
            "--setenv",
            "PATH",
            &path,
            "--setenv",
            "HOME",
            "/tmp",
            "--chdir",
            "/tmp",
        ];
        Ok(Environment { name, enter: words.map(str::to_owned).to_vec() })
    }

    /// An environment of Python with a wheel in it, on this machine, without any other variable.
    pub(super) fn python(wheel: &Path, folder: &Path, bots: &Path) -> Result<Environment> {
        let venv = folder.join("venv");
        step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        let pip = venv.join("bin").join("pip");
        step(Command::new(pip).args(["install", "--quiet", "--no-index"]).arg(wheel))?;
        let mut module = Command::new(venv.join("bin").join("python"));
        let output = module.args(["-m", "agon_cli", "--version"]).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // It is this machine's system, but nothing of Agon in it is seen.
        let mut environment = Environment::root("wheel", Path::new("/"), bots, "")?;
        let path = format!("{}:/usr/bin:/bin", venv.join("bin").display());
        let at = environment.enter.iter().position(|word| word == "PATH");
        environment.enter[at.context("PATH is set")? + 1] = path;
        Ok(environment)
    }

    /// Plays a short match of a bot in cellhack.
    pub(super) fn plays(&self, bot: &str) -> Result<()> {
        let settings = ["builtin:random", "--seed", "3", "--set", "turns=20", "--json"];
        let words: Vec<&str> = ["play", "cellhack", bot].into_iter().chain(settings).collect();
        let events = self.output(&words)?;
        ensure!(is_good(&events), "{}: {bot}: {events}", self.name);
        Ok(())
    }

    /// Runs `agon` and looks for a text in what it prints.
    pub(super) fn expect(&self, words: &[&str], expected: &str) -> Result<()> {
        let said = self.output(words)?;
        ensure!(said.contains(expected), "{}: {words:?}: {said}", self.name);
        Ok(())
    }

    /// Runs `agon` and returns what it prints.
    pub(super) fn output(&self, words: &[&str]) -> Result<String> {
        let agon: Vec<&str> = ["agon"].into_iter().chain(words.iter().copied()).collect();
        self.does(&agon)
    }

    /// Runs a command and returns what it prints.
    pub(super) fn does(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.enter[0]);
        let output = command.args(&self.enter[1..]).args(words).output();
        let output = output.with_context(|| format!("cannot run {}", self.enter[0]))?;
        let [said, error] = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        ensure!(output.status.success(), "{}: {words:?}: {said}{error}", self.name);
        Ok(format!("{said}{error}"))
    }
}

/// Whether a match was played to its end without a fault.
pub(super) fn is_good(events: &str) -> bool {
    events.contains(r#""type":"result""#) && !events.contains(r#""type":"fault""#)
}
