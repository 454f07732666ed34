//! Waiting for what a program says.

use std::{io::Read, process::Child};

/// Waits until a program has said something on standard error, and returns all that it said there
/// until then. The rest stays in its pipe.
pub(crate) fn hears(child: &mut Child, what: &str) -> String {
    let pipe = child.stderr.as_mut().expect("standard error is a pipe");
    let mut said = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&said).contains(what) {
        let read = pipe.read(&mut byte).expect("the pipe can be read");
        assert!(read == 1, "it ended without `{what}`: {}", String::from_utf8_lossy(&said));
        said.push(byte[0]);
    }
    String::from_utf8(said).expect("it says text")
}
