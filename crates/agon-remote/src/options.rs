//! How matches are played on other machines, and who follows them.

use std::{path::PathBuf, str::FromStr, sync::Arc};

use agon_queue::{Lane, Status};

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
    /// Which matches volunteers may play.
    pub volunteers: Volunteers,
    /// The file that keeps which volunteers were excluded; `None` if nothing is kept.
    pub excluded: Option<PathBuf>,
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

/// Which matches volunteers may play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Volunteers {
    /// None.
    #[default]
    None,
    /// Those whose bots are built in or marked as public.
    Public,
    /// All: the organiser says that all bots are public.
    All,
}

impl FromStr for Volunteers {
    type Err = String;

    fn from_str(text: &str) -> Result<Volunteers, String> {
        match text {
            "public" => Ok(Volunteers::Public),
            "all" => Ok(Volunteers::All),
            _ => Err(format!("`{text}` is neither `public` nor `all`")),
        }
    }
}

/// Follows matches on other machines, for people.
pub trait RemoteWatcher: std::fmt::Debug + Send + Sync {
    /// Something that people should know.
    fn note(&self, text: &str);

    /// How things stand; called often.
    fn status(&self, status: Status);
}
