//! The flags of commands that can play on other machines: `--on nats://HOST`.

use std::{
    fs,
    hash::{BuildHasher, Hasher, RandomState},
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_files::WriteError;
use agon_queue::Lane;
use agon_text::cut;
use clap::Args;

use crate::{Address, RemoteOptions, RemoteWatcher};

/// The file in the folder of a tournament with the name of its run, so that another process can
/// continue it.
const FILE: &str = "run-on";

/// The most bytes of what people call a run.
const MOST_TITLE: usize = 200;

/// Where matches are played, if not on this machine.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RemoteArgs {
    /// Play the matches on the workers of this NATS server, such as nats://192.168.1.5:4222;
    /// `agon worker` starts one.
    #[arg(long, value_name = "SERVER", conflicts_with = "jobs")]
    pub on: Option<Address>,
    /// The file with NATS credentials for the server.
    #[arg(long, value_name = "FILE", requires = "on")]
    pub credentials: Option<PathBuf>,
    /// The file with the certificates that verify the server's certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "on")]
    pub authority: Option<PathBuf>,
    /// The priority among runs that share workers: urgent, normal or background
    /// [default: normal].
    #[arg(long, value_name = "LANE", requires = "on")]
    pub lane: Option<Lane>,
}

impl RemoteArgs {
    /// Returns how matches are played whose run is over when the process is; `None` if this machine
    /// plays.
    pub fn options(&self, title: &str, watcher: Arc<dyn RemoteWatcher>) -> Option<RemoteOptions> {
        self.with_run(&fresh(), title, watcher)
    }

    /// Returns the same for a folder that names its run: another process with the folder, or a copy
    /// of it, continues the run. People call it what the folder is called.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn options_in(
        &self,
        folder: &Path,
        watcher: Arc<dyn RemoteWatcher>,
    ) -> Result<Option<RemoteOptions>, WriteError> {
        match self.on {
            Some(_) => {
                let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
                Ok(self.with_run(&run_of(folder)?, &name, watcher))
            }
            None => Ok(None),
        }
    }

    fn with_run(
        &self,
        run: &str,
        title: &str,
        watcher: Arc<dyn RemoteWatcher>,
    ) -> Option<RemoteOptions> {
        Some(RemoteOptions {
            address: self.on.clone()?,
            credentials: self.credentials.clone(),
            authority: self.authority.clone(),
            lane: self.lane.unwrap_or_default(),
            run: run.to_owned(),
            title: cut(title, MOST_TITLE).to_owned(),
            watcher: Some(watcher),
        })
    }
}

/// Returns the run of a folder.
fn run_of(folder: &Path) -> Result<String, WriteError> {
    let path = folder.join(FILE);
    if let Ok(text) = fs::read_to_string(&path) {
        let text = text.trim();
        // It becomes part of a subject.
        if text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(text.to_owned());
        }
    }
    let run = fresh();
    agon_files::write_whole(&path, format!("{run}\n").as_bytes())?;
    Ok(run)
}

/// Returns a name that no other run or worker has: 16 hexadecimal digits.
pub fn fresh() -> String {
    // The standard library draws the keys of hash maps at random.
    let number = RandomState::new().build_hasher().finish();
    format!("{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let run = run_of(folder.path()).unwrap();
        assert_eq!(run_of(folder.path()).unwrap(), run);
        fs::write(folder.path().join(FILE), "a.b.*").unwrap();
        let other = run_of(folder.path()).unwrap();
        assert!(other != run && other.len() == 16, "{other}");
    }
}
