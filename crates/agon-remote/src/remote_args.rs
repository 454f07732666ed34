//! The flags of commands that can play on other machines: `--on nats://HOST`.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::{fs, num::NonZero, sync::Arc};

use agon_core::text::name::cut;
use agon_files::WriteError;
use clap::Args;

use crate::fleet::{Lane, Status, rounded_speed};
use crate::{Address, Fairness, machine_speed};

/// How matches are played on other machines.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// Where the server is.
    pub address: Address,
    /// A file with credentials for it.
    pub credentials: Option<PathBuf>,
    /// A file with certificates that sign that of the server.
    pub authority: Option<PathBuf>,
    /// A folder that all machines see: bots travel through it.
    pub bot_store: Option<PathBuf>,
    /// On which machines matches are fair.
    pub fairness: Fairness,
    /// Which matches go first.
    pub lane: Lane,
    /// The name of the run. One coordinator may lead it at a time; another one with this name goes
    /// on with it.
    pub run: String,
    /// What people call the run.
    pub title: String,
    /// Who hears what people should know.
    pub watcher: Option<Arc<dyn RemoteWatcher>>,
}

/// Follows matches on other machines, for people.
pub trait RemoteWatcher: std::fmt::Debug + Send + Sync {
    /// Something that people should know.
    fn note(&self, text: &str);

    /// How things stand; called often.
    fn status(&self, status: Status);
}

/// The file in the folder of a tournament with the name of its run and the speed for which its
/// time limits are meant, so that another process can continue it.
const FILE: &str = "run-on";

/// The most bytes of what people call a run.
const MOST_TITLE: usize = 200;

/// Where matches are played, if not on this machine.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RemoteArgs {
    /// Play the matches on the workers of this NATS server, such as nats://192.168.1.5:4222;
    /// `agon worker` starts one.
    #[arg(long, value_name = "SERVER")]
    pub on: Option<Address>,
    /// The file with NATS credentials for the server.
    #[arg(long, value_name = "FILE", requires = "on")]
    pub credentials: Option<PathBuf>,
    /// The file with the certificates that verify the server's certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "on")]
    pub authority: Option<PathBuf>,
    /// Send bots through this folder, which all machines see, instead of through the server;
    /// workers need the same flag.
    #[arg(long, value_name = "DIR", requires = "on")]
    pub bot_store: Option<PathBuf>,
    /// The priority among runs that share workers: urgent, normal or background
    /// [default: normal].
    #[arg(long, value_name = "LANE", requires = "on", hide_possible_values = true)]
    pub lane: Option<Lane>,
    /// The speed of the machine for which time limits are meant, as `agon worker status` shows it
    /// [default: that of this machine]. Slower machines give more time, faster ones less.
    #[arg(long, value_name = "N", requires = "on")]
    pub speed: Option<NonZero<u32>>,
    /// Play only on machines with this model of processor, as `agon worker status` shows it.
    #[arg(long, value_name = "MODEL", requires = "on")]
    pub processor: Option<String>,
}

impl RemoteArgs {
    /// Returns the places that no bot on this machine may see.
    pub fn secrets(&self) -> impl Iterator<Item = PathBuf> {
        [&self.credentials, &self.bot_store].into_iter().flatten().cloned()
    }

    /// Returns how matches are played whose run is over when the process is; `None` if this machine
    /// plays.
    pub fn options(&self, title: &str, watcher: Arc<dyn RemoteWatcher>) -> Option<RemoteOptions> {
        let run = Run { name: fresh(), speed: None };
        self.with_run(run, title, watcher)
    }

    /// Returns the same for a folder that names its run: another process with the folder, or a copy
    /// of it, continues the run. People call it what the folder is called.
    pub fn options_in(
        &self,
        folder: &Path,
        watcher: Arc<dyn RemoteWatcher>,
    ) -> Result<Option<RemoteOptions>, WriteError> {
        match self.on {
            Some(_) => {
                let speed = self.speed.map(NonZero::get);
                let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
                let run = Run::of(folder, speed)?;
                Ok(self.with_run(run, &name, watcher))
            }
            None => Ok(None),
        }
    }

    fn with_run(
        &self,
        run: Run,
        title: &str,
        watcher: Arc<dyn RemoteWatcher>,
    ) -> Option<RemoteOptions> {
        let address = self.on.clone()?;
        let fairness = Fairness {
            reference: self.speed.map(NonZero::get).or(run.speed).unwrap_or_else(own_speed),
            processor: self.processor.clone(),
        };
        Some(RemoteOptions {
            address,
            fairness,
            credentials: self.credentials.clone(),
            authority: self.authority.clone(),
            bot_store: self.bot_store.clone(),
            lane: self.lane.unwrap_or_default(),
            run: run.name,
            title: cut(title, MOST_TITLE).to_owned(),
            watcher: Some(watcher),
        })
    }
}

/// A run, as its folder names it.
struct Run {
    name: String,
    /// The speed for which its time limits are meant: it stays when another machine continues.
    speed: Option<u32>,
}

impl Run {
    /// Returns the run of a folder; a new one gets this speed, or that of this machine.
    fn of(folder: &Path, speed: Option<u32>) -> Result<Run, WriteError> {
        let path = folder.join(FILE);
        if let Ok(text) = fs::read_to_string(&path) {
            let mut lines = text.lines();
            let name = lines.next().unwrap_or_default().trim();
            let speed = lines.next().and_then(|line| line.strip_prefix("speed ")?.parse().ok());
            // It becomes part of a subject.
            if name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Ok(Run { name: name.to_owned(), speed });
            }
        }
        let (name, speed) = (fresh(), speed.unwrap_or_else(own_speed));
        agon_files::write_whole(&path, format!("{name}\nspeed {speed}\n").as_bytes())?;
        Ok(Run { name, speed: Some(speed) })
    }
}

/// Returns the speed of this machine, rounded.
fn own_speed() -> u32 {
    rounded_speed(machine_speed())
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
    fn a_folder_keeps_its_run_and_its_speed() {
        let folder = tempfile::tempdir().unwrap();
        let run = || Run::of(folder.path(), Some(77)).unwrap();
        let first = run();
        assert_eq!((run().name, run().speed), (first.name, Some(77)));
        let measured = tempfile::tempdir().unwrap();
        assert!(Run::of(measured.path(), None).unwrap().speed > Some(0));
        fs::write(folder.path().join(FILE), "a.b.*").unwrap();
        let other = run().name;
        assert!(other != "a.b.*" && other.len() == 16, "{other}");
    }
}
