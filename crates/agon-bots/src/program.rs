//! Finds the executable and the files of a program that a person named as a bot.

use std::path::{Component, Path, PathBuf, absolute};
use std::{env, ffi::OsString, fs, io::Read};

use agon_core::did_you_mean;
use agon_match::spec::MANIFEST;
use rustix::fs::{Access, access};

use crate::error::{self, NAME_IT, interpreter_of, no_interpreter, not_executable};
use crate::process::{Launch, Sees};
use crate::{HostOptions, OpenError, hints::Typed, open_beneath::open_file};

/// A program that exists and may be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable, with its whole path.
    pub(crate) path: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// Whether it was found on `PATH`, or is an installed program for another reason.
    pub(crate) on_path: bool,
    /// The program as the person named it.
    pub(crate) typed: Typed,
    /// The folder with all files of the bot, if its author may be a stranger.
    pub(crate) home: Option<PathBuf>,
}

impl Program {
    /// Finds the program that a person named.
    ///
    /// The text is one file, or a command line whose first word is a file or is found on `PATH`.
    /// `builtins` are names of bots that the person may have meant. The words of a bot with a
    /// `home` name nothing outside of it but programs on `PATH`.
    pub(crate) fn find(
        text: &str,
        words: &[String],
        builtins: &[&'static str],
        home: Option<&Path>,
    ) -> Result<Program, OpenError> {
        let first = &words[0];
        let of = |path, args, on_path| {
            let home = home.map(Path::to_owned);
            Program { path, args, on_path, typed: Typed::default(), home }
        };
        let is_one_file = home.is_none() && Path::new(text).exists();
        if words.len() == 1 || is_one_file {
            let path = executable(if is_one_file { text } else { first }, builtins, home)?;
            return Ok(of(path, Vec::new(), false));
        }
        let found = on_path(first);
        let args = words[1..].iter().map(OsString::from).collect();
        let is_elsewhere = home.is_some_and(|home| !Path::new(first).starts_with(home))
            && Path::new(first).is_absolute();
        let on_path = found.is_some() || is_elsewhere;
        let is_near = || match home {
            None => first.contains('/') || Path::new(first).exists(),
            Some(home) => is_within(Path::new(first), home),
        };
        let path = match found {
            Some(path) => path,
            // The words of a folder name a program elsewhere only if bots see it.
            None if is_elsewhere => executable(first, &[], None)?,
            None if is_near() => executable(first, &[], home)?,
            None => {
                let why = format!(
                    "`{first}` is neither a program on PATH nor a file here (from \"{text}\")"
                );
                return Err(OpenError::Missing(why, "install the program, or give its path"));
            }
        };
        Ok(of(path, args, on_path))
    }

    /// Checks that the script of an interpreter is there: `python3 bto.py` would otherwise start,
    /// and the bot would crash in its first match.
    pub(crate) fn check_script(&self, folder: &Path) -> Result<(), OpenError> {
        let Some(script) = self.args.first().map(Path::new) else { return Ok(()) };
        let program = self.path.file_stem().unwrap_or_default().to_string_lossy();
        // `python3.12` runs what `python3` runs, and other shells what `sh` runs.
        let runs = |usual: &str| {
            let usual = usual.trim_end_matches(char::is_numeric);
            program.starts_with(usual) || program.ends_with(usual)
        };
        let is_script = self.on_path && interpreter_of(script).is_some_and(runs);
        let path = folder.join(script);
        if self.home.as_ref().is_some_and(|home| !is_within(&path, home)) {
            // A message must not say what is there.
            return Ok(());
        }
        if !is_script || path.exists() {
            return Ok(());
        }
        let near = path.parent().and_then(|near| fs::read_dir(near).ok());
        let alike = |file: &PathBuf| file.extension() == script.extension();
        let mut names: Vec<String> = near
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(script.with_file_name(entry.ok()?.file_name())))
            .filter(alike)
            .map(|file| file.to_string_lossy().into_owned())
            .collect();
        names.sort();
        let script = script.to_string_lossy().into_owned();
        let proposal = did_you_mean(&script, names.iter().map(String::as_str));
        let proposal = error::did_you_mean(proposal);
        let why = format!("`{program}` would find no file `{script}`{proposal}");
        let remedy = "correct the command line (`run` in agon.toml), or put the file that it \
            names among the bot's files";
        Err(OpenError::Unfit(why, remedy))
    }

