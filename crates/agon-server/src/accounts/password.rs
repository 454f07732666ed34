//! Hashes of passwords: argon2id, with the cost that OWASP's cheat sheet recommends.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};

/// The fewest characters of a password.
const SHORTEST: usize = 8;

/// The most bytes of a password: hashing takes longer with longer ones.
const LONGEST: usize = 512;

/// A hash that no password has, for names that nobody has: so that an answer takes as long.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$Z0F1L1pQd2VpTnpQcGZZUw$\
    aGFzaCBvZiBubyBwYXNzd29yZCBhdCBhbGwgLi4uLi4";

/// Passwords that whoever guesses tries first, a line each, in lower case.
const COMMON: &str = include_str!("common_passwords.txt");

/// The fewest different characters of a password.
const DIFFERENT: usize = 4;

/// Checks a password that the person with this name chose.
pub(crate) fn check(password: &str, name: &str) -> Result<(), String> {
    if password.chars().count() < SHORTEST {
        return Err(format!("a password has at least {SHORTEST} characters"));
    }
    if password.len() > LONGEST {
        return Err(format!("a password has at most {LONGEST} bytes"));
    }
    if is_common(password) {
        return Err("this password is one of the first that others guess; choose another one, \
                    such as four words that do not belong together"
            .to_owned());
    }
    if is_of_name(password, name) {
        return Err("a password is not one's own name; choose another one".to_owned());
    }
    Ok(())
}

/// Returns whether a password is widely used, or is a row of letters or digits.
fn is_common(password: &str) -> bool {
    let letters: Vec<char> = password.to_lowercase().chars().collect();
    let different: BTreeSet<&char> = letters.iter().collect();
    let step = |pair: &[char]| i64::from(u32::from(pair[1])) - i64::from(u32::from(pair[0]));
    let is_row = letters.windows(2).all(|pair| step(pair) == 1)
        || letters.windows(2).all(|pair| step(pair) == -1);
    let text: String = letters.iter().collect();
    is_row || different.len() < DIFFERENT || COMMON.lines().any(|common| common == text)
}

/// Returns whether a password is a name, perhaps repeated, with digits or marks around it.
fn is_of_name(password: &str, name: &str) -> bool {
    let bare = |text: &str| text.to_lowercase().replace(|c: char| !c.is_alphabetic(), "");
    let (name, left) = (bare(name), bare(password));
    let is_whole = password.to_lowercase() == name.to_lowercase();
    is_whole || !left.is_empty() && !name.is_empty() && left.replace(&name, "").is_empty()
}

/// Memory that was used for hashing, to be used again. The allocator would not give back all of
/// these large pieces, and many hashes would use up the machine's memory.
static MEMORY: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());

/// Hashes a password. This takes tens of milliseconds and 19 MiB.
///
/// # Panics
/// If the system gives no random numbers.
pub(crate) fn hash(password: &str) -> String {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).expect("the system gives random numbers");
    let params = Params::DEFAULT;
    let output = output(password, &salt, &params).expect("these are valid parameters");
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).expect("these are valid parameters"),
        salt: Some(Salt::new(&salt).expect("16 bytes are a salt")),
        hash: Some(output),
    };
    hash.to_string()
}

/// Returns whether a password has this hash. Without a hash, this takes as long and returns no.
pub(crate) fn is_right(password: &str, hash: Option<&str>) -> bool {
    if password.len() > LONGEST {
        return false;
    }
    let Ok(parsed) = PasswordHash::new(hash.unwrap_or(NOBODY)) else { return false };
    let (Some(salt), Some(wanted)) = (&parsed.salt, &parsed.hash) else { return false };
    let Ok(params) = Params::try_from(&parsed) else { return false };
    // Outputs are compared in constant time.
    let fits = output(password, salt, &params).is_some_and(|output| output == *wanted);
    fits && hash.is_some()
}

fn output(password: &str, salt: &[u8], params: &Params) -> Option<Output> {
    let take = || MEMORY.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut memory = take().unwrap_or_default();
    memory.resize(params.block_count(), Block::default());
    let mut bytes = [0; 32];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let done =
        argon2.hash_password_into_with_memory(password.as_bytes(), salt, &mut bytes, &mut memory);
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    done.ok()?;
    Output::new(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_has_its_hash() {
        let hash = hash("correct horse");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(is_right("correct horse", Some(&hash)));
        assert!(!is_right("correct horsf", Some(&hash)));
        assert!(!is_right("", Some(&hash)) && !is_right("correct horse", None));
        assert!(PasswordHash::new(NOBODY).is_ok(), "it takes as long as a real one");
        assert!(!is_right(&"x".repeat(1 << 20), Some(&hash)));
    }

    #[test]
    fn passwords_have_a_length() {
        check("correct horse", "ada").unwrap();
        check("äöüßäöüß", "ada").unwrap();
        check("7 bytes", "ada").unwrap_err();
        check(&"xy 3".repeat(129), "ada").unwrap_err();
    }

    #[test]
    fn what_others_guess_first_is_no_password() {
        for text in ["12345678", "Password1", "qwertyuiop", "aaaaaaaa", "abababab", "hgfedcba"] {
            let error = check(text, "ada").unwrap_err();
            assert!(error.contains("others guess"), "{text}: {error}");
        }
        for (text, name) in [
            ("anna.schmidt", "Anna.Schmidt"),
            ("Ada_1815!", "ada"),
            ("2026adaada", "ada"),
            ("x2x2-x2x2_", "x2"),
        ] {
            assert!(check(text, name).unwrap_err().contains("name"), "{text}");
        }
        check("anna and the bird", "anna").unwrap();
        check("19-48-55-02", "4711").unwrap();
        for common in COMMON.lines() {
            assert!(common.len() >= SHORTEST && *common == common.to_lowercase(), "{common}");
        }
    }
}
