//! The public log of a ladder, as a server sends it or a copy holds it: nothing of it is believed,
//! nothing of it stops the reader, and what is read is written again as it was.

use std::{cell::RefCell, sync::LazyLock};

use agon_core::Seed;
use agon_ladder::ledger::tree::{Frontier, TilePath, bundle, unbundle};
use agon_ladder::ledger::{
    Audit, Books, Entry, LogError, MAX_ENTRY, Remembered, Sample, Signer, Source, Table, audit,
    follow, open, succeeded,
};
use tlog_tiles::tlog::record_hash;

/// A key that signs what is made up: without it, nothing would be read on. Which one it is changes
/// nothing.
static KEY: LazyLock<Signer> = LazyLock::new(|| Signer::fresh("agon-ladder/fuzz"));

/// The public log of a ladder: any bytes are refused, or read and written again.
pub fn ladder_log(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    match kind % 6 {
        0 => entry(data),
        1 => note(data),
        2 => path(data),
        3 => tile(data),
        4 => honest_tree(data),
        _ => any_server(data),
    }
}

/// An entry has one spelling.
fn entry(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(entry) = Entry::parse(text) else { return };
    assert_eq!(entry.text(), text);
    let _ = succeeded(KEY.public(), &entry);
    let mut books = Books::default();
    let _ = books.add(0, &entry, |_| {});
}

/// Whoever changes a signed checkpoint changes nothing that is believed.
fn note(data: &[u8]) {
    let root = record_hash(b"");
    let mut changed = KEY.checkpoint(17, root).into_bytes();
    for change in data.chunks_exact(2) {
        let place = usize::from(change[0]) % (changed.len() + 1);
        match change[1] {
            // As long as it was, shorter, or longer.
            byte if byte & 0x80 == 0 && place < changed.len() => changed[place] = byte,
            0xff => changed.truncate(place),
            byte => changed.insert(place, byte & 0x7f),
        }
    }
    if let Ok(changed) = std::str::from_utf8(&changed)
        && let Ok(head) = open(changed, KEY.public())
    {
        assert_eq!((head.origin.as_str(), head.size, head.root), (KEY.origin(), 17, root));
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    assert!(open(text, KEY.public()).is_err(), "nobody else has the key");
    let _ = open(&KEY.checkpoint(17, root), text);
    if let Ok(key) = Signer::parse(text) {
        let again = Signer::parse(&key.text()).expect("own keys can be read");
        assert_eq!(again.public(), key.public());
    }
    if let Ok(remembered) = serde_json::from_str::<Remembered>(text)
        && let Ok((size, root)) = remembered.head()
    {
        assert_eq!((size, root.to_string()), (remembered.size, remembered.root));
    }
}

fn path(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Some(path) = TilePath::parse(text) {
        assert_eq!(path.text(), text);
    }
}

fn tile(data: &[u8]) {
    if let Some(entries) = unbundle(data) {
        assert_eq!(bundle(entries), data);
    }
}

/// Lines are the entries of a log that is signed and served as it should be: what is wrong with
/// them is found by what they say.
fn honest_tree(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').take(256).collect();
    if lines.iter().any(|line| line.len() > MAX_ENTRY) {
        return;
    }
    let mut tree = Frontier::default();
    lines.iter().for_each(|line| tree.add(line));
    let server = Served {
        checkpoint: KEY.checkpoint(tree.size(), tree.root()),
        entries: bundle(lines.iter().copied()),
        replies: RefCell::new(Vec::new()),
    };
    read(&server, None);
    let remembered = follow(&server, None).expect("the checkpoint is signed");
    assert_eq!(remembered.size, tree.size());
    // It begins with itself, whatever the entries are.
    follow(&server, Some(&remembered)).expect("the log is the same");
    read(&server, Some(remembered));
    let mut books = Books::default();
    for (at, line) in (0..).zip(&lines) {
        let Some(entry) = std::str::from_utf8(line).ok().and_then(|l| Entry::parse(l).ok()) else {
            return;
        };
        if books.add(at, &entry, |_| {}).is_err() {
            return;
        }
    }
    for (&arena, book) in &books.arenas {
        if let Ok(Some(table)) = book.table(arena) {
            let again: Table = serde_json::from_str(&table.text()).expect("own tables can be read");
            assert_eq!(again.text(), table.text());
        }
    }
}

/// A server signs any checkpoint, and sends anything.
fn any_server(data: &[u8]) {
    let Some((numbers, rest)) = data.split_at_checked(16) else { return };
    let [before, after] = [0, 8].map(|at| {
        let bytes = numbers[at..at + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(bytes)
    });
    let mut parts = rest.split(|&byte| byte == 0xff).map(<[u8]>::to_vec);
    let mut tree = Frontier::default();
    tree.add(&parts.next().unwrap_or_default());
    let root = tree.root();
    let entries = parts.next().unwrap_or_default();
    let mut replies: Vec<Vec<u8>> = parts.take(64).collect();
    replies.reverse();
    let checkpoint = KEY.checkpoint(after, root);
    let server = Served { checkpoint, entries, replies: RefCell::new(replies) };
    let remembered =
        Remembered { key: KEY.public().to_owned(), size: before, root: root.to_string() };
    let _ = follow(&server, Some(&remembered));
    read(&server, Some(remembered));
}

fn read(server: &Served, remembered: Option<Remembered>) {
    let sample = Sample::Some(2, Seed(1));
    let options = Audit { remembered, sample, arena: None, files: None };
    let _ = audit(server, &options, |_| {}, |_| {});
}

/// What a server sends.
struct Served {
    checkpoint: String,
    /// Each tile of entries.
    entries: Vec<u8>,
    /// Everything else, the last one first.
    replies: RefCell<Vec<Vec<u8>>>,
}

impl Source for Served {
    fn get(&self, path: &str) -> Result<Vec<u8>, LogError> {
        if path == "log/checkpoint" {
            return Ok(self.checkpoint.clone().into_bytes());
        }
        if path == "log/key" {
            return Ok(KEY.public().as_bytes().to_vec());
        }
        if path.starts_with("log/tile/entries/") {
            return Ok(self.entries.clone());
        }
        let reply = self.replies.borrow_mut().pop();
        reply.ok_or_else(|| LogError::Missing(path.to_owned()))
    }
}
