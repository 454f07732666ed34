//! Names of bots, as people type them on the command line and in tournament plans.
//!
//! | text | bot |
//! | --- | --- |
//! | `builtin:nasty?target=weakest` | a bot that comes with the game, with parameters joined by `&` |
//! | `bots/fox.c`, `bots/fox.cpp`, `bots/fox.cc` | C functions in C or C++, compiled when needed |
//! | `bots/fox.so` | C functions in a shared library |
//! | `bots/fox.wasm`, `wasm:bots/fox.c` | WebAssembly; C is compiled to it |
//! | `bots/fox.clj`, `bots/fox.clj?fn=hunter` | a Clojure function: that of the file, or the one of this name |
//! | `bots/fox` | a folder with `agon.toml`, which says how the bot in it is built and run |
//! | `bots/fox.sh` | a program: one file that can be executed |
//! | `"python3 fox.py --fast"` | a program: a command line with the quoting of a shell |
//! | `"jsonl:python3 fox.py"` | the same, but it speaks the JSON Lines protocol instead of the game's own |
//! | `"http:python3 fox.py"` | the same, but it is a web server |
//! | `connect:localhost:4000`, `connect:./socket` | a program that is running already, and waits there |
//! | `http://127.0.0.1:8000` | the same, but it is a web server |
//! | `human` | a person at this screen |
//!
//! A name may precede each, as in `alice=bots/fox.c`. The default name is the name of the built-in
//! bot or the stem of the file. The path of an existing file always names this file, even with
//! quotes and `=` in it.

mod bot_source;

use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, fmt, str::FromStr, sync::Arc};

use agon_core::text::name::cut;
use agon_core::text::{MAX_NAME, check_name, shown_name};
use agon_games::GameId;
use agon_match::spec::BotProtocol;
use bot_source::HUMAN;

use crate::{Snapshot, folder_bot::manifest};

pub(crate) use bot_source::{BotSource, is_web};

pub use bot_source::{ClojureFile, ParseSpecError};

/// A bot as a person names it.
///
/// It need not exist: errors appear when it is read ([`BotSpec::read`]) or opened.
#[derive(Clone, Debug)]
pub struct BotSpec {
    pub(crate) name: Option<String>,
    pub(crate) source: BotSource,
    /// The snapshot, if it has been read and has files.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// The bot in the copy, if it is a folder that has been read.
    pub(crate) copied: Option<Arc<CopiedBot>>,
    /// The folder with all files of the bot, if somebody else than the person chose its words.
    ///
    /// Of this machine's files it sees the folder and what the operator allows.
    pub(crate) home: Option<PathBuf>,
}

/// The bot in the copy of a folder.
#[derive(Debug)]
pub(crate) struct CopiedBot {
    pub(crate) spec: BotSpec,
    /// The game that it plays.
    pub(crate) game: GameId,
    /// The folder that was copied.
    pub(crate) place: PathBuf,
    /// The copy.
    pub(crate) folder: PathBuf,
}

/// Compares the texts that name the bots.
impl PartialEq for BotSpec {
    fn eq(&self, other: &BotSpec) -> bool {
        (&self.name, &self.source) == (&other.name, &other.source)
    }
}

impl Eq for BotSpec {}

impl BotSpec {
    /// A bot without a name of its own that has not been read.
    pub(crate) fn of(source: BotSource) -> BotSpec {
        BotSpec { name: None, source, snapshot: None, copied: None, home: None }
    }

    /// Returns the bot of a folder, whatever the folder's name is.
    pub fn folder(path: impl Into<PathBuf>) -> BotSpec {
        BotSpec::of(BotSource::Folder(path.into()))
    }

    /// Returns the kind of the bot.
    pub fn kind(&self) -> BotKind {
        match self.source {
            BotSource::Builtin { .. } => BotKind::Builtin,
            BotSource::C(_) => BotKind::C,
            BotSource::Library(_) => BotKind::Library,
            BotSource::Wasm(_) => BotKind::Wasm,
            BotSource::Clojure(_) => BotKind::Clojure,
            BotSource::Folder(ref folder) => match self.copied() {
                Some(bot) => bot.spec.kind(),
                None => BotSpec::unread(folder).map_or(BotKind::Program, |bot| bot.kind()),
            },
            BotSource::Program { protocol, .. } => match protocol {
                BotProtocol::Game => BotKind::Program,
                BotProtocol::Jsonl => BotKind::Json,
                BotProtocol::Http => BotKind::Http,
            },
            BotSource::Connect(_) => BotKind::Connect,
            BotSource::Human => BotKind::Human,
        }
    }

