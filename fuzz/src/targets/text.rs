//! Text of others on its way out: whatever it is, and in whatever pieces it comes, nothing in it
//! hides.

use std::io::Write;

use agon_text::{EscapeWriter, check_name, escape_bytes, is_hidden, shown_name};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    // The first bytes say how long the pieces are.
    let Some((length, bytes)) = data.split_first_chunk() else { return };
    let length = usize::from_le_bytes(*length);
    let shown = escape_bytes(bytes, &['\n', '\t']);
    assert!(!shown.contains(|c| is_hidden(c) && !"\n\t".contains(c)));
    let mut writer = EscapeWriter::new(Vec::new());
    for piece in bytes.chunks(1 + length % 7) {
        writer.write_all(piece).expect("memory takes all");
    }
    assert_eq!(writer.finish().expect("memory takes all"), shown.as_bytes());
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(check_name(&shown_name(text)), Ok(()));
    }
}
