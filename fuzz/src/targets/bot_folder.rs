//! The manifest and the `.agonignore` of a bot that is a folder, as strangers hand them in.

use std::{cell::RefCell, fs};

use agon_bots::BotSpec;
use tempfile::TempDir;

thread_local! {
    /// A folder with some files.
    static FOLDER: RefCell<TempDir> = RefCell::new(folder());
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("data/deep")).expect("the folder is new");
    for name in ["bot.py", "a.log", "data/x.json", "data/deep/y.log"] {
        fs::write(path(name), name).expect("the folder is new");
    }
    folder
}

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let text = crate::text(data);
    let (manifest, ignored) = text.split_once("\n---\n").unwrap_or((text, ""));
    FOLDER.with_borrow(|folder| {
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        write("agon.toml", manifest).expect("the folder is ours");
        write(".agonignore", ignored).expect("the folder is ours");
        let text = folder.path().to_str().expect("the name is plain");
        let spec: BotSpec = text.parse().expect("a folder is a bot");
        match spec.info() {
            // The same files have the same digest.
            Ok(info) => assert_eq!(spec.info().expect("nothing has changed"), info),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}
