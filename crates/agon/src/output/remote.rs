//! Shows on stderr how matches fare that other machines play.

use agon_remote::RemoteWatcher;
use agon_remote::fleet::Status;

use super::{
    DIM, plural,
    tell::{shown_bar, tell},
};

/// How other machines fare: notes as lines, their number in the bar.
#[derive(Debug)]
pub(crate) struct RemoteBoard;

impl RemoteWatcher for RemoteBoard {
    fn note(&self, text: &str) {
        tell(format!("{DIM}note: {text}{DIM:#}"));
    }

    fn status(&self, status: Status) {
        let Some(bar) = shown_bar().filter(|bar| !bar.is_hidden() && !bar.is_finished()) else {
            return;
        };
        bar.set_message(match status.workers {
            0 => ", no worker is there yet".to_owned(),
            workers => format!(", {}", plural(workers.into(), "worker")),
        });
    }
}
