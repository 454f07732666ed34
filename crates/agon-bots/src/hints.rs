//! Hints in faults, for authors: a program that is started with the wrong protocol, and a print
//! that goes to the standard output by mistake. The hosts of programs add them to their faults.

use std::io::Read;
use std::path::{Path, PathBuf};

use agon_core::{Fault, FaultKind};
use agon_match::spec::{BotManifest, BotProtocol};

use crate::open_beneath::open_file;

/// What to do about text for people among the answers.
pub const PRINT_TO_STDERR: &str =
    "stdout is for answers only: print everything else to stderr instead";

/// What to do about a program that a person steers in a window or a terminal of its own.
const NEEDS_SCREEN: &str = "bots in the sandbox have no display and no terminal: play on Agon's \
                            board with `human` in place of the bot, or add `--sandbox off`";

/// What such programs complain about.
const SCREENS: [&str; 6] = ["display", "video", "sdl", "/dev/tty", "terminal", "curses"];

/// The most bytes of a file that are searched for the words of a protocol.
const SEARCHED: u64 = 1 << 20;

/// The most files that are searched.
const FILES: usize = 4;

/// A text with so many keys of objects quotes JSON.
const QUOTED_KEYS: usize = 2;

/// Keys of the JSON Lines protocol. A program that speaks it has both in its text.
const KEYS: [&[u8]; 2] = [b"decisions", b"answers"];

/// A program as a person named it, to say how its name should have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Typed {
    /// The command line, without the protocol.
    text: String,
    /// The folder whose manifest names the program, if it is the bot of a folder.
    folder: Option<PathBuf>,
    /// The program's own files.
    files: Vec<PathBuf>,
    /// The folder with all files of the bot, if its author may be a stranger.
    home: Option<PathBuf>,
}

impl Typed {
    /// Describes the program of a command line, or of the manifest in a folder.
    pub(crate) fn new(
        text: &str,
        folder: Option<&Path>,
        files: Vec<PathBuf>,
        home: Option<PathBuf>,
    ) -> Typed {
        Typed { text: text.to_owned(), folder: folder.map(Path::to_owned), files, home }
    }

    /// Returns the names of the folder that the program starts in and of the one that its author
    /// knows, if it is the bot of a folder.
    pub(crate) fn copy_names(&self, copy: Option<&Path>) -> Option<(String, String)> {
        let (copy, folder) = (copy?.to_str()?, self.folder.as_ref()?.to_str()?);
        Some((copy.to_owned(), folder.trim_end_matches('/').to_owned()))
    }

    /// Proposes the JSON Lines protocol.
    pub(crate) fn jsonl(&self) -> String {
        self.proposal("jsonl", "jsonl:")
    }

    /// Proposes the game's own protocol.
    pub(crate) fn own(&self) -> String {
        self.proposal("game", "")
    }

    fn proposal(&self, protocol: &str, prefix: &str) -> String {
        match &self.folder {
            Some(folder) => {
                let manifest = folder.join(agon_match::spec::MANIFEST);
                format!("did you mean `protocol = \"{protocol}\"` in {}?", manifest.display())
            }
            None => format!("did you mean `{prefix}{}`?", self.text),
        }
    }

    /// Returns whether the program's files have the keys of the JSON Lines protocol.
    ///
    /// Scripts and compiled programs alike have them in their text.
    pub(crate) fn speaks_json(&self) -> bool {
        self.files.iter().take(FILES).any(|file| {
            let text = self.beginning(file).unwrap_or_default();
            KEYS.iter().all(|key| text.windows(key.len()).any(|part| part == *key))
        })
    }

    /// Adds a proposal to the fault of a program that has not answered well so far, and is started
    /// for the game's own protocol.
    ///
    /// It does so if the output looks like JSON, or the program's files have the protocol's keys.
    pub(crate) fn hint_at_jsonl(&self, fault: &mut Fault) {
        let kinds = [
            FaultKind::Crash,
            FaultKind::Garbage,
            FaultKind::Early,
            FaultKind::Timeout,
            FaultKind::Closed,
        ];
        if !kinds.contains(&fault.kind) || self.text.is_empty() {
            return;
        }
        let seems_json = looks_like_json(fault.evidence.last_output.as_bytes())
            || self.speaks_json()
            || self.lies_beside_json_manifest();
        if seems_json {
            add(fault, &self.jsonl());
        }
    }

    /// Returns whether a manifest beside the program's files says that the bot speaks JSON Lines: a
    /// script may leave the protocol to a library.
    fn lies_beside_json_manifest(&self) -> bool {
        self.files.iter().take(FILES).filter_map(|file| file.parent()).any(|folder| {
            let text = self.beginning(&folder.join(agon_match::spec::MANIFEST)).unwrap_or_default();
            let manifest = String::from_utf8(text).ok();
            let manifest = manifest.and_then(|text| toml::from_str::<BotManifest>(&text).ok());
            manifest.is_some_and(|manifest| manifest.protocol == BotProtocol::Jsonl)
        })
    }

    /// Reads the beginning of a regular file.
    fn beginning(&self, path: &Path) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = open_file(path, self.home.as_deref()).ok()?;
        file.take(SEARCHED).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Returns whether its last words quote a message of the JSON Lines protocol as unknown.
    ///
    /// A program that has the protocol's keys in its files quotes it for another reason.
    pub(crate) fn is_confused(&self, last_words: &str) -> bool {
        // Only the end of a long message may be left.
        last_words.matches("\":").count() >= QUOTED_KEYS && !self.speaks_json()
    }

