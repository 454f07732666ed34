//! The handshake with a client: version, password, size (RFC 6143, sections 7.1 to 7.3).
//!
//! `connection` starts with it. A client that fails gets no picture. It encrypts a challenge with
//! the password, which `agon-show` reads from a file or a variable.

use std::io::{self, Read, Write};
use std::{fmt, fs, os::unix::fs::MetadataExt, path::Path};

use anyhow::{Result, bail};
use des::Des;
use des::cipher::{Block, BlockCipherEncrypt, KeyInit};

use crate::vnc::encoding::PixelFormat;

/// The server's version, the latest one.
const GREETING: &[u8; 12] = b"RFB 003.008\n";

// Kinds of security.
const NONE: u8 = 1;
const PASSWORD: u8 = 2;

/// Returns the minor version of the protocol for a client with this greeting: 3 (the server decides
/// about security), 7 (the client decides) or 8 (the same with reasons). Unpublished versions count
/// as 3.3.
fn version(greeting: [u8; 12]) -> Option<u8> {
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u16>().ok();
    let (b"RFB ", major, b'.', minor, b'\n') =
        (&greeting[..4], &greeting[4..7], greeting[7], &greeting[8..11], greeting[11])
    else {
        return None;
    };
    Some(match (number(major)?, number(minor)?) {
        (3, 7) => 7,
        (3, 8..) | (4.., _) => 8,
        _ => 3,
    })
}

/// Lets a client in: version, security, permission to start.
///
/// Afterwards the server describes the screen ([`describe`]). `penalty` is called before a client
/// learns that its password is wrong. Returns the version (see [`version`]).
pub(crate) fn greet(
    stream: &mut (impl Read + Write),
    password: Option<&Password>,
    challenge: [u8; CHALLENGE],
    penalty: impl FnOnce(),
) -> io::Result<u8> {
    stream.write_all(GREETING)?;
    let mut greeting = [0; 12];
    stream.read_exact(&mut greeting)?;
    let version = version(greeting).ok_or_else(|| io::Error::other("it does not speak VNC"))?;
    let security = if password.is_some() { PASSWORD } else { NONE };
    if version == 3 {
        stream.write_all(&u32::from(security).to_be_bytes())?;
    } else {
        stream.write_all(&[1, security])?;
        let chosen = byte(stream)?;
        if chosen != security {
            refuse(stream, version, "this kind of security was not offered")?;
            let why = format!("it wants security of type {chosen}, which was not offered");
            return Err(io::Error::other(why));
        }
    }
    if let Some(password) = password {
        stream.write_all(&challenge)?;
        let mut answer = [0; CHALLENGE];
        stream.read_exact(&mut answer)?;
        if !password.accepts(&challenge, &answer) {
            penalty();
            refuse(stream, version, "wrong password")?;
            return Err(io::Error::other("its password is wrong"));
        }
    }
    if password.is_some() || version == 8 {
        stream.write_all(&[0; 4])?;
    }
    // The client may demand to be alone; others may always stay.
    let _shared = byte(stream)?;
    Ok(version)
}

/// Refuses the client, with the reason if its version expects one.
fn refuse(stream: &mut impl Write, version: u8, reason: &str) -> io::Result<()> {
    stream.write_all(&1u32.to_be_bytes())?;
    if version == 8 {
        stream.write_all(&text(reason))?;
    }
    stream.flush()
}

/// Describes the screen: its size, the preferred format of pixels, and its title.
pub(crate) fn describe(width: u32, height: u32, title: &str) -> Vec<u8> {
    let mut message = Vec::new();
    // Pictures are at most 65535 pixels wide and high.
    message.extend((width as u16).to_be_bytes());
    message.extend((height as u16).to_be_bytes());
    message.extend(PixelFormat::default().to_bytes());
    message.extend(text(title));
    message
}