    /// Notes the command line that names it, in the manifest of `place` if there is one. It starts
    /// in `folder`.
    pub(crate) fn typed(mut self, text: &str, place: Option<&Path>, folder: &Path) -> Program {
        // The files of an interpreter say nothing about the bot.
        let files = match self.on_path {
            true => self.files(folder).into_iter().filter(|file| *file != self.path).collect(),
            false => self.files(folder),
        };
        self.typed = Typed::new(text, place, files, self.home.clone());
        self
    }

    /// Describes how to start it.
    pub(crate) fn launch(&self, options: &HostOptions) -> Launch {
        let mut launch = Launch::new(&self.path, &self.args).with(options);
        launch.sees = Sees::Words;
        launch.typed = self.typed.clone();
        launch
    }

    /// Returns the files that make up the bot.
    ///
    /// These are the program, unless it was found on `PATH`, and all arguments that are files in
    /// this folder, where it starts. If that is nothing, it is the program.
    pub(crate) fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let program = (!self.on_path).then(|| self.path.clone());
        let is_own = |path: &PathBuf| self.home.as_ref().is_none_or(|home| is_within(path, home));
        let arguments = self.args.iter().map(|arg| folder.join(arg)).filter(is_own);
        let arguments = arguments.filter(|path| path.is_file());
        let files: Vec<_> = program.into_iter().chain(arguments).collect();
        if files.is_empty() { vec![self.path.clone()] } else { files }
    }
}

/// Finds a program that is named without a folder.
///
/// It is in the first folder of `PATH` with such an executable file. A path is no such name.
pub fn on_path(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return None;
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok())
}

/// Returns whether a path names something below a folder, without `..` on the way.
pub(crate) fn is_within(path: &Path, folder: &Path) -> bool {
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    path.strip_prefix(folder).is_ok_and(|below| below.components().all(is_name))
}

