//! Signed checkpoints of the log, as C2SP signed-note and tlog-checkpoint describe them.

use rand_core::OsRng;
use signed_note::{
    Note, Signer as _, StandardSigner, StandardVerifier, Verifier, VerifierList, generate_key,
};
use tlog_tiles::{checkpoint::Checkpoint, tlog::Hash};

use crate::ledger::{Entry, LogError};

/// The most bytes of a note that is read.
const MAX_NOTE: usize = 4 << 10;

/// The most entries of a log that are believed: a ladder needs thousands of years for them, and
/// places of their hashes are still numbers of 64 bits.
pub(crate) const MAX_SIZE: u64 = 1 << 53;

/// The first line of a note with which a key names its successor.
const SUCCESSOR: &str = "agon-ladder-successor";

/// How far a log has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The name of the log.
    pub origin: String,
    /// How many entries it has.
    pub size: u64,
    /// The root of the tree over them.
    pub root: Hash,
}

/// A key with which a server signs.
pub struct Signer {
    private: String,
    public: String,
    signer: StandardSigner,
}

fn no_key<T>(_: T) -> LogError {
    LogError::wrong("this is no key for a ladder's log")
}

fn no_checkpoint<T>(_: T) -> LogError {
    LogError::wrong("this is no signed checkpoint")
}

impl Signer {
    /// Makes a new key for a log.
    pub fn fresh(origin: &str) -> Signer {
        let (private, public) = generate_key(&mut OsRng, origin);
        Signer::of(private, public).expect("the key is new")
    }

    /// Reads a key that [`Signer::text`] wrote.
    pub fn parse(text: &str) -> Result<Signer, LogError> {
        let (private, public) = text.trim_end().split_once('\n').ok_or_else(|| no_key(()))?;
        Signer::of(private.to_owned(), public.to_owned())
    }

    fn of(private: String, public: String) -> Result<Signer, LogError> {
        let signer = StandardSigner::new(&private).map_err(no_key)?;
        let signer = Signer { private, public, signer };
        // Both parts belong to each other.
        let own = signer.note("a test\n");
        verified(&own, &[signer.public.as_str()]).map_err(no_key)?;
        Ok(signer)
    }

    /// Returns the key, which is a secret, as a text.
    pub fn text(&self) -> String {
        format!("{}\n{}\n", self.private, self.public)
    }

    /// Returns the key with which others verify.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// Returns the name of the log.
    pub fn origin(&self) -> &str {
        self.signer.name()
    }

    /// Signs how far the log has come.
    pub fn checkpoint(&self, size: u64, root: Hash) -> String {
        let checkpoint = Checkpoint::new(self.origin(), size, root, "");
        let text = checkpoint.expect("the name of a log is not empty").to_bytes();
        self.note(&String::from_utf8(text).expect("checkpoints are text"))
    }

    /// Returns the entry with which this key names its successor.
    pub fn successor(&self, next: &Signer) -> Entry {
        let note = self.note(&format!("{SUCCESSOR}\n{}\n", next.public));
        Entry::Key { key: next.public.clone(), note }
    }

    fn note(&self, text: &str) -> String {
        let mut note = Note::new(text.as_bytes(), &[]).expect("the text ends with a line end");
        note.add_sigs(&[&self.signer]).expect("the key is good");
        String::from_utf8(note.to_bytes()).expect("signed notes are text")
    }
}

/// Returns the text of a note that one of the keys has signed.
fn verified(note: &str, keys: &[&str]) -> Result<String, LogError> {
    if note.len() > MAX_NOTE {
        return Err(no_checkpoint(()));
    }
    let verifier = |key: &&str| -> Result<Box<dyn Verifier>, LogError> {
        Ok(Box::new(StandardVerifier::new(key).map_err(no_key)?))
    };
    let keys: Result<Vec<_>, _> = keys.iter().map(verifier).collect();
    let note = Note::from_bytes(note.as_bytes()).map_err(no_checkpoint)?;
    let (by_known, _) = note.verify(&VerifierList::new(keys?)).map_err(|_| LogError::Signature)?;
    if by_known.is_empty() {
        return Err(LogError::Signature);
    }
    String::from_utf8(note.text().to_vec()).map_err(no_checkpoint)
}

