//! A folder in which commands run.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// Text that commands a terminal, reorders what stands beside it, is not seen, or looks like a
/// style of Agon.
pub(crate) const EVIL: &str = "x\u{1b}]0;pwned\u{7}\u{1b}[1;31m\u{1b}[2J\u{9b}2J\u{7f}\
    \u{202e}\u{2066}\u{200b}\u{feff}\u{2028}y";

/// Styles of Agon and of the library that reads the command line.
const STYLES: [&str; 9] = ["0", "1", "2", "4", "1;31", "1;32", "1;33", "31", "33"];

pub(crate) struct TestDir(TempDir);

impl TestDir {
    pub(crate) fn new() -> TestDir {
        TestDir(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A program that can be executed.
    pub(crate) fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn agon<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.agon(args).output().unwrap()
    }

    /// Runs a command that is to fail, and gives what it says.
    #[track_caller]
    pub(crate) fn fails(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        said
    }

    /// Runs a command with and without colours; nothing that it writes may hide anything.
    #[track_caller]
    pub(crate) fn shows<S: AsRef<OsStr>>(&self, args: &[S]) -> Output {
        let words = || args.iter().map(AsRef::as_ref);
        let colored = [OsStr::new("--color"), OsStr::new("always")].into_iter().chain(words());
        let output = self.agon(colored).output().unwrap();
        for bytes in [&output.stdout, &output.stderr] {
            is_shown(bytes, &format!("{:?}", words().collect::<Vec<_>>()));
        }
        output
    }

    /// Whether nothing hides in the files for people in a folder.
    #[track_caller]
    pub(crate) fn files_show(&self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            match path.extension().and_then(OsStr::to_str) {
                _ if path.is_dir() => self.files_show(&path),
                Some("agon" | "sqlite" | "png" | "wasm" | "ico") => {}
                _ => is_shown(&fs::read(&path).unwrap(), &path.display().to_string()),
            }
        }
    }
}

/// Fails if a reader would not see all of it.
#[track_caller]
pub(crate) fn is_shown(bytes: &[u8], what: &str) {
    let mut text =
        String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| panic!("{what}: not UTF-8"));
    assert!(!text.contains("\u{1b}[1;31m\\u001b[2J"), "{what}: an imitated style passes");
    for style in STYLES {
        text = text.replace(&format!("\u{1b}[{style}m"), "");
    }
    let hidden = text.find(|c| agon_text::is_hidden(c) && !"\n\t".contains(c));
    let around = hidden.map(|at| text[..at].chars().rev().take(60).collect::<String>());
    let around = around.map(|text| text.chars().rev().collect::<String>());
    assert_eq!(around, None, "{what}: something hides behind this");
}
