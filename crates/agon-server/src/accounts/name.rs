//! Names that people may have: for signing in, and in addresses.

/// Checks a name that somebody chose.
///
/// # Errors
/// Says what a name may be.
pub(crate) fn check(name: &str) -> Result<(), String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if name.len() < 2 || name.len() > 32 || !starts_well || !name.chars().all(is_allowed) {
        return Err(
            "a name has 2 to 32 letters a-z, digits, `-` and `_`, and starts with a letter or \
             digit"
                .to_owned(),
        );
    }
    Ok(())
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
        for name in ["ada", "Ada_L-2", "x2", &"a".repeat(32)] {
            check(name).unwrap();
        }
        for name in ["", "a", "-a", "a b", "ädä", "a\u{202e}b", "../x", &"a".repeat(33)] {
            check(name).unwrap_err();
        }
    }

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("My  Bot, v2!"), "my-bot-v2");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("\u{202e}"), "bot");
        assert_eq!(slug(&"ab ".repeat(99)).len(), 40);
    }
}
