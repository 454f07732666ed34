//! Results of other runs, which a tournament reuses instead of playing the match again.
//!
//! They come from journals that were put aside in its folder, and from the folders of `--reuse`.

use std::{collections::HashMap, path::Path, sync::Arc};

use agon_text::read_regular;
use agon_tournament::{Record, journal};
use anyhow::{Context, Result};

use super::folder::Folder;

/// Results of other runs, by the keys of their matches.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<String, (Record, Arc<Folder>)>);

impl Known {
    /// Adds the results of journals of a folder; those that are there already stay.
    ///
    /// # Errors
    /// If one cannot be read, or is damaged.
    pub(crate) fn add<P: AsRef<Path>>(
        &mut self,
        folder: &Folder,
        journals: impl IntoIterator<Item = P>,
    ) -> Result<()> {
        let folder = Arc::new(folder.clone());
        for path in journals {
            let path = path.as_ref();
            let bytes =
                read_regular(path).with_context(|| format!("cannot read {}", path.display()))?;
            let records = journal::read(&bytes, path)?.records;
            // A forfeit says nothing of another run.
            for record in records.into_iter().filter(|record| record.forfeits.is_empty()) {
                self.0.entry(record.key.clone()).or_insert_with(|| (record, Arc::clone(&folder)));
            }
        }
        Ok(())
    }

    /// Takes out the result with this key, if it was played in this folder.
    pub(crate) fn take_of(&mut self, key: &str, folder: &Folder) -> Option<(Record, Arc<Folder>)> {
        let (_, from) = self.0.get(key)?;
        if from.path() == folder.path() { self.take(key) } else { None }
    }

    /// Takes out the result with this key, and returns it with the folder of its replay.
    pub(crate) fn take(&mut self, key: &str) -> Option<(Record, Arc<Folder>)> {
        self.0.remove(key)
    }
}
