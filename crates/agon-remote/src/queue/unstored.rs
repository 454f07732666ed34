//! Matches whose bots are not on the server yet. They are not submitted: no worker could play them,
//! and others need not wait for them.

use std::collections::BTreeSet;

use crate::fleet::{Event, JobKey};
use agon_match::spec::Digest;

/// Bots that are on their way to the server, and the matches that wait for them.
#[derive(Debug, Default)]
pub(super) struct Unstored {
    files: BTreeSet<Digest>,
    matches: Vec<Waiting>,
}

/// A match that waits for its bots.
#[derive(Debug)]
struct Waiting {
    key: JobKey,
    files: Vec<Digest>,
    submission: Event,
}

impl Unstored {
    /// A bot is sent for the first time.
    pub(super) fn sent(&mut self, files: Digest) {
        self.files.insert(files);
    }

    /// A match wants to be submitted. Returns its submission if its bots are stored.
    pub(super) fn submit(
        &mut self,
        key: JobKey,
        files: Vec<Digest>,
        submission: Event,
    ) -> Option<Event> {
        if self.are_stored(&files) {
            return Some(submission);
        }
        self.matches.push(Waiting { key, files, submission });
        None
    }

    /// A bot is stored. Returns the submissions that waited for it alone.
    pub(super) fn stored(&mut self, files: Digest) -> Vec<Event> {
        if !self.files.remove(&files) {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.matches);
        let (ready, waiting): (Vec<Waiting>, Vec<Waiting>) =
            all.into_iter().partition(|waiting| self.are_stored(&waiting.files));
        self.matches = waiting;
        ready.into_iter().map(|waiting| waiting.submission).collect()
    }

    /// A match is not wanted any more.
    pub(super) fn give_up(&mut self, key: JobKey) {
        self.matches.retain(|waiting| waiting.key != key);
    }

    /// Forgets all matches, and returns them.
    pub(super) fn stop(&mut self) -> Vec<JobKey> {
        std::mem::take(&mut self.matches).into_iter().map(|waiting| waiting.key).collect()
    }

    fn are_stored(&self, files: &[Digest]) -> bool {
        files.iter().all(|digest| !self.files.contains(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_submitted_once_all_its_bots_are_stored() {
        let [fox, owl] = [Digest::of(b"fox"), Digest::of(b"owl")];
        let key = |name: &str| JobKey(Digest::of(name.as_bytes()));
        let mut unstored = Unstored::default();
        let submit = |unstored: &mut Unstored, name, files: &[Digest]| {
            unstored.submit(key(name), files.to_vec(), Event::Flush).is_some()
        };
        [fox, owl].iter().for_each(|files| unstored.sent(*files));
        assert!(submit(&mut unstored, "built-in bots", &[]));
        assert!(!submit(&mut unstored, "both", &[fox, owl]));
        assert!(!submit(&mut unstored, "gone", &[owl]));
        assert!(unstored.stored(fox).is_empty());
        assert!(submit(&mut unstored, "stored", &[fox]));
        unstored.give_up(key("gone"));
        assert_eq!(unstored.stored(owl), [Event::Flush]);
        assert!(unstored.stored(owl).is_empty() && unstored.stop().is_empty());
    }
}
