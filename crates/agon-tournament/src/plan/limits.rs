//! The `[time]` and `[sandbox]` of a plan: the flags of `agon play`.

use serde::{Deserialize, Serialize};

use super::toml_table::Section;

/// What time bots have. `None` is as the game says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Whether there is a clock; `--no-clock`.
    pub clock: bool,
    /// Milliseconds for an answer; `--time`.
    pub limit: Option<u64>,
    /// Milliseconds of the bank; `--bank`.
    pub bank: Option<u64>,
}

/// How strictly bots are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxLevel {
    /// Fully, or they are not started.
    Strict,
    /// As well as the machine can.
    Default,
    /// Not at all.
    Off,
}

/// How bots are confined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// `--sandbox`
    pub level: SandboxLevel,
    /// MiB; `--bot-memory`
    pub memory: Option<u32>,
    /// Files and folders that may be read; `--allow-read`
    pub read: Vec<String>,
    /// Folders that may be written to; `--allow-write`
    pub write: Vec<String>,
    /// Whether C sources become WebAssembly; `--wasm`
    pub wasm: bool,
    /// MiB; `--wasm-memory`
    pub wasm_memory: Option<u32>,
    /// Whether all species in Clojure of a match live in one JVM; `--share-jvm`
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub share_jvm: bool,
}

impl Time {
    pub(super) fn read(section: &mut Section<'_>) -> Time {
        let clock = section.boolean("clock").unwrap_or(true);
        let [limit, bank] = ["limit", "bank"].map(|key| section.number(key, 0..=86_400_000));
        if !clock && (limit.is_some() || bank.is_some()) {
            section.problem("without a clock there is no `limit` and no `bank`");
        }
        Time { clock, limit, bank }
    }
}

impl Sandbox {
    pub(super) fn read(section: &mut Section<'_>) -> Sandbox {
        let levels = [
            ("strict", SandboxLevel::Strict),
            ("default", SandboxLevel::Default),
            ("off", SandboxLevel::Off),
        ];
        let level = section
            .get("level")
            .and_then(|item| item.word(&levels))
            .unwrap_or(SandboxLevel::Default);
        let mut paths = |key| {
            let items = section.get(key).into_iter().flat_map(|item| item.list());
            items.filter_map(|item| item.string()).collect::<Vec<_>>()
        };
        let (read, write) = (paths("read"), paths("write"));
        Sandbox {
            level,
            memory: section.number("memory", 16..=u64::from(u32::MAX)).map(|mib| mib as u32),
            read,
            write,
            wasm: section.boolean("wasm").unwrap_or(false),
            wasm_memory: section.number("wasm_memory", 1..=4096).map(|mib| mib as u32),
            share_jvm: section.boolean("share_jvm").unwrap_or(false),
        }
    }
}
