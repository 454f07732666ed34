//! Compiles bots in C and C++, once for each content: to native libraries and to WebAssembly. The
//! hosts `native` and `wasm` call it.
//!
//! The result's file name in the cache is a digest of everything that enters the compilation:
//! - the preprocessed source, and the files beside it if the assembler reads files
//! - the arena's headers and sources that go with it
//! - the compiler's version and the flags

mod build;
mod compiler;

use std::io::{self, Read};
use std::path::{Path, PathBuf, absolute};
use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt, time::Duration};

use agon_games::any::GameKind;
use agon_games::batch::{BOT_H, bot_h};
use agon_sandbox::{Folder, remove_folder};
use tracing::debug;

use crate::sandbox::{open_folder, workplace};
use crate::{
    HostOptions, OpenError, Snapshot, cache, hosting, open_beneath::open_beneath, spec::BotSource,
};

pub use build::build_in;

pub(crate) use compiler::{Compiler, Language};

/// A header that sources may include.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// Its name in `#include`.
    pub(crate) name: String,
    /// Its content.
    pub(crate) text: String,
    /// Whether sources need not include it.
    pub(crate) implied: bool,
}

impl Header {
    /// Returns all headers for a game's bots.
    pub(crate) fn all(kind: &dyn GameKind) -> Vec<Header> {
        let explicit = |name, text| Header { name, text, implied: false };
        let own = hosting(kind).c_header.map(|(name, text)| Header {
            name: name.to_owned(),
            text: text.to_owned(),
            implied: true,
        });
        let header = kind.header();
        let game = explicit(header.path(), header.text());
        [explicit(BOT_H.to_owned(), bot_h()), game].into_iter().chain(own).collect()
    }
}

/// The steps from a source to a file that a host loads.
#[derive(Debug)]
pub(crate) struct Recipe<'a> {
    /// The compiler.
    pub(crate) compiler: Compiler<'a>,
    /// Flags for all files.
    pub(crate) flags: &'a [&'a str],
    /// The arena's own sources that are compiled along: their names and texts.
    pub(crate) along: &'a [(&'a str, &'a str)],
    /// The ending of the result's name.
    pub(crate) suffix: &'a str,
}

/// Compiles a source, unless it is compiled already, and returns the result's path.
///
/// Several processes may do this at once: each compiles into a file of its own, and the last one
/// renames it.
pub(crate) fn compile(
    source: &Path,
    headers: &[Header],
    recipe: &Recipe<'_>,
    options: &HostOptions,
) -> Result<PathBuf, OpenError> {
    let Recipe { compiler, flags, along, suffix } = recipe;
    let cache = cache::open(options)?;
    let cache_error = |error: io::Error| OpenError::of_cache(&cache, error);
    let (_work, folder) = prepare(&cache, headers, along).map_err(cache_error)?;
    // A name that starts with a dash would be a flag.
    let source =
        &if source.starts_with("/") { source.to_owned() } else { Path::new(".").join(source) };
    let run = |sources: &[PathBuf], own: &[&str], output: &Path| {
        let mut args: Vec<OsString> = vec!["-I".into(), folder.clone().into()];
        for header in headers.iter().filter(|header| header.implied) {
            args.extend(["-include".into(), folder.join(&header.name).into()]);
        }
        args.extend(sources.iter().map(OsString::from));
        args.extend(["-o".into(), output.into()]);
        args.extend(flags.iter().chain(own).map(OsString::from));
        compiler.run(args, Some(&folder))
    };
    let preprocessed = folder.join("bot.i");
    let result = folder.join(format!("bot.{suffix}"));
    run(&[source.to_owned()], &["-E", "-P"], &preprocessed)?;
    // The compiler has written there, and others' sources have told it what.
    let open = |name: &Path| open_beneath(&folder, Path::new(name.file_name().unwrap_or_default()));
    let mut text = Vec::new();
    open(&preprocessed).and_then(|mut file| file.read_to_end(&mut text)).map_err(cache_error)?;
    let beside = if is_with_files(&text) { beside(source, options)? } else { None };
    let key = key(&compiler.version()?, &text, beside.as_deref(), headers, recipe);
    let cached = absolute(&cache).map_err(cache_error)?.join(format!("{key}.{suffix}"));
    let is_known = cached.is_file();
    debug!(?source, result = ?cached, is_known, "compiles a bot, unless its result is known");
    if !is_known {
        let own = along.iter().map(|(name, _)| folder.join(name));
        let sources: Vec<PathBuf> = [source.to_owned()].into_iter().chain(own).collect();
        run(&sources, &[], &result)?;
        // A copy, because the compiler's own file may belong to the user that it ran as.
        let copy = folder.with_file_name("copy");
        let copied = open(&result).and_then(|mut from| {
            let mut to = fs::File::create_new(&copy)?;
            io::copy(&mut from, &mut to)?;
            to.set_permissions(fs::Permissions::from_mode(0o755))?;
            fs::rename(&copy, &cached)
        });
        copied.map_err(cache_error)?;
    }
    Ok(cached)
}

/// The prefix of work folders' names.
const WORK: &str = "work-";