    /// Returns the given name, or the default one; a reader sees all of it.
    pub fn name(&self) -> String {
        shown_name(&self.raw_name()).into_owned()
    }

    fn raw_name(&self) -> String {
        match (&self.name, &self.source) {
            (Some(name), _) => name.clone(),
            (None, BotSource::Builtin { name, .. }) => name.clone(),
            (None, BotSource::Folder(path)) => {
                let named = manifest::read(path).ok().and_then(|manifest| manifest.name);
                named.unwrap_or_else(|| folder_name(path))
            }
            (None, BotSource::C(path) | BotSource::Library(path) | BotSource::Wasm(path)) => {
                stem(path)
            }
            (None, BotSource::Clojure(ClojureFile { function: Some(function), .. })) => {
                function.clone()
            }
            (None, BotSource::Clojure(ClojureFile { path, .. })) => stem(path),
            (None, BotSource::Program { text, words, .. }) => program_name(text, words),
            (None, BotSource::Connect(address)) => address.clone(),
            (None, BotSource::Human) => HUMAN.to_owned(),
        }
    }

    /// Returns the same bot under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> BotSpec {
        self.name = Some(name.into());
        self
    }

    /// Returns the files that its text names, once they have been read.
    pub fn files(&self) -> &[PathBuf] {
        self.snapshot.as_ref().map_or(&[], |snapshot| &*snapshot.files)
    }

    /// Returns the folder with all files of the bot, if it comes from elsewhere.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the bot in the copy, if the bot is a folder that has been read.
    pub(crate) fn copied(&self) -> Option<&CopiedBot> {
        self.copied.as_deref()
    }

    /// Returns the bot that plays: for a folder that has been read, the bot in its copy.
    pub(crate) fn playing(&self) -> &BotSpec {
        self.copied().map_or(self, |bot| &bot.spec)
    }

    /// Returns the bot that a folder's manifest names, before the folder is read.
    pub(crate) fn unread(folder: &Path) -> Option<BotSpec> {
        let text = manifest::read(folder).ok()?.spec();
        BotSpec::parse(&text, folder).ok()
    }
}

/// Returns the stem of the file, of the first argument that is a file, or of the program.
fn program_name(text: &str, words: &[String]) -> String {
    if Path::new(text).is_file() {
        return stem(Path::new(text));
    }
    let script = words.iter().skip(1).find(|word| Path::new(word).is_file());
    stem(Path::new(script.unwrap_or(&words[0])))
}

/// Returns the name of a folder, also of `.`.
fn folder_name(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

impl FromStr for BotSpec {
    type Err = ParseSpecError;

    fn from_str(text: &str) -> Result<BotSpec, ParseSpecError> {
        BotSpec::parse(text, Path::new(""))
    }
}

impl BotSpec {
    /// Parses a text whose paths start in `folder`, with a name in front or without.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<BotSpec, ParseSpecError> {
        let text = text.trim();
        let is_name = |name: &str| {
            !name.is_empty()
                && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
        };
        let (name, source) = match text.split_once('=') {
            Some((name, source)) if is_name(name) && !folder.join(text).is_file() => {
                check_name(name).map_err(|error| {
                    ParseSpecError(format!("`{}…` names no bot: {error}", cut(text, 40)))
                })?;
                (Some(name.to_owned()), source)
            }
            _ => (None, text),
        };
        let source = source.trim();
        if source.is_empty() {
            return Err(ParseSpecError::empty(text));
        }
        let source = BotSource::parse(source, folder)?;
        Ok(BotSpec { name, source, snapshot: None, copied: None, home: None })
    }
}

impl fmt::Display for BotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}=")?;
        }
        write!(f, "{}", self.source)
    }
}

