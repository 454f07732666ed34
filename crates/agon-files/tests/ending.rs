//! Tests that a program that ends early leaves no incomplete file.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_files::{WholeFile, discard_unfinished, write_whole};

#[test]
fn nothing_unfinished_is_left_and_nothing_more_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    let (one, other) =
        (WholeFile::create(&path("a")).unwrap(), WholeFile::create(&path("b")).unwrap());
    write_whole(&path("done"), b"done").unwrap();
    assert_eq!(names(), 3);
    discard_unfinished();
    assert_eq!(names(), 1);
    assert!(WholeFile::create(&path("c")).is_err());
    assert!(one.keep().is_err());
    drop(other);
    assert_eq!(names(), 1);
}
