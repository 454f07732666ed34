//! What this machine can play.

use std::{collections::BTreeSet, fs};

use agon_bots::on_path;
use agon_games::GameId;
use agon_remote::fleet::{Abilities, Class, USUAL_PROGRAMS, Unfit, VERSION, rules_of};
use agon_remote::machine_speed;

/// Looks what this machine has. `games` are those that it may play; all if there is none.
pub(super) fn examine(games: &[GameId], slots: usize) -> Abilities {
    let all = if games.is_empty() { GameId::all() } else { games.to_vec() };
    let mut programs: BTreeSet<String> = USUAL_PROGRAMS
        .into_iter()
        .filter(|program| on_path(program).is_some())
        .map(str::to_owned)
        .collect();
    programs.insert(std::env::consts::ARCH.to_owned());
    if agon_bots::WASM_HOST.find().is_some() {
        programs.insert("wasm".to_owned());
    }
    Abilities {
        version: VERSION,
        games: all.iter().map(|&game| (game.meta().id.to_owned(), rules_of(game))).collect(),
        programs,
        strict: agon_sandbox::examine().is_complete(),
        memory: memory_mib().map_or(u32::MAX, |mib| mib / slots.max(1) as u32),
        speed: machine_speed(),
        processor: processor(),
    }
}

/// Returns whether this machine can play matches of a class; looks for programs that the class
/// names.
pub(super) fn fits(abilities: &mut Abilities, class: &Class) -> Result<(), Unfit> {
    for program in &class.programs {
        let is_new = !abilities.programs.contains(program);
        if is_new && !program.contains('/') && on_path(program.as_ref()).is_some() {
            abilities.programs.insert(program.clone());
        }
    }
    class.check(abilities)
}

/// Returns the machine's memory.
fn memory_mib() -> Option<u32> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    u32::try_from(kib >> 10).ok()
}

/// Returns the model of the processor.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    agon_core::text::escape(model.unwrap_or("unknown")).into_owned()
}
