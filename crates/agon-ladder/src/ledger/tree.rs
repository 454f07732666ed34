//! The Merkle tree over the entries: hashes as in RFC 6962, in tiles of 256 as in C2SP tlog-tiles.

use tlog_tiles::tlog::{Hash, node_hash, record_hash, split_stored_hash_index};

/// Levels of a tile.
pub const HEIGHT: u8 = 8;

/// Hashes, or entries, of a whole tile.
pub const WIDTH: u64 = 1 << HEIGHT;

/// Where the hashes are from which a hash of the tree is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The level of these hashes, a multiple of [`HEIGHT`]: those of level 0 are of entries.
    pub level: u8,
    /// The number of the first one on its level.
    pub first: u64,
    /// How many there are: a power of two up to 128.
    pub count: u64,
}

impl Place {
    /// Returns where the hash with an index comes from, as [`tlog_tiles::tlog`] counts them.
    pub fn of(index: u64) -> Place {
        let (level, number) = split_stored_hash_index(index);
        let below = level % HEIGHT;
        Place { level: level - below, first: number << below, count: 1 << below }
    }
}

/// Returns the hash above hashes of one level. `hashes` must be a power of two.
///
/// # Panics
/// If there are no hashes.
pub fn above(hashes: &[Hash]) -> Hash {
    let mut level = hashes.to_vec();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| node_hash(pair[0], pair[1])).collect();
    }
    level[0]
}

/// The tree over the first entries, as far as it must be known to add more.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    size: u64,
    /// The roots of the perfect trees that the entries form, the smallest last.
    roots: Vec<(u8, Hash)>,
}

impl Frontier {
    /// Adds an entry.
    pub fn add(&mut self, entry: &[u8]) {
        self.size += 1;
        let mut hash = record_hash(entry);
        let mut level = 0;
        while let Some(&(_, left)) = self.roots.last().filter(|(other, _)| *other == level) {
            self.roots.pop();
            hash = node_hash(left, hash);
            level += 1;
        }
        self.roots.push((level, hash));
    }

    /// Returns the number of entries.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the root of the tree.
    pub fn root(&self) -> Hash {
        let mut roots = self.roots.iter().rev().map(|(_, hash)| *hash);
        let last = roots.next().unwrap_or(tlog_tiles::tlog::EMPTY_HASH);
        roots.fold(last, |right, left| node_hash(left, right))
    }
}

/// What a path below `log/tile` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePath {
    /// The level in tiles; `None` for the entries themselves.
    pub level: Option<u8>,
    /// The number of the tile on its level.
    pub number: u64,
    /// How many hashes or entries of it are meant: [`WIDTH`] if all.
    pub width: u64,
}

impl TilePath {
    /// Returns the path, as `0/x001/234` or `entries/000.p/17`.
    pub fn text(&self) -> String {
        let level = self.level.map_or("entries".to_owned(), |level| level.to_string());
        let mut number = format!("{:03}", self.number % 1_000);
        let mut rest = self.number / 1_000;
        while rest > 0 {
            number = format!("x{:03}/{number}", rest % 1_000);
            rest /= 1_000;
        }
        match self.width {
            WIDTH => format!("{level}/{number}"),
            width => format!("{level}/{number}.p/{width}"),
        }
    }

    /// Reads a path; `None` if it is none, or not spelled as [`TilePath::text`] does.
    pub fn parse(path: &str) -> Option<TilePath> {
        let (level, rest) = path.split_once('/')?;
        let level = if level == "entries" { None } else { Some(level.parse().ok()?) };
        let (digits, width) = match rest.split_once(".p/") {
            Some((digits, width)) => (digits, width.parse().ok()?),
            None => (rest, WIDTH),
        };
        let mut number: u64 = 0;
        for part in digits.split('/') {
            let part: u64 = part.strip_prefix('x').unwrap_or(part).parse().ok()?;
            number = number.checked_mul(1_000)?.checked_add(part)?;
        }
        let tile = TilePath { level, number, width };
        ((1..=WIDTH).contains(&width) && tile.text() == path).then_some(tile)
    }
}

