//! How matches are played on other machines, and who follows them.

use std::{path::PathBuf, sync::Arc};

use crate::fleet::{Lane, Status};

use crate::{Address, Fairness};

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
    /// Whether the run ends once: then slow workers do not get its last matches. A ladder never
    /// ends.
    pub has_end: bool,
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
