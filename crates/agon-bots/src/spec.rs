//! Names of bots, as people type them.
//!
//! | text | bot |
//! | --- | --- |
//! | `builtin:nasty?target=weakest` | a bot that comes with the game, with parameters joined by `&` |
//! | `bots/fox.c`, `bots/fox.cpp`, `bots/fox.cc` | C functions in C or C++, compiled when needed |
//! | `bots/fox.so` | C functions in a shared library |
//! | `bots/fox.wasm`, `wasm:bots/fox.c` | WebAssembly; C is compiled to it |
//! | `bots/fox.clj`, `bots/fox.clj?fn=hunter` | a Clojure function: that of the file, or the one of this name |
//! | `bots/fox.sh` | a program: one file that can be executed |
//! | `"python3 fox.py --fast"` | a program: a command line with the quoting of a shell |
//! | `"jsonl:python3 fox.py"` | the same, but it speaks the JSON Lines protocol instead of the game's own |
//! | `connect:localhost:4000`, `connect:./socket` | a program that is running already, and waits there |
//! | `human` | a person at this screen |
//!
//! Each may be preceded by a name, `alice=bots/fox.c`. Otherwise the name is that of the built-in
//! bot or the stem of the file. Text that is the path of an existing file names this file, with
//! quotes and `=` as they are.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use agon_text::{MAX_NAME, NameError, check_name, name::cut, shown_name};
use thiserror::Error;

use crate::{HostOptions, Language, OpenError, Snapshot, program::Program};

/// A bot as a person names it. It need not exist: errors show when it is read ([`BotSpec::read`])
/// or opened.
#[derive(Clone, Debug)]
pub struct BotSpec {
    name: Option<String>,
    what: What,
    /// What was read of it, if it has been.
    snapshot: Option<Arc<Snapshot>>,
}

/// By what a person would type.
impl PartialEq for BotSpec {
    fn eq(&self, other: &BotSpec) -> bool {
        (&self.name, &self.what) == (&other.name, &other.what)
    }
}

impl Eq for BotSpec {}

/// What plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Builtin { name: String, params: Vec<(String, String)> },
    C(PathBuf),
    Library(PathBuf),
    Wasm(PathBuf),
    Clojure(ClojureFile),
    Program { text: String, words: Vec<String> },
    Json { text: String, words: Vec<String> },
    Connect(String),
    Human,
}

/// How a person is named.
const HUMAN: &str = "human";

/// A Clojure file with a function that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClojureFile {
    /// The file.
    pub path: PathBuf,
    /// The name of the function; `None` for the amoeba function of the file.
    pub function: Option<String>,
}

impl ClojureFile {
    /// Splits `FILE.clj` or `FILE.clj?fn=NAME`; `None` if it is neither.
    fn parse(text: &str) -> Option<ClojureFile> {
        let is_clojure =
            |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "clj");
        if is_clojure(text) {
            return Some(ClojureFile { path: text.into(), function: None });
        }
        let (path, function) = text.rsplit_once("?fn=")?;
        let named = is_clojure(path) && !function.is_empty();
        named.then(|| ClojureFile { path: path.into(), function: Some(function.to_owned()) })
    }
}

impl fmt::Display for ClojureFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.function.iter().try_for_each(|function| write!(f, "?fn={function}"))
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
    /// A running program that speaks the JSON Lines protocol.
    Connect,
    /// A person.
    Human,
}

impl BotKind {
    /// All kinds.
    pub const ALL: [BotKind; 9] = [
        BotKind::Builtin,
        BotKind::C,
        BotKind::Library,
        BotKind::Wasm,
        BotKind::Clojure,
        BotKind::Program,
        BotKind::Json,
        BotKind::Connect,
        BotKind::Human,
    ];

    /// One word for it, as in replays.
    pub fn id(self) -> &'static str {
        match self {
            BotKind::Builtin => "builtin",
            BotKind::C => "c",
            BotKind::Library => "library",
            BotKind::Wasm => "wasm",
            BotKind::Clojure => "clojure",
            BotKind::Program => "program",
            BotKind::Json => "jsonl",
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
            BotKind::Connect => "running programs (`connect:ADDRESS`)",
            BotKind::Human => "people (`human`)",
        })
    }
}

/// Text that names no bot.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseSpecError {
    /// There is nothing, or nothing behind `NAME=`.
    #[error("`{0}` names no bot; give a file, a quoted command line or `builtin:NAME`")]
    Empty(String),
    /// A quote is not closed.
    #[error("a quote is not closed in `{0}`")]
    Quote(String),
    /// The name is too long.
    #[error("`{}…` names no bot: {error}", cut(.text, 40))]
    Name {
        /// The text given.
        text: String,
        /// What is wrong.
        error: NameError,
    },
    /// A parameter of a built-in bot is not of the form `name=value`.
    #[error("`{param}` in `{text}` is not of the form `parameter=value`")]
    Param {
        /// The text given.
        text: String,
        /// The part that is no parameter.
        param: String,
    },
}