/// Reads a signed checkpoint.
///
/// # Errors
/// If the key has not signed it, it is about another log than that of the key, or about more
/// entries than a log can have.
pub fn open(note: &str, key: &str) -> Result<Head, LogError> {
    let text = verified(note, &[key])?;
    let checkpoint = Checkpoint::from_bytes(text.as_bytes()).map_err(no_checkpoint)?;
    let origin = checkpoint.origin().to_owned();
    if key.split('+').next() != Some(origin.as_str()) {
        return Err(LogError::wrong(format!("it is a checkpoint of another log, `{origin}`")));
    }
    let size = checkpoint.size();
    if size > MAX_SIZE {
        let what = format!("the checkpoint says that the log has {size} entries, which cannot be");
        return Err(LogError::wrong(what));
    }
    Ok(Head { origin, size, root: *checkpoint.hash() })
}

/// Returns the key that succeeds `key` by an entry of the log; `None` if the entry is about others.
pub fn succeeded(key: &str, entry: &Entry) -> Result<Option<String>, LogError> {
    let Entry::Key { key: next, note } = entry else { return Ok(None) };
    let text = verified(note, &[key])?;
    let is_named = text.strip_prefix(SUCCESSOR) == Some(&format!("\n{next}\n"));
    let is_same_log = key.split('+').next() == next.split('+').next();
    if is_named && is_same_log { Ok(Some(next.clone())) } else { Err(no_checkpoint(())) }
}

/// Returns a short text by which people compare a key for verifying.
pub fn fingerprint(key: &str) -> String {
    let digest = agon_match::spec::Digest::of(key.trim().as_bytes()).to_string();
    let groups: Vec<&str> = (0..4).map(|group| &digest[8 * group..8 * group + 8]).collect();
    groups.join("-")
}

#[cfg(test)]
mod tests {
    use tlog_tiles::tlog::record_hash;

    use super::*;

    #[test]
    fn checkpoints_are_signed() {
        let key = Signer::fresh("agon-ladder/1");
        let root = record_hash(b"x");
        let note = key.checkpoint(7, root);
        let head = Head { origin: "agon-ladder/1".to_owned(), size: 7, root };
        assert_eq!(open(&note, key.public()).unwrap(), head);
        let again = Signer::parse(&key.text()).unwrap();
        assert_eq!(open(&again.checkpoint(7, root), key.public()).unwrap(), head);

        let other = Signer::fresh("agon-ladder/1");
        assert!(matches!(open(&note, other.public()), Err(LogError::Signature)));
        let changed = note.replacen("\n7\n", "\n8\n", 1);
        assert!(matches!(open(&changed, key.public()), Err(LogError::Signature)));
        for text in ["", "x", "x\n\n", &"x\n".repeat(5_000)] {
            assert!(open(text, key.public()).is_err(), "{text}");
        }
        let longest = key.checkpoint(MAX_SIZE, root);
        assert_eq!(open(&longest, key.public()).unwrap().size, MAX_SIZE);
        let too_long = key.checkpoint(MAX_SIZE + 1, root);
        let why = |note: &str, key: &str| open(note, key).unwrap_err().to_string();
        assert!(why(&too_long, key.public()).ends_with("entries, which cannot be"));
        assert_eq!(why(&note, "no key"), "this is no key for a ladder's log");
        let mixed = format!("{}\n{}\n", key.private, other.public);
        assert!(Signer::parse(&mixed).is_err());
        assert_ne!(fingerprint(key.public()), fingerprint(other.public()));
    }

    #[test]
    fn a_key_names_its_successor() {
        let (old, new) = (Signer::fresh("log"), Signer::fresh("log"));
        let entry = old.successor(&new);
        assert_eq!(succeeded(old.public(), &entry).unwrap().as_deref(), Some(new.public()));
        assert!(succeeded(new.public(), &entry).is_err());
        let Entry::Key { note, .. } = &entry else { unreachable!() };
        let thief = Signer::fresh("log");
        let forged = Entry::Key { key: thief.public().to_owned(), note: note.clone() };
        assert!(succeeded(old.public(), &forged).is_err());
        let foreign = old.successor(&Signer::fresh("other-log"));
        assert!(succeeded(old.public(), &foreign).is_err());
        // A checkpoint is no such note.
        let checkpoint = old.checkpoint(0, record_hash(b""));
        let forged = Entry::Key { key: thief.public().to_owned(), note: checkpoint };
        assert!(succeeded(old.public(), &forged).is_err());
        let other = Entry::GivenUp { arena: 1, number: 1 };
        assert_eq!(succeeded(old.public(), &other).unwrap(), None);
    }
}
