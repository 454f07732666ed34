//! Decides which files a confined program may see: its own folder, its arguments, and the runtimes
//! it needs.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::{env, io::Read, os::unix::ffi::OsStrExt};

use rustix::fs::{Access, access};
use thiserror::Error;

use super::options::{SandboxOptions, is_passed_on};
use crate::open_beneath::open_file;

/// Folders of the system, which every program sees as far as its rights allow.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32", "/etc", "/proc"];

/// Folders in which many people or programs keep things side by side.
///
/// None of them is a bot's own folder.
const SHARED: [&str; 12] = [
    "/", "/tmp", "/var", "/var/tmp", "/dev", "/dev/shm", "/home", "/root", "/run", "/sys", "/opt",
    "/srv",
];

/// Variables that name folders of runtimes, or lists of them.
const RUNTIMES: [&str; 8] = [
    "JAVA_HOME",
    "DOTNET_ROOT",
    "GOROOT",
    "PYTHONPATH",
    "NODE_PATH",
    "CLASSPATH",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
];

/// Returns the files that belong to the bot that is this file.
///
/// It is the file's folder, or just the file if others keep their things there as well.
pub(crate) fn own_folder(file: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    // A link and its target both belong to the bot.
    for file in [Some(file.to_owned()), file.canonicalize().ok()].into_iter().flatten() {
        match file.parent() {
            _ if is_system(&file) => {}
            Some(folder) if !is_others(folder) => paths.push(folder.to_owned()),
            _ => paths.push(file),
        }
    }
    paths.dedup();
    paths
}

/// Returns the files that a program needs to run which a person named.
///
/// They are its own folder or, for a runtime on `PATH`, its installation. The same holds for the
/// interpreter that a script names.
pub(super) fn of_program(program: &Path) -> Vec<PathBuf> {
    let mut paths = match program.parent() {
        Some(folder) if is_on_path(folder) => installed_with(program),
        _ => own_folder(program),
    };
    if let Some(interpreter) = interpreter(program, None)
        && interpreter != program
    {
        // One level only: the interpreter's own interpreter belongs to its installation.
        paths.extend(of_interpreter(&interpreter));
    }
    paths
}

/// Returns the files that a program needs whose author may be a stranger: installations on `PATH`.
///
/// All else that it sees is its `home`.
pub(super) fn of_foreign_program(program: &Path, home: &Path) -> Vec<PathBuf> {
    let runtime = match program.starts_with(home) {
        true => interpreter(program, Some(home)),
        false => Some(program.to_owned()),
    };
    let is_known = |runtime: &PathBuf| runtime.parent().is_some_and(is_on_path);
    runtime.filter(is_known).map_or_else(Vec::new, |runtime| installed_with(&runtime))
}

/// Returns what is shown of the interpreter of a script: its installation, or it alone.
///
/// The first line of a script names any file, so another folder must not come with it.
fn of_interpreter(interpreter: &Path) -> Vec<PathBuf> {
    if interpreter.parent().is_some_and(is_on_path) {
        return installed_with(interpreter);
    }
    if access(interpreter, Access::EXEC_OK).is_err() || !interpreter.is_file() {
        return Vec::new();
    }
    let above = |place: &PathBuf| place.ancestors().nth(2).map(Path::to_owned);
    let places = [Some(interpreter.to_owned()), interpreter.canonicalize().ok()];
    let installed = places.iter().flatten().filter(|place| {
        let bin = place.parent().and_then(prefix);
        bin.is_some() && bin == above(place)
    });
    let installed: Vec<PathBuf> = installed.filter_map(above).collect();
    if installed.is_empty() { vec![interpreter.to_owned()] } else { installed }
}

/// Returns the files that the arguments of a program name.
///
/// They are files with their folders, folders, and lists of both, also within a command line for
/// a shell.
pub(crate) fn of_arguments(args: &[OsString], folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let whole = args.iter().filter_map(|arg| arg.to_str());
    let words = whole.clone().filter(|arg| arg.contains(' ')).filter_map(shlex::split).flatten();
    for arg in whole.map(str::to_owned).chain(words) {
        // As in `python3 bot.py; exit`.
        let arg = arg.trim_end_matches(';');
        let value = arg.split_once('=').map(|(_, value)| value);
        for text in [Some(arg), value].into_iter().flatten().filter(|text| text.len() < 4096) {
            let list = text.split(':').filter(|part| !part.is_empty());
            for path in std::iter::once(text).chain(list).map(|part| folder.join(part)) {
                if path.is_file() {
                    paths.extend(own_folder(&path));
                } else if path.is_dir() && !is_system(&path) && !is_others(&path) {
                    paths.push(path);
                }
            }
        }
    }
    paths
}

