//! Writes every page with sample data, and the static files, to a folder:
//! `cargo run -p agon-ladder-pages --example gallery -- DIR`.
//!
//! Pages are also written as an author, an organiser and a visitor see them, and with hostile
//! texts. `index.html` links to all of them.

#![allow(clippy::print_stdout, reason = "the output of a program")]

mod sample;

use std::{env, fs, io, path::Path};

use agon_ladder_pages::{FILES, avatar_svg};
use sample::{Kind, pages};

fn main() -> io::Result<()> {
    let Some(folder) = env::args().nth(1) else {
        return Err(io::Error::other("name the folder to write to"));
    };
    let folder = Path::new(&folder);
    for file in FILES {
        write(&folder.join(file.path.trim_start_matches('/')), file.text)?;
    }
    let mut links = String::new();
    for kind in [Kind::Full, Kind::Empty, Kind::Hostile] {
        for (name, html) in pages(kind) {
            // The gallery is opened from files as well as from a server.
            let local = html.replace("=\"/static/", "=\"../static/");
            write(&folder.join(kind.name()).join(format!("{name}.html")), &local)?;
            links += &format!("<li><a href=\"{0}/{name}.html\">{0}: {name}</a>\n", kind.name());
        }
    }
    write(&folder.join("avatar.svg"), &avatar_svg("fox"))?;
    let index = format!("<!doctype html><title>Gallery</title><ul>{links}</ul>");
    write(&folder.join("index.html"), &index)?;
    println!("{}", folder.join("index.html").display());
    Ok(())
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
