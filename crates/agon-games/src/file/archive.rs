//! [`Archive`]: the files of a game in one. Its digest is the game's identity.

use agon_core::text::escape;
use thiserror::Error;

#[cfg(feature = "archives")]
use super::Manifest;
use super::message::{Malformed, Reader, Writer};

/// The first bytes of an archive.
const MAGIC: &[u8; 12] = b"\x8FAGON-GAME1\n";

/// The most bytes of a module.
const MAX_MODULE: usize = 16 << 20;

/// The most bytes of an archive.
#[cfg(feature = "archives")]
const MAX_ARCHIVE: usize = 20 << 20;

/// The most bytes of a text.
const MAX_TEXT: usize = 256 << 10;

/// The most bytes of a compressed archive that a replay carries.
pub const MAX_CARRIED: usize = 1 << 20;

/// The files of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// `game.toml`.
    pub manifest: String,
    /// `page.md`: rules, for people.
    pub page: String,
    /// `rules.wasm`.
    pub module: Vec<u8>,
}

/// Why bytes are no archive of a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ArchiveError(String);

impl From<Malformed> for ArchiveError {
    fn from(error: Malformed) -> ArchiveError {
        ArchiveError(format!("it is no archive of a game: {error}"))
    }
}

impl Archive {
    /// Returns the archive as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.bytes(self.manifest.as_bytes());
        out.bytes(self.page.as_bytes());
        out.bytes(&self.module);
        out.0
    }

    /// Reads an archive.
    ///
    /// # Errors
    /// If it is none, or a part is too large.
    pub fn from_bytes(bytes: &[u8]) -> Result<Archive, ArchiveError> {
        let rest = bytes.strip_prefix(MAGIC);
        let rest = rest.ok_or(Malformed("it starts with other bytes"))?;
        let mut input = Reader(rest);
        let archive = Archive {
            manifest: input.text()?.to_owned(),
            page: input.text()?.to_owned(),
            module: input.bytes()?.to_vec(),
        };
        input.end()?;
        archive.check()?;
        Ok(archive)
    }

    /// Checks that no part is too large or has hidden characters.
    ///
    /// # Errors
    /// Names the part.
    pub fn check(&self) -> Result<(), ArchiveError> {
        let wrong = |text: String| Err(ArchiveError(text));
        if self.module.len() > MAX_MODULE {
            return wrong(format!("rules.wasm has more than {MAX_MODULE} bytes"));
        }
        for (name, text) in [("game.toml", &self.manifest), ("page.md", &self.page)] {
            if text.len() > MAX_TEXT {
                return wrong(format!("{name} has more than {MAX_TEXT} bytes"));
            }
            if let Some(line) = text.lines().find(|line| escape(line) != *line) {
                return wrong(format!("{name} has hidden characters: {}", escape(line)));
            }
        }
        Ok(())
    }

    /// Returns the digest of all files, 32 hexadecimal digits.
    pub fn digest(&self) -> String {
        let digest = agon_core::digest(&self.to_bytes());
        digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(feature = "archives")]
impl Archive {
    /// Returns the archive as a compressed file.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn pack(&self) -> std::io::Result<Vec<u8>> {
        zstd::bulk::compress(&self.to_bytes(), 19)
    }

    /// Reads a compressed archive.
    ///
    /// # Errors
    /// As [`from_bytes`](Archive::from_bytes).
    pub fn unpack(packed: &[u8]) -> Result<Archive, ArchiveError> {
        let plain = zstd::bulk::decompress(packed, MAX_ARCHIVE);
        let plain =
            plain.map_err(|_| ArchiveError("it is no archive of a game, or cut off".to_owned()))?;
        Archive::from_bytes(&plain)
    }

    /// Reads the manifest. The error is that of the TOML.
    ///
    /// # Errors
    /// If it is no TOML, or has other keys.
    pub fn read_manifest(&self) -> Result<Manifest, String> {
        toml::from_str(&self.manifest).map_err(|error| error.to_string().trim_end().to_owned())
    }

    /// Checks that this is the game of a name with a digest, and that a replay may start it.
    ///
    /// # Errors
    /// If it is another game, or its rules are a program.
    pub fn check_name(&self, name: &str) -> Result<(), String> {
        let (base, digest) = name.split_once('@').unwrap_or((name, ""));
        let shown = escape(name);
        if self.digest() != digest {
            return Err(format!("the file of {shown} holds another game"));
        }
        let manifest = self.read_manifest().map_err(|error| format!("{shown}: {error}"))?;
        if manifest.program.is_some() {
            return Err(format!(
                "the rules of {shown} are a program, which no file starts by itself; name its \
                 folder with `--game`"
            ));
        }
        if manifest.name == base {
            Ok(())
        } else {
            Err(format!("this is a game {}", manifest.name))
        }
    }
}
