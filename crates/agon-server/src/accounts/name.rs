//! Names that people may have: for signing in, and in addresses.

use unicode_normalization::UnicodeNormalization;
use unicode_security::{GeneralSecurityProfile, confusable_detection::skeleton as confusables};

/// Characters beside letters and digits that everybody sees: punctuation of Latin scripts, signs of
/// currencies and numbers, arrows, operators, lines, shapes, wide letters, and emoji.
const SEEN: [(char, char); 10] = [
    ('\u{a1}', '\u{ac}'),
    ('\u{ae}', '\u{ff}'),
    ('\u{2010}', '\u{2027}'),
    ('\u{2030}', '\u{205e}'),
    ('\u{20a0}', '\u{20bf}'),
    ('\u{2100}', '\u{23ff}'),
    ('\u{2500}', '\u{27bf}'),
    ('\u{ff01}', '\u{ff5e}'),
    ('\u{1f300}', '\u{1f64f}'),
    ('\u{1f680}', '\u{1f9ff}'),
];

/// Returns whether a reader sees something of a character, and knows it: a letter or digit of a
/// script in use (Unicode's technical standard 39), or one of [`SEEN`].
///
/// A list of what is drawn as nothing would never be complete.
pub(crate) fn is_seen(c: char) -> bool {
    let is_in = |(first, last)| (first..=last).contains(&c);
    c == ' ' || c.is_ascii_graphic() || c.identifier_allowed() || SEEN.into_iter().any(is_in)
}

/// Checks a name that somebody chose.
pub(crate) fn check(name: &str) -> Result<(), String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if name.len() < 2 || name.len() > 32 || !starts_well || !name.chars().all(is_allowed) {
        return Err(
            "a name has 2 to 32 letters a-z, digits, `-`, `_` and `.`, and starts with a letter \
             or digit"
                .to_owned(),
        );
    }
    check_reserved(name)
}

/// Makes a name that somebody may have from a person's real name: `Max M.` becomes `Max.M`.
///
/// Letters of other alphabets stay, so that [`check`] names them.
pub(crate) fn of_real(name: &str) -> String {
    let words = name.split_whitespace().map(|word| word.trim_matches(['.', ',']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(".")
}

/// Makes a part of an address from any text: letters a-z, digits and `-`.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "bot".to_owned() } else { slug.to_owned() }
}

/// Makes a word for any shell from the name of a person or bot, also for a folder of that name.
pub(crate) fn word(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_alphanumeric() && c != '_');
    let word = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    if word.is_empty() { "my-bot".to_owned() } else { word }
}

/// The name of what everything here belongs to. No bot and no person has it.
const RESERVED: &str = "Agon";

/// Returns what a name looks like: names with the same skeleton look alike.
///
/// The skeleton is that of Unicode's technical standard 39, regardless of case and of characters
/// that nobody sees. It is in the database: a change needs a migration.
pub(crate) fn skeleton(name: &str) -> String {
    let is_seen = |c: &char| !agon_core::text::is_hidden(*c) && !c.is_whitespace();
    let plain: String = name.nfkc().filter(is_seen).collect();
    // A large letter may look like another small one: `I` like `l`.
    let large: String = confusables(&plain).collect();
    let small: String = confusables(&large.to_lowercase()).collect();
    small.to_lowercase().replace('i', "l")
}

/// Checks that a name is not the reserved one.
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
    fn names_are_plain() {
        for name in ["ada", "Ada_L-2", "x2", "anna.schmidt", &"a".repeat(32)] {
            check(name).unwrap();
        }
        for name in ["", "a", "-a", "a b", "ädä", "a\u{202e}b", "../x", "Ag0n", &"a".repeat(33)] {
            check(name).unwrap_err();
        }
    }

    #[test]
    fn what_is_drawn_as_nothing_is_not_seen() {
        let blank = "\u{2800}\u{1d159}\u{fffc}\u{e000}\u{13430}\u{16fe4}\u{303f}\u{1da7f}\u{11a3f}\
                     \u{200b}\u{a0}\u{ad}\u{2003}\u{3000}\u{3164}\u{e0041}\u{fe0f}\u{10ffff}";
        assert!(!blank.contains(is_seen), "{:?}", blank.matches(is_seen).collect::<Vec<_>>());
        for name in
            ["Füchsin №2", "Лиса", "狐の子", "ثعلب", "여우", "«fox» – 5 €", "🦊→∞ ½×★", "ｆｏｘ"]
        {
            assert!(name.chars().all(is_seen), "{name}");
        }
    }

    #[test]
    fn real_names_become_names() {
        assert_eq!(of_real(" Max  M. "), "Max.M");
        assert_eq!(of_real("Fox, Fred"), "Fox.Fred");
        assert_eq!(of_real("anna"), "anna");
    }

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("My  Bot, v2!"), "my-bot-v2");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("\u{202e}"), "bot");
        assert_eq!(slug(&"ab ".repeat(99)).len(), 40);
    }

    #[test]
    fn words_need_no_quotes_in_a_shell() {
        assert_eq!(word("Zoë Ångström"), "Zoë-Ångström");
        assert_eq!(word("--Fox; rm -rf '$HOME'."), "Fox-rm-rf-HOME");
        assert_eq!(word("Лиса_2"), "Лиса_2");
        assert_eq!(word("🦊"), "my-bot");
    }

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
