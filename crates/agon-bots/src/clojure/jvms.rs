//! The JVMs of a match: one for each species, or one that several share. All bots of a match share
//! this list.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, Weak},
};

use agon_core::Player;

use super::{
    jvm::{Jvm, Shared},
    lock::lock,
};
use crate::{OpenError, Snapshot, spec::ClojureFile};

/// The JVMs of a match. They end with their last species.
#[derive(Clone, Debug, Default)]
pub struct Jvms {
    /// JVMs that several species share. Before the match starts, more species can join them.
    pub(super) running: Arc<Mutex<Vec<Weak<Mutex<Jvm>>>>>,
    /// Species that will be opened.
    pub(super) coming: Arc<Mutex<Coming>>,
    /// Players and the JVMs they live in.
    pub(super) seated: Arc<Mutex<Vec<Seated>>>,
}

/// A player and the JVM of its species.
type Seated = (Player, Weak<Mutex<Jvm>>);

/// Species that will be opened, in order.
#[derive(Debug, Default)]
pub(super) struct Coming {
    pub(super) files: Vec<ClojureFile>,
    /// The files of all bots of the match, which species must not see of each other.
    pub(super) bots: Vec<PathBuf>,
    /// The snapshots of the same species.
    pub(super) snapshots: Vec<Vec<Arc<Snapshot>>>,
    /// Their JVMs that have started ahead.
    pub(super) started: Vec<Option<Result<Jvm, OpenError>>>,
    /// The expected next species; the order may be another.
    pub(super) next: usize,
}

impl Jvms {
    /// Returns whether a player's species lives in one of the JVMs.
    pub(super) fn seats(&self, player: Player) -> bool {
        lock(&self.seated).iter().any(|(other, jvm)| *other == player && jvm.strong_count() > 0)
    }

    /// Notes the home of a player's species.
    pub(super) fn seat(&self, player: Player, jvm: &Shared) {
        let mut seated = lock(&self.seated);
        seated.retain(|(other, jvm)| *other != player && jvm.strong_count() > 0);
        seated.push((player, Arc::downgrade(jvm)));
    }
}
