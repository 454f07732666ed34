//! The kinds of bots. The kind decides which host runs a bot, and replays record it.

use std::fmt;

/// The text that names a person.
pub(super) const HUMAN: &str = "human";

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
