//! The modules of a crate, read from its sources.
//!
//! `imports.rs` finds the imports in them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module tree of a crate, as far as it is built without tests.
#[derive(Default)]
pub(crate) struct SourceTree {
    pub(crate) modules: Vec<Module>,
    /// Macros, which may be used from the root, and where they are.
    pub(crate) macros: BTreeMap<String, usize>,
}

#[derive(Default)]
pub(crate) struct Module {
    pub(crate) file: String,
    /// Folder of the files of its submodules.
    folder: String,
    pub(crate) parent: usize,
    pub(crate) children: BTreeMap<String, usize>,
    pub(crate) items: BTreeSet<String>,
    pub(crate) uses: Vec<Use>,
    /// Paths in the code.
    pub(crate) paths: BTreeSet<Vec<String>>,
    pub(crate) idents: BTreeSet<String>,
}

pub(crate) struct Use {
    pub(crate) path: Vec<String>,
    /// Name in this module; none for a glob.
    pub(crate) name: Option<String>,
    /// Whether others get the name from here.
    pub(crate) is_reexport: bool,
}

/// What starts an item whose name follows.
const ITEMS: [&str; 7] = ["const", "enum", "fn", "static", "struct", "trait", "type"];

impl SourceTree {
    /// Reads a crate from the file of its root. `files` maps paths to sources.
    pub(crate) fn read(files: &BTreeMap<String, String>, root: &str) -> SourceTree {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut tree = SourceTree::default();
        tree.add(Module { file: root.to_owned(), folder, ..Module::default() });
        tree.scan(files, 0, tokens(&files[root]), true);
        tree
    }

    fn add(&mut self, module: Module) -> usize {
        self.modules.push(module);
        self.modules.len() - 1
    }

    /// Reads the tokens of a module, or of a group in one if not `at_top`.
    fn scan(
        &mut self,
        files: &BTreeMap<String, String>,
        module: usize,
        code: Vec<TokenTree>,
        at_top: bool,
    ) {
        let mut at = 0;
        while let Some(token) = code.get(at) {
            at += 1;
            if is_test_attribute(&code[at - 1..]) {
                at = end_of_item(&code, at + 1);
                continue;
            }
            match token {
                TokenTree::Group(group) => {
                    // A macro may hold whole items.
                    let is_call = at > 1 && is(&code[at - 2], "!");
                    let holds_items = is_call && group.delimiter() == Delimiter::Brace;
                    let mut inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    if is_enum(&code[..at - 1]) {
                        forget_variants(&mut inner);
                    }
                    self.scan(files, module, inner, at_top && holds_items);
                }
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    if word == "use" && !code.get(at).is_some_and(|next| is(next, "<")) {
                        let end = end_of_item(&code, at - 1);
                        let is_reexport = at > 1 && is_visibility(&code[..at - 1]);
                        self.add_use(module, Vec::new(), &code[at..end - 1], is_reexport);
                        at = end;
                    } else if word == "mod"
                        && code.len() > at + 1
                        // Also in the list that a macro makes modules of.
                        && (at_top || is(&code[at + 1], ";"))
                    {
                        self.add_module(files, module, &code[at].to_string(), &code[at + 1]);
                        at += 2;
                    } else {
                        if at_top && ITEMS.contains(&word.as_str()) {
                            let name = code.get(at).map(ToString::to_string);
                            self.modules[module].items.extend(name);
                        } else if at_top && word == "macro_rules" {
                            let name = code.get(at + 1).map(ToString::to_string);
                            self.macros.extend(name.map(|name| (name, module)));
                        }
                        at += self.add_path(module, word, &code, at);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_module(
        &mut self,
        files: &BTreeMap<String, String>,
        parent: usize,
        name: &str,
        body: &TokenTree,
    ) {
        let Module { file, folder, .. } = &self.modules[parent];
        let folder = format!("{folder}/{name}");
        let (file, code) = match body {
            TokenTree::Group(group) => (file.clone(), group.stream().into_iter().collect()),
            _ => {
                let places = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
                let file = places.into_iter().find(|place| files.contains_key(place));
                let file = file.unwrap_or_else(|| panic!("{folder} has a file"));
                let code = tokens(&files[&file]);
                (file, code)
            }
        };
        let child = self.add(Module { file, folder, parent, ..Module::default() });
        self.modules[parent].children.insert(name.to_owned(), child);
        self.scan(files, child, code, true);
    }

    fn add_use(
        &mut self,
        module: usize,
        mut path: Vec<String>,
        code: &[TokenTree],
        is_reexport: bool,
    ) {
        let mut name = None;
        for (at, token) in code.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    for part in inner.split(|token| is(token, ",")).filter(|p| !p.is_empty()) {
                        self.add_use(module, path.clone(), part, is_reexport);
                    }
                    return;
                }
                TokenTree::Ident(word) if word == "as" => {
                    name = code.get(at + 1).map(ToString::to_string);
                    break;
                }
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    self.modules[module].uses.push(Use { path, name: None, is_reexport });
                    return;
                }
                _ => {}
            }
        }
        let name = name.or_else(|| path.last().cloned());
        self.modules[module].uses.push(Use { path, name, is_reexport });
    }

