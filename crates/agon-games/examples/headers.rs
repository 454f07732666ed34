//! Writes the C headers that are generated from the code. `cargo xtask generate` runs it.

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    for file in agon_games::generated::files() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, file.text)?;
    }
    Ok(())
}
