//! A store of blobs by their content: a folder of files, each named by its digest.
//!
//! [`resolve()`](crate::resolve()) takes the bots of a spec from it, and a ladder server keeps bots
//! and replays in one. Any bytes fit in.

use std::path::{Path, PathBuf};
use std::{fs, io};

use agon_files::{WriteError, write_whole};
use agon_match::spec::Digest;

/// A folder of blobs. A blob never changes, because its name is the digest of its bytes.
///
/// `ab/abcdef…` is the file of the blob with the digest `abcdef…`. Several processes may use the
/// same folder at the same time.
#[derive(Clone, Debug)]
pub struct BlobStore {
    folder: PathBuf,
}

impl BlobStore {
    /// Opens the store in a folder, which is made if it is missing.
    pub fn open(folder: &Path) -> io::Result<BlobStore> {
        fs::create_dir_all(folder).map_err(|source| error(folder, source))?;
        Ok(BlobStore { folder: folder.to_owned() })
    }

    /// Stores a blob. Nothing is written if it is there already; a damaged one is replaced.
    pub fn put(&self, bytes: &[u8]) -> io::Result<Digest> {
        let digest = Digest::of(bytes);
        let path = self.path(digest);
        if !self.is_whole(&path, digest)? {
            let folder = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder).map_err(|source| error(folder, source))?;
            let failed = |error: WriteError| io::Error::new(error.source.kind(), error);
            write_whole(&path, bytes).map_err(failed)?;
        }
        Ok(digest)
    }

    /// Stores a blob, and returns once it survives a loss of power.
    pub fn put_durable(&self, bytes: &[u8]) -> io::Result<Digest> {
        let digest = self.put(bytes)?;
        let path = self.path(digest);
        // The file, its name, and the name of its folder.
        let folder = path.parent().unwrap_or(&self.folder);
        for path in [path.as_path(), folder, &self.folder] {
            let sync = || fs::File::open(path)?.sync_all();
            sync().map_err(|source| error(path, source))?;
        }
        Ok(digest)
    }

    /// Makes all blobs survive a loss of power that were stored before this call.
    ///
    /// It is one call for any number of them.
    pub fn sync(&self) -> io::Result<()> {
        let sync = || -> io::Result<()> {
            let folder = fs::File::open(&self.folder)?;
            #[cfg(target_os = "linux")]
            rustix::fs::syncfs(&folder)?;
            #[cfg(not(target_os = "linux"))]
            folder.sync_all()?;
            Ok(())
        };
        sync().map_err(|source| error(&self.folder, source))
    }

    /// Returns whether the file of a blob is there and undamaged.
    fn is_whole(&self, path: &Path, digest: Digest) -> io::Result<bool> {
        match fs::read(path) {
            Ok(bytes) => Ok(Digest::of(&bytes) == digest),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(error(path, source)),
        }
    }

    /// Returns a blob, whose bytes have been checked.
    pub fn get(&self, digest: Digest) -> io::Result<Vec<u8>> {
        let path = self.path(digest);
        let bytes = fs::read(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => {
                let text = format!("the store {} has no blob {digest}", self.folder.display());
                io::Error::new(source.kind(), text)
            }
            _ => error(&path, source),
        })?;
        if Digest::of(&bytes) != digest {
            let text = format!("the blob {} is damaged; store the blob again", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(bytes)
    }

    /// Returns whether there is a blob. Its bytes are not checked.
    pub fn has(&self, digest: Digest) -> bool {
        self.path(digest).is_file()
    }

    /// Removes a blob; returns whether it was there.
    pub fn remove(&self, digest: Digest) -> io::Result<bool> {
        let path = self.path(digest);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(error(&path, source)),
        }
    }

    /// Returns the digests of all blobs, in order. Other files in the folder are left out.
    pub fn list(&self) -> io::Result<Vec<Digest>> {
        let mut digests = Vec::new();
        for folder in entries(&self.folder)? {
            if !folder.is_dir() {
                continue;
            }
            for file in entries(&folder)? {
                let digest = file.file_name().and_then(|name| name.to_str()?.parse().ok());
                digests.extend(digest.filter(|&digest| self.path(digest) == file));
            }
        }
        digests.sort_unstable();
        Ok(digests)
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let text = digest.to_string();
        self.folder.join(&text[..2]).join(text)
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let read = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    read().map_err(|source| error(folder, source))
}

/// Names the path in an error. The kind stays, so that callers still recognise a full disk.
fn error(path: &Path, source: io::Error) -> io::Error {
    io::Error::new(source.kind(), format!("cannot use {}: {source}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(&folder.path().join("new/store")).unwrap();
        assert!(store.list().unwrap().is_empty());
        let blobs: [&[u8]; 3] = [b"", b"fox", &[0; 100_000]];
        let mut digests = blobs.map(|blob| store.put(blob).unwrap());
        for (blob, digest) in blobs.iter().zip(digests) {
            assert_eq!(store.put(blob).unwrap(), digest);
            assert_eq!(store.put_durable(blob).unwrap(), digest);
            assert!(store.has(digest));
            assert_eq!(store.get(digest).unwrap(), *blob);
        }
        digests.sort_unstable();
        store.sync().unwrap();
        assert_eq!(store.list().unwrap(), digests);
        assert!(store.remove(digests[0]).unwrap() && !store.remove(digests[0]).unwrap());
        assert_eq!(store.list().unwrap(), digests[1..]);
        let missing = Digest::of(b"hen");
        assert!(!store.has(missing));
        let error = store.get(missing).unwrap_err().to_string();
        assert!(error.ends_with(&format!("has no blob {missing}")), "{error}");
    }

    #[test]
    fn a_damaged_blob_is_noticed_and_can_be_stored_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        let digest = store.put(b"fox").unwrap();
        for damage in [&b"fax"[..], b"", b"foxx"] {
            fs::write(store.path(digest), damage).unwrap();
            let error = store.get(digest).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
            assert_eq!(store.put(b"fox").unwrap(), digest);
            assert_eq!(store.get(digest).unwrap(), b"fox");
        }
    }

    #[test]
    fn other_files_are_no_blobs() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        let digest = store.put(b"fox").unwrap();
        fs::write(folder.path().join("README"), "x").unwrap();
        fs::create_dir(folder.path().join("zz")).unwrap();
        // The right name in the wrong folder.
        fs::write(folder.path().join("zz").join(digest.to_string()), "fox").unwrap();
        assert_eq!(store.list().unwrap(), [digest]);
    }
}
