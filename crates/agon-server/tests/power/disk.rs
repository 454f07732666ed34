//! A disk that loses its power: `disk.c`, which is preloaded into programs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::wreck::Random;

/// Builds what is preloaded.
pub(super) fn preload(folder: &Path) -> PathBuf {
    let path = folder.join("disk.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&path)
        .arg("tests/power/disk.c")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    path
}

/// A folder whose syncs are noted in another one.
pub(super) struct Disk {
    /// Where they are noted.
    pub(super) mirror: PathBuf,
    variables: [(&'static str, String); 3],
}

impl Disk {
    pub(super) fn new(mirror: PathBuf, preload: &Path, folder: &Path) -> Disk {
        fs::create_dir_all(mirror.join("files")).unwrap();
        fs::create_dir_all(mirror.join("folders")).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let variables = [
            ("LD_PRELOAD", text(preload)),
            ("AGON_POWER_DATA", text(folder)),
            ("AGON_POWER_MIRROR", text(&mirror)),
        ];
        Disk { mirror, variables }
    }

    /// Returns the environment of the programs that use it.
    pub(super) fn variables(&self) -> [(&str, &str); 3] {
        self.variables.each_ref().map(|(name, value)| (*name, value.as_str()))
    }

    /// Takes the power away just before something is synced: at once, or a few times later.
    pub(super) fn fail(&self, random: &mut Random) {
        let part = self.mirror.join("fail.part");
        fs::write(&part, (random.next() % 8).to_string()).unwrap();
        fs::rename(part, self.mirror.join("fail")).unwrap();
    }
}
