//! `agon doctor`: reports the tools and the confinement that this machine offers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, io::Write};

use agon_bots::tools::{self, Absent, Found, Machine, Tool, not_on_path};
use agon_bots::{HostOptions, Level, SandboxOptions, native};
use agon_console::kits::Kit;
use agon_contest::events::{
    CacheFacts, DoctorVerdict, Event, LanguageTools, MachineFacts, MechanismState, PartFacts,
    PartPlace, ProgramFacts, SandboxState, ToolState, VerdictData,
};
use agon_files::parts::Part;
use agon_sandbox::Confined;
use anyhow::Result;

use crate::output::{BAD, BOLD, DIM, GOOD, PLAIN, Style, listed, print_event, space, wrapped};
use crate::{Exit, cli::DoctorArgs, sandbox::machine as this_machine};

/// Examines the machine and prints what is found.
pub(crate) fn doctor(args: &DoctorArgs, out: &mut impl Write) -> Result<Exit> {
    // First, as long as this process has a single thread.
    let confined = agon_sandbox::examine();
    // These are no bots: they run as they do when a person calls them, also where nothing can be
    // confined.
    let sandbox = SandboxOptions { level: Level::Off, ..this_machine().sandbox };
    let options = HostOptions { sandbox, ..HostOptions::default() };
    let languages = languages(&options);
    let machine = Machine::look(&options);
    let findings = Findings { confined, parts: parts(), languages, machine };
    let verdict = Verdict::of(&findings);
    let is_complete = findings.confined.is_complete();
    if args.json {
        print_json(findings, &verdict, out)?;
    } else {
        print_report(&findings, &verdict, out)?;
    }
    Ok(if is_complete { Exit::Done } else { Exit::Negative })
}

/// Returns all languages with starter kits, and species in Clojure, which the arena itself loads.
fn languages(options: &HostOptions) -> Vec<LanguageTools> {
    let mut here = FoundTools { tools: tools::tools(options), options, asked: BTreeMap::new() };
    let mut all = Vec::new();
    for Kit { id, manifest } in Kit::all() {
        let remedy = manifest.remedy();
        let programs = manifest.programs().map(|names| here.program(&names, &remedy)).collect();
        let libraries = if id == "wasm" { here.named(" for WebAssembly") } else { Vec::new() };
        all.push(language(id, manifest.language, programs, libraries));
        if id == "clojure" {
            let programs =
                ["java", "clojure.jar"].into_iter().flat_map(|name| here.named(name)).collect();
            all.push(language("species", "Clojure species".to_owned(), programs, Vec::new()));
        }
    }
    all
}

/// Returns a language with the programs that all its bots need, and libraries that some need.
fn language(
    id: &'static str,
    language: String,
    programs: Vec<ToolState>,
    libraries: Vec<ToolState>,
) -> LanguageTools {
    let ready = programs.iter().all(|program| program.problem.is_none());
    LanguageTools { id, language, ready, programs, libraries }
}

/// Returns a program or library, which may be missing.
fn tool(name: &str, found: Result<Found, Absent>) -> ToolState {
    let name = name.to_owned();
    match found {
        Ok(Found { path, version }) => {
            let path = Some(path.to_string_lossy().into_owned());
            ToolState { name, path, version, problem: None, remedy: None }
        }
        Err(Absent { why, remedy }) => {
            let (problem, remedy) = (Some(why), Some(remedy));
            ToolState { name, path: None, version: None, problem, remedy }
        }
    }
}

/// The programs found so far.
struct FoundTools<'a> {
    tools: Vec<Tool>,
    options: &'a HostOptions,
    /// The programs that the arena itself does not start, by name.
    asked: BTreeMap<String, Result<Found, String>>,
}

impl FoundTools<'_> {
    /// Returns the first of these programs that is here, or else the problem with the first one.
    fn program(&mut self, names: &[&str], remedy: &str) -> ToolState {
        if let Some(known) = self.tools.iter().find(|tool| tool.name == names[0]) {
            return tool(known.name, known.found.clone());
        }
        let mut results = names.iter().map(|&name| {
            let ask = || tools::examine(Path::new(name), self.options);
            self.asked.entry(name.to_owned()).or_insert_with(ask).clone()
        });
        let first = results.next().unwrap_or_else(|| Err(String::new()));
        let found = match first {
            Err(why) => results.find_map(Result::ok).ok_or(why),
            found => found,
        };
        tool(names[0], found.map_err(|why| Absent { why, remedy: remedy.to_owned() }))
    }

    /// Returns those of the arena's own tools whose names end with `end`.
    fn named(&self, end: &str) -> Vec<ToolState> {
        let tools = self.tools.iter().filter(|tool| tool.name.ends_with(end));
        tools.map(|known| tool(known.name, known.found.clone())).collect()
    }
}