/// The visible part of a program's start folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StartFolder {
    /// The folder, without links.
    pub(crate) folder: PathBuf,
    /// Whether it is hidden because it belongs to no bot: a home folder, `/`, `/tmp` and so on.
    pub(crate) is_hidden: bool,
    /// The visible part: the folder.
    ///
    /// If it is hidden, the folders below it with the program's files.
    pub(crate) shown: Vec<PathBuf>,
}

impl StartFolder {
    /// Returns the visible part of a folder for a program that consists of these files.
    ///
    /// `None` if there is no such folder.
    pub(crate) fn of(folder: &Path, files: &[PathBuf]) -> Option<StartFolder> {
        let folder = folder.canonicalize().ok()?;
        if !is_others(&folder) {
            return Some(StartFolder { shown: vec![folder.clone()], folder, is_hidden: false });
        }
        let files = files.iter().filter_map(|file| file.canonicalize().ok());
        let mut shown: Vec<PathBuf> =
            files.filter_map(|file| highest_own(&folder, &file)).collect();
        shown.sort_unstable();
        shown.dedup();
        Some(StartFolder { folder, is_hidden: true, shown })
    }
}

/// Returns the highest folder below `folder` that contains the file and is a bot's own.
///
/// A leading dot marks a person's private things, so such a folder is not shown as a whole.
fn highest_own(folder: &Path, file: &Path) -> Option<PathBuf> {
    let way = file.strip_prefix(folder).ok()?.parent()?;
    let mut place = folder.to_owned();
    for part in way.components() {
        place.push(part);
        let is_dotted = part.as_os_str().as_bytes().starts_with(b".");
        if !is_dotted && !is_others(&place) && !is_system(&place) {
            return Some(place);
        }
    }
    None
}

/// Returns the runtimes that a person has installed, from `PATH` and from the usual variables as
/// far as programs get them.
pub(super) fn of_runtimes(allowed: &[String]) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| prefix(&folder));
    on_path.chain(of_variables(&RUNTIMES, allowed)).collect()
}

/// Returns the places of programs that bots see beside the system's: the runtimes that the operator
/// has installed, and what the operator shows.
pub(crate) fn installed(options: &SandboxOptions) -> Vec<PathBuf> {
    let places = of_runtimes(&options.env).into_iter().chain(options.read.iter().cloned());
    places.filter_map(|place| place.canonicalize().ok()).collect()
}

/// Returns whether a path leads to something of the system, or in one of the [`installed`] places.
pub(crate) fn is_installed(path: &Path, places: &[PathBuf]) -> bool {
    let is_in = |end: PathBuf| is_seen_by_all(&end) || places.iter().any(|at| end.starts_with(at));
    path.canonicalize().is_ok_and(is_in)
}

/// Returns folders and files that several programs share, from variables that programs get.
pub(crate) fn libraries(allowed: &[String]) -> Vec<PathBuf> {
    of_variables(&["PYTHONPATH", "NODE_PATH", "CLASSPATH"], allowed).collect()
}

fn of_variables(names: &[&str], allowed: &[String]) -> impl Iterator<Item = PathBuf> {
    let passed = names.iter().filter(|name| is_passed_on(OsStr::new(name), allowed));
    let values: Vec<OsString> = passed.filter_map(env::var_os).collect();
    let named = values.into_iter().flat_map(|value| env::split_paths(&value).collect::<Vec<_>>());
    named.filter(|path| path.is_absolute() && !is_system(path) && !is_shared(path))
}

/// Returns the installation of a program on `PATH`: the folder above its `bin`.
///
/// If it is a link to a program elsewhere, that one's installation comes with it, or that program
/// alone: the folder around it may be somebody's work.
pub(super) fn installed_with(program: &Path) -> Vec<PathBuf> {
    let named = program.parent().and_then(prefix);
    let target = program.canonicalize().ok().filter(|target| target != program);
    let target = target.filter(|target| !is_system(target)).map(|target| {
        let bin = target.parent().unwrap_or(Path::new("/"));
        prefix(bin).filter(|above| above != bin).unwrap_or(target)
    });
    named.into_iter().chain(target).collect()
}

/// Returns the folder above a `bin`, or the `bin` if the folder above also holds other things.
fn prefix(bin: &Path) -> Option<PathBuf> {
    if is_system(bin) || is_others(bin) {
        return None;
    }
    let is_bin =
        bin.file_name().is_some_and(|name| ["bin", "sbin", "shims"].iter().any(|bin| name == *bin));
    let is_fit =
        |above: &&Path| is_bin && !is_others(above) && !is_system(above) && !is_mixed(above);
    let above = bin.parent().filter(is_fit).filter(|above| is_installation(above));
    Some(above.unwrap_or(bin).to_owned())
}