impl BotSpec {
    /// A bot without a name of its own that has not been read.
    pub(crate) fn of(what: What) -> BotSpec {
        BotSpec { name: None, what, snapshot: None }
    }

    /// What kind of bot it is.
    pub fn kind(&self) -> BotKind {
        match self.what {
            What::Builtin { .. } => BotKind::Builtin,
            What::C(_) => BotKind::C,
            What::Library(_) => BotKind::Library,
            What::Wasm(_) => BotKind::Wasm,
            What::Clojure(_) => BotKind::Clojure,
            What::Program { .. } => BotKind::Program,
            What::Json { .. } => BotKind::Json,
            What::Connect(_) => BotKind::Connect,
            What::Human => BotKind::Human,
        }
    }

    /// The name given, or the one that follows from what plays: always one that a reader sees all
    /// of.
    pub fn name(&self) -> String {
        shown_name(&self.raw_name()).into_owned()
    }

    fn raw_name(&self) -> String {
        match (&self.name, &self.what) {
            (Some(name), _) => name.clone(),
            (None, What::Builtin { name, .. }) => name.clone(),
            (None, What::C(path) | What::Library(path) | What::Wasm(path)) => stem(path),
            (None, What::Clojure(ClojureFile { function: Some(function), .. })) => function.clone(),
            (None, What::Clojure(ClojureFile { path, .. })) => stem(path),
            (None, What::Program { text, words } | What::Json { text, words }) => {
                program_name(text, words)
            }
            (None, What::Connect(address)) => address.clone(),
            (None, What::Human) => HUMAN.to_owned(),
        }
    }

    /// The same bot under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> BotSpec {
        self.name = Some(name.into());
        self
    }

    /// Reads all files of the bot now: from now on it plays as it is now, whatever becomes of them.
    /// What has no files stays as it is. `builtins` are names that may have been meant.
    ///
    /// # Errors
    /// If a file is not there or cannot be read, or there is no room for a copy.
    pub fn read(
        self,
        options: &HostOptions,
        builtins: &[&'static str],
    ) -> Result<BotSpec, OpenError> {
        let snapshot = Snapshot::take(&self.what, options, builtins, true)?.map(Arc::new);
        Ok(BotSpec { snapshot, ..self })
    }

    /// The same as [`BotSpec::read`], but what a bot with the same program or file has read counts
    /// for this one, as far as its arguments name nothing else.
    ///
    /// # Errors
    /// As [`BotSpec::read`].
    pub fn read_like(self, other: &BotSpec, options: &HostOptions) -> Result<BotSpec, OpenError> {
        let shared = match (&self.what, &other.what, &other.snapshot) {
            (own, others, Some(snapshot)) if own == others => Some(Arc::clone(snapshot)),
            (
                What::Program { words: own, .. },
                What::Program { words: others, .. },
                Some(snapshot),
            )
            | (What::Json { words: own, .. }, What::Json { words: others, .. }, Some(snapshot))
                if own.len() > 1 && own[0] == others[0] =>
            {
                let args = own[1..].iter().map(OsString::from).collect();
                let program = snapshot.program().map(|program| Program { args, ..program.clone() });
                program.and_then(|program| snapshot.with_program(program, options)).map(Arc::new)
            }
            _ => None,
        };
        match shared {
            Some(snapshot) => Ok(BotSpec { snapshot: Some(snapshot), ..self }),
            None => self.read(options, &[]),
        }
    }

    /// The files that its text names, once they have been read.
    pub fn files(&self) -> &[PathBuf] {
        self.snapshot.as_ref().map_or(&[], |snapshot| snapshot.files())
    }

    /// What was read of the bot, if it has been and has files.
    pub(crate) fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.snapshot.as_ref()
    }

    pub(crate) fn what(&self) -> &What {
        &self.what
    }
}

