//! The imports among the files of a crate: which file takes which names from which other file.
//!
//! `cycles.rs` looks for cycles in them.

use std::collections::{BTreeMap, BTreeSet};

use super::source_tree::{SourceTree, Use};

/// Importing file → imported file → names.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

#[derive(Clone, Copy, PartialEq)]
enum Target {
    Module(usize),
    /// An item of the module.
    Item(usize),
    /// An item of another crate.
    Foreign,
}

impl SourceTree {
    /// Returns the imports, or the paths that lead nowhere.
    ///
    /// A name that a file only hands on is no import of this file.
    pub(crate) fn imports(&self) -> Result<Imports, Vec<String>> {
        let mut imports = Imports::new();
        let mut unknown = Vec::new();
        for (index, module) in self.modules.iter().enumerate() {
            let is_used = |used: &&Use| {
                let handed_on = used.is_reexport
                    && used.name.as_ref().is_none_or(|name| !module.idents.contains(name));
                !handed_on
            };
            let uses = module.uses.iter().filter(is_used).map(|used| &used.path);
            for path in uses.chain(&module.paths) {
                let targets = self.resolve(index, path, &mut BTreeSet::new());
                if is_own(path) && targets.is_empty() {
                    unknown.push(format!("{}: {}", module.file, path.join("::")));
                }
                for target in targets {
                    let Target::Item(owner) = target else { continue };
                    let file = &self.modules[owner].file;
                    if *file != module.file {
                        let of = imports.entry(module.file.clone()).or_default();
                        let name = path.last().expect("paths are not empty").clone();
                        of.entry(file.clone()).or_default().insert(name);
                    }
                }
            }
        }
        if unknown.is_empty() { Ok(imports) } else { Err(unknown) }
    }

    fn resolve(
        &self,
        from: usize,
        path: &[String],
        seen: &mut BTreeSet<(usize, String)>,
    ) -> Vec<Target> {
        let mut targets = match path[0].as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(from)],
            "super" => vec![Target::Module(self.modules[from].parent)],
            // A function may have the name of the module that it comes from.
            first => match self.modules[from].children.get(first) {
                Some(child) if path.len() > 1 => vec![Target::Module(*child)],
                _ => self.find(from, first, seen),
            },
        };
        for name in &path[1..] {
            let module = targets.iter().find_map(|target| match target {
                Target::Module(module) => Some(*module),
                Target::Item(_) | Target::Foreign => None,
            });
            // What follows an item is a part of it.
            let Some(module) = module else { break };
            targets = match name.as_str() {
                "super" => vec![Target::Module(self.modules[module].parent)],
                name => self.find(module, name, seen),
            };
        }
        targets
    }

    /// Returns what a name means in a module.
    fn find(&self, index: usize, name: &str, seen: &mut BTreeSet<(usize, String)>) -> Vec<Target> {
        if !seen.insert((index, name.to_owned())) {
            return Vec::new();
        }
        let module = &self.modules[index];
        let child = module.children.get(name).map(|child| Target::Module(*child));
        let item = module.items.contains(name).then_some(Target::Item(index));
        let mut found: Vec<Target> = child.into_iter().chain(item).collect();
        for used in module.uses.iter().filter(|used| used.name.as_deref() == Some(name)) {
            let targets = self.resolve(index, &used.path, &mut seen.clone());
            let is_foreign = targets.is_empty() && !is_own(&used.path);
            found.extend(targets);
            found.extend(is_foreign.then_some(Target::Foreign));
        }
        if index == 0 {
            found.extend(self.macros.get(name).map(|owner| Target::Item(*owner)));
        }
        if found.is_empty() {
            for used in module.uses.iter().filter(|used| used.name.is_none()) {
                for target in self.resolve(index, &used.path, &mut seen.clone()) {
                    if let Target::Module(module) = target {
                        found.extend(self.find(module, name, seen));
                    }
                }
            }
        }
        found
    }
}

/// Whether a path is one of the own crate for sure.
fn is_own(path: &[String]) -> bool {
    ["crate", "self", "super"].contains(&path[0].as_str())
}
