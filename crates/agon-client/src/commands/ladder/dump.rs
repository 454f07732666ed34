//! `agon ladder dump`: copies all that `agon ladder verify` needs into a folder.

use std::{fs, io::Write, path::Path};

use agon_console::client_options::DumpArgs;
use agon_core::{text::escape, text::number::plural};
use agon_ladder::ledger::tree::{TilePath, WIDTH, unbundle};
use agon_ladder::ledger::{Books, Entry, Head, LogError, Played, Source, open};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;

use super::{ARENAS, Teller};
use crate::log::{self, ServedLog};
use crate::servers::{Address, ServersFile};
use crate::{api, http::Client, show::print_json};

/// The key that signs the log.
const KEY: &str = "log/key";

/// Copies a log. What an earlier copy has of it, and never changes, is not fetched again.
pub(in crate::commands) fn dump(args: &DumpArgs, out: &mut impl Write) -> Result<()> {
    let address: Address = args.url.parse()?;
    let file = ServersFile::of_user()?;
    let known = file.read()?.servers.into_iter().find(|known| known.url == address);
    let ca = args.connection.ca.clone().or_else(|| known.as_ref().and_then(|k| k.ca.clone()));
    let client = Client::new(address, ca.as_deref(), None)?;
    log::follow(&client, known.and_then(|known| known.log).as_ref(), &file)?;
    let copy = Copy { source: ServedLog(&client), folder: &args.folder };
    copy.check_folder()?;
    copy.keep(ARENAS, &serde_json::to_vec(&api::arenas(&client)?)?)?;
    let (entries, matches) = copy.all()?;
    if args.json {
        print_json(&json!({ "entries": entries, "matches": matches }), out)?;
        return Ok(());
    }
    let folder = args.folder.display();
    writeln!(out, "{folder}: {}, {}", super::count_entries(entries), plural(matches, "match"))?;
    Ok(())
}

/// A copy that is made.
struct Copy<'a> {
    source: ServedLog<'a>,
    folder: &'a Path,
}

impl Copy<'_> {
    /// Checks that the folder is empty, or has an earlier copy of the same log, whole or not.
    fn check_folder(&self) -> Result<()> {
        let folder = self.folder;
        let is_empty = fs::read_dir(folder).map_or(true, |mut files| files.next().is_none());
        if is_empty {
            // First of all, so that a copy that is interrupted is known.
            return self.keep(KEY, &self.fetch(KEY)?);
        }
        let shown = folder.display();
        // Keys change, but the name of the log in them does not.
        let name = |key: &[u8]| key.split(|byte| *byte == b'+').next().map(<[u8]>::to_vec);
        match fs::read(folder.join(KEY)) {
            Ok(key) if name(&key) == name(&self.fetch(KEY)?) => Ok(()),
            Ok(_) => bail!("{shown} has a copy of another ladder; name another folder"),
            Err(_) => bail!("{shown} has other files in it; name a new folder"),
        }
    }

    /// Copies everything. Returns the numbers of entries and matches.
    fn all(&self) -> Result<(u64, u64)> {
        // The checkpoint is written last: a copy that is interrupted belongs to the one before.
        let (checkpoint, key) = (self.fetch("log/checkpoint")?, self.fetch(KEY)?);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned() + "\n";
        let head: Head = open(&text(&checkpoint), text(&key).trim())
            .map_err(|error| anyhow!("{}", escape(&error.to_string())))?;
        let mut books = Books::default();
        let mut played = Vec::new();
        let mut teller = Teller::new();
        for number in 0..head.size.div_ceil(WIDTH) {
            teller.tell("entries", number * WIDTH, head.size);
            self.copy_tile(number, head.size, &mut books, &mut played)?;
        }
        for (at, one) in played.iter().enumerate() {
            teller.tell("matches", at as u64, played.len() as u64);
            let Played { arena, pairing, .. } = one;
            self.copy_changing(&format!("log/results/{arena}/{}.json", pairing.number))?;
            self.copy_lasting(&format!("log/replays/{arena}/{}.agon", pairing.number))?;
        }
        for (arena, book) in &books.arenas {
            if let Some(terms) = book.terms {
                self.copy_lasting(&format!("log/terms/{terms}.json"))?;
            }
            if book.finals.inputs.is_some() {
                self.copy_changing(&format!("log/finals/{arena}.json"))?;
            }
            if book.table.is_some() {
                self.copy_changing(&format!("log/tables/{arena}.json"))?;
            }
        }
        self.keep(KEY, &key)?;
        self.keep("log/checkpoint", &checkpoint)?;
        Ok((head.size, played.len() as u64))
    }

    /// Copies a tile, and reads its entries.
    fn copy_tile(
        &self,
        number: u64,
        size: u64,
        books: &mut Books,
        played: &mut Vec<Played>,
    ) -> Result<()> {
        let first = number * WIDTH;
        let width = WIDTH.min(size - first);
        let path = format!("log/tile/{}", TilePath { level: None, number, width }.text());
        let bytes = match self.copy_lasting(&path)? {
            Some(bytes) => bytes,
            None => bail!("the server does not have {path}, which belongs to its log"),
        };
        let entries = unbundle(&bytes).filter(|entries| entries.len() as u64 == width);
        let entries = entries.with_context(|| format!("{path} is damaged"))?;
        for (at, entry) in (first..).zip(entries) {
            let wrong = |why: String| anyhow!("entry {at}: {}", escape(&why));
            let text = std::str::from_utf8(entry).map_err(|error| wrong(error.to_string()))?;
            let entry = Entry::parse(text).map_err(|error| wrong(error.to_string()))?;
            let added = books.add(at, &entry, |one| played.push(one));
            added.map_err(|error| wrong(error.to_string()))?;
        }
        Ok(())
    }

    /// Copies what never changes, unless it is there.
    fn copy_lasting(&self, path: &str) -> Result<Option<Vec<u8>>> {
        match fs::read(self.folder.join(path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(_) => self.copy_changing(path),
        }
    }

    /// Copies what may change. Returns it, if the server has it.
    fn copy_changing(&self, path: &str) -> Result<Option<Vec<u8>>> {
        match self.source.get(path) {
            Ok(bytes) => {
                self.keep(path, &bytes)?;
                Ok(Some(bytes))
            }
            Err(LogError::Missing(_)) => Ok(None),
            Err(error) => Err(anyhow!("{}", escape(&error.to_string()))),
        }
    }

    fn fetch(&self, path: &str) -> Result<Vec<u8>> {
        self.source.get(path).map_err(|error| match error {
            LogError::Missing(_) => anyhow!("the server has no public log"),
            error => anyhow!("{}", escape(&error.to_string())),
        })
    }

    fn keep(&self, path: &str, bytes: &[u8]) -> Result<()> {
        Ok(agon_files::write_whole(&self.folder.join(path), bytes)?)
    }
}
