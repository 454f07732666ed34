//! Archives that authors upload: whatever they hold, the files stay below their folder and within
//! the limits.

use agon_archive::{MAX_BYTES, MAX_FILES, is_archive, unpack};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    if !is_archive(data) {
        return;
    }
    let Ok(files) = unpack(data) else { return };
    let bytes: usize = files.iter().map(|(_, file)| file.contents.len()).sum();
    assert!(bytes as u64 <= MAX_BYTES && files.len() <= MAX_FILES);
    for (path, _) in files.iter() {
        let is_safe = path.split('/').all(|name| !matches!(name, "" | "." | ".."));
        assert!(is_safe && !path.contains('\\'), "{path}");
    }
}
