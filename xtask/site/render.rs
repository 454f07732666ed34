//! Lets mdBook write the HTML of the book.

use std::path::Path;

use anyhow::{Context, Result};
use mdbook_driver::{MDBook, config::Config};

/// Writes the site of a book.
pub(crate) fn write(book: &Path, site: &Path) -> Result<()> {
    let mut settings = Config::from_disk(book.join("book.toml"))?;
    settings.build.build_dir = site.to_owned();
    let loaded = MDBook::load_with_config(book, settings).context("mdBook cannot read the book")?;
    loaded.build().context("mdBook cannot write the site")
}
