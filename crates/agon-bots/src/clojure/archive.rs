//! Makes an archive of classes, so that JVMs for species start faster.
//!
//! A JVM maps the archive instead of loading classes one by one. Agon makes it once, beside the
//! compiled code. First a JVM plays a question with a typical species and lists its classes. Then
//! another JVM writes them down. If that fails, as with JVMs without archives, a file there gives
//! the reason, and species start more slowly.

use std::{
    ffi::OsString,
    fs,
    io::{self, Write},
    os::{fd::AsRawFd, unix::fs::PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use agon_core::{Game, Seed};
use agon_games::amoebas::{Amoebas, Rules};
use tempfile::TempDir;

use super::{
    java::{Java, MAIN_CLASS, flag},
    question::{Home, Question},
};
use crate::{BatchPart, HostOptions, batch::Area};

/// The species of the rehearsal.
const SPECIES: &str = include_str!("clj/agon/rehearsal.clj");

/// Finds the archive for this Java in the folder with the compiled code, or makes it.
pub(super) fn find(java: &Java, folder: &Path, options: &HostOptions) -> Option<PathBuf> {
    let name = blake3::hash(format!("{:?}", java.arguments(&[])).as_bytes()).to_hex();
    let [archive, why] = ["jsa", "txt"].map(|end| folder.join(format!("{}.{end}", &name[..16])));
    if archive.is_file() {
        return Some(archive);
    }
    if why.is_file() {
        return None;
    }
    options.announce("making an archive of Java classes, once for this machine");
    match make(java, folder, &archive) {
        Ok(()) => Some(archive),
        Err(error) => {
            // Without this note the next start tries again, which does no harm.
            let _ = fs::write(why, format!("{error}\n"));
            None
        }
    }
}

fn make(java: &Java, folder: &Path, archive: &Path) -> io::Result<()> {
    let work = TempDir::new_in(folder)?;
    let [list, species, made] =
        ["list", "rehearsal.clj", "archive"].map(|name| work.path().join(name));
    fs::write(&species, SPECIES)?;
    let off = OsString::from("-Xshare:off");
    rehearse(java.command(&[off, flag("-XX:DumpLoadedClassList=", &list)]), &species)?;
    let flags = [
        OsString::from("-Xshare:dump"),
        flag("-XX:SharedClassListFile=", &list),
        flag("-XX:SharedArchiveFile=", &made),
    ];
    let output = java.command(&flags).stdin(Stdio::null()).output()?;
    if !output.status.success() || !made.is_file() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    // Root's bots run as users of their own.
    fs::set_permissions(&made, fs::Permissions::from_mode(0o644))?;
    fs::rename(made, archive)
}

/// Plays a question.
fn rehearse(mut java: Command, species: &Path) -> io::Result<()> {
    let (area, memory) = Area::create()?;
    let game = Amoebas::new(&Rules::default(), 1, Seed(1)).map_err(io::Error::other)?;
    let decisions = game.decisions();
    let part = BatchPart { game: &game, step: 0, player: decisions[0].player, decisions };
    let mut question = Question::default();
    let mut bytes = Vec::new();
    question.add(part, 1, 0, |_| Home::Here);
    question.write(&game, &mut bytes);
    area.ask(&bytes, 0);
    // The child opens it by this name, without inheriting it.
    let memory = format!("/proc/{}/fd/{}", std::process::id(), memory.as_raw_fd());
    java.args([MAIN_CLASS, &memory, "/proc/self/fd/1"]);
    java.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = java.spawn()?;
    let commands = format!(
        "[\"load\" {} nil]\n[\"seats\" [[\"a\" 0]]]\ndecide 1 {length}\ndecide 2 {length}\n",
        serde_json::json!(species.to_string_lossy()),
        length = bytes.len()
    );
    // If it ends before it has read everything, its output shows that.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(commands.as_bytes()));
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said.contains("[\"done\",2,") {
        return Ok(());
    }
    Err(io::Error::other(format!("{said}{}", String::from_utf8_lossy(&output.stderr))))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    /// A wrong descriptor may be any file, even one of the JVM's own.
    #[test]
    fn a_jvm_writes_to_nothing_that_the_arena_has_not_made() {
        agon_testkit::slow!();
        let cache = TempDir::new().unwrap();
        let options =
            HostOptions { cache: Some(cache.path().to_owned()), ..HostOptions::default() };
        let java = Java::find(&options).unwrap();
        let path = cache.path().join("precious");
        fs::write(&path, "precious").unwrap();
        let (_area, memory) = Area::create().unwrap();
        let made = format!("/proc/{}/fd/{}", std::process::id(), memory.as_raw_fd());
        for [memory, replies] in
            [[made.as_str(), "/proc/self/fd/1"], ["/proc/self/fd/1", "/proc/self/fd/2"]]
        {
            let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            let mut command = java.command(&[]);
            command.args([MAIN_CLASS, memory, replies]).stdin(Stdio::null()).stdout(file);
            let output = command.stderr(Stdio::piped()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                !output.status.success() && said.contains("not what the arena passes"),
                "{said}"
            );
            assert_eq!(fs::read(&path).unwrap(), b"precious");
        }
    }
}
