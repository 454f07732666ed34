//! Journals of tournaments: whatever is read is written again as it was, and what is torn off is
//! the end.

use std::path::Path;

use agon_tournament::journal;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    // Checksums cannot be found by trying: lines whose sum is `?` get the right one.
    let data = journal::with_sums(data);
    let Ok(contents) = journal::read(&data, Path::new("journal.jsonl")) else { return };
    let whole = contents.whole as usize;
    let torn = contents.torn.map_or(0, |torn| torn.bytes as usize);
    assert_eq!(whole + torn, data.len());
    let again = journal::read(&data[..whole], Path::new("journal.jsonl"))
        .expect("a beginning is a journal");
    assert_eq!((&again.records, again.torn), (&contents.records, None));
    if let Some(header) = &contents.header {
        let written = journal::write(header, &contents.records);
        let again =
            journal::read(&written, Path::new("journal.jsonl")).expect("own journals can be read");
        assert_eq!(again.records, contents.records);
    }
}