/// The kind of a bot, which decides which host runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BotKind {
    /// A bot that comes with the game.
    Builtin,
    /// C or C++ source.
    C,
    /// A shared library with C functions.
    Library,
    /// A WebAssembly module, or C source that is compiled to one.
    Wasm,
    /// A Clojure function.
    Clojure,
    /// A program that speaks the game's own protocol.
    Program,
    /// A program that speaks the JSON Lines protocol.
    Json,
    /// A program that is a web server.
    Http,
    /// A running program that speaks the JSON Lines protocol, or is a web server.
    Connect,
    /// A person.
    Human,
}

impl BotKind {
    /// All kinds.
    pub const ALL: [BotKind; 10] = [
        BotKind::Builtin,
        BotKind::C,
        BotKind::Library,
        BotKind::Wasm,
        BotKind::Clojure,
        BotKind::Program,
        BotKind::Json,
        BotKind::Http,
        BotKind::Connect,
        BotKind::Human,
    ];

    /// Returns a word for it, as in replays.
    pub fn id(self) -> &'static str {
        match self {
            BotKind::Builtin => "builtin",
            BotKind::C => "c",
            BotKind::Library => "library",
            BotKind::Wasm => "wasm",
            BotKind::Clojure => "clojure",
            BotKind::Program => "program",
            BotKind::Json => "jsonl",
            BotKind::Http => "http",
            BotKind::Connect => "connect",
            BotKind::Human => HUMAN,
        }
    }
}

impl fmt::Display for BotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BotKind::Builtin => "built-in bots (`builtin:NAME`)",
            BotKind::C => "C or C++ source (`x.c`, `x.cpp`)",
            BotKind::Library => "shared libraries (`x.so`)",
            BotKind::Wasm => "WebAssembly (`x.wasm`, `wasm:x.c`)",
            BotKind::Clojure => "Clojure (`x.clj`, `x.clj?fn=NAME`)",
            BotKind::Program => "programs (a file or a quoted command line)",
            BotKind::Json => "programs that speak JSON Lines (`jsonl:PROGRAM`)",
            BotKind::Http => "web servers (`http:PROGRAM`)",
            BotKind::Connect => "running programs (`connect:ADDRESS`)",
            BotKind::Human => "people (`human`)",
        })
    }
}

