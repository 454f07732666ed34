//! Traces that a match could leave behind.

use std::{fs, path::Path};

use super::TestDir;
use crate::support::{names, until};

/// The processes of a test's matches: those that were started in its environment, in its folder, or
/// with its number as an argument.
pub(crate) fn processes(dir: &TestDir) -> Vec<String> {
    let mark = format!("AGON_HOSTILE={}", dir.mark);
    let key = dir.key.to_string();
    let folder = dir.path("");
    let is_its = |process: &Path| {
        let holds = |name: &str, text: &str| {
            fs::read(process.join(name))
                .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
        };
        let runs = fs::read_to_string(process.join("stat")).is_ok_and(|stat| {
            !matches!(
                stat.rsplit(')').next().unwrap_or("").split_whitespace().next(),
                Some("Z" | "X")
            )
        });
        runs && (holds("environ", &mark)
            || holds("cmdline", &key)
            || fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder)))
    };
    let entries = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let numbered = entries.filter(|path| {
        path.file_name().unwrap().to_string_lossy().chars().all(|c| c.is_ascii_digit())
    });
    numbered.filter(|path| is_its(path)).map(|path| describe(&path)).collect()
}

fn describe(process: &Path) -> String {
    let words = fs::read(process.join("cmdline")).unwrap_or_default();
    format!("{}: {}", process.display(), String::from_utf8_lossy(&words).replace('\0', " "))
}

/// Nothing is left: no process, temporary file, or shared memory.
pub(crate) fn assert_none(dir: &TestDir) {
    assert_no_process(dir);
    assert_eq!(names(dir.path("tmp")), [] as [&str; 0], "temporary files are left");
    for folder in ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"] {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let left: Vec<_> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains(&dir.mark))
            .collect();
        assert_eq!(left, [] as [&str; 0], "in {folder}");
    }
    for kind in ["shm", "sem", "msg"] {
        let table = fs::read_to_string(format!("/proc/sysvipc/{kind}")).unwrap_or_default();
        let key = dir.key.to_string();
        let left =
            table.lines().filter(|line| line.split_whitespace().next() == Some(&key)).count();
        assert_eq!(left, 0, "{kind}: {table}");
    }
    let sockets = fs::read_to_string("/proc/net/unix").unwrap();
    let left: Vec<_> = sockets
        .lines()
        .filter(|line| line.contains("@agon") || line.contains(&*dir.path("tmp").to_string_lossy()))
        .collect();
    assert_eq!(left, [] as [&str; 0], "sockets are left");
}

pub(crate) fn assert_no_process(dir: &TestDir) {
    until("an end of all processes", || processes(dir).is_empty());
}