    /// Adds a proposal to the fault of a program that has not answered well so far, and is started
    /// for JSON Lines.
    pub(crate) fn hint_at_own(&self, fault: &mut Fault) {
        if self.is_confused(&fault.evidence.stderr_tail) {
            add(fault, &self.own());
        }
    }
}

/// Adds a sentence to a fault, unless the fault has it.
pub(crate) fn add(fault: &mut Fault, hint: &str) {
    if !fault.detail.contains(hint) {
        fault.detail.push_str("; ");
        fault.detail.push_str(hint);
    }
}

/// Says how a program can run that ends because it has no display or terminal.
pub(crate) fn hint_at_screen(fault: &mut Fault) {
    let last_words = fault.evidence.stderr_tail.to_lowercase();
    if SCREENS.iter().any(|screen| last_words.contains(screen)) {
        add(fault, NEEDS_SCREEN);
    }
}

/// Returns whether some output looks like a JSON object.
pub(crate) fn looks_like_json(output: &[u8]) -> bool {
    let output = output.trim_ascii_start();
    output.first() == Some(&b'{') && output.contains(&b'"')
}

/// Returns whether some output looks like text for people: not a few bytes, and all printable.
pub(crate) fn looks_like_talk(output: &[u8]) -> bool {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    output.len() > 3 && output.iter().all(is_text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use agon_core::{Evidence, Player};

    use super::*;

    fn fault(kind: FaultKind, last_output: &str, stderr_tail: &str) -> Fault {
        let evidence = Evidence {
            last_output: last_output.to_owned(),
            stderr_tail: stderr_tail.to_owned(),
            ..Evidence::default()
        };
        let detail = "it stumbled".to_owned();
        Fault { player: Player(0), step: 0, kind, detail, evidence, count: 1 }
    }

    fn script(text: &str) -> (tempfile::TempDir, Typed) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bot.py");
        fs::write(&file, text).unwrap();
        let typed =
            Typed::new("python3 bot.py", None, vec![folder.path().join("gone"), file], None);
        (folder, typed)
    }

    fn hinted(typed: &Typed, kind: FaultKind, last_output: &str) -> String {
        let mut fault = fault(kind, last_output, "");
        typed.hint_at_jsonl(&mut fault);
        fault.detail
    }

    #[test]
    fn output_that_is_json_gets_a_proposal() {
        let (_folder, typed) = script("print(input())");
        let proposal = "it stumbled; did you mean `jsonl:python3 bot.py`?";
        let output = r#"{"step":0,"answers":[]}\n"#;
        assert_eq!(hinted(&typed, FaultKind::Garbage, output), proposal);
        assert_eq!(hinted(&typed, FaultKind::Garbage, "PLACE 1"), "it stumbled");
        assert_eq!(hinted(&typed, FaultKind::Garbage, "{}"), "it stumbled");
        assert_eq!(hinted(&typed, FaultKind::Illegal, output), "it stumbled");
    }

    #[test]
    fn a_program_that_has_the_keys_gets_a_proposal() {
        let (folder, typed) = script("for seen in message[\"decisions\"]: answers.append(1)");
        for kind in [FaultKind::Crash, FaultKind::Timeout] {
            let proposal = "it stumbled; did you mean `jsonl:python3 bot.py`?";
            assert_eq!(hinted(&typed, kind, ""), proposal);
        }
        let typed = Typed { folder: Some(folder.path().join("rosa")), ..typed };
        let proposal = hinted(&typed, FaultKind::Crash, "");
        assert!(proposal.contains("; did you mean `protocol = \"jsonl\"` in "), "{proposal}");
        assert!(proposal.ends_with("/rosa/agon.toml?"), "{proposal}");
    }

    #[test]
    fn a_quoted_message_gets_the_other_proposal() {
        let (_folder, typed) = script("int(input())");
        let talk = "ValueError: invalid literal: '{\"type\":\"start\",\"protocol\":1}'";
        let own = |typed: &Typed, talk| {
            let mut fault = fault(FaultKind::Crash, "", talk);
            typed.hint_at_own(&mut fault);
            fault.detail
        };
        assert_eq!(own(&typed, talk), "it stumbled; did you mean `python3 bot.py`?");
        assert_eq!(own(&typed, "KeyError: 'columns'"), "it stumbled");
        let (_folder, typed) = script("message['decisions'], answers");
        assert_eq!(own(&typed, talk), "it stumbled", "it knows the protocol");
    }

    #[test]
    fn a_hint_comes_once() {
        let mut fault = fault(FaultKind::Garbage, "", "");
        add(&mut fault, PRINT_TO_STDERR);
        add(&mut fault, PRINT_TO_STDERR);
        assert_eq!(fault.detail, format!("it stumbled; {PRINT_TO_STDERR}"));
    }

    #[test]
    fn talk_is_told_from_binary_answers() {
        assert!(looks_like_talk(b"thinking...\n"));
        assert!(!looks_like_talk(b"\x22^") && !looks_like_talk(b"ab\x00cd"));
    }
}