/// The age at which a folder is a leftover: its arena was killed before it could clean up.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Removes the leftovers of killed arenas from the cache.
fn remove_abandoned(cache: &Path) -> io::Result<()> {
    for entry in fs::read_dir(cache)?.flatten() {
        let is_work = entry.file_name().to_string_lossy().starts_with(WORK);
        let changed = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = changed.and_then(|time| time.elapsed().ok());
        if is_work && age.is_some_and(|age| age > ABANDONED) {
            // Another arena may be doing the same.
            let _ = remove_folder(&entry.path());
        }
    }
    Ok(())
}

/// Makes a work folder with the headers in the cache, so that the result can be renamed.
///
/// The compiler's folder lies in one that belongs to nobody else.
fn prepare(
    cache: &Path,
    headers: &[Header],
    along: &[(&str, &str)],
) -> io::Result<(Folder, PathBuf)> {
    remove_abandoned(cache)?;
    let work = workplace(&absolute(cache)?, WORK)?;
    let folder = work.path().join("compiler");
    open_folder(&folder)?;
    let headers = headers.iter().map(|header| (&*header.name, &*header.text));
    for (name, text) in headers.chain(along.iter().copied()) {
        let path = folder.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text)?;
    }
    Ok((work, folder))
}

/// Returns whether the assembler adds files, which the preprocessor does not see.
fn is_with_files(preprocessed: &[u8]) -> bool {
    // The compiler joins texts that follow each other.
    let joined = preprocessed.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'"');
    let joined: Vec<u8> = joined.copied().collect();
    let has = |word: &[u8]| joined.windows(word.len()).any(|bytes| bytes == word);
    has(b".incbin") || has(b".include")
}

/// Returns a digest of a source and the files beside it.
fn beside(source: &Path, options: &HostOptions) -> Result<Option<String>, OpenError> {
    if !options.snapshots.is_empty() {
        return Ok(options.snapshots.iter().map(|snapshot| snapshot.digest().0).collect());
    }
    let now = Snapshot::take(&BotSource::C(source.to_owned()), None, options, &[], false)?;
    Ok(now.and_then(|snapshot| snapshot.digest().0.map(str::to_owned)))
}

fn key(
    version: &str,
    preprocessed: &[u8],
    beside: Option<&str>,
    headers: &[Header],
    recipe: &Recipe<'_>,
) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    };
    add(version.as_bytes());
    add(recipe.flags.join(" ").as_bytes());
    add(preprocessed);
    beside.iter().for_each(|beside| add(beside.as_bytes()));
    headers.iter().for_each(|header| add(header.text.as_bytes()));
    recipe.along.iter().for_each(|(_, text)| add(text.as_bytes()));
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_folders_are_removed() {
        let cache = tempfile::tempdir().unwrap();
        for (name, age) in
            [("work-old", 2 * ABANDONED), ("work-new", Duration::ZERO), ("mine", 2 * ABANDONED)]
        {
            let folder = cache.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("bot.i"), "int x;").unwrap();
            fs::File::open(folder)
                .unwrap()
                .set_modified(std::time::SystemTime::now() - age)
                .unwrap();
        }
        drop(prepare(cache.path(), &[], &[]).unwrap());
        let left = ["work-old", "work-new", "mine"].map(|name| cache.path().join(name).exists());
        assert_eq!(left, [false, true, true]);
    }

    #[test]
    fn whatever_enters_the_compilation_changes_the_key() {
        let options = HostOptions::default();
        let recipe = |flags, along| Recipe {
            compiler: Compiler::system(Path::new("fox.c"), &options),
            flags,
            along,
            suffix: "so",
        };
        let header = |text: &str| {
            [Header { name: "fox.h".to_owned(), text: text.to_owned(), implied: true }]
        };
        let key_of = |version, text: &str, h: &str, flags, along| {
            key(version, text.as_bytes(), None, &header(h), &recipe(flags, along))
        };
        let usual = key_of("cc 1", "int x;", "int y;", &["-O2"], &[]);
        assert_eq!(usual, key_of("cc 1", "int x;", "int y;", &["-O2"], &[]));
        assert_ne!(usual, key_of("cc 2", "int x;", "int y;", &["-O2"], &[]));
        assert_ne!(usual, key_of("cc 1", "int z;", "int y;", &["-O2"], &[]));
        assert_ne!(usual, key_of("cc 1", "int x;", "int z;", &["-O2"], &[]));
        assert_ne!(usual, key_of("cc 1", "int x;", "int y;", &["-O1"], &[]));
        assert_ne!(usual, key_of("cc 1", "int x;", "int y;", &["-O2"], &[("more.c", "int z;")]));
        assert_ne!(usual, key_of("cc 1", "int x;int y;", "", &["-O2"], &[]));
        let beside = |digest| {
            key("cc 1", b"int x;", Some(digest), &header("int y;"), &recipe(&["-O2"], &[]))
        };
        assert!(usual != beside("1") && beside("1") != beside("2"));
        assert!(is_with_files(b".incbin \"a\"") && !is_with_files(b"int incbin;"));
        assert!(is_with_files(b"asm(\".inc\" \n\"bin x\");") && is_with_files(b".include 'x'"));
    }
}