/// Writes entries as a tile of entries: before each its length, as two bytes, the larger first.
///
/// # Panics
/// If an entry is longer than [`crate::ledger::MAX_ENTRY`].
pub fn bundle<'a>(entries: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        let length = u16::try_from(entry.len()).expect("entries have a limit");
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(entry);
    }
    bytes
}

/// Reads a tile of entries; `None` if it is damaged.
pub fn unbundle(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut entries = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let (entry, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        entries.push(entry);
        bytes = rest;
    }
    bytes.is_empty().then_some(entries)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use tlog_tiles::tlog::{
        Error, HashReader, check_record, check_tree, prove_record, prove_tree, stored_hashes,
        tree_hash,
    };

    use super::*;

    /// All hashes of a tree, as the library stores them.
    #[derive(Default)]
    struct All(RefCell<Vec<Hash>>);

    impl HashReader for All {
        fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
            let hashes = self.0.borrow();
            Ok(indexes.iter().map(|&index| hashes[index as usize]).collect())
        }
    }

    fn entry(number: u64) -> Vec<u8> {
        format!("entry {number}").into_bytes()
    }

    #[test]
    fn a_frontier_and_places_agree_with_the_whole_tree() {
        let all = All::default();
        let mut frontier = Frontier::default();
        assert_eq!(frontier.root(), tree_hash(0, &all).unwrap());
        let mut roots = vec![frontier.root()];
        for number in 0..700 {
            let new = stored_hashes(number, &entry(number), &all).unwrap();
            all.0.borrow_mut().extend(new);
            frontier.add(&entry(number));
            assert_eq!(frontier.root(), tree_hash(number + 1, &all).unwrap(), "{number}");
            roots.push(frontier.root());
        }
        assert_eq!(frontier.size(), 700);
        // Each hash is what its place says.
        for (index, &hash) in all.0.borrow().iter().enumerate() {
            let place = Place::of(index as u64);
            let level = |level: u8, number: u64| {
                all.0.borrow()[tlog_tiles::tlog::stored_hash_index(level, number) as usize]
            };
            let hashes: Vec<Hash> = (place.first..place.first + place.count)
                .map(|number| match place.level {
                    0 => record_hash(&entry(number)),
                    other => level(other, number),
                })
                .collect();
            assert_eq!(above(&hashes), hash, "{index}");
        }
        // Proofs of the library hold for these roots.
        for (size, number) in [(1, 0), (255, 254), (256, 3), (257, 256), (700, 511)] {
            let proof = prove_record(size, number, &all).unwrap();
            let root = roots[size as usize];
            check_record(&proof, size, root, number, record_hash(&entry(number))).unwrap();
            let wrong = record_hash(&entry(number + 1));
            assert!(check_record(&proof, size, root, number, wrong).is_err());
            let proof = prove_tree(700, size, &all).unwrap();
            check_tree(&proof, 700, roots[700], size, root).unwrap();
            assert!(check_tree(&proof, 700, roots[699], size, root).is_err() || size == 700);
        }
    }

    #[test]
    fn paths_have_one_spelling() {
        for (path, level, number, width) in [
            ("0/000", Some(0), 0, WIDTH),
            ("1/x001/x234/067", Some(1), 1_234_067, WIDTH),
            ("entries/999.p/17", None, 999, 17),
            ("entries/x001/000.p/255", None, 1_000, 255),
        ] {
            let tile = TilePath { level, number, width };
            assert_eq!((tile.text().as_str(), TilePath::parse(path)), (path, Some(tile)));
        }
        let too_many = "0/x999/x999/x999/x999/x999/x999/x999/999";
        let wrong = " 0 0/ 0/0 0/1000 x/000 0/000.p/0 0/000.p/256 0/000.p/257 0/x000/001 00/000 \
            0/../000 256/000 -1/000 0/000/001";
        for wrong in wrong.split(' ').chain([too_many]) {
            assert_eq!(TilePath::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn entries_are_bundled() {
        let entries: [&[u8]; 3] = [b"one", b"", b"three"];
        let bytes = bundle(entries);
        assert_eq!(unbundle(&bytes).unwrap(), entries);
        assert_eq!(unbundle(&[]).unwrap(), Vec::<&[u8]>::new());
        for end in [1, 4, bytes.len() - 1] {
            assert_eq!(unbundle(&bytes[..end]), None, "{end}");
        }
    }
}
