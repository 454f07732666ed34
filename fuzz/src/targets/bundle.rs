//! Bundles of bots' files: they come back from their bytes and from a folder, and write nothing
//! outside of it.

use std::{
    fs,
    path::{Component, Path},
};

use agon_arena::Bundle;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Ok(bundle) = Bundle::from_bytes(data) else { return };
    let bytes = bundle.to_bytes();
    // Only one spelling is shortest.
    assert!(bytes.len() <= data.len());
    assert_eq!(Bundle::from_bytes(&bytes).expect("own bundles can be read"), bundle);
    for path in bundle.paths() {
        let mut parts = Path::new(path).components();
        assert!(parts.all(|part| matches!(part, Component::Normal(_))), "{path:?}");
    }

    let outer = tempfile::tempdir().expect("there is a temporary folder");
    let folder = outer.path().join("bot");
    fs::create_dir(&folder).expect("a temporary folder can be written to");
    // A path may be too long for the system, and a file stand where a folder should be.
    if bundle.unpack(&folder).is_ok() {
        assert_eq!(Bundle::pack(&folder).expect("own files can be packed"), bundle);
    }
    let beside = fs::read_dir(outer.path()).expect("a temporary folder can be read");
    assert_eq!(beside.count(), 1, "nothing is written outside of the folder");
}
