//! Who played, for the replay and the table.

use std::{fs, path::PathBuf};

use agon_core::BotInfo;

use crate::{BotSpec, ClojureFile, OpenError, program::Program, spec::What};

impl BotSpec {
    /// Facts about the bot that can be checked later.
    ///
    /// The digest is BLAKE3 in hexadecimal digits, what `b3sum FILE` prints; built-in bots, running programs
    /// and people have none. For command lines it is about the files among the arguments, and of several files it is the digest of their digests
    /// one after another.
    ///
    /// # Errors
    /// If a file of it is not there or cannot be read.
    pub fn info(&self) -> Result<BotInfo, OpenError> {
        let files = match self.what() {
            What::Builtin { .. } | What::Connect(_) | What::Human => Vec::new(),
            What::C(path) | What::Library(path) | What::Wasm(path) => vec![path.clone()],
            What::Clojure(ClojureFile { path, .. }) => vec![path.clone()],
            What::Program { text, words } | What::Json { text, words } => {
                Program::find(text, words, &[])?.files()
            }
        };
        let (name, spec, kind) = (self.name(), self.what().to_string(), self.kind().id().to_owned());
        Ok(BotInfo { name, spec, kind, digest: digest(files)? })
    }
}

fn digest(files: Vec<PathBuf>) -> Result<Option<String>, OpenError> {
    let of_file = |path: PathBuf| match fs::read(&path) {
        Ok(content) => Ok(blake3::hash(&content)),
        Err(source) => Err(OpenError::Read { path, source }),
    };
    let digests = files.into_iter().map(of_file).collect::<Result<Vec<_>, _>>()?;
    Ok(match digests.as_slice() {
        [] => None,
        [one] => Some(one.to_string()),
        several => {
            let all: Vec<u8> = several.iter().flat_map(|digest| *digest.as_bytes()).collect();
            Some(blake3::hash(&all).to_string())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("fox.c");
        fs::write(&source, "int x;").unwrap();
        let info = format!("alice={}", source.display()).parse::<BotSpec>().unwrap().info().unwrap();
        assert_eq!((info.name.as_str(), info.kind.as_str()), ("alice", "c"));
        assert_eq!(info.digest, Some(blake3::hash(b"int x;").to_string()));

        let command = format!("sh {} {}", source.display(), source.display());
        let twice = command.parse::<BotSpec>().unwrap().info().unwrap();
        let one = blake3::hash(b"int x;");
        let both = [*one.as_bytes(), *one.as_bytes()].concat();
        assert_eq!(twice.digest, Some(blake3::hash(&both).to_string()));
    }

    #[test]
    fn built_in_bots_have_no_digest() {
        let info = "builtin:nasty?low=3".parse::<BotSpec>().unwrap().info().unwrap();
        assert_eq!((info.spec.as_str(), info.digest), ("builtin:nasty?low=3", None));
    }
}