/// The stem of the one file, or of the first argument that is a file, or of the program.
fn program_name(text: &str, words: &[String]) -> String {
    if Path::new(text).is_file() {
        return stem(Path::new(text));
    }
    let script = words.iter().skip(1).find(|word| Path::new(word).is_file());
    stem(Path::new(script.unwrap_or(&words[0])))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

impl FromStr for BotSpec {
    type Err = ParseSpecError;

    fn from_str(text: &str) -> Result<BotSpec, ParseSpecError> {
        let text = text.trim();
        let is_name = |name: &str| {
            !name.is_empty()
                && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
        };
        let (name, what) = match text.split_once('=') {
            Some((name, what)) if is_name(name) && !Path::new(text).is_file() => {
                check_name(name)
                    .map_err(|error| ParseSpecError::Name { text: text.to_owned(), error })?;
                (Some(name.to_owned()), what)
            }
            _ => (None, text),
        };
        let what = what.trim();
        if what.is_empty() {
            return Err(ParseSpecError::Empty(text.to_owned()));
        }
        Ok(BotSpec { name, what: what.parse()?, snapshot: None })
    }
}

impl FromStr for What {
    type Err = ParseSpecError;

    fn from_str(text: &str) -> Result<What, ParseSpecError> {
        if text == HUMAN && !Path::new(text).is_file() {
            return Ok(What::Human);
        }
        if let Some(builtin) = text.strip_prefix("builtin:") {
            return parse_builtin(text, builtin);
        }
        if let Some(source) = text.strip_prefix("wasm:") {
            return match source.trim() {
                "" => Err(ParseSpecError::Empty(text.to_owned())),
                source => Ok(What::Wasm(source.into())),
            };
        }
        if let Some(address) = text.strip_prefix("connect:") {
            return match address.trim() {
                "" => Err(ParseSpecError::Empty(text.to_owned())),
                address => Ok(What::Connect(address.to_owned())),
            };
        }
        if let Some(command) = text.strip_prefix("jsonl:") {
            let (text, words) = parse_command(text, command.trim())?;
            return Ok(What::Json { text, words });
        }
        let (command, words) = parse_command(text, text)?;
        let one_file = words.len() == 1;
        if one_file && Language::of(Path::new(text)).is_some() {
            return Ok(What::C(text.into()));
        }
        if one_file && let Some(file) = ClojureFile::parse(text) {
            return Ok(What::Clojure(file));
        }
        match Path::new(text).extension().and_then(|extension| extension.to_str()) {
            Some("so") if one_file => Ok(What::Library(text.into())),
            Some("wasm") if one_file => Ok(What::Wasm(text.into())),
            _ => Ok(What::Program { text: command, words }),
        }
    }
}

/// The words of a command line, at least one; a path of an existing file is one word.
fn parse_command(spec: &str, command: &str) -> Result<(String, Vec<String>), ParseSpecError> {
    let one_file = Path::new(command).is_file();
    let words = if one_file { Some(vec![command.to_owned()]) } else { shlex::split(command) };
    match words {
        None => Err(ParseSpecError::Quote(spec.to_owned())),
        Some(words) if words.is_empty() => Err(ParseSpecError::Empty(spec.to_owned())),
        Some(words) => Ok((command.to_owned(), words)),
    }
}

fn parse_builtin(text: &str, builtin: &str) -> Result<What, ParseSpecError> {
    let (name, params) = builtin.split_once('?').unwrap_or((builtin, ""));
    let name = name.trim();
    if name.is_empty() {
        return Err(ParseSpecError::Empty(text.to_owned()));
    }
    let param = |param: &str| match param.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(ParseSpecError::Param { text: text.to_owned(), param: param.to_owned() }),
    };
    let params =
        params.split('&').filter(|p| !p.is_empty()).map(param).collect::<Result<_, _>>()?;
    Ok(What::Builtin { name: name.to_owned(), params })
}

impl fmt::Display for BotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}=")?;
        }
        write!(f, "{}", self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Builtin { name, params } => {
                write!(f, "builtin:{name}")?;
                for (i, (name, value)) in params.iter().enumerate() {
                    let separator = if i == 0 { '?' } else { '&' };
                    write!(f, "{separator}{name}={value}")?;
                }
                Ok(())
            }
            What::Wasm(path) if !is_module_by_itself(path) => write!(f, "wasm:{}", path.display()),
            What::C(path) | What::Library(path) | What::Wasm(path) => {
                write!(f, "{}", path.display())
            }
            What::Clojure(file) => write!(f, "{file}"),
            What::Program { text, .. } => f.write_str(text),
            What::Json { text, .. } => write!(f, "jsonl:{text}"),
            What::Connect(address) => write!(f, "connect:{address}"),
            What::Human => f.write_str(HUMAN),
        }
    }
}

/// Whether a path names a WebAssembly module without a prefix: it has the right ending and is one
/// word.
fn is_module_by_itself(path: &Path) -> bool {
    path.to_str().is_some_and(|text| matches!(text.parse(), Ok(What::Wasm(own)) if own == path))
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
        check("rosa=connect:localhost:4000", BotKind::Connect, "rosa");
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
    fn repeated_names_are_numbered() {
        let unique = |names: &[&str]| unique_names(names.iter().map(|&name| name.to_owned()));
        assert_eq!(unique(&["nasty", "fox", "nasty"]), ["nasty", "fox", "nasty-2"]);
        assert_eq!(unique(&["a", "a", "a-2", "a"]), ["a", "a-3", "a-2", "a-4"]);
        let longest = "x".repeat(MAX_NAME);
        assert_eq!(unique(&[&longest, &longest])[1], format!("{}-2", "x".repeat(MAX_NAME - 2)));
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
}
