//! Runs programs from the root of the workspace, and reads and writes files: for all chores, and
//! for the programs behind some of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, thread};

use anyhow::{Context, Result, bail};

/// Returns the root of the workspace.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// Returns cargo's target folder, which also contains this program.
pub fn target() -> Result<PathBuf> {
    let own = env::current_exe()?;
    let folder = own
        .parent()
        .and_then(Path::parent)
        .context("a built program is in a folder of `target`")?;
    Ok(folder.to_owned())
}

/// Returns whether a program is on the PATH.
pub fn has(program: &str) -> bool {
    let probe = Command::new("sh")
        .args(["-c", "command -v \"$0\"", program])
        .stdout(Stdio::null())
        .status();
    probe.is_ok_and(|status| status.success())
}

/// Prints and runs a command.
pub fn step(command: &mut Command) -> Result<()> {
    let line = line_of(command);
    eprintln!("\n==> {line}");
    let status =
        command.current_dir(root()).status().with_context(|| format!("cannot run {line}"))?;
    if !status.success() {
        bail!("failed with {status}: {line}");
    }
    Ok(())
}

/// Runs a command beside others; prints its output only if it fails, in one piece.
pub fn quiet_step(command: &mut Command) -> Result<()> {
    text_of(command.current_dir(root())).map(drop)
}

/// Runs a command and returns what it prints on standard output.
/// The error has all that it printed.
pub fn text_of(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8_lossy(&output_of(command)?.stdout).into_owned())
}

/// As [`text_of`], with all that it prints.
pub fn output_of(command: &mut Command) -> Result<Output> {
    let line = line_of(command);
    let output = command.output().with_context(|| format!("cannot run {line}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("failed with {}: {line}\n{}", output.status, String::from_utf8_lossy(&said));
    }
    Ok(output)
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file, and the folders above it.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = written.and_then(|()| fs::write(path, contents));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the paths of what is in a folder, sorted.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("cannot list {}", folder.display());
    let entries = fs::read_dir(folder).with_context(context)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Returns the paths of all files below a folder.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        match fs::symlink_metadata(&path)?.is_dir() {
            true => files.extend(files_below(&path)?),
            false => files.push(path),
        }
    }
    Ok(files)
}

/// Makes a folder, without what an earlier run left in it.
pub fn fresh(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Returns the command of `cargo` with arguments.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// Runs a function on all items, `width` at a time; results are in the order of `items`.
pub fn in_parallel<I: Send, T: Send>(
    width: usize,
    items: Vec<I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let queue = Mutex::new(items.into_iter().enumerate());
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || {
        let mut done = Vec::new();
        while let Some((at, item)) = take() {
            done.push((at, work(item)));
        }
        done
    };
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..width.max(1)).map(|_| scope.spawn(worker)).collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_side_by_side_is_done_once_and_in_order() {
        for width in [0, 1, 3, 100] {
            let done = in_parallel(width, (0..50).collect(), |number: u32| number * 2);
            assert_eq!(done, (0..50).map(|number| number * 2).collect::<Vec<_>>());
        }
    }
}
