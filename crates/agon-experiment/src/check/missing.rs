//! Finds out which file a bot missed, from what it wrote to stderr before it ended.

/// What stands before the name of a missing file, in the messages of languages and systems.
const BEFORE_FILE: [&str; 6] = [
    "can't open file ",
    "No such file or directory: ",
    "no such file or directory, open ",
    "FileNotFoundException: ",
    "cannot open ",
    "error while loading shared libraries: ",
];

/// What stands behind it.
const BEHIND_FILE: &str = ": no such file or directory";

/// What stands before the name of a missing module, package or class.
const BEFORE_MODULE: [&str; 5] = [
    "No module named ",
    "Cannot find module ",
    "Cannot find package ",
    "Could not find or load main class ",
    "NoClassDefFoundError: ",
];

/// Returns what to do about a missing file, if the last words of a bot name one.
pub(super) fn remedy(stderr: &str) -> Option<String> {
    // The last one ended it.
    stderr.lines().rev().find_map(remedy_of_line)
}

fn remedy_of_line(line: &str) -> Option<String> {
    let behind = |before: &&str| Some(name(line.split_once(before)?.1));
    if let Some(module) = BEFORE_MODULE.iter().find_map(behind).filter(|name| !name.is_empty()) {
        return Some(format!(
            "`{module}` is missing: put it among the bot's files. Bots find only these, and what \
             is installed on the machine"
        ));
    }
    let before = || {
        let at = line.to_ascii_lowercase().find(BEHIND_FILE)?;
        line[..at].split_whitespace().next_back()
    };
    let file = BEFORE_FILE.iter().find_map(behind).or_else(before)?;
    // Where its files lie now is nothing that the author knows.
    let file = match file.starts_with('/') {
        true => file.rsplit('/').next()?,
        false => file,
    };
    (!file.is_empty()).then(|| {
        format!(
            "`{file}` is missing: put it among the bot's files, and name it by its path from \
             their folder"
        )
    })
}

/// Returns the name at the start of a text: in quotes, or up to a blank or a colon.
fn name(text: &str) -> &str {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'));
    match quote {
        Some(quote) => text[1..].split(quote).next().unwrap_or_default(),
        None => text.split([' ', ':']).next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_languages_name_what_is_missing() {
        for (said, missing) in [
            ("python3: can't open file 'b1/fox.py': [Errno 2] No such file", "b1/fox.py"),
            ("  x\nFileNotFoundError: [Errno 2] No such file or directory: 'w.bin'\n", "w.bin"),
            ("FileNotFoundError: [Errno 2] No such file or directory: '/home/me/w.bin'", "w.bin"),
            ("ModuleNotFoundError: No module named 'torch'", "torch"),
            ("Error: Cannot find module './fox'\n    at node:internal", "./fox"),
            ("Error: ENOENT: no such file or directory, open 'w.bin'", "w.bin"),
            ("Error: Could not find or load main class Agon", "Agon"),
            ("java.io.FileNotFoundException: w.bin (No such file or directory)", "w.bin"),
            ("sh: 0: cannot open run.sh: No such file", "run.sh"),
            ("./run.sh: line 2: ./fox: No such file or directory", "./fox"),
            ("panic: open w.bin: no such file or directory", "w.bin"),
            ("./fox: error while loading shared libraries: libm.so.9: cannot open", "libm.so.9"),
        ] {
            let remedy = remedy(said).unwrap_or_else(|| panic!("{said}"));
            assert!(remedy.starts_with(&format!("`{missing}` is missing: put it")), "{remedy}");
        }
        for said in
            ["", "ValueError: no such move", "No module named ", ": no such file or directory"]
        {
            assert_eq!(remedy(said), None, "{said}");
        }
    }
}
