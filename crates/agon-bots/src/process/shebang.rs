//! Explains why a script cannot be started, from its first line, for the fault of the bot.
//!
//! If its interpreter is missing, the system reports that "the file" is missing, although it
//! exists.

use std::{fs::File, io::Read, path::Path};

/// The longest first line that is read; the kernel reads less.
const MAX_LINE: u64 = 256;

/// Describes the problem with a script's interpreter, if the interpreter is missing.
pub(super) fn missing_interpreter(script: &Path) -> Option<String> {
    let mut front = Vec::new();
    File::open(script).ok()?.take(MAX_LINE).read_to_end(&mut front).ok()?;
    let line = front.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let name = line.trim_start_matches([' ', '\t']).split([' ', '\t']).next()?;
    if name.is_empty() || Path::new(name).exists() {
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
            missing_interpreter(&script)
        };
        let lost = problem("#! /usr/bin/pyton3 -u\nprint(1)\n").unwrap();
        assert!(lost.contains("the interpreter `/usr/bin/pyton3`, which is not there"), "{lost}");
        let windows = problem("#!/bin/sh\r\necho 1\r\n").unwrap();
        assert!(
            windows.contains("carriage return") && windows.contains("`/bin/sh\\r`"),
            "{windows}"
        );
        for fine in ["#!/bin/sh\necho 1\n", "#!/bin/sh -e", "no script", "", "#!"] {
            assert_eq!(problem(fine), None, "{fine:?}");
        }
        assert_eq!(missing_interpreter(&folder.path().join("gone")), None);
    }
}
