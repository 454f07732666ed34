//! Files of other programs: cellhack and binfection result files, rezzo maps, binfection settings.

use agon_games::{binfection, cellhack, rezzo};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let text = || String::from_utf8_lossy(rest);
    match first % 4 {
        0 => drop(cellhack::result_file::read(rest)),
        1 => {
            if let Ok(file) = binfection::ResultFile::from_json(rest) {
                let again = binfection::ResultFile::from_json(file.to_json().as_bytes());
                assert_eq!(again.expect("own files can be read"), file);
            }
        }
        2 => {
            if let Ok(world) = rezzo::World::from_text(&text()) {
                let again =
                    rezzo::World::from_text(&world.to_text()).expect("own maps can be read");
                assert_eq!(again.to_text(), world.to_text());
            }
        }
        _ => drop(binfection::IniFile::parse(&text())),
    }
}
