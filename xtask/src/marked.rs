//! Pages of the documentation with a part that a chore writes, between two marks.

use std::fs;

use anyhow::{Context, Result};

use crate::run::root;

/// The mark behind each written part.
const END: &str = "<!-- end -->\n";

/// Puts `text` into a page, between the line `begin` and the next mark.
///
/// # Errors
/// If the page cannot be read or written, or lacks a mark.
pub(crate) fn write(page: &str, begin: &str, text: &str) -> Result<()> {
    let path = root().join(page);
    let old =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let new = replaced(&old, begin, text).with_context(|| path.display().to_string())?;
    fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))
}

fn replaced(page: &str, begin: &str, text: &str) -> Result<String> {
    let (before, rest) =
        page.split_once(begin).with_context(|| format!("the page has no line {begin}"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("the page has no line {END}"))?;
    Ok(format!("{before}{begin}\n{text}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let begin = "<!-- begin -->\n";
        let page = format!("before\n{begin}old\n{END}after\n");
        assert_eq!(
            replaced(&page, begin, "new\n").unwrap(),
            format!("before\n{begin}\nnew\n\n{END}after\n")
        );
        assert!(replaced("no marks", begin, "new").is_err());
    }
}
