//! The report for people, in lines of at most 80 characters.

use std::{collections::BTreeSet, env, io::Write, path::Path};

use agon_bots::tools::{Found, Machine, not_on_path};
use agon_console::kits::Program;
use agon_sandbox::Confined;
use anyhow::Result;

use super::{
    findings::Findings,
    parts::{PartFinding, PartState},
    verdict::Verdict,
};
use crate::{
    output::{BAD, BOLD, DIM, GOOD, PLAIN, Style, space, wrapped},
    version,
};

const WIDTH: usize = 80;

/// Where the second column begins.
const COLUMN: usize = 20;

pub(super) fn print(findings: &Findings, verdict: &Verdict, out: &mut impl Write) -> Result<()> {
    print_program(out)?;
    print_sandbox(&findings.confined, out)?;
    print_parts(&findings.parts, out)?;
    writeln!(out, "\n{BOLD}Languages{BOLD:#}")?;
    let (ready, absent): (Vec<_>, Vec<_>) =
        findings.languages.iter().partition(|language| language.is_ready());
    for language in ready {
        let places: Vec<String> = language.programs.iter().filter_map(place).collect();
        print_row(Mark::Good, &language.name, &places.join(", "), out)?;
        for line in needs(&language.libraries) {
            print_more(&format!("without {line}"), out)?;
        }
    }
    for language in absent {
        print_row(
            Mark::None,
            &language.name,
            &format!("needs {}", needs(&language.programs).join("; ")),
            out,
        )?;
    }
    print_machine(&findings.machine, out)?;
    writeln!(out)?;
    let style = if verdict.fine { GOOD } else { BAD };
    for line in wrapped(&verdict.text, WIDTH) {
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

/// What a line begins with.
#[derive(Clone, Copy)]
enum Mark {
    Good,
    Bad,
    /// Neither.
    None,
}

fn print_row(mark: Mark, name: &str, text: &str, out: &mut impl Write) -> Result<()> {
    let (mark, style) = match mark {
        Mark::Good => ("✓", GOOD),
        Mark::Bad => ("✗", BAD),
        Mark::None => ("–", DIM),
    };
    let lines = wrapped(text, WIDTH - COLUMN);
    let first = lines.first().map_or("", String::as_str);
    writeln!(out, " {style}{mark}{style:#} {name:<width$}{first}", width = COLUMN - 3)?;
    print_lines(&lines[lines.len().min(1)..], PLAIN, out)
}

/// More of the row before.
fn print_more(text: &str, out: &mut impl Write) -> Result<()> {
    print_lines(&wrapped(text, WIDTH - COLUMN), DIM, out)
}

fn print_lines(lines: &[String], style: Style, out: &mut impl Write) -> Result<()> {
    for line in lines {
        writeln!(out, "{:COLUMN$}{style}{line}{style:#}", "")?;
    }
    Ok(())
}

fn print_program(out: &mut impl Write) -> Result<()> {
    let commit = version::COMMIT.map(|commit| format!(" ({commit})")).unwrap_or_default();
    writeln!(out, "{BOLD}Agon{BOLD:#} {}{commit}, {}\n", version::RELEASE, version::origin())?;
    Ok(())
}

/// Prints where Agon's other programs are.
fn print_parts(parts: &[PartFinding], out: &mut impl Write) -> Result<()> {
    writeln!(out, "\n{BOLD}Programs{BOLD:#}")?;
    for PartFinding { program, who, state } in parts {
        let name = program.trim_start_matches("agon-");
        let text = match state {
            PartState::Within => format!("for {who}: within `agon`"),
            PartState::Found(path) => format!("for {who}: {}", short(path)),
            PartState::OnDemand => format!("for {who}: is built when it is first needed"),
            PartState::Missing(remedy) => format!("{program} is missing, for {who}: {remedy}"),
        };
        let is_missing = matches!(state, PartState::Missing(_));
        print_row(if is_missing { Mark::None } else { Mark::Good }, name, &text, out)?;
    }
    Ok(())
}

fn print_sandbox(confined: &Confined, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{BOLD}Sandbox{BOLD:#} on Linux {}", confined.kernel)?;
    match &confined.rows {
        Err(problem) => print_row(Mark::Bad, "all", problem, out)?,
        Ok(rows) => {
            let mut told = BTreeSet::new();
            for row in rows {
                match &row.state {
                    Ok(words) => print_row(Mark::Good, row.name(), words, out)?,
                    Err(why) => print_row(Mark::Bad, row.name(), once(why, &mut told), out)?,
                }
            }
        }
    }
    let plays = match (confined.works(), confined.is_complete()) {
        (true, true) => "`--sandbox default` and `--sandbox strict` both play",
        (true, false) => "`--sandbox default` plays, `--sandbox strict` does not",
        (false, _) => "only `--sandbox off` plays",
    };
    print_row(if confined.works() { Mark::Good } else { Mark::Bad }, "levels", plays, out)?;
    let user = if confined.has_own_user() {
        "Each bot runs as a user of its own, never as root: files that are closed to others are \
         refused; `chmod -R a+rX` opens a folder."
    } else if confined.has_sub_users() {
        "With `--sandbox strict`, and on servers and workers, each bot runs as a user of its own. \
         Otherwise, bots run as you, as do all builds, and programs that answer with files."
    } else {
        "All bots run as you. They share what the kernel counts for each user, such as watches of \
         files, so one bot can use up what another one needs. Users of their own need newuidmap \
         (package `uidmap`), and numbers for you in /etc/subuid and /etc/subgid."
    };
    print_more(user, out)
}

/// Why something is missing, without the remedy if that has been told.
fn once<'a>(why: &'a str, told: &mut BTreeSet<String>) -> &'a str {
    match why.split_once("; ") {
        Some((reason, remedy)) if !told.insert(remedy.to_owned()) => reason,
        _ => why,
    }
}

/// Where a program is, and its version.
fn place(program: &Program) -> Option<String> {
    let Found { path, version } = program.found.as_ref().ok()?;
    let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    Some(format!("{}{version}", short(path)))
}

/// The absent ones, with what helps; those that the same helps together.
fn needs(programs: &[Program]) -> Vec<String> {
    let mut lines: Vec<(Vec<String>, &str)> = Vec::new();
    for (name, absent) in programs.iter().filter_map(|p| Some((&p.name, p.found.as_ref().err()?))) {
        let nowhere = absent.why == not_on_path(name);
        let what = if nowhere { name.clone() } else { format!("{name} ({})", absent.why) };
        match lines.iter_mut().find(|(_, remedy)| *remedy == absent.remedy) {
            Some((names, _)) => names.push(what),
            None => lines.push((vec![what], &absent.remedy)),
        }
    }
    lines.into_iter().map(|(names, remedy)| format!("{}: {remedy}", names.join(", "))).collect()
}

/// A path as people write it.
fn short(path: &Path) -> String {
    let home = env::var_os("HOME").filter(|home| Path::new(home).is_absolute() && home != "/");
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

fn print_machine(machine: &Machine, out: &mut impl Write) -> Result<()> {
    writeln!(out, "\n{BOLD}Machine{BOLD:#}")?;
    if let Some(cores) = machine.cores {
        let load = machine.load.map(|load| format!(", load {load:.1}")).unwrap_or_default();
        print_row(
            if machine.is_busy() { Mark::None } else { Mark::Good },
            "cores",
            &format!("{cores}{load}"),
            out,
        )?;
        if machine.is_busy() {
            print_more(
                "More wants to run than there are cores. \
                 Clocks stay fair, but matches take longer.",
                out,
            )?;
        }
    }
    if let Some(memory) = machine.memory {
        let text =
            format!("{}, of which {} available", space(memory.total), space(memory.available));
        print_row(Mark::Good, "memory", &text, out)?;
    }
    let cache = &machine.cache;
    let text =
        format!("{}: {}, and {} free", short(&cache.path), space(cache.bytes), space(cache.free));
    match &cache.problem {
        None => print_row(Mark::Good, "cache", &text, out),
        Some(problem) => {
            let why = format!(
                "{} cannot be written to ({problem}); XDG_CACHE_HOME names another folder",
                short(&cache.path)
            );
            print_row(Mark::Bad, "cache", &why, out)
        }
    }
}