    /// Keeps the path that starts with `word`; returns the number of its tokens after that.
    fn add_path(&mut self, module: usize, word: String, code: &[TokenTree], at: usize) -> usize {
        let before = &code[..at - 1];
        let is_member = before.last().is_some_and(|last| is(last, "."));
        let is_inner = match before {
            [.., first, second] => is(first, ":") && is(second, ":"),
            _ => false,
        };
        if !is_member {
            self.modules[module].idents.insert(word.clone());
        }
        let mut path = vec![word];
        let mut read = 0;
        while let [first, second, TokenTree::Ident(next), ..] = &code[at + read..] {
            if !is(first, ":") || !is(second, ":") {
                break;
            }
            path.push(next.to_string());
            read += 3;
        }
        if path.len() > 1 && !is_inner && !is_member {
            self.modules[module].paths.insert(path);
        }
        read
    }
}

fn tokens(text: &str) -> Vec<TokenTree> {
    let stream: TokenStream = text.parse().expect("sources are Rust");
    stream.into_iter().collect()
}

fn is(token: &TokenTree, text: &str) -> bool {
    match token {
        TokenTree::Ident(word) => word == text,
        TokenTree::Punct(punct) => text.chars().eq([punct.as_char()]),
        _ => false,
    }
}

/// Whether `before` ends with `pub` or `pub(…)`.
fn is_visibility(before: &[TokenTree]) -> bool {
    match before {
        [.., first, TokenTree::Group(_)] => is(first, "pub"),
        [.., last] => is(last, "pub"),
        [] => false,
    }
}

/// Whether `before` ends with the head of an enum.
fn is_enum(before: &[TokenTree]) -> bool {
    let head = before.iter().rev().take_while(|token| !matches!(token, TokenTree::Group(_)));
    head.take_while(|token| !is(token, ";")).any(|token| is(token, "enum"))
}

/// Removes the names of the variants of an enum, which name nothing outside of it.
fn forget_variants(code: &mut Vec<TokenTree>) {
    let mut is_start = true;
    code.retain(|token| {
        let is_variant = is_start && matches!(token, TokenTree::Ident(_));
        is_start = is(token, ",") || is(token, "#") || is_start && !is_variant;
        !is_variant
    });
}

/// Whether the code starts with `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_test_attribute(code: &[TokenTree]) -> bool {
    let [hash, TokenTree::Group(group), ..] = code else { return false };
    let text = group.stream().to_string().replace(' ', "");
    is(hash, "#") && (text == "cfg(test)" || text.starts_with("cfg(all(test,"))
}

/// Returns where the item ends that starts at `at`.
fn end_of_item(code: &[TokenTree], at: usize) -> usize {
    let item = &code[at..];
    let is_end = |token: &TokenTree| is(token, ";");
    let is_body = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let end = item.iter().position(is_end);
    let body = item.iter().position(is_body);
    let is_use = item[..end.unwrap_or(item.len())].iter().any(|token| is(token, "use"));
    let last = match (end, body) {
        (Some(end), Some(body)) if !is_use => end.min(body),
        (Some(end), _) | (None, Some(end)) => end,
        (None, None) => item.len() - 1,
    };
    at + last + 1
}
