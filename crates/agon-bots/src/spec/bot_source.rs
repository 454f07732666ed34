//! Parses the part of a bot's text after its name: a file, a command, a built-in bot.

use std::path::{Path, PathBuf};
use std::{fmt, str::FromStr};

use agon_match::spec::BotProtocol;
use thiserror::Error;

use crate::compile::Language;

/// The text that names a person.
pub(super) const HUMAN: &str = "human";

/// The player itself, without a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BotSource {
    Builtin {
        name: String,
        params: Vec<(String, String)>,
    },
    C(PathBuf),
    Library(PathBuf),
    Wasm(PathBuf),
    Clojure(ClojureFile),
    /// A folder with a manifest.
    Folder(PathBuf),
    Program {
        text: String,
        words: Vec<String>,
        protocol: BotProtocol,
    },
    /// An address, which is that of a web server if it [starts like one](is_web).
    Connect(String),
    Human,
}

impl FromStr for BotSource {
    type Err = ParseSpecError;

    fn from_str(text: &str) -> Result<BotSource, ParseSpecError> {
        BotSource::parse(text, Path::new(""))
    }
}

impl BotSource {
    /// Parses a text whose paths start in `folder`: files there decide what some texts mean.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<BotSource, ParseSpecError> {
        if text == HUMAN && !folder.join(text).is_file() {
            return Ok(BotSource::Human);
        }
        if let Some(builtin) = text.strip_prefix("builtin:") {
            return parse_builtin(text, builtin);
        }
        if let Some(source) = text.strip_prefix("wasm:") {
            return match source.trim() {
                "" => Err(ParseSpecError::empty(text)),
                source => Ok(BotSource::Wasm(source.into())),
            };
        }
        if let Some(address) = text.strip_prefix("connect:") {
            return match address.trim() {
                "" => Err(ParseSpecError::empty(text)),
                address => Ok(BotSource::Connect(address.to_owned())),
            };
        }
        if is_web(text) {
            return Ok(BotSource::Connect(text.to_owned()));
        }
        for protocol in [BotProtocol::Jsonl, BotProtocol::Http] {
            if let Some(command) = text.strip_prefix(protocol.prefix()) {
                let (text, words) = parse_command(text, command.trim(), folder)?;
                return Ok(BotSource::Program { text, words, protocol });
            }
        }
        if folder.join(text).is_dir() {
            return Ok(BotSource::Folder(text.into()));
        }
        let (command, words) = parse_command(text, text, folder)?;
        let one_file = words.len() == 1;
        if one_file && Language::of(Path::new(text)).is_some() {
            return Ok(BotSource::C(text.into()));
        }
        if one_file && let Some(file) = ClojureFile::parse(text) {
            return Ok(BotSource::Clojure(file));
        }
        match Path::new(text).extension().and_then(|extension| extension.to_str()) {
            Some("so") if one_file => Ok(BotSource::Library(text.into())),
            Some("wasm") if one_file => Ok(BotSource::Wasm(text.into())),
            _ => {
                let protocol = BotProtocol::Game;
                Ok(BotSource::Program { text: command, words, protocol })
            }
        }
    }
}

/// Returns whether an address is that of a web server. The host refuses all but this machine's.
pub(crate) fn is_web(address: &str) -> bool {
    ["http://", "https://"].iter().any(|start| address.starts_with(start))
}

/// Splits a command line into words, at least one; the path of an existing file is one word.
fn parse_command(
    spec: &str,
    command: &str,
    folder: &Path,
) -> Result<(String, Vec<String>), ParseSpecError> {
    let one_file = folder.join(command).is_file();
    let words = if one_file { Some(vec![command.to_owned()]) } else { shlex::split(command) };
    match words {
        None => Err(ParseSpecError(format!("a quote is not closed in `{spec}`"))),
        Some(words) if words.is_empty() => Err(ParseSpecError::empty(spec)),
        Some(words) => Ok((command.to_owned(), words)),
    }
}

fn parse_builtin(text: &str, builtin: &str) -> Result<BotSource, ParseSpecError> {
    let (name, params) = builtin.split_once('?').unwrap_or((builtin, ""));
    let name = name.trim();
    if name.is_empty() {
        return Err(ParseSpecError::empty(text));
    }
    let param = |param: &str| match param.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(ParseSpecError(format!(
            "`{param}` in `{text}` is not of the form `parameter=value`"
        ))),
    };
    let params =
        params.split('&').filter(|p| !p.is_empty()).map(param).collect::<Result<_, _>>()?;
    Ok(BotSource::Builtin { name: name.to_owned(), params })
}

impl fmt::Display for BotSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotSource::Builtin { name, params } => {
                write!(f, "builtin:{name}")?;
                for (i, (name, value)) in params.iter().enumerate() {
                    let separator = if i == 0 { '?' } else { '&' };
                    write!(f, "{separator}{name}={value}")?;
                }
                Ok(())
            }
            BotSource::Wasm(path) if !is_module_by_itself(path) => {
                write!(f, "wasm:{}", path.display())
            }
            BotSource::C(path)
            | BotSource::Library(path)
            | BotSource::Wasm(path)
            | BotSource::Folder(path) => write!(f, "{}", path.display()),
            BotSource::Clojure(file) => write!(f, "{file}"),
            BotSource::Program { text, protocol, .. } => {
                write!(f, "{}{text}", protocol.prefix())
            }
            BotSource::Connect(address) if is_web(address) => f.write_str(address),
            BotSource::Connect(address) => write!(f, "connect:{address}"),
            BotSource::Human => f.write_str(HUMAN),
        }
    }
}

/// Returns whether a path names a WebAssembly module without a prefix.
///
/// It then has the right ending and is one word.
fn is_module_by_itself(path: &Path) -> bool {
    path.to_str()
        .is_some_and(|text| matches!(text.parse(), Ok(BotSource::Wasm(own)) if own == path))
}

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

/// The reason why a text names no bot, for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ParseSpecError(pub(super) String);

impl ParseSpecError {
    /// The text is empty, or ends after `NAME=`.
    pub(super) fn empty(text: &str) -> ParseSpecError {
        ParseSpecError(format!(
            "`{text}` names no bot; give a file, a quoted command line or `builtin:NAME`"
        ))
    }
}
