//! The wheel for pip: `agon_cli-0.1.0-py3-none-manylinux_2_34_x86_64.whl`.
//!
//! The format is Python's "binary distribution format": a zip with the files of a Python package,
//! files for other folders in `*.data/`, and what pip needs to know in `*.dist-info/`. `agon`
//! becomes a program of the environment; what belongs to it goes below the environment's root.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use crate::tree::{File, Tree};
use crate::{LICENCE, Release, SUMMARY};

/// `python -m agon_cli`, and the path of the program for other packages.
const INIT: &str = r#""""Agon, an arena for programming games, as a package for pip."""

import os
import sysconfig


def find_agon() -> str:
    """Returns the path of the program `agon`."""
    users = sysconfig.get_path("scripts", f"{os.name}_user")
    for folder in (sysconfig.get_path("scripts"), users):
        path = os.path.join(folder, "agon")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("`agon` is missing: pip install --force-reinstall agon-cli")
"#;

const MAIN: &str = r#"import os
import sys

from agon_cli import find_agon

if __name__ == "__main__":
    agon = find_agon()
    os.execv(agon, [agon, *sys.argv[1:]])
"#;

/// Writes it to a folder and returns its path.
pub(crate) fn write(tree: &Tree, release: &Release, to: &Path) -> Result<PathBuf> {
    let version = &release.release;
    let info = format!("agon_cli-{version}.dist-info");
    let tag = format!("py3-none-manylinux_{}_x86_64", release.glibc.replace('.', "_"));
    let mut files = tree.moved(|path| match path.strip_prefix("bin/") {
        Some(program) => format!("agon_cli-{version}.data/scripts/{program}"),
        None => format!("agon_cli-{version}.data/data/{path}"),
    });
    files.add("agon_cli/__init__.py", INIT);
    files.add("agon_cli/__main__.py", MAIN);
    files.add(&format!("{info}/METADATA"), metadata(tree, version));
    files.add(
        &format!("{info}/WHEEL"),
        format!(
            "Wheel-Version: 1.0\nGenerator: agon-package\nRoot-Is-Purelib: false\nTag: {tag}\n"
        ),
    );
    // Last, as the format recommends, and without a digest of itself.
    let record = format!("{info}/RECORD");
    let mut lines: String = files.0.iter().map(recorded).collect();
    lines.push_str(&format!("{record},,\n"));
    files.0.push(File { path: record, bytes: lines.into_bytes(), is_program: false });
    let path = to.join(format!("agon_cli-{version}-{tag}.whl"));
    xtask::write(&path, zipped(&files)?)?;
    Ok(path)
}

fn recorded(File { path, bytes, .. }: &File) -> String {
    let digest = BASE64URL_NOPAD.encode(&Sha256::digest(bytes));
    format!("{path},sha256={digest},{}\n", bytes.len())
}

fn metadata(tree: &Tree, version: &str) -> String {
    let readme = tree.0.iter().find(|file| file.path == "share/doc/agon/README.md");
    let readme = readme.map(|file| String::from_utf8_lossy(&file.bytes)).unwrap_or_default();
    format!(
        "Metadata-Version: 2.4\nName: agon-cli\nVersion: {version}\nSummary: {SUMMARY}\n\
         License-Expression: {LICENCE}\nRequires-Python: >=3.8\nKeywords: bots,arena,games\n\
         Classifier: Environment :: Console\nClassifier: Operating System :: POSIX :: Linux\n\
         Classifier: Topic :: Games/Entertainment :: Simulation\n\
         Description-Content-Type: text/markdown\n\n{readme}"
    )
}

fn zipped(files: &Tree) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for File { path, bytes, is_program } in &files.0 {
        // pip makes files executable that are so here. The time is the format's first.
        let mode = if *is_program { 0o755 } else { 0o644 };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(DateTime::default())
            .unix_permissions(mode);
        zip.start_file(path.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use zip::ZipArchive;

    use super::*;
    use crate::{some_release, tree};

    #[test]
    fn its_record_lists_each_file_with_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&tree::tests::small(), &some_release(), folder.path()).unwrap();
        assert!(path.ends_with("agon_cli-1.2.3-py3-none-manylinux_2_34_x86_64.whl"));
        let mut zip = ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
        let mut files = Vec::new();
        for number in 0..zip.len() {
            let mut entry = zip.by_index(number).unwrap();
            let path = entry.name().unwrap().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            let is_program = entry.unix_mode().unwrap() & 0o111 != 0;
            files.push(File { path, bytes, is_program });
        }
        let record = files.pop().unwrap();
        assert_eq!(record.path, "agon_cli-1.2.3.dist-info/RECORD");
        let expected: String = files.iter().map(recorded).collect();
        let said = String::from_utf8(record.bytes).unwrap();
        assert_eq!(said, format!("{expected}{},,\n", record.path));
        let programs: Vec<_> =
            files.iter().filter(|file| file.is_program).map(|file| file.path.as_str()).collect();
        let part = "agon_cli-1.2.3.data/data/libexec/agon/agon-wasm-host";
        assert_eq!(programs, [part, "agon_cli-1.2.3.data/scripts/agon"]);
    }
}
