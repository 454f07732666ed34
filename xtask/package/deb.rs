//! The package for Debian and systems like it: `agon_0.1.0_amd64.deb`.
//!
//! The format is that of the manual page deb(5): an `ar` archive of three members.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ar::{Builder, Header};

use crate::{LICENCE, Release, SUMMARY, compressed, tree::Tree};

/// Writes it to a folder and returns its path.
pub(crate) fn write(tree: &Tree, release: &Release, to: &Path) -> Result<PathBuf> {
    let data = data(tree)?;
    let mut control = Tree::default();
    control.add("control", control_file(&data, release));
    let mut bytes = Vec::new();
    let mut ar = Builder::new(&mut bytes);
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control.write_tar(compressed(Vec::new()), release.time)?.finish()?),
        ("data.tar.gz", data.write_tar(compressed(Vec::new()), release.time)?.finish()?),
    ];
    for (name, member) in members {
        let mut header = Header::new(name.as_bytes().to_vec(), member.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(release.time);
        ar.append(&header, member.as_slice())?;
    }
    let path = to.join(format!("agon_{}_amd64.deb", release.release));
    xtask::write(&path, bytes)?;
    Ok(path)
}

/// Returns the files where Debian has them.
fn data(tree: &Tree) -> Result<Tree> {
    let mut data = tree.moved(|path| match path.strip_prefix("share/zsh/site-functions/") {
        Some(file) => format!("usr/share/zsh/vendor-completions/{file}"),
        None => format!("usr/{path}"),
    });
    let at = |path: &str| tree.0.iter().find(|file| file.path == path).map(|file| &file.bytes);
    let changes = at("share/doc/agon/CHANGELOG.md").context("the changelog is missing")?;
    let mut changelog = compressed(Vec::new());
    std::io::Write::write_all(&mut changelog, changes)?;
    data.add("usr/share/doc/agon/changelog.gz", changelog.finish()?);
    data.add("usr/share/doc/agon/copyright", copyright());
    Ok(data)
}

fn copyright() -> String {
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: agon\n\n\
         Files: *\nCopyright: the developers of Agon\nLicense: {LICENCE}\n \
         The texts are in /usr/share/doc/agon: LICENSE-MIT and LICENSE-APACHE. The libraries in\n \
         the programs have licences of their own: third-party-licences.txt.\n"
    )
}

fn control_file(data: &Tree, Release { release, glibc, .. }: &Release) -> String {
    let size: usize = data.0.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    format!(
        "Package: agon\nVersion: {release}\nArchitecture: amd64\nSection: games\n\
         Priority: optional\nMaintainer: The developers of Agon <agon@agon.invalid>\n\
         Installed-Size: {size}\nDepends: libc6 (>= {glibc})\n\
         Recommends: python3, gcc, libc6-dev, ffmpeg\n\
         Suggests: clang, lld, wasi-libc, default-jre-headless, nodejs\n\
         Description: {SUMMARY}\n \
         Agon plays bots of many languages against each other in six games, confined in a\n \
         sandbox. It shows and films matches, ranks bots in tournaments, and proves results:\n \
         anybody can play a recorded match again.\n"
    )
}

#[cfg(test)]
mod tests {
    use std::{io::Read, process::Command};

    use super::*;
    use crate::{some_release, tree};

    #[test]
    fn it_has_the_members_of_its_format() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&tree::tests::small(), &some_release(), folder.path()).unwrap();
        assert!(path.ends_with("agon_1.2.3_amd64.deb"));
        let mut archive = ar::Archive::new(std::fs::File::open(&path).unwrap());
        let mut members = Vec::new();
        while let Some(entry) = archive.next_entry() {
            let mut entry = entry.unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            members
                .push((String::from_utf8_lossy(entry.header().identifier()).into_owned(), bytes));
        }
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
        assert_eq!(members[0].1, b"2.0\n");
    }

    #[test]
    fn debians_own_tool_reads_it() {
        if Command::new("dpkg-deb").arg("--version").output().is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = write(&tree::tests::small(), &some_release(), folder.path()).unwrap();
        let ask = |flag: &str| {
            let output = Command::new("dpkg-deb").arg(flag).arg(&path).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let control = ask("--field");
        assert!(control.contains("Version: 1.2.3\n") && control.contains("libc6 (>= 2.34)"));
        let contents = ask("--contents");
        for file in [" usr/bin/agon\n", " usr/share/zsh/vendor-completions/_agon\n"] {
            assert!(contents.contains(file), "{contents}");
        }
        let program = contents.lines().find(|line| line.ends_with(" usr/bin/agon")).unwrap();
        assert!(program.starts_with("-rwxr-xr-x root/root"), "{program}");
    }
}