/// Returns whether a folder belongs to the programs in its `bin`.
///
/// Otherwise it is a person's own project with a `bin` in it.
fn is_installation(folder: &Path) -> bool {
    ["lib", "lib64", "libexec", "share", "versions", "pyvenv.cfg"]
        .iter()
        .any(|part| folder.join(part).exists())
}

/// Returns whether a folder holds a person's secrets beside a `bin`: `~/.local`, `~/.cargo`.
fn is_mixed(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == ".local" || name == ".cargo")
}

fn is_on_path(folder: &Path) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|entry| entry == folder))
}

pub(crate) fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Returns whether every bot sees this path, whoever it belongs to: one in a folder of programs.
pub fn is_seen_by_all(path: &Path) -> bool {
    let is_partly_shown = path.starts_with("/etc") || path.starts_with("/proc");
    let is_plain = path.components().all(|part| part != Component::ParentDir);
    is_system(path) && !is_partly_shown && is_plain
}

/// A place with secrets that every bot would see.
#[derive(Debug, Error)]
#[error("all bots see {}: choose a place outside /usr and /lib", .0.display())]
pub struct SeenByAll(PathBuf);

/// Returns those places with secrets that are there, for
/// [`SandboxOptions::hidden`](crate::SandboxOptions::hidden).
pub fn hide(places: impl IntoIterator<Item = PathBuf>) -> Result<Vec<PathBuf>, SeenByAll> {
    // What is missing has been told, or will be.
    let hidden: Vec<_> = places.into_iter().filter_map(|path| path.canonicalize().ok()).collect();
    match hidden.iter().find(|path| is_seen_by_all(path)) {
        Some(seen) => Err(SeenByAll(seen.clone())),
        None => Ok(hidden),
    }
}

/// Returns whether a folder belongs to no bot: see [`SHARED`].
///
/// A home folder, and any folder above one, belongs to no bot either.
fn is_shared(folder: &Path) -> bool {
    let shared = |path: &Path| SHARED.iter().any(|shared| path == Path::new(shared));
    let homes = [env::var_os("HOME"), env::var_os("TMPDIR")];
    let above_home = |home: &OsString| !home.is_empty() && Path::new(home).starts_with(folder);
    let in_home = folder.parent() == Some(Path::new("/home"));
    shared(folder) || in_home || homes.iter().flatten().any(above_home)
}

/// Returns whether a folder, under any of its names, belongs to no bot: see [`is_shared`].
///
/// A folder with a person's keys does not either.
pub(crate) fn is_others(folder: &Path) -> bool {
    let Ok(place) = folder.canonicalize() else { return is_shared(folder) };
    let home = env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
    is_shared(folder)
        || is_shared(&place)
        || home.is_some_and(|home| home != Path::new("/") && home.starts_with(&place))
        || place.join(".ssh").is_dir()
}

