//! What a name looks like: names with the same skeleton look alike.
//!
//! The skeleton is that of Unicode's technical standard 39, regardless of case and of characters
//! that nobody sees. It is in the database: a change needs a migration.

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton as confusables;

/// The name of what everything here belongs to. No bot and no person has it.
const RESERVED: &str = "Agon";

/// Returns the skeleton of a name.
pub(crate) fn skeleton(name: &str) -> String {
    let is_seen = |c: &char| !agon_core::text::is_hidden(*c) && !c.is_whitespace();
    let plain: String = name.nfkc().filter(is_seen).collect();
    // A large letter may look like another small one: `I` like `l`.
    let large: String = confusables(&plain).collect();
    let small: String = confusables(&large.to_lowercase()).collect();
    small.to_lowercase().replace('i', "l")
}

/// Checks that a name is not the reserved one.
///
/// # Errors
/// Says so.
pub(crate) fn check_reserved(name: &str) -> Result<(), String> {
    match skeleton(name) == skeleton(RESERVED) {
        true => Err(format!("the name {RESERVED} belongs to the server; choose another one")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for (one, other) in [
            ("greedy", "GREEDY"),
            ("greedy", "gr\u{435}\u{435}dy"),
            ("fox", "\u{ff46}\u{ff4f}\u{ff58}"),
            ("fox", "f\u{200b}ox"),
            ("fox 2", "fox2"),
            ("Ilse", "llse"),
            ("Ilse", "ilse"),
            ("b0t", "bot"),
            ("modern", "modem"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("bot1", "botl"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        for (one, other) in [("fox", "box"), ("ada", "\u{e4}da"), ("owl 1", "owl 2")] {
            assert_ne!(skeleton(one), skeleton(other), "{one} {other}");
        }
    }

    #[test]
    fn one_name_is_reserved() {
        for name in ["Agon", "agon", "Ag\u{3bf}n", "\u{ff21}gon", "A g o n"] {
            assert!(check_reserved(name).unwrap_err().contains("Agon"), "{name}");
        }
        check_reserved("Agonist").unwrap();
    }
}
