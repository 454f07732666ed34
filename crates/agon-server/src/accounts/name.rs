//! Names that people may have: for signing in, and in addresses.

use super::skeleton::check_reserved;

/// Checks a name that somebody chose.
///
/// # Errors
/// Says what a name may be.
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
}