/// Returns the interpreter that the first line of a script names.
fn interpreter(script: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let mut start = [0; 256];
    let length = open_file(script, home).ok()?.read(&mut start).ok()?;
    let line = start[..length].strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = Path::new(OsStr::from_bytes(words.next()?));
    if first.file_name().is_some_and(|name| name == "env") {
        let word = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
        return crate::on_path(std::str::from_utf8(word).ok()?);
    }
    Some(first.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_bot_sees_its_own_folder_but_no_shared_one() {
        assert_eq!(own_folder(Path::new("/bots/fox/main.py")), [Path::new("/bots/fox")]);
        assert_eq!(own_folder(Path::new("/tmp/fox.py")), [Path::new("/tmp/fox.py")]);
        assert_eq!(own_folder(Path::new("/home/rosa/fox.py")), [Path::new("/home/rosa/fox.py")]);
        assert_eq!(own_folder(Path::new("/usr/bin/python3")), [] as [&Path; 0]);
    }

    #[test]
    fn a_shared_folder_is_one_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("rosa");
        let bots = folder.path().join("rosa/bots");
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir(&bots).unwrap();
        let fox = bots.join("../fox.py");
        fs::write(&fox, "").unwrap();
        assert_eq!(own_folder(&fox), [fox.clone(), home.join("fox.py").canonicalize().unwrap()]);
        assert_eq!(of_arguments(&["..".into(), "bots".into()], &bots), [] as [&Path; 0]);
        assert_eq!(own_folder(Path::new("/tmp/../tmp/fox.py"))[0], Path::new("/tmp/../tmp/fox.py"));
    }

    #[test]
    fn the_folder_to_start_in_is_seen_but_no_home_folder() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("rosa");
        let runners = home.join("arena/test/runners");
        fs::create_dir_all(&runners).unwrap();
        fs::create_dir_all(home.join(".hidden/bots")).unwrap();
        let files =
            [runners.join("alice.sh"), home.join(".hidden/bots/bob.sh"), home.join("carl.sh")];
        files.iter().for_each(|file| fs::write(file, "").unwrap());
        let seen = |folder: &Path| StartFolder::of(folder, &files).unwrap();
        let own = seen(&home.join("arena"));
        assert_eq!((own.is_hidden, own.shown), (false, vec![home.join("arena")]));
        fs::create_dir(home.join(".ssh")).unwrap();
        let at_home = seen(&home);
        assert!(at_home.is_hidden);
        assert_eq!(at_home.shown, [home.join(".hidden/bots"), home.join("arena")]);
        // From further up, no home folder on the way is shown either.
        let above = seen(Path::new("/"));
        assert!(
            above.is_hidden && !above.shown.iter().any(|place| home.starts_with(place)),
            "{above:?}"
        );
        assert_eq!(StartFolder::of(&home.join("missing"), &files), None);
    }

    #[test]
    fn runtimes_come_with_what_was_installed_with_them() {
        let folder = tempfile::tempdir().unwrap();
        let installed = |part: &str| {
            let above = folder.path().join(part.replace('/', "-"));
            fs::create_dir_all(above.join(part)).unwrap();
            above
        };
        for (bin, part) in [("bin", "lib"), ("sbin", "share/x"), ("shims", "versions")] {
            let above = installed(part);
            assert_eq!(prefix(&above.join(bin)), Some(above));
        }
        // Somebody's work with a `bin` in it, and somebody's home.
        let work = installed("secrets");
        let home = installed("lib/x");
        fs::create_dir(home.join(".ssh")).unwrap();
        for above in [work, home] {
            assert_eq!(prefix(&above.join("bin")), Some(above.join("bin")));
        }
        assert_eq!(prefix(Path::new("/x/.local/bin")), Some("/x/.local/bin".into()));
        assert_eq!(prefix(Path::new("/usr/local/bin")), None);
        // A home folder by another name.
        let home = installed("lib/y");
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(home.join("bin")).unwrap();
        assert_eq!(prefix(&home.join("bin/..")), None);
    }

    #[test]
    fn a_link_on_path_shows_its_target_and_not_the_work_around_it() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        for part in ["links", "work", "opt/bin", "opt/lib"] {
            fs::create_dir_all(place.join(part)).unwrap();
        }
        for tool in ["work/tool.sh", "opt/bin/tool"] {
            let link = place.join("links").join(tool.replace('/', "-"));
            fs::write(place.join(tool), "").unwrap();
            std::os::unix::fs::symlink(place.join(tool), link).unwrap();
        }
        let links = place.join("links");
        let seen = |name: &str| installed_with(&links.join(name));
        assert_eq!(seen("work-tool.sh"), [links.clone(), place.join("work/tool.sh")]);
        assert_eq!(seen("opt-bin-tool"), [links.clone(), place.join("opt")]);
    }

    #[test]
    fn what_all_see_is_named_without_detours() {
        for path in ["/usr/bin/python3", "/bin/sh", "/lib64/x"] {
            assert!(is_seen_by_all(Path::new(path)), "{path}");
        }
        for path in ["/proc/self/root/home/x", "/usr/../home/x", "/etc/shadow", "/home/x", "usr"] {
            assert!(!is_seen_by_all(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_secret_that_all_see_is_refused() {
        let places = |names: &[&str]| hide(names.iter().map(PathBuf::from));
        assert_eq!(places(&["/home", "/not-there"]).unwrap(), [PathBuf::from("/home")]);
        let error = places(&["/home", "/usr/bin"]).unwrap_err().to_string();
        assert_eq!(error, "all bots see /usr/bin: choose a place outside /usr and /lib");
    }

    #[test]
    fn arguments_that_are_files_or_folders_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let fox = folder.path().join("fox");
        let classes = folder.path().join("classes");
        fs::create_dir_all(&fox).unwrap();
        fs::create_dir_all(&classes).unwrap();
        fs::write(fox.join("main.py"), "").unwrap();
        let seen = |args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            let mut paths = of_arguments(&args, folder.path());
            paths.sort();
            paths.dedup();
            paths
        };
        let args = ["-O", "fox/main.py", "-cp", "classes:fox", "--data=classes", "/", "nothing"];
        assert_eq!(seen(&args), [classes, fox.clone()]);
        assert_eq!(seen(&["-c", "cd /; python3 'fox/main.py'; exit $?"]), [fox]);
    }

    #[test]
    fn a_script_names_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot");
        fs::write(&script, "#!/opt/guile/bin/guile -s\n!#").unwrap();
        assert_eq!(interpreter(&script, None), Some("/opt/guile/bin/guile".into()));
        fs::write(&script, "#! /usr/bin/env -S A=1 sh -e\n").unwrap();
        assert_eq!(interpreter(&script, None), crate::on_path("sh"));
        fs::write(&script, "\x7fELF").unwrap();
        assert_eq!(interpreter(&script, None), None);
    }
}
