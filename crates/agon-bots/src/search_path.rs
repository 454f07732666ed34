//! Finds programs in the folders of `PATH`, such as interpreters and compilers.

use std::{env, path::PathBuf};

use rustix::fs::{Access, access};

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
