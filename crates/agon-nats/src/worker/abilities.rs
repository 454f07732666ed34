//! What this machine can play.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use agon_bots::on_path;
use agon_games::GameId;
use agon_remote::fleet::{Abilities, Class, USUAL_PROGRAMS, VERSION, rules_of};
use agon_remote::machine_speed;
use agon_sandbox::Confined;

/// This machine.
pub(super) struct Machine {
    pub(super) abilities: Abilities,
}

impl Machine {
    /// Looks what is there. `games` are those that it may play; all if there is none.
    pub(super) fn examine(games: &[GameId], slots: usize) -> Machine {
        let all: &[GameId] = if games.is_empty() { &GameId::ALL } else { games };
        let games: BTreeMap<String, _> =
            all.iter().map(|&game| (game.meta().id.to_owned(), rules_of(game))).collect();
        let mut programs: BTreeSet<String> = USUAL_PROGRAMS
            .into_iter()
            .filter(|program| on_path(program).is_some())
            .map(str::to_owned)
            .collect();
        programs.insert(std::env::consts::ARCH.to_owned());
        if agon_bots::WASM_HOST.find().is_some() {
            programs.insert("wasm".to_owned());
        }
        let memory = memory_mib().map_or(u32::MAX, |mib| mib / slots.max(1) as u32);
        let strict = Confined::new(agon_sandbox::examine()).is_complete();
        let (version, processor) = (VERSION, processor());
        let speed = machine_speed();
        Machine {
            abilities: Abilities { version, games, programs, strict, memory, speed, processor },
        }
    }

    /// Returns whether it can play matches of a class; looks for programs that the class names.
    pub(super) fn fits(&mut self, class: &Class) -> Result<(), agon_remote::fleet::Unfit> {
        for program in &class.programs {
            let is_new = !self.abilities.programs.contains(program);
            if is_new && !program.contains('/') && on_path(program.as_ref()).is_some() {
                self.abilities.programs.insert(program.clone());
            }
        }
        class.check(&self.abilities)
    }
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
    agon_text::escape(model.unwrap_or("unknown")).into_owned()
}
