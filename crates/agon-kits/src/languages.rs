//! Lists the languages for bots, and whether this machine has the tools for each.
//!
//! `agon doctor` prints the list.

use std::{collections::BTreeMap, path::Path};

use agon_bots::{
    HostOptions,
    tools::{Absent, Found, Tool, examine, tools},
};

use crate::Kit;

/// A program or library, which may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Where it is, or why it cannot be used.
    pub found: Result<Found, Absent>,
}

/// A language, and what bots in it need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// As `agon new` calls it; species in Clojure have an id of their own.
    pub id: &'static str,
    /// As people write it.
    pub name: String,
    /// What is needed.
    pub programs: Vec<Program>,
    /// What some bots need beside that.
    pub libraries: Vec<Program>,
}

impl Language {
    /// Whether bots in it can be built and played.
    pub fn is_ready(&self) -> bool {
        self.programs.iter().all(|program| program.found.is_ok())
    }
}

/// All languages that there are starter kits for, and species in Clojure, which the arena itself
/// loads.
pub fn languages(options: &HostOptions) -> Vec<Language> {
    let mut here = Here { tools: tools(options), options, asked: BTreeMap::new() };
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

/// What has been found so far.
struct Here<'a> {
    tools: Vec<Tool>,
    options: &'a HostOptions,
    /// Programs that the arena itself does not call.
    asked: BTreeMap<String, Result<Found, String>>,
}

impl Here<'_> {
    /// The first of these programs that is here; otherwise what is said of the first.
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

    /// The arena's own tools whose names end like this.
    fn named(&self, end: &str) -> Vec<Program> {
        let tools = self.tools.iter().filter(|tool| tool.name.ends_with(end));
        tools
            .map(|tool| Program { name: tool.name.to_owned(), found: tool.found.clone() })
            .collect()
    }
}
