//! Lists the languages for bots, and whether this machine has the tools for each.
//!
//! `agon doctor` prints the list.

use std::{collections::BTreeMap, path::Path};

use agon_bots::{
    HostOptions,
    tools::{Absent, Found, Tool, examine, tools},
};

use crate::kits::Kit;

/// A program or library, which may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its place, or the reason why it cannot be used.
    pub found: Result<Found, Absent>,
}

/// A language, with the programs that its bots need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// Its name for `agon new`. Species in Clojure have an id of their own.
    pub id: &'static str,
    /// Its name for people.
    pub name: String,
    /// The programs that all its bots need.
    pub programs: Vec<Program>,
    /// Libraries that some of its bots need as well.
    pub libraries: Vec<Program>,
}

impl Language {
    /// Returns whether bots in it can be built and played here.
    pub fn is_ready(&self) -> bool {
        self.programs.iter().all(|program| program.found.is_ok())
    }
}

/// Returns all languages with starter kits, and species in Clojure, which the arena itself loads.
pub fn languages(options: &HostOptions) -> Vec<Language> {
    let mut here = FoundTools { tools: tools(options), options, asked: BTreeMap::new() };
    let mut all = Vec::new();
    for Kit { id, manifest } in Kit::all() {
        let remedy = manifest.remedy();
        let programs = manifest.programs().map(|names| here.program(&names, &remedy)).collect();
        let libraries = if id == "wasm" { here.named(" for WebAssembly") } else { Vec::new() };
        all.push(Language { id, name: manifest.language, programs, libraries });
        if id == "clojure" {
            let programs =
                ["java", "clojure.jar"].into_iter().flat_map(|name| here.named(name)).collect();
            all.push(Language {
                id: "species",
                name: "Clojure species".into(),
                programs,
                libraries: Vec::new(),
            });
        }
    }
    all
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
    fn program(&mut self, names: &[&str], remedy: &str) -> Program {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == names[0]) {
            return Program { name: tool.name.to_owned(), found: tool.found.clone() };
        }
        let mut results = names.iter().map(|&name| {
            let ask = || examine(Path::new(name), self.options);
            self.asked.entry(name.to_owned()).or_insert_with(ask).clone()
        });
        let first = results.next().unwrap_or_else(|| Err(String::new()));
        let found = match first {
            Err(why) => results.find_map(Result::ok).ok_or(why),
            found => found,
        };
        let found = found.map_err(|why| Absent { why, remedy: remedy.to_owned() });
        Program { name: names[0].to_owned(), found }
    }

    /// Returns those of the arena's own tools whose names end with `end`.
    fn named(&self, end: &str) -> Vec<Program> {
        let tools = self.tools.iter().filter(|tool| tool.name.ends_with(end));
        tools
            .map(|tool| Program { name: tool.name.to_owned(), found: tool.found.clone() })
            .collect()
    }
}