fn text(text: &str) -> Vec<u8> {
    // Titles and reasons are short.
    [&(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat()
}

fn byte(stream: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    stream.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Bytes of a challenge, and of the answer.
pub(crate) const CHALLENGE: usize = 16;

/// The longest password that VNC allows.
const MAX_LENGTH: usize = 8;

/// The most bytes that are read from a file: more cannot be a password.
const MAX_FILE: u64 = 1 << 10;

/// A password of 1 to 8 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Password([u8; MAX_LENGTH]);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

impl Password {
    /// Takes a password as text; a line break at its end does not count.
    pub fn new(text: &[u8]) -> Result<Password> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() {
            bail!("it is empty");
        }
        if text.iter().any(|byte| byte.is_ascii_control()) {
            bail!("it is not one line of text");
        }
        let mut bytes = [0; MAX_LENGTH];
        let Some(start) = bytes.get_mut(..text.len()) else {
            bail!(
                "it is longer than {MAX_LENGTH} bytes, \
                 of which VNC would look at the first {MAX_LENGTH} only"
            );
        };
        start.copy_from_slice(text);
        Ok(Password(bytes))
    }

    /// Reads the password from a file that only its owner may read.
    pub fn read(path: &Path) -> Result<Password> {
        let metadata = fs::metadata(path)?;
        // Pipes, such as a shell's <(…), have modes of their own.
        if metadata.is_file() && metadata.mode() & 0o077 != 0 {
            bail!("other users may read it; `chmod 600` keeps them out");
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

    /// A client that has sent its last byte.
    struct Client<'a> {
        says: &'a [u8],
        hears: Vec<u8>,
    }

    impl Read for Client<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.says.read(to)
        }
    }

    impl Write for Client<'_> {
        fn write(&mut self, from: &[u8]) -> io::Result<usize> {
            self.hears.write(from)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn greeted(says: &[&[u8]], password: Option<&[u8]>) -> (Result<u8, String>, Vec<u8>, bool) {
        let says = says.concat();
        let mut client = Client { says: &says, hears: vec![] };
        let password = password.map(|text| Password::new(text).unwrap());
        let mut was_punished = false;
        let result = greet(&mut client, password.as_ref(), [7; 16], || was_punished = true);
        (result.map_err(|error| error.to_string()), client.hears[12..].to_vec(), was_punished)
    }

    #[test]
    fn all_versions_get_in() {
        let hears = |says: &[&[u8]]| greeted(says, None);
        assert_eq!(hears(&[b"RFB 003.003\n\x01"]), (Ok(3), vec![0, 0, 0, 1], false));
        assert_eq!(hears(&[b"RFB 003.005\n\x01"]).0, Ok(3));
        assert_eq!(hears(&[b"RFB 003.007\n\x01\x01"]), (Ok(7), vec![1, 1], false));
        assert_eq!(hears(&[b"RFB 003.008\n\x01\x00"]), (Ok(8), vec![1, 1, 0, 0, 0, 0], false));
        assert_eq!(hears(&[b"RFB 003.889\n\x01\x00"]).0, Ok(8));
    }

    #[test]
    fn the_password_counts() {
        let right = Password::new(b"secret").unwrap().answer(&[7; 16]);
        let challenge = [&[1, 2][..], &[7; 16]].concat();
        let (result, hears, _) = greeted(&[b"RFB 003.008\n\x02", &right, b"\0"], Some(b"secret"));
        assert_eq!((result, hears), (Ok(8), [&challenge[..], &[0; 4]].concat()));
        let (result, hears, was_punished) =
            greeted(&[b"RFB 003.008\n\x02", &right], Some(b"other"));
        assert_eq!(result, Err("its password is wrong".into()));
        assert_eq!(hears, [&challenge[..], b"\0\0\0\x01\0\0\0\x0ewrong password"].concat());
        assert!(was_punished);
        let (result, hears, _) = greeted(&[b"RFB 003.003\n", &right], Some(b"other"));
        assert!(result.is_err());
        assert_eq!(hears, [&[0, 0, 0, 2][..], &[7; 16], &[0, 0, 0, 1]].concat());
    }

    #[test]
    fn nobody_chooses_less_security() {
        let (result, ..) = greeted(&[b"RFB 003.008\n\x01\0"], Some(b"secret"));
        assert_eq!(result, Err("it wants security of type 1, which was not offered".into()));
    }

    #[test]
    fn others_do_not_get_in() {
        for says in
            [&b"GET / HTTP/1.1\r\n\r\n"[..], b"RFB 003-008\n", b"RFB 00x.008\n", b"RFB +03.008\r"]
        {
            assert_eq!(greeted(&[says], None).0, Err("it does not speak VNC".into()));
        }
        assert!(greeted(&[b"RFB 003"], None).0.is_err());
        assert!(greeted(&[b"RFB 003.008\n\x02", &[1; 15]], Some(b"secret")).0.is_err());
    }

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
        assert!(read(0o644).unwrap_err().to_string().contains("chmod 600"));
        assert_eq!(read(0o600).unwrap(), Password::new(b"secret").unwrap());
    }
}
