//! The report of `agon doctor --json`: JSON Lines, `docs/doctor.md`.

use std::io::Write;

use agon_bots::tools::Machine;
use agon_console::kits::{Language, Program};
use agon_contest::events::{
    CacheFacts, DoctorVerdict, Event, LanguageTools, MachineFacts, MechanismState, PartFacts,
    PartPlace, ProgramFacts, SandboxState, ToolState,
};
use agon_sandbox::{Confined, MechanismRow};
use anyhow::Result;

use super::{
    findings::Findings,
    parts::{PartFinding, PartState},
    verdict::Verdict,
};
use crate::{output::print_event, version};

pub(super) fn print(findings: &Findings, verdict: &Verdict, out: &mut impl Write) -> Result<()> {
    let Findings { confined, parts, languages, machine } = findings;
    print_event(Event::Program(program()), out)?;
    print_event(Event::Sandbox(sandbox(confined)), out)?;
    for row in confined.rows.iter().flatten() {
        print_event(Event::Mechanism(mechanism(row)), out)?;
    }
    for finding in parts {
        print_event(Event::Part(part(finding)), out)?;
    }
    for language in languages {
        print_event(Event::Language(tools(language)), out)?;
    }
    print_event(Event::Machine(facts(machine)), out)?;
    let Verdict { fine, text } = verdict;
    let verdict = DoctorVerdict { complete: confined.is_complete(), fine: *fine, text };
    Ok(print_event(verdict, out)?)
}

fn program() -> ProgramFacts<'static> {
    ProgramFacts {
        version: version::RELEASE,
        commit: version::COMMIT,
        packaged: agon_files::parts::is_packaged(),
    }
}

fn part(finding: &PartFinding) -> PartFacts<'_> {
    let PartFinding { program, who, state } = finding;
    let (place, path, remedy) = match state {
        PartState::Within => (PartPlace::Within, None, None),
        PartState::Found(path) => (PartPlace::Found, Some(path.to_string_lossy()), None),
        PartState::OnDemand => (PartPlace::OnDemand, None, None),
        PartState::Missing(remedy) => (PartPlace::Missing, None, Some(remedy.as_str())),
    };
    PartFacts { name: program, needed_for: who, place, path, remedy }
}

fn sandbox(confined: &Confined) -> SandboxState<'_> {
    SandboxState {
        kernel: &confined.kernel,
        default: confined.works(),
        strict: confined.is_complete(),
        identity: confined.identity(),
        problem: confined.rows.as_ref().err().map(String::as_str),
    }
}

fn mechanism(row: &MechanismRow) -> MechanismState<'_> {
    let state = row.state.as_deref();
    MechanismState {
        mechanism: row.mechanism,
        active: state.is_ok(),
        words: state.ok(),
        problem: row.state.as_ref().err().map(String::as_str),
    }
}

fn tools(language: &Language) -> LanguageTools<'_> {
    LanguageTools {
        id: language.id,
        language: &language.name,
        ready: language.is_ready(),
        programs: language.programs.iter().map(tool).collect(),
        libraries: language.libraries.iter().map(tool).collect(),
    }
}

fn tool(program: &Program) -> ToolState<'_> {
    let found = program.found.as_ref().ok();
    let absent = program.found.as_ref().err();
    ToolState {
        name: &program.name,
        path: found.map(|found| found.path.to_string_lossy()),
        version: found.and_then(|found| found.version.as_deref()),
        problem: absent.map(|absent| absent.why.as_str()),
        remedy: absent.map(|absent| absent.remedy.as_str()),
    }
}

fn facts(machine: &Machine) -> MachineFacts<'_> {
    let Machine { cores, load, memory, cache } = machine;
    MachineFacts {
        cores: *cores,
        load: *load,
        memory: memory.map(|memory| memory.total),
        available: memory.map(|memory| memory.available),
        cache: CacheFacts {
            path: cache.path.to_string_lossy(),
            bytes: cache.bytes,
            free: cache.free,
            problem: cache.problem.as_deref(),
        },
    }
}