/// Makes names unique: repeated ones get `-2`, `-3`, ... The order stays.
///
/// A given name always stays with the first bot that has it.
pub fn unique_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    let mut used: BTreeSet<String> = names.iter().cloned().collect();
    let mut seen = BTreeSet::new();
    for name in &mut names {
        if !seen.insert(name.clone()) {
            let numbered = |n: u64| {
                let end = format!("-{n}");
                format!("{}{end}", cut(name, MAX_NAME - end.len()))
            };
            let free = (2u64..).map(numbered).find(|candidate| !used.contains(candidate));
            *name = free.expect("there are more numbers than names");
            used.insert(name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> BotSpec {
        text.parse().unwrap()
    }

    #[track_caller]
    fn check(text: &str, kind: BotKind, name: &str) {
        let spec = spec(text);
        assert_eq!((spec.kind(), spec.name().as_str()), (kind, name));
        assert_eq!(spec.to_string(), text);
        assert_eq!(spec.to_string().parse(), Ok(spec));
    }

    #[test]
    fn the_text_decides_the_kind() {
        check("builtin:nasty", BotKind::Builtin, "nasty");
        check("builtin:nasty?target=weakest&low=3", BotKind::Builtin, "nasty");
        check("bots/fox.c", BotKind::C, "fox");
        check("bots/fox.cpp", BotKind::C, "fox");
        check("bots/fox.cc", BotKind::C, "fox");
        check("./fox.so", BotKind::Library, "fox");
        check("bots/fox.wasm", BotKind::Wasm, "fox");
        check("wasm:bots/fox.c", BotKind::Wasm, "fox");
        check("bots/fox.clj", BotKind::Clojure, "fox");
        check("bots/fox.clj?fn=hunter", BotKind::Clojure, "hunter");
        check("rosa=bots/fox.clj?fn=hunter", BotKind::Clojure, "rosa");
        check("jsonl:python3 -u fox.py", BotKind::Json, "python3");
        check("jsonl:./fox", BotKind::Json, "fox");
        check("http:python3 -u fox.py", BotKind::Http, "python3");
        check("rosa=connect:localhost:4000", BotKind::Connect, "rosa");
        check("http://127.0.0.1:8000", BotKind::Connect, "http://127.0.0.1:8000");
        check("rosa=https://example.com/x=y", BotKind::Connect, "rosa");
        assert_eq!(spec("connect:http://[::1]").to_string(), "http://[::1]");
        check("bots/fox.sh", BotKind::Program, "fox");
        check("python3 -u bots/fox.py", BotKind::Program, "python3");
        check("'a b' c", BotKind::Program, "a b");
        check("cc fox.c", BotKind::Program, "cc");
        check("human", BotKind::Human, "human");
        check("rosa=human", BotKind::Human, "rosa");
        check("./human", BotKind::Program, "human");
    }

    #[test]
    fn a_name_may_be_given() {
        check("alice=bots/fox.c", BotKind::C, "alice");
        check("v1.2=builtin:nasty?target=weakest", BotKind::Builtin, "v1.2");
        check("Zoë=./fox --level=3", BotKind::Program, "Zoë");
        check("./fox --level=3", BotKind::Program, "fox");
        assert_eq!(spec("./fox").named("bob").to_string(), "bob=./fox");
    }

    #[test]
    fn a_command_line_is_named_after_its_script() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("fox.py");
        std::fs::write(&script, "").unwrap();
        assert_eq!(spec(&format!("python3 -u {}", script.display())).name(), "fox");
    }

    #[test]
    fn a_file_with_spaces_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("my fox.c");
        std::fs::write(&source, "").unwrap();
        check(source.to_str().unwrap(), BotKind::C, "my fox");
    }

    #[test]
    fn an_existing_file_is_that_file_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["it's", "a \"b", "a=b"] {
            let source = folder.path().join(format!("{name}.c"));
            std::fs::write(&source, "").unwrap();
            check(source.to_str().unwrap(), BotKind::C, name);
            let runner = folder.path().join(format!("{name}.sh"));
            std::fs::write(&runner, "").unwrap();
            check(runner.to_str().unwrap(), BotKind::Program, name);
            check(&format!("tom={}", runner.display()), BotKind::Program, "tom");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |text: &str| text.parse::<BotSpec>().unwrap_err().to_string();
        assert!(error("").contains("builtin:NAME"));
        assert!(error("alice=").starts_with("`alice=` names no bot"));
        assert!(error("builtin:?a=1").contains("names no bot"));
        assert!(error("jsonl: ").contains("names no bot"));
        assert!(error("connect:").contains("names no bot"));
        assert!(error("wasm:").contains("names no bot"));
        assert_eq!(error("python3 'x"), "a quote is not closed in `python3 'x`");
        assert_eq!(
            error("builtin:nasty?weakest"),
            "`weakest` in `builtin:nasty?weakest` is not of the form `parameter=value`"
        );
    }

    #[test]
    fn what_is_printed_is_the_same_bot() {
        for text in
            ["builtin: fox?a=1", "wasm:my fox.wasm", "wasm:fox.wasm", "wasm:wasm:fox", "wasm:fox.c"]
        {
            let spec = spec(text);
            let printed = spec.to_string();
            assert_eq!(printed.parse::<BotSpec>().unwrap(), spec, "{printed}");
        }
        assert!("r=builtin: ?a=1".parse::<BotSpec>().is_err());
    }

    #[test]
    fn names_are_short_and_seen_as_they_are() {
        let error =
            format!("{}=./fox", "x".repeat(257)).parse::<BotSpec>().unwrap_err().to_string();
        assert!(
            error.ends_with("names no bot: a name of 257 bytes is too long: 256 are the most"),
            "{error}"
        );
        assert_eq!(spec("./f\u{1b}[2J\u{202e}x").name(), "f\\u001b[2J\\u202ex");
        assert!(spec(&format!("jsonl:./{}", "x".repeat(5_000))).name().len() <= MAX_NAME);
    }

    #[test]
    fn repeated_names_are_numbered() {
        let unique = |names: &[&str]| unique_names(names.iter().map(|&name| name.to_owned()));
        assert_eq!(unique(&["nasty", "fox", "nasty"]), ["nasty", "fox", "nasty-2"]);
        assert_eq!(unique(&["a", "a", "a-2", "a"]), ["a", "a-3", "a-2", "a-4"]);
        let longest = "x".repeat(MAX_NAME);
        assert_eq!(unique(&[&longest, &longest])[1], format!("{}-2", "x".repeat(MAX_NAME - 2)));
    }
}