/// All that is found.
struct Findings {
    confined: Confined,
    parts: Vec<PartFacts>,
    languages: Vec<LanguageTools>,
    machine: Machine,
}

/// One sentence for each thing that matters.
struct Verdict {
    /// Whether the sandbox is complete and bots can be written in some language.
    fine: bool,
    text: String,
}

impl Verdict {
    fn of(findings: &Findings) -> Verdict {
        let Findings { confined, parts, languages, machine } = findings;
        let absent: Vec<&str> = languages
            .iter()
            .filter(|language| !language.ready)
            .map(|language| language.language.as_str())
            .collect();
        let fine = confined.is_complete()
            && machine.cache.problem.is_none()
            && absent.len() < languages.len();
        let mut text = if confined.is_complete() {
            if fine { "All is fine: the sandbox is complete" } else { "The sandbox is complete" }
                .to_owned()
        } else if confined.works() {
            format!(
                "The sandbox lacks {}: bots are confined less well, and not played with `--sandbox \
                 strict`",
                listed(&confined.missing())
            )
        } else {
            "Bots cannot be confined here: they are only played with `--sandbox off`, which lets \
             them do whatever you may"
                .to_owned()
        };
        text.push_str("; ");
        text.push_str(&match absent.as_slice() {
            [] => "bots can be written in all languages".to_owned(),
            _ if absent.len() == languages.len() => {
                "nothing that bots are usually written in is installed".to_owned()
            }
            absent => format!("bots can be written in all languages but {}", listed(absent)),
        });
        let missing = parts.iter().filter(|part| part.place == PartPlace::Missing);
        let missing: Vec<&str> = missing.map(|part| part.name).collect();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            text.push_str(&format!("; {} {verb} missing", listed(&missing)));
        }
        if machine.cache.problem.is_some() {
            text.push_str("; nothing can be compiled, as the cache cannot be written to");
        }
        text.push('.');
        Verdict { fine, text }
    }
}

/// Looks for all parts.
fn parts() -> Vec<PartFacts> {
    let parts = [
        native::HOST,
        agon_bots::WASM_HOST,
        agon_view::window::dialogue::PART,
        agon_web::dialogue::HOST,
        agon_console::serve_options::SERVER,
        agon_console::client_options::CLIENT,
        agon_remote::PART,
    ];
    let found = agon_show::film::find_ffmpeg();
    let place = if found.is_some() { PartPlace::Found } else { PartPlace::Missing };
    let remedy = "apt install ffmpeg".to_owned();
    let ffmpeg = facts("ffmpeg", "MP4 and WebM films", (place, found), remedy);
    let own = |part: Part| facts(part.program, part.who, find(&part), part.remedy());
    parts.into_iter().map(own).chain([ffmpeg]).collect()
}

fn facts(
    name: &'static str,
    needed_for: &'static str,
    (place, path): (PartPlace, Option<PathBuf>),
    remedy: String,
) -> PartFacts {
    let path = path.map(|path| path.to_string_lossy().into_owned());
    let remedy = (place == PartPlace::Missing).then_some(remedy);
    PartFacts { name, needed_for, place, path, remedy }
}

fn find(part: &Part) -> (PartPlace, Option<PathBuf>) {
    let is_native = *part == native::HOST;
    if is_native && native::find_host().is_some_and(|host| !host.args.is_empty()) {
        return (PartPlace::Within, None);
    }
    match part.find() {
        Some(path) if path.is_file() => (PartPlace::Found, Some(path)),
        None if !is_native && part.is_built_on_demand() => (PartPlace::OnDemand, None),
        _ => (PartPlace::Missing, None),
    }
}

