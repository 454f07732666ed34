//! Reads the `[time]` and `[sandbox]` of a plan, which match the flags of `agon play`.

use std::{num::NonZero, path::PathBuf};

use agon_spec::{
    SandboxLevel, SandboxSettings, TimeSettings,
    settings::{MAX_MS, MAX_WASM_MEMORY, MIN_MEMORY},
};

use super::toml_table::Section;

pub(super) fn time(section: &mut Section<'_>) -> TimeSettings {
    let clock = section.boolean("clock").unwrap_or(true);
    let [limit, bank] = ["limit", "bank"].map(|key| section.number(key, 0..=MAX_MS));
    if !clock && (limit.is_some() || bank.is_some()) {
        section.problem("without a clock there is no `limit` and no `bank`");
    }
    let strikes = section.number("strikes", 1..=u32::MAX.into());
    if !clock && strikes.is_some() {
        section.problem("without a clock there are no timeouts, and so no `strikes`");
    }
    let strikes = strikes.and_then(|strikes| NonZero::new(strikes as u32));
    TimeSettings { clock, limit, bank, strikes, ..TimeSettings::default() }
}

pub(super) fn sandbox(section: &mut Section<'_>) -> SandboxSettings {
    let levels = [
        ("strict", SandboxLevel::Strict),
        ("default", SandboxLevel::Default),
        ("off", SandboxLevel::Off),
    ];
    let level =
        section.get("level").and_then(|item| item.word(&levels)).unwrap_or(SandboxLevel::Default);
    let mut paths = |key| {
        let items = section.get(key).into_iter().flat_map(|item| item.list());
        items.filter_map(|item| item.string()).map(PathBuf::from).collect::<Vec<_>>()
    };
    let read = paths("read");
    let write = paths("write");
    let names = section.get("env").into_iter().flat_map(|item| item.list());
    let env = names.filter_map(|item| item.string()).collect();
    SandboxSettings {
        level,
        memory: section.number("memory", MIN_MEMORY.into()..=u32::MAX.into()).map(|mib| mib as u32),
        read,
        write,
        wasm: section.boolean("wasm").unwrap_or(false),
        wasm_memory: section
            .number("wasm_memory", 1..=MAX_WASM_MEMORY.into())
            .map(|mib| mib as u32),
        share_jvm: section.boolean("share_jvm").unwrap_or(false),
        env,
    }
}
