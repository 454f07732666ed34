//! The password of VNC: the client encrypts a challenge with it (RFC 6143, section 7.2.2).
//!
//! `agon-show` reads it from a file or a variable, and the handshake checks a client's answer.

use std::{
    fmt, fs,
    io::{self, Read},
    path::Path,
};

use des::{
    Des,
    cipher::{Block, BlockCipherEncrypt, KeyInit},
};
use thiserror::Error;

/// Bytes of a challenge, and of the answer.
pub(crate) const CHALLENGE: usize = 16;

/// The longest password that VNC allows.
const MAX_LENGTH: usize = 8;

/// The most bytes that are read from a file: more cannot be a password.
const MAX_FILE: u64 = 1 << 10;

/// A password of 1 to 8 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Password([u8; MAX_LENGTH]);

/// The reason why something is no password.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PasswordError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Others may read the file.
    #[error("other users may read it; `chmod 600` keeps them out")]
    Public,
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It is longer than 8 bytes.
    #[error(
        "it is longer than {MAX_LENGTH} bytes, \
         of which VNC would look at the first {MAX_LENGTH} only"
    )]
    TooLong,
    /// It has more than one line, or bytes that nobody can type.
    #[error("it is not one line of text")]
    NoText,
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

impl Password {
    /// Takes a password as text; a line break at its end does not count.
    ///
    /// # Errors
    /// If it is empty, too long, or not one line of text.
    pub fn new(text: &[u8]) -> Result<Password, PasswordError> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() {
            return Err(PasswordError::Empty);
        }
        if text.iter().any(|byte| byte.is_ascii_control()) {
            return Err(PasswordError::NoText);
        }
        let mut bytes = [0; MAX_LENGTH];
        bytes.get_mut(..text.len()).ok_or(PasswordError::TooLong)?.copy_from_slice(text);
        Ok(Password(bytes))
    }

    /// Reads the password from a file that only its owner may read.
    ///
    /// # Errors
    /// If it cannot be read, others may read it, or it has no password.
    pub fn read(path: &Path) -> Result<Password, PasswordError> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let metadata = fs::metadata(path)?;
            // Pipes, such as a shell's <(…), have modes of their own.
            if metadata.is_file() && metadata.mode() & 0o077 != 0 {
                return Err(PasswordError::Public);
            }
        }
        // A password has few bytes, but a device may have no end.
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(MAX_FILE).read_to_end(&mut bytes)?;
        Password::new(&bytes)
    }

    /// Returns the answer to a challenge by a client with this password.
    pub(crate) fn answer(&self, challenge: &[u8; CHALLENGE]) -> [u8; CHALLENGE] {
        // VNC reverses the bits of each byte of the key.
        let cipher = Des::new(&self.0.map(u8::reverse_bits).into());
        let mut answer = *challenge;
        for half in answer.as_chunks_mut::<8>().0 {
            let mut block = Block::<Des>::from(*half);
            cipher.encrypt_block(&mut block);
            *half = block.into();
        }
        answer
    }

    /// Returns whether an answer is right; takes as long for a wrong one.
    pub(crate) fn accepts(&self, challenge: &[u8; CHALLENGE], answer: &[u8; CHALLENGE]) -> bool {
        let difference = |all, (right, given): (u8, &u8)| all | (right ^ given);
        self.answer(challenge).into_iter().zip(answer).fold(0, difference) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_what_openssl_says() {
        // The key 0e86ceceeef64e26 is "password" with the bits of each byte reversed:
        // `printf 0123456789abcdef | openssl enc -des-ecb -K 0e86ceceeef64e26 -nopad \
        //      -provider legacy -provider default`
        let password = Password::new(b"password\n").unwrap();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(&password.answer(b"0123456789abcdef")), OPENSSL);
        assert!(password.accepts(b"0123456789abcdef", &password.answer(b"0123456789abcdef")));
        assert!(!password.accepts(b"0123456789abcdef", b"0123456789abcdef"));
    }

    const OPENSSL: &str = "5645abeb5f1e6475e8feb11beb66ea19";

    #[test]
    fn what_is_no_password() {
        let error = |text: &[u8]| Password::new(text).unwrap_err().to_string();
        assert_eq!(error(b"\n"), "it is empty");
        assert!(error(b"ninechars").starts_with("it is longer than 8 bytes"));
        assert_eq!(error(b"two\nlines"), "it is not one line of text");
        assert_eq!(format!("{:?}", Password::new(b"secret").unwrap()), "Password(…)");
    }

    #[cfg(unix)]
    #[test]
    fn files_that_others_can_read_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        fs::write(&file, "secret\n").unwrap();
        let read = |mode| {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            Password::read(&file)
        };
        assert!(matches!(read(0o644), Err(PasswordError::Public)));
        assert_eq!(read(0o600).unwrap(), Password::new(b"secret").unwrap());
    }
}