/// Returns the whole path of an executable file.
fn executable(
    file: &str,
    builtins: &[&'static str],
    home: Option<&Path>,
) -> Result<PathBuf, OpenError> {
    let path = existing_file(file, builtins)?;
    let is_executable = access(&path, Access::EXEC_OK).is_ok();
    // The hint about a usual interpreter is better than one about `#!`.
    let has_hint = !is_executable && interpreter_of(&path).is_some();
    // The author of a folder knows its files by their names in it.
    let named = || home.and_then(|home| path.strip_prefix(home).ok()).unwrap_or(&path).to_owned();
    if is_plain_text(&path, home) && !has_hint {
        return Err(no_interpreter(&named()));
    }
    match is_executable {
        true => Ok(absolute(&path).unwrap_or(path)),
        false => Err(not_executable(&named())),
    }
}

/// Returns whether a file is text without a line `#!` that names its interpreter: no system can
/// start it.
fn is_plain_text(path: &Path, home: Option<&Path>) -> bool {
    let mut start = [0; 256];
    let read = open_file(path, home).and_then(|mut file| file.read(&mut start));
    // What cannot be read may still be executed.
    let Ok(length) = read else { return false };
    let start = &start[..length];
    // A character may be cut at the end.
    let is_text = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_text && !start.contains(&0) && !start.starts_with(b"#!")
}

/// Returns the path of an existing file.
pub(crate) fn existing_file(file: &str, builtins: &[&'static str]) -> Result<PathBuf, OpenError> {
    let path = PathBuf::from(file);
    if path.is_file() {
        return Ok(path);
    }
    if path.exists() {
        return Err(match path.join(MANIFEST).is_file() {
            true => {
                let why = format!(
                    "`{file}` is a folder, whose {MANIFEST} names the protocol; did you mean \
                     `{file}`, without a protocol in front?"
                );
                OpenError::Unfit(why, "name the folder alone")
            }
            false => OpenError::Unfit(format!("`{file}` is not a file"), NAME_IT),
        });
    }
    let bare = !file.contains('/');
    let meant = if bare { did_you_mean(file, builtins.iter().copied()) } else { None };
    Err(match on_path(file).filter(|_| bare && meant.is_none()) {
        Some(path) => {
            let path = path.display();
            let why =
                format!("there is no file `{file}` here; the program of this name is `{path}`");
            OpenError::Unfit(why, NAME_IT)
        }
        None => {
            let proposal = error::did_you_mean(meant.map(|name| format!("builtin:{name}")));
            OpenError::Missing(format!("there is no file `{file}`{proposal}"), NAME_IT)
        }
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    fn find(text: &str) -> Result<Program, OpenError> {
        Program::find(text, &shlex::split(text).unwrap(), &["random", "nasty"], None)
    }

    fn message(text: &str) -> String {
        find(text).unwrap_err().to_string()
    }

    #[test]
    fn command_lines_are_found_on_path() {
        let program = find("sh -c 'exit 0'").unwrap();
        assert!(program.path.is_absolute() && program.path.ends_with("sh"));
        assert_eq!(program.args, ["-c", "exit 0"]);
        assert_eq!(program.files(Path::new("/")), [program.path]);
    }

    #[test]
    fn a_script_among_the_arguments_is_what_the_bot_is() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("fox.sh");
        fs::write(&script, "exit 0").unwrap();
        let program = find(&format!("sh {}", script.display())).unwrap();
        assert_eq!(program.files(Path::new("/")), [script]);
    }

    #[test]
    fn a_script_that_is_not_there_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("fox.sh"), "exit 0").unwrap();
        let check = |text: &str| find(text).unwrap().check_script(folder.path());
        for fine in ["sh fox.sh", "sh -c 'fxo.sh'", "echo fxo.sh", "sh fxo", "sh"] {
            assert!(find(fine).is_err() || check(fine).is_ok(), "{fine}");
        }
        let error = check("sh fxo.sh 3").unwrap_err().to_string();
        assert_eq!(error, "`sh` would find no file `fxo.sh`; did you mean `fox.sh`?");
        let error = check("sh cubs/other.sh").unwrap_err().to_string();
        assert_eq!(error, "`sh` would find no file `cubs/other.sh`");
    }

    #[test]
    fn one_file_must_be_executable() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("fox.xyz");
        fs::write(&plain, "walk left\n").unwrap();
        for mode in [0o644, 0o755] {
            fs::set_permissions(&plain, fs::Permissions::from_mode(mode)).unwrap();
            let error = message(plain.to_str().unwrap());
            assert!(error.contains("`PROGRAM fox.xyz`"), "{error}");
        }
        let script = folder.path().join("my fox.py");
        fs::write(&script, "#!/usr/bin/env python3\n").unwrap();
        let text = script.to_str().unwrap();
        let error = message(text);
        assert!(error.contains("is not executable; `chmod +x`"), "{error}");
        // The error quotes it in the form that a person can type.
        assert!(error.contains(&format!("`python3 '{text}'`")), "{error}");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(text).unwrap().path, script);
    }

    #[test]
    fn missing_files_are_told_with_what_was_meant() {
        assert_eq!(message("nasti"), "there is no file `nasti`; did you mean `builtin:nasty`?");
        assert_eq!(message("./nasty"), "there is no file `./nasty`");
        let on_path = message("sh");
        assert!(
            on_path.starts_with("there is no file `sh` here") && on_path.ends_with("/sh`"),
            "{on_path}"
        );
        assert_eq!(message("/tmp"), "`/tmp` is not a file");
        assert!(message("no-such-program x").contains("neither a program on PATH nor a file here"));
    }
}
