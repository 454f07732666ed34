//! Reads the `[time]` and `[sandbox]` of a plan, which match the flags of `agon play`.

use std::{collections::BTreeMap, num::NonZero, path::PathBuf};

use agon_core::did_you_mean;
use agon_match::spec::{
    SandboxLevel, SandboxSettings, TimeSettings,
    settings::{BotTime, MAX_MS, MAX_WASM_MEMORY, MIN_MEMORY},
};

use agon_text::escape;

use super::{PlanBot, toml_table::Section};

/// Reads `[time]`. A bot of the plan may have limits of its own, under its name.
pub(super) fn time(section: &mut Section<'_>, named: &[PlanBot]) -> TimeSettings {
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
    let start_up = section.number("start_up", 0..=MAX_MS);
    if !clock && start_up.is_some() {
        section.problem("without a clock there is no `start_up`");
    }
    let mut own = section.section("bots", "[time.bots]");
    if !clock && own.exists() {
        own.problem("without a clock no bot has limits");
    }
    let mut bots = BTreeMap::new();
    for (name, place, value) in own.all() {
        if !named.iter().any(|bot| bot.name == name) {
            let known = named.iter().map(|bot| bot.name.as_str());
            let hint = did_you_mean(&name, known)
                .map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
            own.problem_at(place.clone(), format!("no bot has the name `{}`{hint}", escape(&name)));
        }
        match serde_json::from_value::<BotTime>(value) {
            Ok(time)
                if [time.limit, time.bank, time.start_up].into_iter().flatten().max()
                    > Some(MAX_MS) =>
            {
                own.problem_at(place, format!("milliseconds are numbers from 0 to {MAX_MS}"));
            }
            Ok(time) => drop(bots.insert(name, time)),
            Err(error) => own.problem_at(place, format!("the limits of a bot: {error}")),
        }
    }
    TimeSettings { clock, limit, bank, strikes, start_up, bots, ..TimeSettings::default() }
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