fn print_json(findings: Findings, verdict: &Verdict, out: &mut impl Write) -> Result<()> {
    let Findings { confined, parts, languages, machine } = findings;
    let program = ProgramFacts {
        version: crate::RELEASE,
        commit: crate::COMMIT,
        packaged: agon_files::parts::is_packaged(),
    };
    print_event(Event::Program(program), out)?;
    let sandbox = SandboxState {
        kernel: &confined.kernel,
        default: confined.works(),
        strict: confined.is_complete(),
        identity: confined.identity(),
        problem: confined.rows.as_ref().err().map(String::as_str),
    };
    print_event(Event::Sandbox(sandbox), out)?;
    for row in confined.rows.iter().flatten() {
        let state = row.state.as_deref();
        let mechanism = MechanismState {
            mechanism: row.mechanism,
            active: state.is_ok(),
            words: state.ok(),
            problem: row.state.as_ref().err().map(String::as_str),
        };
        print_event(Event::Mechanism(mechanism), out)?;
    }
    for part in parts {
        print_event(Event::Part(part), out)?;
    }
    for language in languages {
        print_event(Event::Language(language), out)?;
    }
    let facts = MachineFacts {
        cores: machine.cores,
        load: machine.load,
        memory: machine.memory.map(|memory| memory.total),
        available: machine.memory.map(|memory| memory.available),
        cache: CacheFacts {
            path: machine.cache.path.to_string_lossy(),
            bytes: machine.cache.bytes,
            free: machine.cache.free,
            problem: machine.cache.problem.as_deref(),
        },
    };
    print_event(Event::Machine(facts), out)?;
    let Verdict { fine, text } = verdict;
    let verdict = DoctorVerdict { complete: confined.is_complete(), fine: *fine, text };
    Ok(print_event(Event::Verdict(VerdictData::Doctor(verdict)), out)?)
}

const WIDTH: usize = 80;

/// Where the second column begins.
const COLUMN: usize = 20;

fn print_report(findings: &Findings, verdict: &Verdict, out: &mut impl Write) -> Result<()> {
    let commit = crate::COMMIT.map(|commit| format!(" ({commit})")).unwrap_or_default();
    writeln!(out, "{BOLD}Agon{BOLD:#} {}{commit}, {}\n", crate::RELEASE, crate::origin())?;
    print_sandbox(&findings.confined, out)?;
    print_parts(&findings.parts, out)?;
    writeln!(out, "\n{BOLD}Languages{BOLD:#}")?;
    let (ready, absent): (Vec<_>, Vec<_>) =
        findings.languages.iter().partition(|language| language.ready);
    for language in ready {
        let places: Vec<String> = language.programs.iter().filter_map(place).collect();
        print_row(Mark::Good, &language.language, &places.join(", "), out)?;
        for line in needs(&language.libraries) {
            print_more(&format!("without {line}"), out)?;
        }
    }
    for language in absent {
        print_row(
            Mark::None,
            &language.language,
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

/// Prints where Agon's other programs are.
fn print_parts(parts: &[PartFacts], out: &mut impl Write) -> Result<()> {
    writeln!(out, "\n{BOLD}Programs{BOLD:#}")?;
    for PartFacts { name, needed_for: who, place, path, remedy } in parts {
        let path = path.as_deref().map(|path| short(Path::new(path))).unwrap_or_default();
        let remedy = remedy.as_deref().unwrap_or_default();
        let text = match place {
            PartPlace::Within => format!("for {who}: within `agon`"),
            PartPlace::Found => format!("for {who}: {path}"),
            PartPlace::OnDemand => format!("for {who}: is built when it is first needed"),
            PartPlace::Missing => format!("{name} is missing, for {who}: {remedy}"),
        };
        let mark = if *place == PartPlace::Missing { Mark::None } else { Mark::Good };
        print_row(mark, name.trim_start_matches("agon-"), &text, out)?;
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
fn place(program: &ToolState) -> Option<String> {
    let path = short(Path::new(program.path.as_ref()?));
    let version = program.version.as_ref().map(|version| format!(" {version}"));
    Some(path + &version.unwrap_or_default())
}

/// The absent ones, with what helps; those that the same helps together.
fn needs(programs: &[ToolState]) -> Vec<String> {
    let mut lines: Vec<(Vec<String>, &str)> = Vec::new();
    for ToolState { name, problem, remedy, .. } in programs {
        let (Some(why), Some(remedy)) = (problem, remedy) else { continue };
        let nowhere = *why == not_on_path(name);
        let what = if nowhere { name.clone() } else { format!("{name} ({why})") };
        match lines.iter_mut().find(|(_, known)| *known == remedy.as_str()) {
            Some((names, _)) => names.push(what),
            None => lines.push((vec![what], remedy)),
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
