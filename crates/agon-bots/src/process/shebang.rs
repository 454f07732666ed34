//! Explains why a script cannot be started, from its first line, for the fault of the bot.
//!
//! If its interpreter is missing, the system reports that "the file" is missing, although it
//! exists.

use std::{io::Read, path::Path};

use crate::{open_beneath::open_file, sandbox::is_seen_by_all};

/// The longest first line that is read; the kernel reads less.
const MAX_LINE: u64 = 256;

/// A byte order mark and the beginning of a first line that names an interpreter.
const MARKED: &[u8] = b"\xef\xbb\xbf#!";

/// Describes the problem with a script's first line, if there is one.
pub(super) fn problem_of_script(script: &Path, home: Option<&Path>) -> Option<String> {
    let mut front = Vec::new();
    open_file(script, home).ok()?.take(MAX_LINE).read_to_end(&mut front).ok()?;
    if front.starts_with(MARKED) {
        let why = "it begins with a byte order mark, so that the system does not see its `#!`: \
                   save it as UTF-8 without one";
        return Some(why.to_owned());
    }
    let line = front.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let name = line.trim_start_matches([' ', '\t']).split([' ', '\t']).next()?;
    // What a bot with a home does not see is not there, wherever it may be.
    let is_seen = home.is_none() || is_seen_by_all(Path::new(name));
    if name.is_empty() || (is_seen && Path::new(name).exists()) {
        return None;
    }
    let plain = name.trim_end_matches('\r');
    Some(if plain == name {
        format!("its first line names the interpreter `{name}`, which is not there")
    } else {
        format!(
            "its first line ends with a carriage return, so that its interpreter would be \
             `{plain}\\r`: save it with line ends of Unix"
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_interpreter_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot.py");
        let problem = |text: &str| {
            fs::write(&script, text).unwrap();
            problem_of_script(&script, None)
        };
        let lost = problem("#! /usr/bin/pyton3 -u\nprint(1)\n").unwrap();
        assert!(lost.contains("the interpreter `/usr/bin/pyton3`, which is not there"), "{lost}");
        let windows = problem("#!/bin/sh\r\necho 1\r\n").unwrap();
        assert!(
            windows.contains("carriage return") && windows.contains("`/bin/sh\\r`"),
            "{windows}"
        );
        let marked = problem("\u{feff}#!/bin/sh\necho 1\n").unwrap();
        assert!(marked.contains("byte order mark"), "{marked}");
        for fine in ["#!/bin/sh\necho 1\n", "#!/bin/sh -e", "no script", "", "#!"] {
            assert_eq!(problem(fine), None, "{fine:?}");
        }
        // A stranger does not learn what there is.
        for name in ["/proc/self/root/bin/sh", "/usr/../bin/sh", "/etc/passwd"] {
            fs::write(&script, format!("#!{name}\n")).unwrap();
            let told = problem_of_script(&script, Some(folder.path())).unwrap();
            assert!(told.contains("which is not there"), "{told}");
        }
        fs::write(&script, format!("#!{}\n", script.display())).unwrap();
        assert_eq!(problem_of_script(&script, None), None);
        let unseen = problem_of_script(&script, Some(folder.path())).unwrap();
        assert!(unseen.contains("which is not there"), "{unseen}");
        assert_eq!(problem_of_script(&folder.path().join("gone"), None), None);
    }
}
