//! Makes the names of the bots in a match unique: `fox`, `fox-2`.

use std::collections::BTreeSet;

use agon_text::{MAX_NAME, name::cut};

/// Makes names unique: repeated ones get `-2`, `-3`, ... The order stays.
///
/// A given name always stays with the first bot that has it.
pub fn unique_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    let mut used: BTreeSet<String> = names.iter().cloned().collect();
    let mut seen = BTreeSet::new();
    for name in &mut names {
        if !seen.insert(name.clone()) {
            let numbered = |n: u64| {
                let end = format!("-{n}");
                format!("{}{end}", cut(name, MAX_NAME - end.len()))
            };
            let free = (2u64..).map(numbered).find(|candidate| !used.contains(candidate));
            *name = free.expect("there are more numbers than names");
            used.insert(name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_numbered() {
        let unique = |names: &[&str]| unique_names(names.iter().map(|&name| name.to_owned()));
        assert_eq!(unique(&["nasty", "fox", "nasty"]), ["nasty", "fox", "nasty-2"]);
        assert_eq!(unique(&["a", "a", "a-2", "a"]), ["a", "a-3", "a-2", "a-4"]);
        let longest = "x".repeat(MAX_NAME);
        assert_eq!(unique(&[&longest, &longest])[1], format!("{}-2", "x".repeat(MAX_NAME - 2)));
    }
}
