//! Tests of the files of a bot's folder.

use std::fs::File;

use agon_games::GameId;
use agon_match::spec::BotProtocol;

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn manifest(files: &[&str]) -> BotManifest {
    BotManifest {
        game: GameId::OWN[0],
        name: None,
        author: None,
        language: None,
        protocol: BotProtocol::Game,
        files: files.iter().map(|&file| file.to_owned()).collect(),
        build: None,
        run: "./bot".to_owned(),
    }
}

fn paths(root: &Path, named: &[&str]) -> Vec<String> {
    let files = list(root, &manifest(named), None).unwrap();
    files.iter().map(|file| file.path.display().to_string()).collect()
}

fn digest(root: &Path) -> blake3::Hash {
    copy(root, &list(root, &manifest(&[]), None).unwrap(), None).unwrap()
}

#[test]
fn all_files_belong_to_a_bot_unless_it_names_them() {
    let all = ["agon.toml", "bot.py", "lib/a.py", "lib/deep/b.py", "notes.txt"];
    let files: Vec<_> = all.iter().map(|path| (*path, "")).collect();
    let folder = folder(&[&files[..], &[(".git/HEAD", ""), ("target/x", "")]].concat());
    let root = folder.path();
    assert_eq!(paths(root, &[]), all);
    assert_eq!(paths(root, &["*.py"]), ["agon.toml", "bot.py"]);
    assert_eq!(paths(root, &["bot.py", "lib/"]), all[..4]);
    fs::write(root.join(".agonignore"), "*.txt\n").unwrap();
    assert_eq!(paths(root, &[]), [&[".agonignore"], &all[..4]].concat());
}

#[test]
fn the_digest_covers_paths_bits_and_contents() {
    let same = || folder(&[("a", "1"), ("b", "2")]);
    let first = same();
    assert_eq!(digest(first.path()), digest(same().path()));
    assert_ne!(digest(first.path()), digest(folder(&[("a", "12"), ("b", "")]).path()));
    assert_ne!(digest(first.path()), digest(folder(&[("a", "1"), ("c", "2")]).path()));
    let executable = same();
    fs::set_permissions(executable.path().join("a"), Permissions::from_mode(0o700)).unwrap();
    assert_ne!(digest(first.path()), digest(executable.path()));
    let linked = same();
    fs::remove_file(linked.path().join("b")).unwrap();
    symlink("a", linked.path().join("b")).unwrap();
    assert_ne!(digest(first.path()), digest(linked.path()));
}

#[test]
fn a_copy_has_the_digest_of_the_folder() {
    let folder = folder(&[("bot.sh", "#!/bin/sh\n"), ("data/weights.json", "[1]")]);
    let root = folder.path();
    fs::set_permissions(root.join("bot.sh"), Permissions::from_mode(0o700)).unwrap();
    symlink("../bot.sh", root.join("data/link")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let to = place.path().join("bot");
    let copied = copy(root, &list(root, &manifest(&[]), None).unwrap(), Some(&to)).unwrap();
    assert_eq!((copied, digest(root)), (digest(&to), copied));
    assert_eq!(fs::read_to_string(to.join("data/link")).unwrap(), "#!/bin/sh\n");
}

#[test]
fn links_stay_in_the_folder() {
    for target in ["/etc/hostname", "../outside", "/missing", "b/../missing", "a/../../x/a"] {
        let outer = folder(&[("bot/a", ""), ("outside", ""), ("x/a", "")]);
        let root = outer.path().join("bot");
        symlink(target, root.join("link")).unwrap();
        for installed in [None, Some(&[PathBuf::from("/opt")][..])] {
            let error = list(&root, &manifest(&[]), installed).unwrap_err();
            assert!(matches!(error, FolderError::Link { .. }), "{target}: {error}");
        }
        fs::write(root.join(".agonignore"), "link\n").unwrap();
        assert_eq!(paths(&root, &[]), [".agonignore", "a"]);
    }
}

#[test]
fn links_may_lead_to_folders_without_files() {
    // As `python3 -m venv` makes them.
    let folder = folder(&[("a", "")]);
    let root = folder.path();
    fs::create_dir_all(root.join("env/lib")).unwrap();
    symlink("lib", root.join("env/lib64")).unwrap();
    symlink("../env/lib", root.join("env/again")).unwrap();
    let files = list(root, &manifest(&[]), None).unwrap();
    let to = tempfile::tempdir().unwrap();
    copy(root, &files, Some(&to.path().join("bot"))).unwrap();
    let copied = list(&to.path().join("bot"), &manifest(&[]), None).unwrap();
    assert_eq!((files.len(), copied), (3, files));
}

#[test]
fn links_of_environments_and_packages_lead_to_installed_programs() {
    let runtimes = folder(&[("bin/python3", ""), ("lib/tool.js", "")]);
    let places = [runtimes.path().canonicalize().unwrap()];
    let [python, tool] = ["bin/python3", "lib/tool.js"].map(|path| places[0].join(path));
    let bot = folder(&[("env/pyvenv.cfg", ""), ("env/bin/pip", ""), ("node_modules/a/b.js", "")]);
    let root = bot.path();
    symlink(&python, root.join("env/bin/python")).unwrap();
    symlink("/bin/sh", root.join("env/bin/sh")).unwrap();
    symlink(&tool, root.join("node_modules/a/tool.js")).unwrap();
    let list = |installed| list(root, &manifest(&[]), installed);
    let is_refused = |installed, end: &str| match list(installed) {
        Err(FolderError::Link { path, .. }) => assert!(path.ends_with(end), "{path:?}"),
        other => panic!("{other:?}"),
    };
    let files = list(Some(&places)).unwrap();
    assert_eq!(files.len(), 6, "{files:?}");
    let to = tempfile::tempdir().unwrap();
    copy(root, &files, Some(&to.path().join("bot"))).unwrap();
    assert_eq!(fs::read_link(to.path().join("bot/env/bin/python")).unwrap(), python);
    fs::remove_file(root.join("env/bin/sh")).unwrap();
    // On other machines the programs may lie elsewhere, and packages are not sent.
    is_refused(None, "env/bin/python");
    fs::remove_file(root.join("env/bin/python")).unwrap();
    assert_eq!(list(None).unwrap().len(), 2);
    is_refused(Some(&[]), "node_modules/a/tool.js");
    // Elsewhere in the folder a link must not lead out.
    fs::remove_file(root.join("node_modules/a/tool.js")).unwrap();
    symlink("/bin/sh", root.join("sh")).unwrap();
    is_refused(Some(&places), "sh");
}

#[test]
fn a_pipe_is_no_part_of_a_bot() {
    let folder = folder(&[]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let error = list(folder.path(), &manifest(&[]), None).unwrap_err();
    assert!(error.to_string().contains("neither a file nor a folder"), "{error}");
}

#[test]
fn a_bot_has_a_size() {
    let folder = folder(&[("a", "")]);
    let root = folder.path();
    let large = File::create(root.join("large")).unwrap();
    large.set_len(BYTES).unwrap();
    assert_eq!(paths(root, &[]), ["a", "large"]);
    large.set_len(BYTES + 1).unwrap();
    let error = list(root, &manifest(&[]), None).unwrap_err().to_string();
    assert!(error.contains("64 MiB") && error.contains(".agonignore"), "{error}");
    fs::remove_file(root.join("large")).unwrap();
    for number in 0..FILES {
        fs::write(root.join(number.to_string()), "").unwrap();
    }
    let error = list(root, &manifest(&[]), None).unwrap_err().to_string();
    assert!(error.contains("more than 10000 files"), "{error}");
}
