//! Reads a source file without its comments and tests, for the digest of `agon.wasm`.
//!
//! So a change of those alone does not require a new build.

use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};

/// A file without comments, documentation and tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    /// Its tokens, separated by spaces.
    pub(super) tokens: String,
    /// The modules with code in other files, in their order.
    pub(super) modules: Vec<String>,
}

/// Reads a file.
///
/// # Errors
/// If it is not Rust.
pub(super) fn read(code: &str) -> Result<Source, LexError> {
    let mut source = Source::default();
    source.add(code.parse()?);
    Ok(source)
}

impl Source {
    fn add(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match attribute(&tokens[at..]) {
                Some((length, group)) if is_named(group, "doc") => at += length,
                Some((length, group))
                    if group.stream().to_string().replace(' ', "") == "cfg(test)" =>
                {
                    at += length;
                    at += item(&tokens[at..]);
                }
                _ => {
                    self.note_module(&tokens[at..]);
                    self.push(token);
                    at += 1;
                }
            }
        }
    }

    fn push(&mut self, token: &TokenTree) {
        let TokenTree::Group(group) = token else {
            self.tokens += &token.to_string();
            self.tokens.push(' ');
            return;
        };
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("( ", ") "),
            Delimiter::Brace => ("{ ", "} "),
            Delimiter::Bracket => ("[ ", "] "),
            Delimiter::None => ("", ""),
        };
        self.tokens += open;
        self.add(group.stream());
        self.tokens += close;
    }

    /// Notes a module if these tokens start with `mod name;`.
    fn note_module(&mut self, tokens: &[TokenTree]) {
        if let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(end), ..] = tokens
            && word == "mod"
            && end.as_char() == ';'
        {
            self.modules.push(name.to_string());
        }
    }
}

/// Returns the attribute at the start: its number of tokens, and its bracketed contents.
fn attribute(tokens: &[TokenTree]) -> Option<(usize, &Group)> {
    let is =
        |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(p) if p.as_char() == sign);
    match tokens {
        [hash, TokenTree::Group(group), ..]
            if is(hash, '#') && group.delimiter() == Delimiter::Bracket =>
        {
            Some((2, group))
        }
        [hash, inner, TokenTree::Group(group), ..] if is(hash, '#') && is(inner, '!') => {
            Some((3, group))
        }
        _ => None,
    }
}

fn is_named(group: &Group, name: &str) -> bool {
    matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(word)) if word == name)
}

/// Returns the number of tokens of the item at the start, up to its body or semicolon.
fn item(tokens: &[TokenTree]) -> usize {
    let mut at = 0;
    while let Some((length, _)) = attribute(&tokens[at..]) {
        at += length;
    }
    let imports =
        tokens[at..].iter().take(4).any(|token| matches!(token, TokenTree::Ident(w) if w == "use"));
    let is_end = |token: &TokenTree| match token {
        TokenTree::Punct(sign) => sign.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !imports,
        _ => false,
    };
    tokens[at..].iter().position(is_end).map_or(tokens.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        read(one).unwrap() == read(other).unwrap()
    }

    #[test]
    fn comments_layout_and_tests_count_for_nothing() {
        let code = "fn one() -> u8 { 1 }\nstruct S { a: u8 }";
        for other in [
            "//! Module.\n// A comment.\n/// Doc.\nfn one() -> u8 { /* inner */ 1 }\nstruct S {\n  \
             /// Field.\n  a: u8 }",
            "fn one() -> u8 { 1 }\n#[cfg(test)]\nuse std::{fs, io};\nstruct S { a: u8 \
             }\n#[cfg(test)] mod tests;",
            "#[cfg(test)]\n#[allow(unused)]\npub(crate) fn two(x: [u8; 2]) { 2; }\nfn one() -> u8 \
             { 1 } struct S{a:u8}",
            "fn one() -> u8 { 1 }\nstruct S { a: u8 }\n#[cfg(test)]\nmod tests { use super::*; \
             #[test] fn t() {} }",
        ] {
            assert!(same(code, other), "{other}\n{:?}", read(other));
        }
    }

    #[test]
    fn code_counts() {
        let code = "fn one() -> u8 { 1 }";
        for other in [
            "fn one() -> u8 { 2 }",
            "fn one() -> u8 { (1) }",
            "#[inline]\nfn one() -> u8 { 1 }",
            "",
        ] {
            assert!(!same(code, other), "{other}");
        }
        assert!(!same("const A: &str = \"/// a\";", "const A: &str = \"/// b\";"));
        assert!(!same("#[cfg(not(test))] fn a() {}", ""));
        assert_eq!(
            read("pub mod a;\nmod b { mod c; }\n#[cfg(test)]\nmod d;").unwrap().modules,
            ["a", "c"]
        );
        assert!(read("fn (").is_err());
    }
}
